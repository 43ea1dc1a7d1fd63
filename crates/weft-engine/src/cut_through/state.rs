//! The state of the engine: what is known of each channel, of the two ends of each of its lanes, and
//! of packets. Flat arrays; a lane of a channel has the number `channel · lanes + lane`.

use crate::queue::NEVER;
use weft_routing::Header;

/// "None" among numbers of packets, lanes, hosts and credits.
pub(super) const NONE: u32 = u32::MAX;

/// One direction of a link, as its source knows it.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Channel {
    /// First cycle in which the link can be given to a packet.
    pub(super) free_at: u64,
    /// Next cycle in which the channel is looked at, as far as planned.
    pub(super) look_at: u64,
    /// Cycles from the one a flit is sent in to its arrival.
    pub(super) latency: u64,
    /// Cycles a signal is under way.
    pub(super) flight: u32,
    /// Cycles from one flit to the next.
    pub(super) cycles_per_flit: u32,
    /// The host it comes from or leads to, or `NONE`.
    pub(super) source_host: u32,
    pub(super) target_host: u32,
    /// The switch it leads to, where it does.
    pub(super) target_switch: u32,
    /// Lanes that packets ask for, a bit each.
    pub(super) asked: u16,
    /// Lanes with a packet in front.
    pub(super) loaded: u16,
    /// Port by which it enters its target.
    pub(super) target_port: u8,
    /// The lane that is first in turn.
    pub(super) next_lane: u8,
    /// With stop & go: the lane that has the link, or `NO_LANE`.
    pub(super) holder: u8,
    /// It is to be looked at in the present cycle.
    pub(super) is_contested: bool,
}

/// A lane of a channel at its source: an output buffer with the crossbar port that fills it, or a
/// host's queue.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Outlet {
    /// First cycle in which the crossbar port can be given to a packet; `NEVER` while one has it and
    /// it is not known until when.
    pub(super) crossbar_free_at: u64,
    /// Cycle in which the packet that was sent last is released: its room in the output buffer is
    /// free, and the next packet in front.
    pub(super) released_at: u64,
    /// Room in the output buffer, in flits.
    pub(super) room: u32,
    /// Room that is added in `released_at`.
    pub(super) coming_room: u32,
    /// All packets that ask need more room than this.
    pub(super) too_little_room: u32,
    /// Room in the buffer at the end of the channel, in flits, without the credits that were not
    /// needed yet.
    pub(super) credits: u32,
    /// Credits given back, by arrival.
    pub(super) first_credit: u32,
    pub(super) last_credit: u32,
    /// Requests, in order: the inlets whose front packets ask.
    pub(super) first_request: u32,
    pub(super) last_request: u32,
    /// Packets granted and not yet sent; at a host, generated and not yet sent.
    pub(super) front: u32,
    pub(super) back: u32,
    /// The packet in front waits for a credit that is not given back yet.
    pub(super) is_starved: bool,
}

impl Outlet {
    pub(super) fn new(room: u32, credits: u32) -> Self {
        Self {
            crossbar_free_at: 0,
            released_at: 0,
            room,
            coming_room: 0,
            too_little_room: 0,
            credits,
            first_credit: NONE,
            last_credit: NONE,
            first_request: NONE,
            last_request: NONE,
            front: NONE,
            back: NONE,
            is_starved: false,
        }
    }
}

/// A lane of a channel at its end: an input buffer with the crossbar port that empties it.
#[derive(Clone, Debug)]
pub(super) struct Inlet {
    /// Cycle in which the packet that was granted last is released: its room is free, and the next
    /// packet in front; `NEVER` while it is not known.
    pub(super) released_at: u64,
    /// Cycle in which the packet in front asked for an output, if it did.
    pub(super) asked_at: u64,
    /// Packets in the buffer or on their way to it that are not granted an output.
    pub(super) front: u32,
    pub(super) back: u32,
    /// Their flits.
    pub(super) flits: u32,
    /// The outlet that the packet in front asks for, or that the one granted last has.
    pub(super) outlet: u32,
    /// The next inlet in the same queue of requests.
    pub(super) next_request: u32,
}

impl Inlet {
    pub(super) const EMPTY: Self = Self {
        released_at: 0,
        asked_at: NEVER,
        front: NONE,
        back: NONE,
        flits: 0,
        outlet: NONE,
        next_request: NONE,
    };
}

/// A packet, from its generation to its delivery.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packet {
    pub(super) generation_cycle: u64,
    pub(super) injection_cycle: u64,
    pub(super) sequence: u64,
    /// Cycle in which its head arrives in an input buffer; once it is granted an output, the first in
    /// which it may be sent.
    pub(super) at: u64,
    pub(super) header: Header,
    pub(super) source: u32,
    pub(super) payload_bytes: u32,
    pub(super) flits: u32,
    /// The next packet in the same queue.
    pub(super) next: u32,
    /// The inlet it came by, or `NONE` at its source.
    pub(super) inlet: u32,
    /// Switches it arrived at.
    pub(super) switches: u16,
}

/// Room given back to the source of a channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Credit {
    /// Cycle in which the source knows of it.
    pub(super) at: u64,
    pub(super) flits: u32,
    /// The next credit of the same lane.
    pub(super) next: u32,
}
