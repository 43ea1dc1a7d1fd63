//! At the switches: requests for outputs, grants, and the freeing of outputs.

use super::Core;
use super::event::Event;
use super::run::{Run, Stride, Timing};
use super::state::{NONE, Packet, Visit};
use crate::queue::NEVER;

impl<T: Timing> Core<'_, T> {
    /// A routing flit may have reached the front of an input buffer.
    pub(super) fn handle_head(&mut self, input: u32) {
        let buffer = &self.channels[input as usize].input;
        if buffer.front == NONE
            || buffer.drain != NONE
            || buffer.requested
            || self.visits[buffer.front].head_arrival != self.now
        {
            return;
        }
        if buffer.crossing_at == NEVER && !buffer.stop_outstanding && !buffer.touched {
            self.channels[input as usize].input.fresh = true;
            self.fresh_inputs.push(input);
        } else {
            self.touch(input);
        }
        self.request(input);
    }

    /// The packet at the front of an input buffer asks for its output.
    fn request(&mut self, input: u32) {
        let front = self.channels[input as usize].input.front;
        self.visits[front].asking_since = self.now;
        let port = self.next_port(&self.packets[self.visits[front].packet]);
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
        }
    }

    /// The output port that a packet's next step names.
    #[inline]
    pub(super) fn next_port(&self, packet: &Packet) -> usize {
        if packet.step < packet.step_count {
            self.steps[packet.first_step as usize + usize::from(packet.step)].index()
        } else {
            usize::from(self.host_ports[packet.destination as usize])
        }
    }

    /// This gives a free output to the packet at the front of an input buffer, behind `port`.
    pub(super) fn grant(&mut self, output: u32, input: u32, port: usize) {
        let now = self.now;
        self.requests[output as usize * self.words + port / 64] &= !(1 << (port % 64));
        self.last_granted[output as usize] = self.channels[input as usize].ends.target_port;
        let (packet, first_index) = self.strip_front(input, output, output);
        self.packets[packet].step += 1;
        self.packet_hops += 1;
        self.start(output, packet, input, first_index, now + self.routing_delay);
    }

    /// This takes the routing flit out of an input buffer, for a packet that waited for `wanted` and
    /// will drain through `drain`: the packet, and the index of its next flit.
    #[inline]
    pub(super) fn strip_front(&mut self, input: u32, wanted: u32, drain: u32) -> (u32, u64) {
        if !self.channels[input as usize].input.fresh {
            self.touch(input);
        }
        let buffer = &mut self.channels[input as usize].input;
        buffer.requested = false;
        buffer.departed += 1;
        buffer.drain = drain;
        let front = &self.visits[buffer.front];
        let longest_wait = &mut self.blocked[wanted as usize].longest_wait;
        *longest_wait = (*longest_wait).max(self.now - front.asking_since);
        (front.packet, front.first_index + 1)
    }

    /// This hands a packet to an output, which sends it as soon as it can, from `earliest` on.
    pub(super) fn start(
        &mut self,
        channel: u32,
        packet: u32,
        input: u32,
        first_index: u64,
        earliest: u64,
    ) {
        let visit = if self.channels[channel as usize].ends.target_host() == NONE {
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
        // A switch strips the routing flit it acted on.
        let stripped = u32::from(self.channels[channel as usize].ends.source_host() == NONE);
        let packet_state = &mut self.packets[packet];
        packet_state.flits -= stripped;
        packet_state.flit_hops += u64::from(packet_state.flits);
        let output = &mut self.channels[channel as usize].output;
        output.run = Run::NONE;
        output.sent_before_run = 0;
        output.flits = packet_state.flits;
        output.delivers = packet_state.step > packet_state.step_count;
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
        let now = self.now;
        let output = &self.channels[channel as usize].output;
        if output.packet == NONE
            || output.run.end + self.timing.pace(channel).cycles() != now
            || output.sent_through(now - 1) != u64::from(output.flits)
        {
            return;
        }
        let (packet, input, run, flits) = (output.packet, output.input, output.run, output.flits);
        let delivers = output.delivers;
        let (source, target) = (
            self.channels[channel as usize].ends.source_host(),
            self.channels[channel as usize].ends.target_host(),
        );
        for host in [source, target] {
            if host != NONE {
                self.touch_pool(host);
            }
        }
        if source == NONE {
            self.leave_input(input, flits);
        }
        self.close_run(channel, run);
        let output = &mut self.channels[channel as usize].output;
        output.packet = NONE;
        output.input = NONE;
        output.visit = NONE;
        self.blocked[channel as usize].since = NEVER;
        if source != NONE {
            self.nics[source as usize].tail_sent();
            self.undecided.push(source);
        }
        if self.is_sink(channel) {
            self.packets.remove(packet);
        } else if target != NONE {
            self.tail_sent_to_host(target, packet, run, delivers);
        }
        let first = channel as usize * self.words;
        if self.requests[first..first + self.words]
            .iter()
            .any(|&mask| mask != 0)
        {
            self.contested.push(channel);
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
            return;
        }
        let arrival = self.visits[buffer.front].head_arrival;
        if arrival <= self.now {
            self.request(input);
        } else if arrival != NEVER {
            self.queue.push(arrival, Event::Head.on(input));
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
        let output = &mut self.channels[channel as usize].output;
        output.stopped = !output.stopped;
        if output.packet != NONE {
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
