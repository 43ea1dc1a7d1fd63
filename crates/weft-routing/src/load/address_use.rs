//! To which of its addresses a host is sent what, where it has several.

use super::PARTS;
use crate::random::{hash_of_flow, part_of};
use weft_fabric::HostId;

/// How what is sent to a host spreads over its addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressUse {
    /// Evenly over all.
    Even,
    /// To the first alone, as by programs that know no others.
    First,
    /// Each flow of a pair to one, by a hash.
    Hashed {
        /// Flows of each pair, 1 or more.
        flows: u32,
        /// What the hashes are drawn by; a draw has the same ones under any traffic.
        seed: u64,
        /// The draw.
        draw: u32,
    },
}

impl AddressUse {
    /// Puts what of a pair's packets each of so many addresses gets into `parts`, in parts of [`PARTS`].
    pub(super) fn share(self, pair: [HostId; 2], addresses: usize, parts: &mut Vec<u64>) {
        parts.clear();
        if addresses == 0 {
            return;
        }
        match self {
            Self::Even => parts.resize(addresses, PARTS / addresses as u64),
            Self::First => {
                parts.resize(addresses, 0);
                parts[0] = PARTS;
            }
            Self::Hashed { flows, seed, draw } => {
                parts.resize(addresses, 0);
                let key = [seed, u64::from(draw)];
                for flow in 0..flows {
                    parts[part_of(hash_of_flow(key, pair, flow), addresses)] += 1;
                }
                for part in parts {
                    *part = *part * PARTS / u64::from(flows);
                }
            }
        }
    }
}
