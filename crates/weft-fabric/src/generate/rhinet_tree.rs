//! The fat trees (p, q, c) of the RHiNET study.

use super::Topology;
use super::size::{SMALL, at_least, check_size, invalid};
use super::topology::hosts_per_switch;
use super::wiring::Wiring;
use crate::{Fabric, FabricError, narrow};
use weft_registry::Spec;

/// Makes a fat tree in which every switch below the top has `parents` switches above, every
/// one above the lowest level `children` switches below, over `levels` levels above the lowest.
///
/// Every `children` switches of a level share the same `parents` above. The top level has `parents`
/// switches, the one below `children`, each further one `children / parents` times as many. Hosts
/// hang on the lowest level. Switch ids run from the lowest level to the top; ports down come
/// before ports up.
///
/// # Errors
/// [`FabricError::InvalidParameter`], [`FabricError::TooManyPorts`], [`FabricError::TooLarge`].
///
/// # Source
/// Koibuchi, Watanabe, Otsuka, Amano, "Performance evaluation of deterministic routings,
/// multicasts, and topologies on RHiNET-2 cluster", names (2, 4, 1) and (2, 4, 2); this
/// reading meets the mean and largest distances and the bisection of Table III.
pub fn rhinet_tree(
    parents: u32,
    children: u32,
    levels: u32,
    hosts_per_switch: u32,
) -> Result<Fabric, FabricError> {
    at_least("parents", parents, 1)?;
    at_least("levels", levels, 1)?;
    at_least("hosts_per_switch", hosts_per_switch, 1)?;
    if children < 2 || children < parents || !children.is_multiple_of(parents) {
        let expected = format!("2 or more, a multiple of parents ({parents})");
        return Err(invalid("children", &children, expected));
    }
    let factor = children / parents;
    if factor == 1 && levels > 1 {
        let expected = "1 where children equal parents: the levels below would stay apart";
        return Err(invalid("levels", &levels, expected));
    }
    // From the top: parents, children, children · factor, …; beyond 64 levels of two or more
    // every limit is passed.
    let mut counts = vec![u64::from(parents), u64::from(children)];
    for _ in 1..levels.min(64) {
        let last = counts.last().copied().unwrap_or(u64::MAX);
        counts.push(last.saturating_mul(u64::from(factor)));
    }
    counts.reverse();
    let above = u64::from(parents);
    check_size(
        counts.iter().copied().fold(0, u64::saturating_add),
        counts[0].saturating_mul(u64::from(hosts_per_switch)),
        (u64::from(hosts_per_switch) + above).max(if levels > 1 {
            u64::from(children) + above
        } else {
            u64::from(children)
        }),
    )?;

    let mut wiring = Wiring::default();
    let mut first_of_level = 0;
    for (level, &count) in counts.iter().enumerate() {
        let count: u32 = narrow(count, SMALL);
        let hosts = if level == 0 { hosts_per_switch } else { 0 };
        wiring.hosts.extend((0..count).map(|_| hosts));
        let first_above = first_of_level + count;
        if level + 1 < counts.len() {
            for node in 0..count {
                let first_parent = first_above + node / children * parents;
                let above = first_parent..first_parent + parents;
                wiring
                    .links
                    .extend(above.map(|parent| [first_of_level + node, parent]));
            }
        }
        first_of_level = first_above;
    }
    wiring.build(format!("rhinet-tree-{parents}-{children}-{levels}"))
}

/// As listed.
pub(super) const TOPOLOGY: Topology = Topology {
    name: "rhinet_tree",
    title: "Fat tree (p, q, c) of the RHiNET study",
    summary: "Every switch below the top has p parents, every one above the lowest level q \
              children, over c levels above the lowest; q switches share the same p parents.",
    source: "Koibuchi, Watanabe, Otsuka, Amano, Performance evaluation of deterministic routings, \
             multicasts, and topologies on RHiNET-2 cluster: \
             deduced from the distances and bisections in Table III",
    parameters: &[
        Spec::whole("parents", 1, "2")
            .says("p: switches above each.")
            .or("2"),
        Spec::whole("children", 2, "4")
            .says("q: switches below each.")
            .or("4"),
        Spec::whole("levels", 1, "2")
            .says("c: levels above the lowest.")
            .or("2"),
        hosts_per_switch("4"),
    ],
    make: |values| {
        rhinet_tree(
            values.parsed("parents"),
            values.parsed("children"),
            values.parsed("levels"),
            values.parsed("hosts_per_switch"),
        )
    },
};
