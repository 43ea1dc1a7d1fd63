//! HyperX.

use super::Topology;
use super::size::{SMALL, at_least, check_size, each_at_least, invalid, joined, product};
use super::topology::hosts_per_switch;
use super::wiring::Wiring;
use crate::{Fabric, FabricError, Layout, narrow};
use weft_registry::Spec;

/// Makes a HyperX: a grid in which every two switches on a line are joined, by as many
/// parallel links as `multiplicities` says per dimension (one number stands for all dimensions).
///
/// A dimension of extent S and multiplicity K has K · (S - 1) / 2 links per switch. Switch ids run
/// along the first dimension, then the second, and so on. After the hosts' ports come, dimension by
/// dimension, the links to the other switches of the line in ascending order.
///
/// # Errors
/// [`FabricError::InvalidParameter`], [`FabricError::TooManyPorts`], [`FabricError::TooLarge`].
///
/// # Source
/// Ahn, Binkert, Davis, McLaren, Schreiber, "HyperX: topology, routing, and packaging of efficient
/// large-scale networks", SC 2009.
pub fn hyperx(
    extents: &[u32],
    multiplicities: &[u32],
    hosts_per_switch: u32,
) -> Result<Fabric, FabricError> {
    each_at_least("extents", extents, 2)?;
    each_at_least("multiplicities", multiplicities, 1)?;
    at_least("hosts_per_switch", hosts_per_switch, 1)?;
    if multiplicities.len() != 1 && multiplicities.len() != extents.len() {
        let expected = format!("one number, or {}, as many as extents", extents.len());
        return Err(invalid("multiplicities", &joined(multiplicities), expected));
    }
    let dimensions: Vec<(u32, u32)> = extents
        .iter()
        .copied()
        .zip(multiplicities.iter().copied().cycle())
        .collect();
    let switches = product(extents.iter().copied());
    check_size(
        switches,
        switches.saturating_mul(u64::from(hosts_per_switch)),
        dimensions
            .iter()
            .map(|&(extent, copies)| u64::from(extent - 1) * u64::from(copies))
            .fold(u64::from(hosts_per_switch), u64::saturating_add),
    )?;
    let switches: u32 = narrow(switches, SMALL);
    let mut wiring = Wiring::uniform(switches, hosts_per_switch);
    wiring.layout = Layout::Grid {
        extents: extents.to_vec(),
    };
    let mut step = 1;
    for (extent, copies) in dimensions {
        for here in 0..switches {
            let position = here / step % extent;
            for distance in 1..extent - position {
                let link = [here, here + distance * step];
                wiring.links.extend((0..copies).map(|_| link));
            }
        }
        step *= extent;
    }
    let name = format!("hyperx-{}", joined(extents));
    wiring.build(if multiplicities.iter().all(|&copies| copies == 1) {
        name
    } else {
        format!("{name}-links{}", joined(multiplicities))
    })
}

/// As listed.
pub(super) const TOPOLOGY: Topology = Topology {
    name: "hyperx",
    title: "HyperX",
    summary: "A grid in which every two switches on a line are joined.",
    source: "Ahn, Binkert, Davis, McLaren, Schreiber, HyperX: topology, routing, and packaging of \
             efficient large-scale networks, SC 2009",
    parameters: &[
        Spec::list("extents", 2, "4x4").says("Switches along each dimension, x first."),
        Spec::list("multiplicities", 1, "1")
            .says("Parallel links of two switches on a line: one number, or one per dimension.")
            .or("1"),
        hosts_per_switch("4"),
    ],
    make: |values| {
        hyperx(
            &values.list("extents"),
            &values.list("multiplicities"),
            values.parsed("hosts_per_switch"),
        )
    },
};
