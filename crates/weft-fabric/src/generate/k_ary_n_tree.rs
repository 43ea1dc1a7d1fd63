//! k-ary n-trees.

use super::size::{at_least, check_size, product};
use super::{Topology, xgft};
use crate::{Fabric, FabricError};
use weft_registry::Spec;

/// Makes a k-ary n-tree: n levels of kⁿ⁻¹ switches, the lowest with k hosts each; switches of
/// neighbouring levels are joined when their words of n - 1 digits agree in all but the digit of
/// that level.
///
/// There are kⁿ hosts and (n - 1) · kⁿ links between switches. Switch ids run from the lowest
/// level to the top; ports down come before ports up.
///
/// # Errors
/// [`FabricError::InvalidParameter`], [`FabricError::TooManyPorts`], [`FabricError::TooLarge`].
///
/// # Source
/// Petrini, Vanneschi, "k-ary n-trees: high performance networks for massively parallel
/// architectures", IPPS 1997.
pub fn k_ary_n_tree(k: u32, n: u32) -> Result<Fabric, FabricError> {
    at_least("k", k, 2)?;
    at_least("n", n, 1)?;
    // With k of 2 or more, 64 levels are beyond every limit: `n` may be cut off there.
    let levels = n.min(64) as usize;
    let switches_per_level = product((1..levels).map(|_| k));
    check_size(
        switches_per_level.saturating_mul(levels as u64),
        switches_per_level.saturating_mul(u64::from(k)),
        if n == 1 { 1 } else { 2 } * u64::from(k),
    )?;
    let mut parents = vec![k; levels];
    parents[0] = 1;
    xgft::build(
        &vec![k; levels],
        &parents,
        format!("k-ary-n-tree-k{k}-n{n}"),
    )
}

/// As listed.
pub(super) const TOPOLOGY: Topology = Topology {
    name: "k_ary_n_tree",
    title: "k-ary n-tree",
    summary: "A fat tree of n levels with k links down and k links up per switch.",
    source: "Petrini, Vanneschi, k-ary n-trees: high performance networks for massively parallel \
             architectures, IPPS 1997",
    parameters: &[
        Spec::whole("k", 2, "4").says("Links down of a switch, and links up."),
        Spec::whole("n", 1, "3").says("Levels of switches."),
    ],
    make: |values| k_ary_n_tree(values.parsed("k"), values.parsed("n")),
};
