//! The dragonfly.

use super::Topology;
use super::size::{at_least, check_size};
use super::wiring::Wiring;
use crate::{Fabric, FabricError};
use weft_registry::Spec;

/// Makes the largest dragonfly of switches with `hosts` hosts, `group_switches` switches to a
/// group and `global_links` links to other groups each.
///
/// With p hosts, a switches per group and h global links there are g = a · h + 1 groups, complete
/// inside, every two joined by one link. Global port j of group G leads to group j if j < G, else
/// to group j + 1, and sits on switch ⌊j / h⌋ of the group. After the hosts' ports come the links
/// inside the group, then the global ones, both in ascending order. It is balanced where
/// a = 2p = 2h.
///
/// # Errors
/// [`FabricError::InvalidParameter`], [`FabricError::TooManyPorts`], [`FabricError::TooLarge`].
///
/// # Source
/// Kim, Dally, Scott, Abts, "Technology-driven, highly-scalable dragonfly topology", ISCA 2008;
/// the order of global links is BookSim's.
pub fn dragonfly(
    hosts: u32,
    group_switches: u32,
    global_links: u32,
) -> Result<Fabric, FabricError> {
    at_least("p", hosts, 1)?;
    at_least("a", group_switches, 1)?;
    at_least("h", global_links, 1)?;
    let [p, a, h] = [hosts, group_switches, global_links].map(u64::from);
    let switches = (a * h + 1).saturating_mul(a);
    check_size(switches, switches.saturating_mul(p), p + a - 1 + h)?;
    let groups = group_switches * global_links + 1;
    let mut wiring = Wiring::uniform(groups * group_switches, hosts);
    for first in (0..groups).map(|group| group * group_switches) {
        let all = first..first + group_switches;
        wiring
            .links
            .extend(all.flat_map(|i| (i + 1..first + group_switches).map(move |j| [i, j])));
    }
    for low in 0..groups {
        wiring.links.extend((low + 1..groups).map(|high| {
            let switch = |group: u32, port: u32| group * group_switches + port / global_links;
            [switch(low, high - 1), switch(high, low)]
        }));
    }
    wiring.build(format!(
        "dragonfly-p{hosts}-a{group_switches}-h{global_links}"
    ))
}

/// As listed.
pub(super) const TOPOLOGY: Topology = Topology {
    name: "dragonfly",
    title: "Dragonfly of the largest size",
    summary: "a · h + 1 groups of a switches, complete inside, every two groups joined by one \
              link; balanced where a = 2p = 2h.",
    source: "Kim, Dally, Scott, Abts, Technology-driven, highly-scalable dragonfly topology, \
             ISCA 2008; order of global links as in BookSim",
    parameters: &[
        Spec::whole("p", 1, "2").says("Hosts on each switch."),
        Spec::whole("a", 1, "4").says("Switches in each group."),
        Spec::whole("h", 1, "2").says("Links of each switch to other groups."),
    ],
    make: |values| dragonfly(values.parsed("p"), values.parsed("a"), values.parsed("h")),
};
