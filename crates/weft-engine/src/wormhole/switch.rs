//! At the switches: requests for outputs, grants, and the freeing of outputs.

use super::Core;
use super::event::Event;
use super::run::{Run, Stride, Timing};
use super::state::{Channel, NONE, Visit};
use crate::queue::NEVER;

impl<T: Timing> Core<'_, T> {
    /// A routing flit may have reached the front of an input buffer, or come to wait behind a packet
    /// that is leaving.
    pub(super) fn handle_head(&mut self, input: u32) {
        let drain = self.channels[input as usize].input.drain;
        if drain != NONE && !self.settle(drain) {
            let front = self.channels[input as usize].input.front;
            let next = self.visits[front].next;
            if next != NONE && self.visits[next].head_arrival == self.now {
                self.await_tail(drain);
            }
            return;
        }
        let buffer = &self.channels[input as usize].input;
        if buffer.front != NONE
            && !buffer.requested
            && self.visits[buffer.front].head_arrival == self.now
        {
            self.ask_on_arrival(input);
        }
    }

    /// A routing flit arrives at the front of an input buffer in the present cycle: its packet asks for
    /// its output.
    fn ask_on_arrival(&mut self, input: u32) {
        let buffer = &self.channels[input as usize].input;
        if buffer.crossing_at == NEVER && !buffer.stop_outstanding && !buffer.touched {
            self.channels[input as usize].input.fresh = true;
        } else {
            self.touch(input);
        }
        self.request(input);
    }

    /// The packet at the front of an input buffer asks for its output.
    fn request(&mut self, input: u32) {
        let front = self.channels[input as usize].input.front;
        self.visits[front].asking_since = self.now;
        let port = self.packets[self.visits[front].packet].next_port();
        let switch = self.channels[input as usize].ends.target_switch() as usize;
        let output = self.port_channels[switch * self.ports_per_switch + port];
        let requester = usize::from(self.channels[input as usize].ends.target_port);
        self.requests[output as usize * self.words + requester / 64] |= 1 << (requester % 64);
        self.channels[input as usize].input.requested = true;
        if self.timeout != NEVER {
            self.watch(input);
        }
        if self.channels[output as usize].output.packet == NONE {
            self.contested.push(output);
        } else if !self.settle(output) {
            self.await_tail(output);
            self.touch_fresh(input);
        }
    }

    /// A head that reached an empty buffer in the present cycle will not pass at once.
    #[inline]
    pub(super) fn touch_fresh(&mut self, input: u32) {
        if self.channels[input as usize].input.fresh {
            self.channels[input as usize].input.fresh = false;
            self.touch(input);
        }
    }

    /// Somebody waits for the tail to leave an output: that is an event from now on.
    pub(super) fn await_tail(&mut self, channel: u32) {
        let output = &mut self.channels[channel as usize].output;
        if !output.awaited {
            output.awaited = true;
            if output.ends_with_tail() {
                let free_at = output.run.end + self.timing.pace(channel).cycles();
                self.queue.push(free_at, Event::Free.on(channel));
            }
        }
    }

    /// Gives a free output to the packet at the front of an input buffer, behind `port`.
    pub(super) fn grant(&mut self, output: u32, input: u32, port: usize) {
        self.requests[output as usize * self.words + port / 64] &= !(1 << (port % 64));
        self.last_granted[output as usize] = self.channels[input as usize].ends.target_port;
        self.packet_hops += 1;
        if !self.pass(output, input) {
            let (packet, first_index) = self.strip_front(input, output, output);
            self.take_step(packet);
            let earliest = self.now + self.routing_delay;
            self.start(output, packet, input, first_index, earliest);
        }
    }

    /// Whether any input asks for an output.
    #[inline]
    pub(super) fn has_requests(&self, output: u32) -> bool {
        if self.words == 1 {
            return self.requests[output as usize] != 0;
        }
        let first = output as usize * self.words;
        let masks = &self.requests[first..first + self.words];
        masks.iter().any(|&mask| mask != 0)
    }

    /// Whether a routing flit waits in an input buffer behind the packet that begins to leave. One on its
    /// way will be looked at when it arrives.
    fn has_head_behind(&mut self, input: u32) -> bool {
        let front = self.channels[input as usize].input.front;
        let next = self.visits[front].next;
        if next == NONE {
            return false;
        }
        let arrival = self.visits[next].head_arrival;
        if arrival > self.now && arrival != NEVER {
            self.queue.push(arrival, Event::Head.on(input));
        }
        arrival <= self.now
    }

    /// Takes the routing flit out of an input buffer, for a packet that waited for `wanted` and
    /// will drain through `drain`: the packet, and the index of its next flit.
    #[inline]
    pub(super) fn strip_front(&mut self, input: u32, wanted: u32, drain: u32) -> (u32, u64) {
        self.touch(input);
        let buffer = &mut self.channels[input as usize].input;
        buffer.fresh = false;
        buffer.requested = false;
        buffer.departed += 1;
        buffer.drain = drain;
        let front = &self.visits[buffer.front];
        let longest_wait = &mut self.blocked[wanted as usize].longest_wait;
        *longest_wait = (*longest_wait).max(self.now - front.asking_since);
        (front.packet, front.first_index + 1)
    }

    /// Hands a packet to an output, which sends it as soon as it can, from `earliest` on. A switch's
    /// output knows already whether its tail is awaited.
    pub(super) fn start(
        &mut self,
        channel: u32,
        packet: u32,
        input: u32,
        first_index: u64,
        earliest: u64,
    ) {
        let visit = if self.channels[channel as usize].ends.target_host() == NONE {
            let drain = self.channels[channel as usize].input.drain;
            if drain != NONE {
                self.settle(drain);
            }
            let visit = self.visits.insert(Visit {
                head_arrival: NEVER,
                asking_since: NEVER,
                first_index: self.channels[channel as usize].output.total_before_run,
                packet,
                next: NONE,
            });
            let buffer = &mut self.channels[channel as usize].input;
            if buffer.front == NONE {
                buffer.front = visit;
            } else {
                self.visits[buffer.back].next = visit;
            }
            buffer.back = visit;
            visit
        } else {
            NONE
        };
        let leaves_host = self.channels[channel as usize].ends.source_host() != NONE;
        // Hosts always wait for tails.
        let awaited = leaves_host
            || self.has_head_behind(input)
            || visit == NONE
            || self.has_requests(channel);
        // A switch strips the routing flit it acted on.
        let stripped = u32::from(!leaves_host);
        let packet_state = &mut self.packets[packet];
        packet_state.flits -= stripped;
        let output = &mut self.channels[channel as usize].output;
        output.run = Run::NONE;
        output.sent_before_run = 0;
        output.flits = packet_state.flits;
        output.delivers = packet_state.step > packet_state.step_count;
        output.awaited = awaited;
        output.packet = packet;
        output.input = input;
        output.visit = visit;
        output.first_index = first_index;
        output.earliest = earliest;
        if output.stopped {
            self.blocked[channel as usize].since = self.now;
        }
        self.plan(channel);
    }

    /// A packet's tail may have left an output in the cycle before.
    pub(super) fn handle_free(&mut self, channel: u32) {
        let source = self.channels[channel as usize].ends.source_host();
        if self.settle(channel) && source != NONE {
            self.undecided.push(source);
        }
    }

    /// Tells whether an output is free, taking note of a tail that has left.
    #[inline]
    pub(super) fn settle(&mut self, channel: u32) -> bool {
        if self.channels[channel as usize].output.packet == NONE {
            return true;
        }
        let is_finished = self.is_finished(channel);
        if is_finished {
            self.finish(channel);
        }
        is_finished
    }

    /// Whether the present packet's tail has left an output before the present cycle: the output is free,
    /// though nobody may have taken note of it yet.
    #[inline]
    pub(super) fn is_finished(&self, channel: u32) -> bool {
        let output = &self.channels[channel as usize].output;
        output.run.end + self.timing.pace(channel).cycles() <= self.now && output.ends_with_tail()
    }

    /// The present packet's tail has left an output before the present cycle.
    #[inline(never)]
    fn finish(&mut self, channel: u32) {
        let Channel { output, ends, .. } = &self.channels[channel as usize];
        if !ends.joins_switches() {
            self.finish_at_host(channel);
            return;
        }
        let (input, run, flits) = (output.input, output.run, output.flits);
        self.leave_input(input, flits);
        self.remember(channel, run);
        let output = &mut self.channels[channel as usize].output;
        output.close(run);
        output.packet = NONE;
        self.free(channel);
        self.ask_again(input);
    }

    /// An output has become free.
    #[inline]
    fn free(&mut self, output: u32) {
        self.blocked[output as usize].since = NEVER;
        if self.has_requests(output) {
            self.contested.push(output);
        }
    }

    /// The present packet's tail has left a host, or for a host.
    #[inline(never)]
    fn finish_at_host(&mut self, channel: u32) {
        let Channel { output, ends, .. } = &self.channels[channel as usize];
        let (packet, input, run, flits) = (output.packet, output.input, output.run, output.flits);
        let delivers = output.delivers;
        let (source, target) = (ends.source_host(), ends.target_host());
        if source == NONE {
            self.leave_input(input, flits);
        } else if self.nics[source as usize].sends_pooled {
            self.touch_pool(source);
        }
        self.close_run(channel, run);
        self.channels[channel as usize].output.packet = NONE;
        if source != NONE {
            self.nics[source as usize].tail_sent();
        }
        if self.is_sink(channel) {
            self.packets.remove(packet);
        } else if target != NONE {
            self.tail_sent_to_host(target, packet, run, delivers);
        }
        self.free(channel);
        if source == NONE {
            self.ask_again(input);
        }
    }

    /// The tail of the front packet has left an input buffer: the next packet comes to the front.
    fn leave_input(&mut self, input: u32, flits: u32) {
        self.commit_crossings(input);
        let buffer = &mut self.channels[input as usize].input;
        buffer.departed += u64::from(flits);
        buffer.drain = NONE;
        let left = buffer.front;
        buffer.front = self.visits[left].next;
        self.visits.remove(left);
        if buffer.front == NONE {
            buffer.back = NONE;
        }
    }

    /// A packet may have come to the front of an input buffer: it asks for its output if its routing flit
    /// is there. One still on its way has its event.
    fn ask_again(&mut self, input: u32) {
        let front = self.channels[input as usize].input.front;
        if front == NONE {
            return;
        }
        let arrival = self.visits[front].head_arrival;
        if arrival == self.now {
            self.ask_on_arrival(input);
        } else if arrival < self.now {
            self.request(input);
        }
    }

    /// A stop or go may have reached the sender of a channel.
    pub(super) fn handle_control(&mut self, channel: u32) {
        let now = self.now;
        self.commit_crossings(channel);
        let pending = self.channels[channel as usize].input.symbols_in_flight;
        if pending == 0
            || self.symbols.get(channel, pending - 1) != Some(now - self.timing.latency(channel))
        {
            return;
        }
        self.channels[channel as usize].input.symbols_in_flight -= 1;
        self.settle(channel);
        let output = &mut self.channels[channel as usize].output;
        output.stopped = !output.stopped;
        // A tail that is leaving is not blocked.
        let has_flits = output.run.end >= now || !output.ends_with_tail();
        if output.packet != NONE && has_flits {
            let since = if T::Stride::IS_ONE || !output.stopped {
                now
            } else {
                now.max(self.leaves_until(channel))
            };
            let blocked = &mut self.blocked[channel as usize];
            if self.channels[channel as usize].output.stopped {
                blocked.since = since;
            } else if blocked.since != NEVER {
                blocked.cycles += now.saturating_sub(blocked.since);
                blocked.since = NEVER;
            }
        }
        self.plan(channel);
    }
}
