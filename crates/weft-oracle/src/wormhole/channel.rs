//! One channel: the output at its source, what is under way on it, the buffer at its end.

use super::flit::Flit;
use std::collections::VecDeque;
use weft_fabric::{ChannelId, PortNumber};
use weft_model::ChannelUse;

/// A control symbol, from the end of a channel back to its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    Stop,
    Go,
}

/// A switch's output given to a packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reservation {
    /// Channel into the switch that the packet comes from.
    pub(super) input: ChannelId,
    /// First cycle in which a flit may leave.
    pub(super) first_flit_cycle: u64,
}

/// A flit that is leaving.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaving {
    /// Cycle at whose end it has left as a whole.
    pub(super) until: u64,
    pub(super) is_last: bool,
}

/// A channel and what is at its ends.
#[derive(Clone, Debug, Default)]
pub(super) struct Channel {
    /// At the source: the last control symbol that took effect was a stop.
    pub(super) is_stopped: bool,
    /// At the source: the flit that is leaving.
    pub(super) leaving: Option<Leaving>,
    /// At a switch's output: the packet that has it.
    pub(super) reservation: Option<Reservation>,
    /// At a switch's output: the attempt that has it.
    pub(super) packet: Option<u64>,
    /// At a switch's output: the input port granted last. Before there is one, as after the highest, all
    /// ports are served by number.
    pub(super) last_granted: Option<PortNumber>,
    /// At a switch's output: how often it was granted.
    pub(super) grants: u64,
    /// Flits under way, with the cycle they arrive in.
    pub(super) flits: VecDeque<(u64, Flit)>,
    /// Control symbols under way to the source, with the cycle they take effect in.
    pub(super) symbols: VecDeque<(u64, Symbol)>,
    /// At a switch's input: the flits it holds, with the cycle they arrived in.
    pub(super) buffer: VecDeque<(u64, Flit)>,
    /// At a switch's input: the packet in front has its output.
    pub(super) is_granted: bool,
    /// At a switch's input: the packet in front is being discarded.
    pub(super) is_discarding: bool,
    /// At a switch's input: cycle since which the packet in front has asked for an output.
    pub(super) asking_since: Option<u64>,
    /// At a switch's input: the last control symbol emitted was a stop.
    pub(super) is_stop_outstanding: bool,
    /// Its link has failed, or a switch at one of its ends.
    pub(super) is_down: bool,
    pub(super) usage: ChannelUse,
}
