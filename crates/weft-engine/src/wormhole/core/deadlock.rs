//! Finding packets that wait for one another for ever.

use super::Core;
use crate::circle::find_circle;
use crate::probe::WaitingPacket;
use crate::wormhole::flow::Timing;
use crate::wormhole::traffic::Packet;
use weft_fabric::ChannelId;
use weft_routing::Lane;

/// A cycle of outputs each of which is stopped by a buffer that can only drain through the next. The cores
/// that know the two ends of each channel are told by `ends`; `any` is one of them.
///
/// An output is in it when it holds a packet, is stopped, and the buffer at its far end has sent
/// no go since: then none of its flits moves until that buffer drains. The buffer drains through
/// the output that its front packet holds or asks for. Where these outputs form a cycle, none
/// can ever move again.
pub(in crate::wormhole) fn find_waiting_cycle<'c, 'a: 'c, T: Timing + 'c>(
    any: &Core<'a, T>,
    ends: impl Fn(ChannelId) -> [&'c Core<'a, T>; 2],
) -> Option<Vec<WaitingPacket>> {
    if any.switching.timeout.is_some() {
        // Whoever waits is discarded in the end.
        return None;
    }
    let circle = find_circle(any.flow.part_count(), |output| {
        let output = ChannelId::from_index(output);
        let [sender, receiver] = ends(output);
        let next = sender
            .is_stopped(output)
            .then(|| receiver.drains_through(output));
        next.flatten().map(ChannelId::index)
    })?;
    let circle: Vec<_> = circle.into_iter().map(ChannelId::from_index).collect();
    let front_packets = circle
        .iter()
        .map(|&channel| ends(channel)[1].front_packet(channel));
    Some(told(&circle, &front_packets.collect::<Vec<_>>()))
}

impl<T: Timing> Core<'_, T> {
    /// Whether an output holds a packet and is stopped.
    fn is_stopped(&self, output: ChannelId) -> bool {
        let is_free =
            self.flow.packet(output).is_none() || self.flow.is_finished(self.clock.now(), output);
        !is_free && self.flow.heeds_stop(output) && !self.borders.has_unread_symbol(output)
    }

    /// The output through which alone the buffer at the end of a channel can drain, if it has emitted a stop
    /// and no go since.
    fn drains_through(&self, channel: ChannelId) -> Option<ChannelId> {
        if !self.flow.holds_back(self.clock.now(), channel) {
            return None;
        }
        let drain = self.flow.drain(channel).get();
        drain.or_else(|| {
            let is_asking = self.flow.channels[channel].junction.requested;
            is_asking.then(|| {
                self.switching
                    .wanted_output(&self.flow.channels, &self.traffic, channel)
            })
        })
    }

    /// The packet in front of the buffer at the end of a channel.
    fn front_packet(&self, channel: ChannelId) -> &Packet {
        &self.traffic.packets[self.flow.channels[channel].junction.asking()]
    }
}

/// The packets that outputs in a circle hold, given those in front of the buffers they lead to.
fn told(circle: &[ChannelId], front_packets: &[&Packet]) -> Vec<WaitingPacket> {
    let mut cycle: Vec<WaitingPacket> = Vec::new();
    let following = circle.iter().cycle().skip(1);
    for ((&here, &next), packet) in circle.iter().zip(following).zip(front_packets) {
        // The front packet of the buffer holds the channel `here` and wants `next`; when it has
        // got `next` and waits there too, one entry tells both.
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
