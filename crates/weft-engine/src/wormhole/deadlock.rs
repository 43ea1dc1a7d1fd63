//! Finding packets that wait for one another for ever.

use super::Core;
use super::run::Timing;
use super::state::{NONE, Output};
use crate::circle::find_circle;
use crate::probe::WaitingPacket;
use crate::queue::NEVER;
use weft_fabric::{ChannelId, HostId};
use weft_routing::Lane;

impl<T: Timing> Core<'_, T> {
    /// A cycle of outputs each of which is stopped by a buffer that can only drain through the next.
    ///
    /// An output is in it when it holds a packet, is stopped, and the buffer at its far end has sent
    /// no go since: then none of its flits moves until that buffer drains. The buffer drains through
    /// the output that its front packet holds or asks for. Where these outputs form a cycle, none
    /// can ever move again.
    pub(super) fn find_waiting_cycle(&self) -> Option<Vec<WaitingPacket>> {
        if self.timeout != NEVER {
            // Whoever waits is discarded in the end.
            return None;
        }
        let circle = find_circle(self.channels.len(), |output| self.waits_for(output))?;
        Some(self.told(&circle))
    }

    /// The output through which alone the buffer that stops `output` can drain.
    fn waits_for(&self, output: usize) -> Option<usize> {
        let Output {
            packet, stopped, ..
        } = self.channels[output].output;
        let is_free = packet == NONE || self.is_finished(ChannelId::from_index(output).number());
        let buffer = &self.channels[output].input;
        let settled = buffer.crossing_at >= self.now && buffer.symbols_in_flight == 0;
        if is_free || !stopped || !buffer.stop_outstanding || !settled {
            return None;
        }
        let next = if buffer.drain != NONE {
            buffer.drain
        } else if buffer.requested {
            self.wanted_output(buffer.front, output)
        } else {
            return None;
        };
        Some(next as usize)
    }

    pub(super) fn wanted_output(&self, front: u32, input: usize) -> u32 {
        let packet = &self.packets[self.visits[front].packet];
        let port = packet.next_port();
        self.port_channels
            [self.channels[input].ends.target_switch() as usize * self.ports_per_switch + port]
    }

    /// The packets that outputs in a circle hold.
    fn told(&self, circle: &[usize]) -> Vec<WaitingPacket> {
        let mut cycle: Vec<WaitingPacket> = Vec::new();
        let nexts = circle.iter().cycle().skip(1);
        for (&here, &next) in circle.iter().zip(nexts) {
            // The front packet of the buffer holds the channel `here` and wants `next`; when it has
            // got `next` and waits there too, one entry tells both.
            let packet = &self.packets[self.visits[self.channels[here].input.front].packet];
            let (source, sequence) = (HostId::new(packet.source), packet.sequence);
            let wants = ChannelId::from_index(next);
            match cycle.last_mut() {
                Some(last) if (last.source, last.sequence) == (source, sequence) => {
                    last.wants = wants;
                }
                _ => cycle.push(WaitingPacket {
                    holds: ChannelId::from_index(here),
                    holds_lane: Lane::ZERO,
                    wants,
                    wants_lane: Lane::ZERO,
                    source,
                    destination: HostId::new(packet.destination),
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
