//! The common hop: nothing is in the way of a packet, so that all its flits leave an output one after
//! the other from a known cycle on. Nothing has to be searched for, and mostly nothing predicted.

use super::Core;
use super::event::Event;
use super::run::{Run, Stride, Timing};
use super::state::{NONE, Visit};
use crate::queue::NEVER;

/// A packet handed to an output.
pub(super) struct Launch {
    pub(super) packet: u32,
    /// Channel whose input buffer it is drawn from, or `LOCAL`.
    pub(super) input: u32,
    /// Index, among all flits that ever arrived at that input, of the first one to send.
    pub(super) first_index: u64,
    /// Cycle of its first flit.
    pub(super) start: u64,
    pub(super) flits: u32,
    pub(super) delivers: bool,
    /// Whether somebody is known to wait for its tail.
    pub(super) awaited: bool,
}

impl<T: Timing> Core<'_, T> {
    /// Lets a packet whose head has just reached an empty buffer pass through the output it was
    /// granted: `false`, and nothing done, when something is in the way. All its flits must be known to
    /// come, so that the buffer drains before it can fill.
    #[inline]
    pub(super) fn pass(&mut self, output: u32, input: u32) -> bool {
        let (from, to) = (
            &self.channels[input as usize],
            &self.channels[output as usize],
        );
        let feed = &from.output;
        let pace = self.timing.pace(output);
        let delay = self.routing_delay.max(pace.cycles());
        if !from.input.fresh
            || feed.run.stride != pace
            || delay >= u64::from(self.stop_above.unsigned_abs())
            || from.input.front != from.input.back
            || feed.sent_before_run != 0
            || feed.run.flits() != u64::from(feed.flits)
            || to.output.stopped
        {
            return false;
        }
        let visit = &self.visits[from.input.front];
        let (packet, first_index) = (visit.packet, visit.first_index + 1);
        let state = &mut self.packets[packet];
        let delivers = state.step == state.step_count;
        let leads_to_host = to.ends.target_host() != NONE;
        if leads_to_host && self.has_firmware {
            return false;
        }
        state.flits -= 1;
        let flits = state.flits;
        self.take_step(packet);
        let buffer = &mut self.channels[input as usize].input;
        buffer.fresh = false;
        buffer.requested = false;
        buffer.departed += 1;
        buffer.drain = output;
        let start = self.now + delay;
        self.launch(
            output,
            &Launch {
                packet,
                input,
                first_index,
                start,
                flits,
                delivers,
                awaited: leads_to_host || self.has_requests(output),
            },
        );
        true
    }

    /// Hands a packet to an output that is not stopped, all its flits being there in time.
    #[inline]
    pub(super) fn launch(&mut self, channel: u32, launch: &Launch) {
        let &Launch {
            packet,
            start,
            flits,
            ..
        } = launch;
        let target = self.channels[channel as usize].ends.target_host();
        let visit = if target == NONE {
            self.announce_launch(channel, packet, start + self.timing.latency(channel))
        } else {
            NONE
        };
        let stride = self.timing.pace(channel);
        let mut run = Run {
            start,
            end: start,
            stride,
        };
        run.end = run.cycle_of(u64::from(flits) - 1);
        if launch.awaited {
            let free_at = run.end + stride.cycles();
            self.queue.push(free_at, Event::Free.on(channel));
        }
        let output = &mut self.channels[channel as usize].output;
        output.run = run;
        output.sent_before_run = 0;
        output.flits = flits;
        output.earliest = start;
        output.first_index = launch.first_index;
        output.packet = packet;
        output.input = launch.input;
        output.visit = visit;
        output.awaited = launch.awaited;
        output.delivers = launch.delivers;
        if target != NONE && !launch.delivers {
            let arrival = start + self.timing.latency(channel);
            self.announce_head_to_host(channel, target, arrival);
        }
    }

    /// Tells the buffer at the far end of a channel of a packet to come.
    #[inline]
    fn announce_launch(&mut self, channel: u32, packet: u32, arrival: u64) -> u32 {
        let mut drain = self.channels[channel as usize].input.drain;
        if drain != NONE && self.settle(drain) {
            drain = NONE;
        }
        let far = &self.channels[channel as usize];
        let is_quiet = far.input.front == NONE
            && far.input.crossing_at == NEVER
            && !far.input.stop_outstanding;
        if !is_quiet {
            self.touch(channel);
        }
        let visit = self.visits.insert(Visit {
            head_arrival: arrival,
            asking_since: NEVER,
            first_index: self.channels[channel as usize].output.total_before_run,
            packet,
            next: NONE,
        });
        let buffer = &mut self.channels[channel as usize].input;
        let ahead = std::mem::replace(&mut buffer.back, visit);
        let asks_next = if buffer.front == NONE {
            buffer.front = visit;
            true
        } else {
            self.visits[ahead].next = visit;
            drain != NONE && buffer.front == ahead
        };
        if asks_next {
            self.queue.push(arrival, Event::Head.on(channel));
        }
        visit
    }
}
