//! Where a rank's time went.

use super::spans::Activity;

/// Where the time of a rank went, in cycles, until its last task was over.
///
/// Each cycle counts once. An idle processor waits for an acknowledgement while its host has a
/// packet under way that was not acknowledged, or a message that was refused and not sent again, and for a
/// packet otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Computing.
    pub computing_cycles: u64,
    /// Overhead of sending.
    pub sending_cycles: u64,
    /// Overhead of receiving.
    pub receiving_cycles: u64,
    /// Idle, with a packet not acknowledged or a message refused.
    pub waiting_acknowledgement_cycles: u64,
    /// Idle otherwise.
    pub waiting_packet_cycles: u64,
}

/// An account that is being kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Book {
    account: Account,
    activity: Activity,
    /// Cycle it is complete up to.
    until: u64,
}

impl Book {
    /// Opens an account in a cycle.
    pub(super) fn from(cycle: u64) -> Self {
        Self {
            until: cycle,
            ..Self::default()
        }
    }

    /// Closes the time before a cycle and opens that from it on.
    pub(super) fn turn(&mut self, cycle: u64, activity: Activity) {
        let span = cycle - self.until;
        let account = &mut self.account;
        match self.activity {
            Activity::Computing => account.computing_cycles += span,
            Activity::Sending => account.sending_cycles += span,
            Activity::Receiving => account.receiving_cycles += span,
            Activity::WaitingAcknowledgement => account.waiting_acknowledgement_cycles += span,
            Activity::WaitingPacket => account.waiting_packet_cycles += span,
            Activity::Finished => {}
        }
        self.until = cycle;
        self.activity = activity;
    }

    /// The account of the time before a cycle.
    pub(super) fn account_until(&self, cycle: u64) -> Account {
        let mut book = self.clone();
        book.turn(cycle.max(self.until), self.activity);
        book.account
    }
}

/// Messages that were announced: longer than is sent at once, to another rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Announcements {
    /// So many.
    pub announced_messages: u64,
    /// Those that were called for.
    pub called_messages: u64,
    /// Cycles from the announcement of these to when they were handed to the NIC, added up.
    pub waiting_cycles: u64,
}
