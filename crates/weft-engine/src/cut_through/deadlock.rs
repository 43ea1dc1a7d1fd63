//! Finding packets that wait for one another for ever.

use super::flow::Flow;
use super::network::Network;
use crate::circle::{find_circle, find_knot};
use crate::ids::{Id, InletId, OutletId, PacketId};
use crate::probe::WaitingPacket;

/// A cycle of lanes each of which is kept back by a buffer that can only drain through the next.
///
/// A lane is in it when the packet in front is ready, there is no room for it at the end of the
/// channel, and none is given back (with stop & go: when a stop holds it, and no go is coming): then
/// it stays until the packet in front of that buffer has gone on to the lane it asks for, or has.
/// Where these lanes form a cycle, none can ever send again.
///
/// Where packets choose, such a buffer drains once any of the lanes does that its packet may take: then all of these
/// are kept back for ever.
pub(super) fn find_waiting_cycle(network: &Network, flow: &Flow) -> Option<Vec<WaitingPacket>> {
    let lanes = network.switches.outlets.len();
    let circle = if network.switches.choose() {
        find_knot(lanes, |lane| {
            let any = flow.waits_for_any(network, OutletId::from_offset(lane));
            any.iter().map(|next| next.offset()).collect()
        })
    } else {
        find_circle(lanes, |lane| {
            let next = flow.waits_for(network, OutletId::from_offset(lane))?;
            Some(next.offset())
        })
    }?;
    let nexts = circle.iter().cycle().skip(1);
    let tell = |(&here, &next): (&usize, &usize)| {
        let (here, next) = (OutletId::from_offset(here), OutletId::from_offset(next));
        let packet = &network.packets[holder(network, flow, here.far_end())];
        WaitingPacket {
            holds: network.lanes.channel(here),
            holds_lane: network.lanes.lane(here),
            wants: network.lanes.channel(next),
            wants_lane: network.lanes.lane(next),
            source: packet.source,
            destination: packet.header.destination,
            sequence: packet.sequence,
        }
    };
    Some(circle.iter().zip(nexts).map(tell).collect())
}

/// The packet that keeps a buffer from draining.
fn holder(network: &Network, flow: &Flow, inlet: InletId) -> PacketId {
    let buffer = &network.switches.inlets[inlet];
    let holder = if buffer.is_crossing() {
        flow.crossing(network, inlet)
    } else {
        buffer.packets.front()
    };
    let Some(holder) = holder else {
        unreachable!("a buffer that cannot drain holds a packet");
    };
    holder
}
