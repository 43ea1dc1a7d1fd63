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
    /// Those of some switches by old ones and those of others by new ones: by number, which in `Planner::told`.
    Between(usize),
    New,
}

pub(super) const NOBODY: &[Sent] = &[];

impl Joint {
    /// Those that send to an address by so many levels; `is_beginning`: packets may be about that passed what failed.
    pub(super) fn senders<'a>(
        &'a self,
        number: usize,
        sent: [&'a [Sent]; 2],
        (rows, is_beginning): (Rows, bool),
    ) -> Senders<'a> {
        let [before, now] = &self.management;
        Senders {
            sent,
            past: if is_beginning {
                &self.addresses[number].past
            } else {
                NOBODY
            },
            management: [if is_beginning { before } else { NOBODY }, now],
            rows,
        }
    }
}
