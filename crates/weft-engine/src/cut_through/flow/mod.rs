//! How receivers keep their buffers from overflowing, and with it how links are used: which lane's packet
//! is sent next, and what follows from it.

mod credits;
mod stop_and_go;

use super::borders::Returning;
use super::far_room::FarRoom;
use super::lane_numbers::Lanes;
use super::network::Network;
use super::setting::Setting;
use super::switches::Grant;
use crate::ids::{InletId, OutletId, PacketId};
use crate::queue::NEVER;
use credits::Credits;
use stop_and_go::StopAndGo;
use weft_fabric::ChannelId;
use weft_model::cut_through::{CutThroughModel, FlowControl, LaneUse};

/// What is kept for either kind of flow control.
#[derive(Debug)]
pub(super) enum Flow {
    Credits(Credits),
    StopAndGo(StopAndGo),
}

/// Does the same with whichever it is.
macro_rules! either {
    ($flow:expr, $this:ident => $call:expr) => {
        match $flow {
            Flow::Credits($this) => $call,
            Flow::StopAndGo($this) => $call,
        }
    };
}

impl Flow {
    /// For the lanes of so many channels, with all buffers empty.
    pub(super) fn new(model: &CutThroughModel, lanes: Lanes, channel_count: usize) -> Self {
        let numbers = lanes.numbers(channel_count);
        match model.flow_control {
            FlowControl::Credits => {
                // Which lane's turn it is is asked where there are several.
                let in_turn = if lanes.count() > 1 { numbers } else { 0 };
                Self::Credits(Credits::new(model, in_turn))
            }
            FlowControl::StopAndGo {
                stop_above_flits,
                go_below_flits,
                control_delay_cycles,
            } => {
                let thresholds = [stop_above_flits, go_below_flits].map(u64::from);
                let control_delay = control_delay_cycles.into();
                let buffer_flits = model.input_buffer_flits;
                let streams = StopAndGo::new(thresholds, control_delay, buffer_flits, numbers);
                Self::StopAndGo(streams)
            }
        }
    }

    /// What it keeps of all channels.
    pub(super) fn bytes_of_channels(&self) -> usize {
        either!(self, flow => flow.bytes_of_channels())
    }

    /// Has the memory bring what is kept here of a lane, if events look at it.
    #[inline]
    pub(super) fn fetch(&self, outlet: OutletId) {
        if let Self::StopAndGo(streams) = self {
            streams.fetch(outlet);
        }
    }

    /// A packet has the lane of an output.
    #[inline]
    pub(super) fn grant<S: Setting>(&mut self, network: &mut Network, grant: Grant) {
        match self {
            Self::Credits(credits) => credits.grant::<S>(network, grant),
            Self::StopAndGo(streams) => streams.grant::<S>(network, grant),
        }
    }

    /// Another part gives room back to the source of a channel.
    pub(super) fn give_back(&mut self, network: &mut Network, returning: &Returning) {
        match self {
            Self::Credits(credits) => credits.give_back(network, returning),
            Self::StopAndGo(_) => unreachable!("{returning:?} without credits"),
        }
    }

    /// Does what is possible at the source of a channel now, and plans the next look: grants of the lanes
    /// that packets ask for, then the link.
    #[inline]
    pub(super) fn resolve<S: Setting>(&mut self, network: &mut Network, channel: ChannelId) {
        match self {
            Self::Credits(credits) => credits.resolve::<S>(network, channel),
            Self::StopAndGo(streams) => streams.resolve::<S>(network, channel),
        }
    }

    /// The packet in front of an inlet has no output: it crosses to nowhere.
    pub(super) fn discard(&mut self, network: &mut Network, inlet: InletId) {
        either!(self, flow => flow.discard(network, inlet));
    }

    /// Whether what is in front of a channel needs room at its end is about to change: what kept it back until now
    /// is counted.
    pub(super) fn settle_blocked(&mut self, network: &mut Network, channel: ChannelId) {
        either!(self, flow => flow.settle_blocked(network, channel));
    }

    /// A channel fails: what has begun to leave on it is broken, as far as the network does not know of it.
    pub(super) fn break_begun(&self, network: &mut Network, channel: ChannelId) {
        match self {
            // Whoever has a link is known to the network, with the arrival of its last flit.
            Self::Credits(_) => {}
            Self::StopAndGo(streams) => streams.break_begun(network, channel),
        }
    }

    /// Where packets are followed: notes what of runs that have not ended was sent before now.
    pub(super) fn note_motions(&self, network: &mut Network) {
        match self {
            // Noted with the link.
            Self::Credits(_) => {}
            Self::StopAndGo(streams) => {
                for outlet in network.switches.outlets.ids() {
                    streams.note_motion(network, outlet);
                }
            }
        }
    }

    /// Flits taken of the buffer at the end of a lane, as far as its source knows.
    pub(super) fn taken(&self, outlet: OutletId, far_room: &FarRoom, now: u64) -> u32 {
        either!(self, flow => flow.taken(outlet, far_room, now))
    }

    /// How a lane was used: sums since the beginning, and maxima since the last reset.
    pub(super) fn lane_use(&self, network: &Network, outlet: OutletId) -> LaneUse {
        let counted = either!(self, flow => flow.lane_use(network, outlet));
        let wait_now = network.switches.longest_wait(outlet, network.clock.now());
        LaneUse {
            longest_wait_cycles: counted.longest_wait_cycles.max(wait_now),
            ..counted
        }
    }

    /// Grants that are given ahead of time.
    pub(super) fn grants_to_come(&self, network: &Network) -> u64 {
        match self {
            Self::Credits(_) => credits::grants_to_come(network),
            Self::StopAndGo(_) => 0,
        }
    }

    /// Flits of those that have a link for certain that are not sent before now.
    pub(super) fn flits_to_come(&self, network: &Network) -> u64 {
        let now = network.clock.now();
        let of = |channel: ChannelId| {
            let state = &network.channels[channel];
            let of_lane = |outlet| {
                let sender = &network.switches.outlets[outlet];
                let whole = sender.cycles_to_come(now, state.cycles_per_flit);
                match self {
                    Self::Credits(_) => whole,
                    Self::StopAndGo(streams) => whole + streams.cycles_to_come(outlet, now),
                }
            };
            let cycles: u64 = network.lanes.outlets(channel).map(of_lane).sum();
            cycles / u64::from(state.cycles_per_flit)
        };
        network.channels.ids().map(of).sum()
    }

    /// Counts the maxima of buffers anew.
    pub(super) fn reset(&mut self, network: &mut Network) {
        either!(self, flow => flow.reset(network));
    }

    /// Whether a buffer keeps a lane back.
    pub(super) fn is_kept_back(&self, network: &Network, outlet: OutletId) -> bool {
        either!(self, flow => flow.is_kept_back(network, outlet))
    }

    /// The packet that has an output and is in a buffer yet.
    pub(super) fn crossing(&self, network: &Network, inlet: InletId) -> Option<PacketId> {
        match self {
            Self::Credits(_) => {
                let outlet = network.switches.inlets[inlet].outlet();
                network.switches.outlets[outlet].packets.front()
            }
            Self::StopAndGo(streams) => streams.crossing(inlet),
        }
    }
}

/// Grants the lanes of a channel that packets ask for, as far as they are free.
#[inline]
fn grant_all(network: &mut Network, channel: ChannelId, mut tell: impl FnMut(&mut Network, Grant)) {
    for lane in network.grantable(channel) {
        let outlet = network.lanes.outlet(channel, lane);
        while let Some(grant) = network.grant(outlet) {
            tell(network, grant);
            if network.switches.outlets[outlet].requests.is_empty() {
                break;
            }
        }
    }
}

/// The first cycle in which a lane of a channel may be granted to a packet that asks, as far as is known.
#[inline]
fn next_grant(network: &Network, channel: ChannelId) -> u64 {
    let now = network.clock.now();
    let mut next = NEVER;
    for lane in network.grantable(channel) {
        let requested = &network.switches.outlets[network.lanes.outlet(channel, lane)];
        if requested.crossbar_free_at > now {
            next = next.min(requested.crossbar_free_at);
        } else {
            next = next.min(requested.next_release(now));
        }
    }
    next
}
