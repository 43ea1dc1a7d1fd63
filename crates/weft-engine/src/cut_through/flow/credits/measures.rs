//! With credits: what is counted of lanes, without what is known ahead.

use super::{Credits, Front, front};
use crate::cut_through::network::Network;
use crate::cut_through::setting::Changing;
use crate::ids::{OutletId, PacketId};
use crate::linked_queue::LinkedQueue;
use crate::queue::NEVER;
#[cfg(debug_assertions)]
use std::num::NonZeroU32;
#[cfg(debug_assertions)]
use weft_fabric::ChannelId;
use weft_model::cut_through::LaneUse;

impl Credits {
    /// How a lane was used: sums since the beginning, and maxima since the last reset.
    pub(in super::super) fn lane_use(&self, network: &Network, outlet: OutletId) -> LaneUse {
        let now = network.clock.now();
        let sender = &network.switches.outlets[outlet];
        let inlet = outlet.far_end();
        let buffer = &network.switches.inlets[inlet];
        let waiting = || buffer.waiting(&network.packets);
        let counted = network.switches.waiting.counted(outlet);
        let (held, flits) = (&buffer.held, buffer.held_flits);
        let cycles_per_flit = network.channels[network.lanes.channel(outlet)].cycles_per_flit;
        LaneUse {
            busy_cycles: sender.busy_cycles - sender.cycles_to_come(now, cycles_per_flit),
            blocked_cycles: counted.blocked_cycles + self.blocked_now(network, outlet),
            occupancy_flit_cycles: held.flit_cycles(flits, waiting(), now),
            max_occupancy_flits: held.most(flits, &waiting(), self.reset_at, now),
            longest_wait_cycles: counted
                .longest_wait_cycles
                .max(longest_promised(network, outlet)),
        }
    }

    /// Counts the maxima of buffers anew.
    pub(in super::super) fn reset(&mut self, network: &mut Network) {
        self.reset_at = network.clock.now();
        for inlet in network.switches.inlets.ids() {
            network.switches.inlets[inlet].held.reset();
        }
        for outlet in network.switches.outlets.ids() {
            let mut here = may_be_promised(network, outlet).front();
            while let Some(number) = here {
                let packet = &mut network.packets[number];
                if packet.at < self.reset_at + network.switches.crossbar.foresight {
                    // It has its output, so the wait for it is over.
                    packet.wait = 0;
                }
                here = packet.next.get();
            }
        }
    }

    /// Cycles before now for which the packet in front of a lane has been ready without room.
    pub(super) fn blocked_now(&self, network: &Network, outlet: OutletId) -> u64 {
        let channel = &network.channels[network.lanes.channel(outlet)];
        let sender = &network.switches.outlets[outlet];
        let front = front(sender, &network.packets).filter(|_| !channel.takes_all::<Changing>());
        let Some(Front {
            flits, ready_at, ..
        }) = front
        else {
            return 0;
        };
        let far_room = &network.switches.inlets[outlet.far_end()].far_room;
        let (mut room, mut room_at) = (far_room.room(), 0);
        for (at, credit) in far_room.credits(&self.given_back) {
            if room >= flits {
                break;
            }
            room += credit;
            room_at = at;
        }
        let until = if room < flits { NEVER } else { room_at };
        until.min(network.clock.now()).saturating_sub(ready_at)
    }

    /// All room of a buffer is where it can be: known to the sender, given back, taken by a packet.
    /// Room that is lost stays lost, so it is enough to look now and then.
    #[cfg(debug_assertions)]
    pub(super) fn assert_conserved(&self, network: &Network, channel: ChannelId) {
        let (state, now) = (&network.channels[channel], network.clock.now());
        if state.leads_to_host() || !now.is_multiple_of(61) {
            return;
        }
        let output_buffer = network.switches.crossbar.output_buffer;
        for outlet in network.lanes.outlets(channel) {
            let sender = &network.switches.outlets[outlet];
            let room_at_last = sender.room_at_last();
            assert!(
                room_at_last <= output_buffer.map_or(0, NonZeroU32::get),
                "{outlet:?} has room for {room_at_last} flits"
            );
            let buffer = &network.switches.inlets[outlet.far_end()];
            let (mut free, mut coming, mut taken) = (buffer.far_room.room(), 0, 0);
            for (at, credit) in buffer.far_room.credits(&self.given_back) {
                if at <= now {
                    free += credit;
                } else if at - u64::from(buffer.flight) <= now {
                    coming += credit;
                } else {
                    taken += credit;
                }
            }
            let waiting = buffer.waiting(&network.packets);
            taken += waiting.map(|packet| packet.flits).sum::<u32>();
            taken += buffer.held_flits;
            assert_eq!(
                free + coming + taken,
                self.buffer_flits,
                "room of {outlet:?} at {now}: {free} free, {coming} coming, {taken} taken"
            );
        }
    }
}

/// The cycles for which packets have waited for an outlet that was promised to them ahead of time, until
/// they had it or until now, at most.
fn longest_promised(network: &Network, outlet: OutletId) -> u64 {
    let now = network.clock.now();
    let promised = promised(network, outlet);
    let waits = promised.map(|(wait, at)| wait.saturating_sub(at.saturating_sub(now)));
    waits.max().unwrap_or(0)
}

/// Packets that are promised an outlet that they do not have before now.
pub(crate) fn grants_to_come(network: &Network) -> u64 {
    let outlets = network.switches.outlets.ids();
    let promised = outlets.flat_map(|outlet| promised(network, outlet));
    let to_come = promised.filter(|&(_, at)| at >= network.clock.now());
    to_come.count() as u64
}

/// Packets that were promised an outlet ahead of time and are not sent: how long each will have waited
/// for it, and the cycle.
fn promised(network: &Network, outlet: OutletId) -> impl Iterator<Item = (u64, u64)> {
    let promised = may_be_promised(network, outlet)
        .iter(&network.packets)
        .filter(|packet| packet.wait > 0);
    promised.map(|packet| {
        let at = packet.at - network.switches.crossbar.foresight;
        (packet.wait.into(), at)
    })
}

/// The packets of an outlet among which there may be such: none of a host, whose queue may be long.
fn may_be_promised(network: &Network, outlet: OutletId) -> LinkedQueue<PacketId> {
    let channel = &network.channels[network.lanes.channel(outlet)];
    if channel.source_host.is_some() {
        LinkedQueue::EMPTY
    } else {
        network.switches.outlets[outlet].packets
    }
}
