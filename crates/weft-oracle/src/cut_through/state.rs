//! What channels, lanes and packets are like at a time.

use super::ways::Course;
use std::collections::VecDeque;
use std::num::NonZeroU32;
use weft_fabric::{ChannelId, HostId};
use weft_model::workload::Packet;
use weft_model::{ChannelTiming, CutThroughModel, LaneUse};
use weft_routing::Lane;

/// A packet by its source, its number there, and how often it was lost before.
pub(super) type PacketId = (HostId, u64, u32);

#[derive(Clone, Debug)]
pub(super) struct PacketState {
    pub(super) packet: Packet,
    pub(super) course: Course,
    /// Its length.
    pub(super) flits: u32,
    pub(super) injection_cycle: Option<u64>,
    /// Switches it asked for an output at.
    pub(super) switches: u16,
    /// Packets of the same pair that left the source after it and arrived before it, where packets choose.
    pub(super) overtaken_by: u32,
    /// A channel failed while it was on it.
    pub(super) is_broken: bool,
    /// It is lost already, though flits of it are under way.
    pub(super) is_lost: bool,
}

/// A packet in a queue pair.
#[derive(Clone, Debug)]
pub(super) struct Waits {
    pub(super) id: PacketId,
    pub(super) packet: Packet,
    /// Once it is the first of its queue pair: its first lane, and its course.
    pub(super) way: Option<(Lane, Course)>,
}

/// A flit under way on a channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct FlyingFlit {
    pub(super) lane: usize,
    pub(super) packet: PacketId,
    /// It is the first of its packet, or the last.
    pub(super) is_head: bool,
    pub(super) is_last: bool,
    /// It arrives nowhere: the channel was down when its packet began to leave.
    pub(super) is_swallowed: bool,
}

/// A credit under way to the source of a channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Credit {
    pub(super) lane: usize,
    pub(super) flits: u32,
}

/// A control symbol under way to the source of a channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Symbol {
    pub(super) lane: usize,
    pub(super) is_stop: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Channel {
    pub(super) timing: ChannelTiming,
    pub(super) lanes: Vec<LaneState>,
    /// The lane whose packet has the link.
    pub(super) holder: Option<usize>,
    /// Where the next turn begins.
    pub(super) pointer: usize,
    /// Cycle and lane of the last flit sent.
    pub(super) last_sent: Option<(u64, usize)>,
    /// What is under way, with the cycle it arrives in.
    pub(super) flits: VecDeque<(u64, FlyingFlit)>,
    pub(super) credits: VecDeque<(u64, Credit)>,
    pub(super) symbols: VecDeque<(u64, Symbol)>,
    /// Its link or a switch at one of its ends has failed.
    pub(super) is_down: bool,
}

impl Channel {
    pub(super) fn new(timing: ChannelTiming, model: &CutThroughModel) -> Self {
        let lane = LaneState {
            output_room: model.output_buffer_flits.map_or(0, NonZeroU32::get),
            known_room: model.input_buffer_flits,
            ..LaneState::default()
        };
        Self {
            timing,
            lanes: vec![lane; model.lanes.into()],
            holder: None,
            pointer: 0,
            last_sent: None,
            flits: VecDeque::new(),
            credits: VecDeque::new(),
            symbols: VecDeque::new(),
            is_down: false,
        }
    }

    /// Tells whether the link is in the middle of a flit.
    pub(super) fn is_mid_flit(&self, now: u64) -> bool {
        let k = u64::from(self.timing.cycles_per_flit);
        self.last_sent.is_some_and(|(sent, _)| now < sent + k)
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct LaneState {
    // At the source of the channel.
    /// The packets to be sent: the queue of a host, the output buffer, or the packet that the crossbar
    /// feeds to the link.
    pub(super) front: VecDeque<Outgoing>,
    /// Whose packet the crossbar port at the output takes.
    pub(super) grant: Option<Grant>,
    /// Free flits of the output buffer.
    pub(super) output_room: u32,
    /// Free flits of the input buffer at the end, as known here.
    pub(super) known_room: u32,
    /// The last control symbol that took effect was a stop.
    pub(super) is_stopped: bool,
    /// Packets for which room is taken at the end, in order, with their flits.
    pub(super) taken: VecDeque<(PacketId, u32)>,
    // At its end.
    pub(super) buffer: VecDeque<Stored>,
    pub(super) is_stop_outstanding: bool,
    pub(super) usage: LaneUse,
}

impl LaneState {
    /// Counts the flits in the input buffer.
    pub(super) fn held_flits(&self) -> u32 {
        self.buffer
            .iter()
            .map(|stored| stored.arrived - stored.left)
            .sum()
    }
}

/// A packet that is to be sent, or being sent.
#[derive(Clone, Debug)]
pub(super) struct Outgoing {
    pub(super) packet: PacketId,
    pub(super) flits: u32,
    /// Flits sent.
    pub(super) sent: u32,
    pub(super) supply: Supply,
    /// It came by a slower channel, so that all its flits must be there before the first is sent.
    pub(super) is_stored_whole: bool,
    /// The channel was down when it began to leave.
    pub(super) is_swallowed: bool,
}

/// Where the flits of a packet are taken from.
#[derive(Clone, Debug)]
pub(super) enum Supply {
    /// The host has them all.
    Host,
    /// The output buffer: from which cycles on it had, or will have, each flit that has begun to cross.
    Output(Vec<u64>),
    /// The input buffer at the end of a channel, from a cycle on.
    Input {
        channel: ChannelId,
        lane: usize,
        first_cycle: u64,
    },
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub(super) input: ChannelId,
    pub(super) lane: usize,
    pub(super) since: u64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Grant {
    pub(super) input: ChannelId,
    pub(super) lane: usize,
    /// First cycle in which a flit may cross.
    pub(super) first_cycle: u64,
    /// Cycle the last flit so far crossed in.
    pub(super) last_crossing: Option<u64>,
}

/// A packet in an input buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stored {
    pub(super) packet: PacketId,
    pub(super) flits: u32,
    pub(super) arrived: u32,
    pub(super) left: u32,
    pub(super) head_arrival_cycle: u64,
    pub(super) has_asked: bool,
    /// It was found to have no output.
    pub(super) discard: Option<Discard>,
}

/// A packet that crosses to nowhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Discard {
    /// First cycle in which a flit may.
    pub(super) first_cycle: u64,
    /// Cycle the last flit so far did.
    pub(super) last_crossing: Option<u64>,
}
