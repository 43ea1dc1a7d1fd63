//! The methods that are known, beside the plan.

use super::TransitionError;
use super::lane_choice::Rows;
use super::management;
use super::mixtures::{Mixture, Order, Senders};
use super::phase::Wanted;
use crate::form::ForwardingTables;
use std::collections::BTreeSet;
use weft_fabric::Fabric;

/// What a known method comes to between two tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Classic {
    /// Its name.
    pub method: ClassicMethod,
    /// Rounds of writes; of tokens, the channels one passes after the other.
    pub rounds: usize,
    /// Times at which nothing goes on until all packets of before are gone.
    pub waits: usize,
    /// Destinations that nothing is sent to for a while.
    pub drained: usize,
    /// Lanes of each channel that it takes.
    pub lanes: usize,
    /// Whether no packets can deadlock at any moment.
    pub is_free: bool,
    /// Destinations to which packets may be lost or go in a circle, of those that are not drained.
    pub lost: usize,
}

/// A known method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassicMethod {
    /// All traffic stops; once the network is empty the new tables are written.
    Static,
    /// New tables stand beside the old ones under further addresses, with lanes of their own; hosts change
    /// over, and when no packet is on old lanes those are free.
    ///
    /// # Source
    /// Pinkston, Pang, Duato, "Deadlock-free dynamic reconfiguration schemes for increased network
    /// dependability", IEEE Trans. Parallel and Distributed Systems 14(8), 2003.
    DoubleScheme,
    /// A token follows the last old packet over each channel, and new packets follow the token, so that no old
    /// packet waits for a new one. Switches need both tables and the tokens.
    ///
    /// # Source
    /// Lysne, Montañana, Pinkston, Duato, Skeie, Flich, "Simple deadlock-free dynamic network
    /// reconfiguration", High Performance Computing 2004; Lysne, Montañana, Flich, Duato, Pinkston, Skeie, "An efficient and
    /// deadlock-free network reconfiguration protocol", IEEE Trans. Computers 57(6), 2008.
    Overlapping,
    /// Block after block of all switches, without waiting for answers: whatever comes first.
    ///
    /// # Source
    /// `ucast_mgr_pipeline_fwd_tbl` in `osm_ucast_mgr.c`.
    OpenSm,
}

impl ClassicMethod {
    /// Its name in figures.
    pub fn name(self) -> &'static str {
        match self {
            Self::Static => "static",
            Self::DoubleScheme => "double_scheme",
            Self::Overlapping => "overlapping",
            Self::OpenSm => "opensm",
        }
    }
}

/// What the known methods come to, each where its needs are met.
///
/// # Errors
/// [`TransitionError`].
pub fn classics(
    [before, after]: [&Fabric; 2],
    [old, new]: [&ForwardingTables; 2],
) -> Result<Vec<Classic>, TransitionError> {
    let joint = management::joint([before, after], [old, new])?;
    let mut standing = Wanted::new(&joint);
    let mut mixed = Wanted::new(&joint);
    let (mut all, mut lost) = (BTreeSet::new(), BTreeSet::new());
    for address in &joint.addresses {
        let senders = |new, rows| Senders {
            sent: [address.old.sent.as_slice(), new],
            past: &address.past,
            management: [&joint.management[0], &joint.management[1]],
            rows,
        };
        let before = senders(&[], Rows::Old);
        standing.add(&Mixture::of_one(&joint, &address.old.exits, before));
        let either = senders(&address.new.sent, Rows::Either);
        let both = [&address.old.exits, address.written()];
        let mixture = Mixture::of_both(&joint, both, Order::Any, either);
        if address.is_left {
            all.insert(&address.destination);
            if !mixture.goes_on() || mixture.goes_round() {
                lost.insert(&address.destination);
            }
        }
        mixed.add(&mixture);
    }
    let chain = standing.longest_chain();
    let is_free = chain.is_some();
    let plain = Classic {
        method: ClassicMethod::Static,
        rounds: 1,
        waits: 0,
        drained: 0,
        lanes: joint.lane_count,
        is_free,
        lost: 0,
    };
    Ok(vec![
        Classic {
            waits: 1,
            drained: all.len(),
            ..plain
        },
        Classic {
            method: ClassicMethod::DoubleScheme,
            waits: 1,
            lanes: usize::from(old.lane_count()) + usize::from(new.lane_count()),
            ..plain
        },
        Classic {
            method: ClassicMethod::Overlapping,
            rounds: chain.unwrap_or(0),
            ..plain
        },
        Classic {
            method: ClassicMethod::OpenSm,
            is_free: mixed.into_graph().is_some(),
            lost: lost.len(),
            ..plain
        },
    ])
}
