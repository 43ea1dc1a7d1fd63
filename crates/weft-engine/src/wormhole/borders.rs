//! What the parts of a divided fabric tell one another.
//!
//! ```text
//!   part of the sender                                 part of the receiver
//!   output ── moves: packets, runs as they change ──►  copy of the output, buffer
//!          ◄── symbols: stops and gos emitted ───────
//!   hosts  ◄── losses: packets to be sent again ─────  where they were lost
//! ```
//!
//! The channel between two parts is known to both, to each with the other end *beyond the border*. All that
//! is told has an effect a flight later at the earliest: the flits that are sent anew then arrive, the
//! symbol reaches the sender. So it is enough to tell it at the end of a *window* as long as a flight.

use super::ends::Ends;
use super::flow::{Run, Stride};
use super::hosts::Lost;
use super::traffic::Packet;
use crate::cycle::Cycle;
use crate::parallel::{self, Division};
use std::fmt::Debug;
use std::sync::Arc;
use weft_fabric::{ChannelId, SwitchId};

/// What an output does, in order.
#[derive(Clone, Copy, Debug)]
pub(super) enum Move<S> {
    /// It takes a packet, the next of those in the letter.
    Take {
        channel: ChannelId,
        /// First cycle it may leave in.
        earliest: Cycle,
        flits: u32,
        /// Whether it leaves from then on without a pause; otherwise it is told when it does.
        passes: bool,
    },
    /// It sends in another run than was told before.
    Change {
        channel: ChannelId,
        run: Run<S>,
        /// What was sent of the run before, when a pause or another pace comes between.
        closed: Option<Run<S>>,
    },
}

/// A packet lost in some cycle, as its source is to send it again.
#[derive(Clone, Debug)]
pub(super) struct Loss {
    pub(super) packet: Packet,
    pub(super) lost: Lost,
}

/// What one part tells another at the end of a window.
#[derive(Clone, Debug)]
pub(super) struct Letter<S> {
    pub(super) moves: Vec<Move<S>>,
    /// The packets taken, as they are then.
    pub(super) packets: Vec<Packet>,
    /// Channels, and the cycle in which the receiver of each emitted a stop or go.
    pub(super) symbols: Vec<(ChannelId, Cycle)>,
    pub(super) losses: Vec<Loss>,
}

impl<S> Letter<S> {
    pub(super) fn is_empty(&self) -> bool {
        self.moves.is_empty() && self.symbols.is_empty() && self.losses.is_empty()
    }

    /// Packets that go to another part with it.
    fn packet_count(&self) -> u64 {
        (self.packets.len() + self.losses.len()) as u64
    }
}

impl<S> Default for Letter<S> {
    fn default() -> Self {
        Self {
            moves: Vec::new(),
            packets: Vec::new(),
            symbols: Vec::new(),
            losses: Vec::new(),
        }
    }
}

impl<S: Send + Debug> parallel::Letter for Letter<S> {
    fn is_empty(&self) -> bool {
        self.is_empty()
    }
}

/// The borders of the part that a core simulates, and what is to be told over them. A core of a whole
/// fabric has none.
#[derive(Debug)]
pub(super) struct Borders<S> {
    division: Option<Arc<Division>>,
    part: usize,
    /// One for each part.
    pub(super) letters: Vec<Letter<S>>,
    /// One from each part, told at the end of a window, which is read when the next begins.
    pub(super) unread: Vec<Letter<S>>,
    /// Packets of which the head has left for another part, and the tail has not.
    pub(super) packets_gone: u64,
}

impl<S: Stride> Borders<S> {
    /// Those of the whole fabric.
    pub(super) fn none() -> Self {
        Self {
            division: None,
            part: 0,
            letters: Vec::new(),
            unread: Vec::new(),
            packets_gone: 0,
        }
    }

    /// Those of one part of a division.
    pub(super) fn of(division: &Arc<Division>, part: usize) -> Self {
        Self {
            division: Some(Arc::clone(division)),
            part,
            letters: vec![Letter::default(); division.part_count()],
            unread: vec![Letter::default(); division.part_count()],
            packets_gone: 0,
        }
    }

    /// Whether a switch lies within them.
    pub(super) fn contain(&self, switch: SwitchId) -> bool {
        self.division
            .as_ref()
            .is_none_or(|division| division.part_of(switch) == self.part)
    }

    /// The letter to the part that a switch is in, if it lies beyond.
    pub(super) fn letter_to(&mut self, switch: SwitchId) -> Option<&mut Letter<S>> {
        let part = self.division.as_ref()?.part_of(switch);
        if part == self.part {
            return None;
        }
        self.letters.get_mut(part)
    }

    /// Packets of which other parts have told, and which are not among those of this one yet.
    pub(super) fn packets_unread(&self) -> u64 {
        self.unread.iter().map(Letter::packet_count).sum()
    }

    /// Whether another part has told of a stop or go for an output that is not known yet.
    pub(super) fn has_unread_symbol(&self, output: ChannelId) -> bool {
        let mut symbols = self.unread.iter().flat_map(|letter| &letter.symbols);
        symbols.any(|&(told, _)| told == output)
    }

    /// The ends of a channel as they are seen from within.
    pub(super) fn seen_from_within(&self, ends: Ends) -> Ends {
        let (Some(source), Some(target)) = (ends.source_switch(), ends.target_switch()) else {
            return ends;
        };
        match (self.contain(source), self.contain(target)) {
            (true, false) => ends.outward(),
            (false, true) => ends.inward(),
            (true, true) | (false, false) => ends,
        }
    }
}
