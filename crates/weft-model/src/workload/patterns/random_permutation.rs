//! A random permutation.

use super::Pattern;
use crate::workload::Destinations;
use crate::workload::random::{PERMUTATION, below, stream};
use weft_registry::{Kind, Spec};

/// As listed.
pub(super) const PATTERN: Pattern = Pattern {
    name: "random_permutation",
    title: "Random permutation",
    summary: "Each host sends to one other and receives from one other, by a permutation drawn \
              evenly from all but the identity; hosts that it leaves in place send nothing, one \
              on average.",
    defined_on: "every fabric",
    source: "Dally and Towles, Principles and Practices of Interconnection Networks, 2004, \
             section 3.2",
    parameters: &[Spec::of("seed", Kind::SEED, "1")
        .says("Another seed, another permutation; it does not depend on the seed of the traffic.")],
    destinations: |request| {
        let mut random = stream(request.values.seed(), PERMUTATION, 0);
        let mut to: Vec<u32> = (0..request.host_count()).collect();
        loop {
            for last in (1..request.host_count()).rev() {
                to.swap(last as usize, below(&mut random, last + 1) as usize);
            }
            // The identity, one of two permutations of two hosts, is drawn again.
            if let Some(destinations) = Destinations::fixed(to.clone()) {
                return Ok(destinations);
            }
        }
    },
};
