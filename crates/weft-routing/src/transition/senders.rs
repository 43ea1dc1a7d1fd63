//! Who sends to an address as a transition goes on.

use super::addresses::Sent;
use super::joint::Joint;
use super::lane_choice::Rows;
use super::mixtures::Senders;

/// Which service levels hosts send to an address by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Levels {
    Old,
    Either,
    New,
}

const NOBODY: &[Sent] = &[];

impl Joint {
    /// Who sends to an address; `is_beginning`: packets may be about that passed what failed.
    pub(super) fn senders(
        &self,
        number: usize,
        (levels, rows): (Levels, Rows),
        is_beginning: bool,
    ) -> Senders<'_> {
        let address = &self.addresses[number];
        let [before, now] = &self.management;
        let old = if levels == Levels::New && address.is_left {
            NOBODY
        } else {
            &address.old.sent
        };
        let new = if levels == Levels::Old {
            NOBODY
        } else {
            &address.new.sent
        };
        Senders {
            sent: [old, new],
            past: if is_beginning { &address.past } else { NOBODY },
            management: [if is_beginning { before } else { NOBODY }, now],
            rows,
        }
    }
}
