//! Which address of a destination each packet is sent to, where sources may send to any.

use crate::form::ForwardingTables;
use crate::random::{hash_of_flow, part_of};
use weft_fabric::{HostId, narrow};

/// What sources go by where [they may send to any address](ForwardingTables::sends_to_any_address).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PacketAddresses {
    /// The first alone.
    #[default]
    First,
    /// A hash of source and destination: all packets of a pair go to one.
    Hashed {
        /// What hashes are drawn by.
        seed: u64,
    },
    /// One after the other: the packets of a source to an endpoint take all in turn, the first the one of the hash.
    InTurn {
        /// What hashes are drawn by.
        seed: u64,
    },
}

/// The addresses that packets are sent to.
#[derive(Clone, Debug, Default)]
pub(super) struct Addressing {
    by: PacketAddresses,
    /// Per source host and destination endpoint: packets sent, modulo the addresses. Empty unless they are taken in turn.
    sent: Vec<u8>,
}

impl Addressing {
    /// For tables and so many hosts; the first address where these do not let sources send to any.
    pub(super) fn new(tables: &ForwardingTables, hosts: usize, by: PacketAddresses) -> Self {
        if !tables.sends_to_any_address() {
            return Self::default();
        }
        let pairs = match by {
            PacketAddresses::InTurn { .. } => hosts * tables.endpoint_count(),
            PacketAddresses::First | PacketAddresses::Hashed { .. } => 0,
        };
        Self {
            by,
            sent: vec![0; pairs],
        }
    }

    /// Whether packets of a pair go to several.
    #[inline]
    pub(super) fn takes_turns(&self) -> bool {
        !self.sent.is_empty()
    }

    /// The address of a source's next packet to a destination, of these endpoints; none where that has none.
    #[inline]
    pub(super) fn next(
        &mut self,
        tables: &ForwardingTables,
        pair: [HostId; 2],
        [from, to]: [usize; 2],
    ) -> Option<usize> {
        let (PacketAddresses::Hashed { seed } | PacketAddresses::InTurn { seed }) = self.by else {
            return tables.address(from, to);
        };
        let addresses = tables.addresses(to);
        let count = addresses.len();
        let mut place = part_of(hash_of_flow([seed, 0], pair, 0), count);
        let sent = pair[0].index() * tables.endpoint_count() + to;
        if let Some(sent) = self.sent.get_mut(sent)
            && count > 0
        {
            place = (place + usize::from(*sent)) % count;
            let next = (usize::from(*sent) + 1) % count;
            *sent = narrow(next, "a destination has 255 addresses at most");
        }
        addresses.clone().nth(place)
    }
}
