//! How a switch selects among the outputs that routes leave a packet: the selection function of adaptive routing; and how a
//! host selects among the addresses that they leave it.

use crate::random;
use weft_registry::words;

/// By what a switch selects among the lanes of outputs that a packet may take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Selection {
    /// The open one whose buffers have least taken, as far as the switch knows, when the packet's turn comes.
    #[default]
    Emptiest,
    /// One by a draw of its own for every packet, when the packet asks, which it then waits for; by weight in groups that
    /// have weights.
    Random,
    /// One by a hash of source and destination, which it waits for, so that packets stay in order; by weight, too.
    Hash,
}

words!(Selection {
    Emptiest = "emptiest",
    Random = "random",
    Hash = "hash",
});

/// Which of a destination's addresses a host sends packets to, where routes leave it any: LIDs by `InfiniBand`'s LID mask
/// control.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AddressChoice {
    /// The first, as programs do that know no others.
    #[default]
    First,
    /// One for all packets of a pair, by a hash of source, destination and seed, so that they stay in order.
    Hash,
    /// All in turn, packet by packet, from that of the hash on.
    Even,
}

words!(AddressChoice {
    First = "first",
    Hash = "hash",
    Even = "even",
});

/// Draws are keyed by purpose; this is the one of selection.
const SELECTION_PURPOSE: u64 = u64::from_be_bytes(*b"selected");

/// The number, from 0 to 2^64 evenly, by which a packet's output is selected at random at a switch.
///
/// It depends on the seed of the run, the packet's source and its number there, how often it was lost before, and the
/// switches that it asked before. `docs/concepts/engine.md` has the formula.
pub fn random_selection(
    seed: u64,
    (source, sequence, attempt): (u32, u64, u32),
    switches_before: u64,
) -> u64 {
    let key = [source.into(), sequence, attempt.into(), switches_before];
    random::draw(seed, SELECTION_PURPOSE, &key)
}
