//! Which address of a destination a host sends to, where tables let it send to any.

use crate::draws::{pair_number, share};
use std::collections::BTreeMap;
use weft_fabric::HostId;
use weft_model::AddressChoice;
use weft_routing::ForwardingTables;

/// How hosts choose among addresses, and what they sent so far.
#[derive(Debug)]
pub(super) struct Addresses {
    choice: AddressChoice,
    seed: u64,
    /// By number of the tables, source and endpoint: packets sent.
    sent: BTreeMap<(usize, HostId, usize), usize>,
}

impl Addresses {
    pub(super) fn new(choice: AddressChoice, seed: u64) -> Self {
        Self {
            choice,
            seed,
            sent: BTreeMap::new(),
        }
    }

    /// The address of a source's next packet to a destination, by the tables of this number.
    pub(super) fn next(
        &mut self,
        (number, tables): (usize, &ForwardingTables),
        [source, destination]: [HostId; 2],
        [from, to]: [usize; 2],
    ) -> Option<usize> {
        if !tables.sends_to_any_address() || self.choice == AddressChoice::First {
            return tables.address(from, to);
        }
        let all: Vec<usize> = tables.addresses(to).collect();
        let ends = [source, destination].map(HostId::number);
        let mut place = share(pair_number(self.seed, ends), all.len());
        if self.choice == AddressChoice::Even {
            let sent = self.sent.entry((number, source, to)).or_default();
            place += *sent;
            *sent += 1;
        }
        all.get(place.checked_rem(all.len())?).copied()
    }
}
