//! Finding packets that wait for one another for ever.

use super::Core;
use super::run::Timing;
use super::state::{NONE, Output};
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
        const NEW: u32 = 0;
        if self.timeout != NEVER {
            // Whoever waits is discarded in the end.
            return None;
        }
        let mut visited_in = vec![NEW; self.channels.len()];
        let mut round = NEW;
        for start in 0..self.channels.len() {
            round += 1;
            let mut here = start;
            while visited_in[here] == NEW {
                visited_in[here] = round;
                match self.waits_for(here) {
                    Some(next) => here = next,
                    None => break,
                }
            }
            if visited_in[here] == round && self.waits_for(here).is_some() {
                return Some(self.cycle_from(here));
            }
        }
        None
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

    fn cycle_from(&self, start: usize) -> Vec<WaitingPacket> {
        let mut cycle: Vec<WaitingPacket> = Vec::new();
        let mut here = start;
        while let Some(next) = self.waits_for(here) {
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
            here = next;
            if here == start {
                break;
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
