//! What the parts of a divided fabric tell one another, where there are credits.
//!
//! ```text
//!   part of the sender                                 part of the receiver
//!   outlet ── packets, as they get the link ─────────►  inlet
//!          ◄── credits, as room is to be given back ──
//! ```
//!
//! Each part keeps of a channel over its border what is at its own end: the sender the outlet, and what it
//! knows of room, the receiver the buffer. A head arrives, and a credit is known, a flight after what they
//! come from at the earliest, and outlets and links are given away ahead of time only where nothing can be
//! known by then that is not known now. So it is enough to tell it at the end of a *window* as long as a flight.

use super::packet_state::Packet;
use crate::ids::{InletId, Table};
use crate::parallel::{self, Division};
use weft_fabric::{ChannelId, Fabric, HostId};

/// A packet that has the link of a channel to another part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arriving {
    pub(super) inlet: InletId,
    pub(super) packet: Packet,
    /// The cycle in which its head arrives.
    pub(super) at: u64,
}

/// Room that is given back to the source of a channel from another part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Returning {
    pub(super) inlet: InletId,
    pub(super) flits: u32,
    /// The cycle in which the source knows of it.
    pub(super) at: u64,
}

/// What one part tells another at the end of a window.
#[derive(Clone, Debug, Default)]
pub(super) struct Letter {
    pub(super) arriving: Vec<Arriving>,
    pub(super) returning: Vec<Returning>,
}

impl parallel::Letter for Letter {
    fn is_empty(&self) -> bool {
        self.arriving.is_empty() && self.returning.is_empty()
    }
}

/// The borders of the part that a core simulates, and what is to be told over them. A core of a whole fabric
/// has none.
#[derive(Debug)]
pub(super) struct Borders {
    part: usize,
    /// Of channels with an end in the part: which one the other end is in. Of a whole fabric it is not asked.
    other_ends: Table<ChannelId, usize>,
    /// The hosts within.
    pub(super) hosts: Vec<HostId>,
    /// One for each part.
    pub(super) letters: Vec<Letter>,
}

impl Borders {
    /// Those of the whole fabric.
    pub(super) fn none(fabric: &Fabric) -> Self {
        Self {
            part: 0,
            other_ends: Table::from(Vec::new()),
            hosts: fabric.host_ids().collect(),
            letters: Vec::new(),
        }
    }

    /// Those of one part of a division.
    pub(super) fn of(fabric: &Fabric, division: &Division, part: usize) -> Self {
        let other_end = |channel| {
            let [source, target] = division.ends(fabric, channel);
            if source == part { target } else { source }
        };
        let is_here = |&host: &HostId| division.part_of(fabric.host_switch(host)) == part;
        Self {
            part,
            other_ends: fabric.channel_ids().map(other_end).collect(),
            hosts: fabric.host_ids().filter(is_here).collect(),
            letters: vec![Letter::default(); division.part_count()],
        }
    }

    /// The letter to the part at the other end of a channel, if that is another one.
    #[inline]
    pub(super) fn letter_over(&mut self, channel: ChannelId) -> Option<&mut Letter> {
        let part = self.other_ends[channel];
        if part == self.part {
            return None;
        }
        self.letters.get_mut(part)
    }
}
