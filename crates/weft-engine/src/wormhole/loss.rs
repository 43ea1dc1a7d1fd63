//! Packets that are lost: timed out at a switch, dropped by a host, damaged. Each is reported, and its
//! source sends it again.
//!
//! A packet that times out has its head in front of an input buffer and its other flits behind it,
//! in that buffer and in those before. It is granted a *sink*, an output of its own of that input,
//! which takes a flit a cycle as they come: to the buffers it drains like any packet.

use super::Core;
use super::event::Event;
use super::nic::Retransmission;
use super::run::Timing;
use super::state::NONE;
use weft_fabric::HostId;
use weft_model::{LossCause, LossRecord};

/// Where a packet was lost, in the order in which those of one cycle are sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LossPlace {
    /// At a host.
    Host(u32),
    /// At a switch, coming from a channel.
    Input(u32),
}

impl<T: Timing> Core<'_, T> {
    /// Whether a channel is the sink of an input.
    #[inline]
    pub(super) fn is_sink(&self, channel: u32) -> bool {
        channel as usize >= self.channel_count
    }

    /// The packet in front of an input buffer begins to wait: this plans a look at it when it will
    /// have waited too long. One look per input is planned at a time.
    pub(super) fn watch(&mut self, input: u32) {
        if !self.watched[input as usize] {
            self.watched[input as usize] = true;
            let cycle = self.now + self.timeout;
            self.queue.push(cycle, Event::Timeout.on(input));
        }
    }

    /// The packet in front of an input buffer may have waited too long.
    pub(super) fn handle_timeout(&mut self, input: u32) {
        self.watched[input as usize] = false;
        let buffer = &self.channels[input as usize].input;
        if !buffer.requested {
            return;
        }
        let due = self.visits[buffer.front].asking_since + self.timeout;
        if due == self.now {
            self.timed_out.push(input);
        } else {
            self.watched[input as usize] = true;
            self.queue.push(due, Event::Timeout.on(input));
        }
    }

    /// Discards the packets that have waited too long and were not granted their output in the
    /// present cycle.
    pub(super) fn discard_timed_out(&mut self) {
        while let Some(input) = self.timed_out.pop() {
            if self.channels[input as usize].input.requested {
                self.discard(input);
            }
        }
    }

    fn discard(&mut self, input: u32) {
        let front = self.channels[input as usize].input.front;
        let output = self.wanted_output(front, input as usize);
        let port = usize::from(self.channels[input as usize].ends.target_port);
        self.requests[output as usize * self.words + port / 64] &= !(1 << (port % 64));
        #[expect(
            clippy::cast_possible_truncation,
            reason = "channels and sinks together are fewer than events can number"
        )]
        let sink = input + self.channel_count as u32;
        let (packet, first_index) = self.strip_front(input, output, sink);
        self.lose(
            packet,
            self.now,
            LossCause::Timeout,
            LossPlace::Input(input),
        );
        let state = &mut self.packets[packet];
        // What goes to a sink is at the end of its way.
        state.step = state.step_count + 1;
        self.start(sink, packet, input, first_index, self.now);
    }

    /// Reports the loss of a packet in `cycle`, now or later, and lets its source send it again.
    pub(super) fn lose(&mut self, packet: u32, cycle: u64, cause: LossCause, place: LossPlace) {
        let mut again = self.packets[packet].clone();
        let source = again.source;
        self.reports.lose(LossRecord {
            cycle,
            source: HostId::new(source),
            sequence: again.sequence,
            destination: HostId::new(again.destination),
            cause,
        });
        again.step = 0;
        again.in_transit_stops = 0;
        again.dropped_at = NONE;
        again.ports = self.ports_from(source, again.destination, 0);
        again.flits = self.packet_flits(self.route(source, again.destination), again.payload_bytes);
        let packet = self.packets.insert(again);
        let due = cycle + self.retransmit_after;
        let retransmissions = &mut self.nics[source as usize].retransmissions;
        let position =
            retransmissions.partition_point(|other| (other.due, other.place) < (due, place));
        retransmissions.insert(position, Retransmission { due, place, packet });
        self.undecided.push(source);
    }
}
