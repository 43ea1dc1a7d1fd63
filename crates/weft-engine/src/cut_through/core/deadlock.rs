//! Finding packets that wait for one another for ever.

use super::Core;
use crate::circle::{find_circle, find_knot};
use crate::ids::{Id, InletId, OutletId, PacketId};
use crate::probe::WaitingPacket;
use weft_fabric::ChannelId;

/// A cycle of lanes each of which is kept back by a buffer that can only drain through the next. The cores that
/// know the two ends of each channel are told by `ends`; `any` is one of them.
///
/// A lane is in it when the packet in front is ready, there is no room for it at the end of the
/// channel, and none is given back (with stop & go: when a stop holds it, and no go is coming): then
/// it stays until the packet in front of that buffer has gone on to the lane it asks for, or has.
/// Where these lanes form a cycle, none can ever send again.
///
/// Where packets choose, such a buffer drains once any of the lanes does that its packet may take: then all of these
/// are kept back for ever.
pub(in crate::cut_through) fn find_waiting_cycle<'c, 'a: 'c>(
    any: &Core<'a>,
    ends: impl Fn(ChannelId) -> [&'c Core<'a>; 2],
) -> Option<Vec<WaitingPacket>> {
    let lanes = any.network.lanes;
    let count = any.network.switches.outlets.len();
    let keeps_back = |outlet: usize| {
        let outlet = OutletId::from_offset(outlet);
        let [sender, receiver] = ends(lanes.channel(outlet));
        let is_kept_back = sender.flow.is_kept_back(&sender.network, outlet);
        is_kept_back.then(|| (receiver, outlet.far_end()))
    };
    let circle = if any.network.switches.choose() {
        find_knot(count, |lane| {
            let any = keeps_back(lane).map(|(core, inlet)| core.drains_through_any(inlet));
            let any = any.unwrap_or_default();
            any.iter().map(|next| next.offset()).collect()
        })
    } else {
        find_circle(count, |lane| {
            let (core, inlet) = keeps_back(lane)?;
            let (switches, packets) = (&core.network.switches, &core.network.packets);
            let next = switches.drains_through(inlet, packets)?;
            Some(next.offset())
        })
    }?;
    let nexts = circle.iter().cycle().skip(1);
    let tell = |(&here, &next): (&usize, &usize)| {
        let (here, next) = (OutletId::from_offset(here), OutletId::from_offset(next));
        let [_, receiver] = ends(lanes.channel(here));
        let packet = &receiver.network.packets[receiver.holder(here.far_end())];
        WaitingPacket {
            holds: lanes.channel(here),
            holds_lane: lanes.lane(here),
            wants: lanes.channel(next),
            wants_lane: lanes.lane(next),
            source: packet.source,
            destination: packet.header.destination,
            sequence: packet.sequence,
        }
    };
    Some(circle.iter().zip(nexts).map(tell).collect())
}

impl Core<'_> {
    /// Where packets choose: the lanes through one of which a buffer must drain.
    fn drains_through_any(&self, inlet: InletId) -> Vec<OutletId> {
        let network = &self.network;
        let is_down = |channel| network.channels[channel].is_down;
        let switches = &network.switches;
        switches.drains_through_any(inlet, &network.packets, is_down)
    }

    /// The packet that keeps a buffer from draining.
    fn holder(&self, inlet: InletId) -> PacketId {
        let buffer = &self.network.switches.inlets[inlet];
        let holder = if buffer.is_crossing() {
            self.flow.crossing(&self.network, inlet)
        } else {
            buffer.packets.front()
        };
        let Some(holder) = holder else {
            unreachable!("a buffer that cannot drain holds a packet");
        };
        holder
    }
}
