//! The dragonfly+.

use super::Topology;
use super::size::{at_least, check_size};
use super::wiring::Wiring;
use crate::{Fabric, FabricError};
use weft_registry::Spec;

/// The size of a dragonfly+.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DragonflyPlusParameters {
    /// Groups, 2 or more.
    pub groups: u32,
    /// Leaves of a group.
    pub leaves: u32,
    /// Spines of a group.
    pub spines: u32,
    /// Hosts of a leaf.
    pub hosts: u32,
    /// Links between every two groups.
    pub links: u32,
}

/// Makes a dragonfly+: groups of leaves, which have the hosts, and spines; every leaf is joined to every spine of its group,
/// and every two groups by links of their spines.
///
/// A group's switches follow those of the group before, its leaves first. The links of a group to others, in the order of
/// these, hang on its spines in turn. After the hosts' ports come the links inside groups, then those between them.
///
/// # Errors
/// [`FabricError::InvalidParameter`], [`FabricError::TooManyPorts`], [`FabricError::TooLarge`].
///
/// # Source
/// Shpiner, Haramaty, Eliad, Zdornov, Gafni, Zahavi, "Dragonfly+: low cost topology for scaling datacenters",
/// `HiPINEB` 2017.
pub fn dragonfly_plus(parameters: DragonflyPlusParameters) -> Result<Fabric, FabricError> {
    let DragonflyPlusParameters {
        groups,
        leaves,
        spines,
        hosts,
        links,
    } = parameters;
    at_least("groups", groups, 2)?;
    at_least("leaves", leaves, 1)?;
    at_least("spines", spines, 1)?;
    at_least("hosts", hosts, 1)?;
    at_least("links", links, 1)?;
    let of_group = u64::from(leaves) + u64::from(spines);
    let between = u64::from(groups - 1).saturating_mul(u64::from(links));
    let of_leaf = u64::from(hosts) + u64::from(spines);
    let of_spine = u64::from(leaves).saturating_add(between.div_ceil(u64::from(spines)));
    check_size(
        u64::from(groups).saturating_mul(of_group),
        u64::from(groups)
            .saturating_mul(u64::from(leaves))
            .saturating_mul(u64::from(hosts)),
        of_leaf.max(of_spine),
    )?;
    let size = leaves + spines;
    let mut wiring = Wiring::uniform(groups * size, 0);
    for first in (0..groups).map(|group| group * size) {
        wiring.hosts[first as usize..][..leaves as usize].fill(hosts);
        let spines = first + leaves..first + size;
        let leaves = first..first + leaves;
        let inside = leaves.flat_map(|leaf| spines.clone().map(move |spine| [leaf, spine]));
        wiring.links.extend(inside);
    }
    // The n-th link of a group, counted over all other groups.
    let spine = |group: u32, number: u32| group * size + leaves + number % spines;
    for low in 0..groups {
        for high in low + 1..groups {
            wiring.links.extend((0..links).map(|link| {
                [
                    spine(low, (high - 1) * links + link),
                    spine(high, low * links + link),
                ]
            }));
        }
    }
    wiring.build(format!(
        "dragonfly-plus-g{groups}-l{leaves}-s{spines}-p{hosts}"
    ))
}

/// As listed.
pub(super) const TOPOLOGY: Topology = Topology {
    name: "dragonfly_plus",
    title: "Dragonfly+",
    summary: "Groups of leaves and spines, complete between them, every two groups joined by links of their spines.",
    source: "Shpiner, Haramaty, Eliad, Zdornov, Gafni, Zahavi, Dragonfly+: low cost topology for scaling \
             datacenters, HiPINEB 2017",
    parameters: &[
        Spec::whole("groups", 2, "5").says("Groups."),
        Spec::whole("leaves", 1, "4").says("Leaves of each group, which have the hosts."),
        Spec::whole("spines", 1, "4").says("Spines of each group."),
        Spec::whole("hosts", 1, "4").says("Hosts on each leaf."),
        Spec::whole("links", 1, "1")
            .says("Links between every two groups, on their spines in turn."),
    ],
    make: |values| {
        dragonfly_plus(DragonflyPlusParameters {
            groups: values.parsed("groups"),
            leaves: values.parsed("leaves"),
            spines: values.parsed("spines"),
            hosts: values.parsed("hosts"),
            links: values.parsed("links"),
        })
    },
};
