//! Channels, as their sources know them: how fast and how long they are, and who has the link.

use super::lane_numbers::{LaneSet, Lanes};
use crate::ids::{Maybe, Table};
use weft_fabric::{ChannelId, Fabric, HostId, Node, SwitchId};
use weft_model::ChannelTimings;
use weft_routing::Lane;

/// All channels.
pub(super) type Channels = Table<ChannelId, Channel>;

/// One direction of a link, as its source knows it.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Channel {
    /// First cycle in which the link can be given to a packet.
    free_at: u64,
    /// Cycles from the one a flit is sent in to its arrival.
    latency: u64,
    /// Cycles a signal is under way.
    flight: u32,
    /// Cycles from one flit to the next.
    cycles_per_flit: u32,
    /// What it comes from and leads to.
    source_host: Maybe<HostId>,
    source_switch: Maybe<SwitchId>,
    target_host: Maybe<HostId>,
    /// Lanes that packets ask for.
    asked: LaneSet,
    /// Lanes with a packet in front.
    loaded: LaneSet,
    /// The lane that is first in turn.
    next_lane: Lane,
    /// With stop & go: the lane that has the link.
    holder: Option<Lane>,
}

/// Makes the channels of a fabric.
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
            flight: timing.flight_cycles,
            cycles_per_flit: timing.cycles_per_flit,
            source_host: host(source),
            source_switch: match source {
                Node::Switch(switch) => switch.into(),
                Node::Host(_) => Maybe::NONE,
            },
            target_host: host(target),
            asked: LaneSet::EMPTY,
            loaded: LaneSet::EMPTY,
            next_lane: Lane::ZERO,
            holder: None,
        }
    };
    fabric.channel_ids().map(channel).collect()
}

impl Channel {
    #[inline]
    pub(super) fn source_host(&self) -> Option<HostId> {
        self.source_host.get()
    }

    #[inline]
    pub(super) fn source_switch(&self) -> Option<SwitchId> {
        self.source_switch.get()
    }

    #[inline]
    pub(super) fn leads_to_host(&self) -> bool {
        self.target_host.is_some()
    }

    #[inline]
    pub(super) fn latency(&self) -> u64 {
        self.latency
    }

    #[inline]
    pub(super) fn flight(&self) -> u64 {
        self.flight.into()
    }

    #[inline]
    pub(super) fn cycles_per_flit(&self) -> u64 {
        self.cycles_per_flit.into()
    }

    /// First cycle in which the link can be given to a packet.
    #[inline]
    pub(super) fn free_at(&self) -> u64 {
        self.free_at
    }

    /// Flits of those that have the link for certain that are not sent before `now`.
    pub(super) fn flits_to_come(&self, now: u64) -> u64 {
        self.free_at.saturating_sub(now) / self.cycles_per_flit()
    }

    /// Lanes that packets ask for.
    #[inline]
    pub(super) fn asked(&self) -> LaneSet {
        self.asked
    }

    /// Packets ask for a lane.
    #[inline]
    pub(super) fn ask(&mut self, lane: Lane) {
        self.asked.insert(lane);
    }

    /// No packet asks for a lane any more.
    #[inline]
    pub(super) fn stop_asking(&mut self, lane: Lane) {
        self.asked.remove(lane);
    }

    /// No packet asks for any lane any more.
    pub(super) fn forget_asked(&mut self) {
        self.asked = LaneSet::EMPTY;
    }

    /// Lanes with a packet in front.
    #[inline]
    pub(super) fn loaded(&self) -> LaneSet {
        self.loaded
    }

    /// The lanes with a packet in front, in turn.
    #[inline]
    pub(super) fn loaded_in_turn(&self) -> [LaneSet; 2] {
        self.loaded.in_turn(self.next_lane)
    }

    /// A lane has a packet in front.
    #[inline]
    pub(super) fn load(&mut self, lane: Lane) {
        self.loaded.insert(lane);
    }

    /// A lane has no packet in front any more.
    #[inline]
    pub(super) fn unload(&mut self, lane: Lane) {
        self.loaded.remove(lane);
    }

    /// The link was given to a lane: the next one is first in turn.
    #[inline]
    pub(super) fn serve(&mut self, lane: Lane, lanes: Lanes) {
        self.next_lane = lanes.after(lane);
    }

    /// The link is busy until cycle `free_at`, and no longer.
    #[inline]
    pub(super) fn hold_until(&mut self, free_at: u64) {
        self.free_at = free_at;
    }

    /// The lane that has the link, or has none.
    #[inline]
    pub(super) fn holder(&self) -> Option<Lane> {
        self.holder
    }

    #[inline]
    pub(super) fn set_holder(&mut self, holder: Option<Lane>) {
        self.holder = holder;
    }
}
