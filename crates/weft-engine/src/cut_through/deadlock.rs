//! Finding packets that wait for one another for ever.

use super::Engine;
use super::state::NONE;
use crate::circle::find_circle;
use crate::probe::WaitingPacket;
use crate::queue::NEVER;
use weft_fabric::{ChannelId, HostId};
use weft_routing::Lane;

impl Engine<'_> {
    /// A cycle of lanes each of which is kept back by a buffer that can only drain through the next.
    ///
    /// A lane is in it when the packet in front is ready, there is no room for it at the end of the
    /// channel, and none is given back (with stop & go: when a stop holds it, and no go is coming): then
    /// it stays until the packet in front of that buffer has gone on to the lane it asks for, or has.
    /// Where these lanes form a cycle, none can ever send again.
    pub(super) fn find_waiting_cycle(&self) -> Option<Vec<WaitingPacket>> {
        let circle = find_circle(self.outlets.len(), |lane| self.waits_for(lane))?;
        Some(self.told(&circle))
    }

    /// The lane through which alone the buffer can drain that keeps `lane` back.
    fn waits_for(&self, lane: usize) -> Option<usize> {
        if !self.streams.is_empty() {
            return self.stopped_for(lane);
        }
        let sender = &self.outlets[lane];
        let channel = &self.channels[lane >> self.lane_bits];
        if sender.front == NONE || channel.target_host != NONE || sender.first_credit != NONE {
            return None;
        }
        let packet = &self.packets[sender.front];
        let is_ready = packet.at.max(sender.released_at) <= self.now;
        if !is_ready || sender.credits >= packet.flits {
            return None;
        }
        self.drains_through(lane)
    }

    /// The same with stop & go: a stop holds it, and the buffer that sent it sends no go.
    fn stopped_for(&self, lane: usize) -> Option<usize> {
        let stream = &self.streams[lane];
        let number = u32::try_from(lane).unwrap_or(NONE);
        let has_packet = stream.has_more(self.now) || self.ready_at(number) <= self.now;
        let is_held = stream.is_stopped && stream.stop_outstanding && stream.symbols == 0;
        if !has_packet || !is_held || stream.symbol_at < NEVER {
            return None;
        }
        self.drains_through(lane)
    }

    /// The lane through which alone the buffer at the end of a lane can drain, if it cannot now.
    fn drains_through(&self, lane: usize) -> Option<usize> {
        let buffer = &self.inlets[lane];
        if buffer.released_at == NEVER {
            // With output buffers it crosses, unless its flits are held back elsewhere.
            return (!self.has_output_buffers).then_some(buffer.outlet as usize);
        }
        if buffer.asked_at == NEVER {
            return None;
        }
        // A packet that can take one of several lanes waits for none of them.
        let wants = self.only_outlet(lane)?;
        let wanted = &self.outlets[wants];
        let is_full = if self.has_output_buffers {
            // Shorter packets may still pass it and take more of the room; none gives any back.
            wanted.room + wanted.coming_room < self.packets[buffer.front].flits
        } else {
            wanted.crossbar_free_at == NEVER
        };
        is_full.then_some(wants)
    }

    /// The packet that keeps a buffer from draining.
    fn holder(&self, lane: usize) -> u32 {
        let buffer = &self.inlets[lane];
        if buffer.released_at == NEVER {
            if let Some(stream) = self.streams.get(lane) {
                return stream.granted.packet;
            }
            return self.outlets[buffer.outlet as usize].front;
        }
        buffer.front
    }

    /// The packets that lanes in a circle hold.
    fn told(&self, circle: &[usize]) -> Vec<WaitingPacket> {
        let nexts = circle.iter().cycle().skip(1);
        let tell = |(&here, &next): (&usize, &usize)| {
            let packet = &self.packets[self.holder(here)];
            let place = |lane: usize| {
                let number = u32::try_from(lane).unwrap_or(NONE);
                let channel = ChannelId::from_index(lane >> self.lane_bits);
                (channel, Lane::new(self.lane_of(number)))
            };
            let ((holds, holds_lane), (wants, wants_lane)) = (place(here), place(next));
            WaitingPacket {
                holds,
                holds_lane,
                wants,
                wants_lane,
                source: HostId::new(packet.source),
                destination: packet.header.destination,
                sequence: packet.sequence,
            }
        };
        circle.iter().zip(nexts).map(tell).collect()
    }
}
