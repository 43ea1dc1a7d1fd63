//! Finding packets that wait for one another for ever.

use super::Core;
use crate::circle::find_circle;
use crate::probe::WaitingPacket;
use crate::wormhole::flow::Timing;
use weft_fabric::ChannelId;
use weft_routing::Lane;

impl<T: Timing> Core<'_, T> {
    /// A cycle of outputs each of which is stopped by a buffer that can only drain through the next.
    ///
    /// An output is in it when it holds a packet, is stopped, and the buffer at its far end has sent
    /// no go since: then none of its flits moves until that buffer drains. The buffer drains through
    /// the output that its front packet holds or asks for. Where these outputs form a cycle, none
    /// can ever move again.
    pub(super) fn find_waiting_cycle(&self) -> Option<Vec<WaitingPacket>> {
        if self.switching.timeout.is_some() {
            // Whoever waits is discarded in the end.
            return None;
        }
        let circle = find_circle(self.flow.part_count(), |output| {
            let next = self.waits_for(ChannelId::from_index(output));
            next.map(ChannelId::index)
        })?;
        Some(self.told(&circle))
    }

    /// The output through which alone the buffer that stops `output` can drain.
    fn waits_for(&self, output: ChannelId) -> Option<ChannelId> {
        let now = self.clock.now();
        let is_free = self.flow.packet(output).is_none() || self.flow.is_finished(now, output);
        if is_free || !self.flow.holds_back(now, output) {
            return None;
        }
        let drain = self.flow.drain(output).get();
        drain.or_else(|| {
            let is_asking = self.flow.channels[output].junction.requested;
            is_asking.then(|| {
                self.switching
                    .wanted_output(&self.flow.channels, &self.traffic, output)
            })
        })
    }

    /// The packets that outputs in a circle hold.
    fn told(&self, circle: &[usize]) -> Vec<WaitingPacket> {
        let mut cycle: Vec<WaitingPacket> = Vec::new();
        let circle = circle.iter().copied().map(ChannelId::from_index);
        for (here, next) in circle.clone().zip(circle.cycle().skip(1)) {
            // The front packet of the buffer holds the channel `here` and wants `next`; when it has
            // got `next` and waits there too, one entry tells both.
            let packet = &self.traffic.packets[self.flow.channels[here].junction.asking()];
            let (source, sequence) = (packet.source, packet.sequence);
            match cycle.last_mut() {
                Some(last) if (last.source, last.sequence) == (source, sequence) => {
                    last.wants = next;
                }
                _ => cycle.push(WaitingPacket {
                    holds: here,
                    holds_lane: Lane::ZERO,
                    wants: next,
                    wants_lane: Lane::ZERO,
                    source,
                    destination: packet.destination,
                    sequence,
                }),
            }
        }
        // The packet met first may have been met last as well.
        if let [first, .., last] = cycle.as_mut_slice()
            && (first.source, first.sequence) == (last.source, last.sequence)
        {
            first.holds = last.holds;
            cycle.pop();
        }
        cycle
    }
}
