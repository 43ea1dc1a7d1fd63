//! Extended generalised fat trees.

use super::Topology;
use super::size::{SMALL, check_size, each_at_least, invalid, joined, product};
use super::wiring::Wiring;
use crate::{Fabric, FabricError, narrow};
use weft_registry::Spec;

/// Makes the extended generalised fat tree XGFT(h; m₁, …, mₕ; w₁, …, wₕ) with the hosts at
/// level 0: a node of level l has m children and, below the top, wₗ₊₁ parents.
///
/// Level l has mₗ₊₁ ⋯ mₕ · w₁ ⋯ wₗ nodes. Switch ids run from the lowest level (whose switches
/// carry the hosts) to the top. After a switch's hosts or links down, in the order of the
/// switches below, come its links up.
///
/// # Errors
/// [`FabricError::InvalidParameter`] for lists of different lengths, a number of 0, or hosts with
/// more than one parent; [`FabricError::TooManyPorts`], [`FabricError::TooLarge`].
///
/// # Source
/// Öhring, Ibel, Das, Kumar, "On generalized fat trees", IPPS 1995.
pub fn xgft(children: &[u32], parents: &[u32]) -> Result<Fabric, FabricError> {
    each_at_least("m", children, 1)?;
    each_at_least("w", parents, 1)?;
    if parents.len() != children.len() {
        let expected = format!("{} numbers, as many as m has", children.len());
        return Err(invalid("w", &joined(parents), expected));
    }
    if parents[0] != 1 {
        let expected = "1 as the first number: a host has one link";
        return Err(invalid("w", &joined(parents), expected));
    }
    let name = format!(
        "xgft-{}-{}-{}",
        children.len(),
        joined(children),
        joined(parents)
    );
    build(children, parents, name)
}

/// Builds the tree of a checked description.
pub(super) fn build(
    children: &[u32],
    parents: &[u32],
    name: String,
) -> Result<Fabric, FabricError> {
    let height = children.len();
    // Nodes of a level: paths down from the top that tell them apart, times paths up from below.
    let nodes = |level: usize| {
        product(children[level..].iter().copied())
            .saturating_mul(product(parents[..level].iter().copied()))
    };
    let ports = (0..height)
        .map(|l| u64::from(children[l]) + parents.get(l + 1).map_or(0, |&w| u64::from(w)));
    check_size(
        (1..=height).map(nodes).fold(0, u64::saturating_add),
        nodes(0),
        ports.max().unwrap_or(0),
    )?;

    let counts: Vec<u32> = (1..=height)
        .map(|level| narrow(nodes(level), SMALL))
        .collect();
    let mut wiring = Wiring::default();
    let mut first_of_level = 0;
    // Nodes of this level below one and the same set of ancestors' children.
    let mut copies = 1;
    for level in 1..=height {
        let count = counts[level - 1];
        let hosts = if level == 1 { children[0] } else { 0 };
        wiring.hosts.extend((0..count).map(|_| hosts));
        if level == height {
            break;
        }
        let first_above = first_of_level + count;
        let (siblings, ways) = (children[level], parents[level]);
        for node in 0..count {
            let (place, copy) = (node / copies, node % copies);
            let group = place / siblings;
            wiring.links.extend((0..ways).map(|way| {
                let above = (group * ways + way) * copies + copy;
                [first_of_level + node, first_above + above]
            }));
        }
        copies *= ways;
        first_of_level = first_above;
    }
    wiring.build(name)
}

/// As listed.
pub(super) const TOPOLOGY: Topology = Topology {
    name: "xgft",
    title: "Extended generalised fat tree XGFT(h; m; w)",
    summary: "A tree of h levels of switches; a node at level l has m children at level l - 1 and \
              w parents at level l + 1.",
    source: "Öhring, Ibel, Das, Kumar, On generalized fat trees, IPPS 1995",
    parameters: &[
        Spec::list("m", 1, "4x4")
            .says("Children of a switch, level by level from the lowest; the first are hosts."),
        Spec::list("w", 1, "1x2")
            .says("Parents of a node, from the hosts up; the first is 1, as a host has one link."),
    ],
    make: |values| xgft(&values.list("m"), &values.list("w")),
};
