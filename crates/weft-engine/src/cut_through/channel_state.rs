//! Channels, as their sources know them: how fast and how long they are, and who has the link.

use super::clock::Look;
use super::lane_numbers::{LaneIter, LaneSet, Lanes};
use super::setting::Setting;
use crate::ids::{Maybe, Records};
use weft_fabric::{ChannelId, Fabric, HostId, Node, SwitchId};
use weft_model::ChannelTimings;
use weft_routing::Lane;

/// All channels.
pub(super) type Channels = Records<ChannelId, Channel>;

/// One direction of a link, as its source knows it.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Channel {
    /// First cycle in which the link can be given to a packet.
    pub(super) free_at: u64,
    /// Cycles from the one a flit is sent in to its arrival.
    pub(super) latency: u64,
    /// When its source is looked at.
    pub(super) look: Look,
    /// Cycles from one flit to the next.
    pub(super) cycles_per_flit: u32,
    /// What it comes from and leads to.
    pub(super) source_host: Maybe<HostId>,
    pub(super) source_switch: Maybe<SwitchId>,
    pub(super) target_host: Maybe<HostId>,
    /// Lanes that packets ask for.
    pub(super) asked: LaneSet,
    /// Lanes with a packet in front.
    pub(super) loaded: LaneSet,
    /// Lanes of whose packets in front it is known since when they can be sent.
    pub(super) known: LaneSet,
    /// The lane that is first in turn.
    pub(super) next_lane: Lane,
    /// With stop & go: the lane that has the link.
    pub(super) holder: Option<Lane>,
    /// Its link or a switch at one of its ends has failed.
    pub(super) is_down: bool,
}

/// Makes the channels of a fabric.
#[expect(unsafe_code, reason = "channels are looked up several times an event")]
pub(super) fn channels(fabric: &Fabric, timings: &ChannelTimings) -> Channels {
    let host = |node| match node {
        Node::Host(host) => Maybe::from(host),
        Node::Switch(_) => Maybe::NONE,
    };
    let channel = |channel| {
        let timing = timings.of(channel);
        let (source, target) = (fabric.source(channel).node, fabric.target(channel).node);
        Channel {
            free_at: 0,
            latency: timing.latency_cycles(),
            look: Look::NEVER,
            cycles_per_flit: timing.cycles_per_flit,
            source_host: host(source),
            source_switch: match source {
                Node::Switch(switch) => switch.into(),
                Node::Host(_) => Maybe::NONE,
            },
            target_host: host(target),
            asked: LaneSet::EMPTY,
            loaded: LaneSet::EMPTY,
            known: LaneSet::EMPTY,
            next_lane: Lane::ZERO,
            holder: None,
            is_down: false,
        }
    };
    let all = fabric.channel_ids().map(channel).collect();
    // SAFETY: the ids of channels come from this fabric.
    unsafe { Records::of(all) }
}

impl Channel {
    #[inline]
    pub(super) fn leads_to_host(&self) -> bool {
        self.target_host.is_some()
    }

    /// Whether what begins to leave needs no room at the end.
    #[inline]
    pub(super) fn takes_all<S: Setting>(&self) -> bool {
        self.leads_to_host() || S::CHANGES && self.is_down
    }

    /// The lanes with a packet in front, in turn.
    #[inline]
    pub(super) fn loaded_in_turn(&self) -> LaneIter {
        self.loaded.in_turn(self.next_lane)
    }

    /// The link was given to a lane: the next one is first in turn.
    #[inline]
    pub(super) fn serve(&mut self, lane: Lane, lanes: Lanes) {
        self.next_lane = lanes.after(lane);
    }
}
