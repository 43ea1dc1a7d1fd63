//! With stop & go: what is known at the source of a lane of the packet being sent.

use super::content::Run;
use crate::ids::{InletId, Maybe, PacketId};

/// A packet at one of the switches on its way: its number, and how many switches it has come to. A
/// packet that goes in a circle can be at two places of it at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Visit {
    pub(super) packet: PacketId,
    pub(super) switches: u16,
}

impl Visit {
    /// The same packet at the next switch.
    pub(super) fn next(self) -> Self {
        Self {
            switches: self.switches + 1,
            ..self
        }
    }
}

/// What is known at the source of a lane.
#[derive(Clone, Debug)]
pub(super) struct Sender {
    /// The packet that has started and is not released, its length, and the inlet it comes by (none
    /// at its source).
    pub(super) sending: Option<Visit>,
    flits: u32,
    pub(super) from: Maybe<InletId>,
    /// Flits sent before the run, and the run.
    pub(super) sent: u64,
    pub(super) run: Option<Run>,
    /// The last control symbol was a stop; since when.
    pub(super) stopped_since: Option<u64>,
    /// The channel was down when the packet began to leave: it arrives nowhere, and no stop keeps it.
    pub(super) is_swallowed: bool,
}

/// A packet whose last flit was sent.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) packet: PacketId,
    pub(super) flits: u32,
    pub(super) from: Option<InletId>,
    pub(super) is_swallowed: bool,
}

impl Sender {
    /// Nothing is sent, and nothing stopped.
    pub(super) const IDLE: Self = Self {
        sending: None,
        flits: 0,
        from: Maybe::NONE,
        sent: 0,
        run: None,
        stopped_since: None,
        is_swallowed: false,
    };

    /// Its flits not sent before the run.
    pub(super) fn left(&self) -> u64 {
        u64::from(self.flits) - self.sent
    }

    /// Whether the packet being sent has flits that are not sent before `cycle`.
    pub(super) fn has_more(&self, cycle: u64) -> bool {
        let running = self.run.map_or(0, |run| run.count_before(cycle));
        self.sending.is_some() && running < self.left()
    }

    /// A packet of so many flits gets the link for the first time.
    pub(super) fn start(
        &mut self,
        visit: Visit,
        flits: u32,
        from: Option<InletId>,
        is_swallowed: bool,
    ) {
        self.is_swallowed = is_swallowed;
        self.sending = Some(visit);
        self.flits = flits;
        self.from = from.into();
        self.sent = 0;
    }

    /// The run has ended; tells the packet if its last flit was sent, which is released then.
    pub(super) fn end(&mut self) -> Option<Sent> {
        if let Some(run) = self.run.take() {
            self.sent += run.count;
        }
        if self.left() > 0 {
            return None;
        }
        let visit = self.sending.take()?;
        Some(Sent {
            packet: visit.packet,
            flits: self.flits,
            from: self.from.get(),
            is_swallowed: std::mem::take(&mut self.is_swallowed),
        })
    }
}
