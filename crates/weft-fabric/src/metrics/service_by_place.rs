//! Service ends that their places give away.

use super::graph::SwitchGraph;
use super::{between_leaves, connected_parts, levels};
use crate::{Fabric, Hop, ServiceReason, SwitchId};
use std::collections::BTreeMap;

/// The same fabric whose compute ends are service ends where their places say so: on a level above the
/// leaves of a tree where most switches have no compute end, and few have some.
#[must_use]
pub fn with_service_by_place(fabric: Fabric) -> Fabric {
    let mut reasons: Vec<Option<ServiceReason>> = fabric
        .host_ids()
        .map(|host| fabric.host(host).service)
        .collect();
    for switch in switches_out_of_place(&fabric) {
        for host in fabric.hosts_of(switch) {
            reasons[host.index()].get_or_insert(ServiceReason::Place);
        }
    }
    fabric.with_service(reasons)
}

/// One of so many is few: switches of a level that have compute ends, or compute ends on a switch for its
/// links to others.
const FEW: usize = 5;
/// Of all compute ends no more than one of so many is out of place.
const FEW_OF_ALL: usize = 10;
/// The same right above the leaves, whatever the switches that have some.
const VERY_FEW_OF_ALL: usize = 20;

/// The switches above the leaves that have compute ends where their level has none: few of the level; very few
/// ends, or few for the links of each, where the level lies right above the leaves; and these higher up, where lightly used leaves of another rack would come, if some of the level have none, or if all that have some lie
/// between the leaves.
fn switches_out_of_place(fabric: &Fabric) -> Vec<SwitchId> {
    let levels = levels(fabric);
    let graph = SwitchGraph::of(fabric);
    let mut odd = Vec::new();
    for part in connected_parts(fabric) {
        let hosts = |switch: &SwitchId| fabric.compute_hosts_of(*switch);
        let all: usize = part.iter().map(hosts).sum();
        let at_bottom = |switch: &SwitchId| levels[switch.index()] == Some(0);
        let leaves: Vec<SwitchId> = part.iter().copied().filter(at_bottom).collect();
        let mut by_level: BTreeMap<u32, Vec<SwitchId>> = BTreeMap::new();
        for switch in part {
            if let Some(level) = levels[switch.index()].filter(|&level| level > 0) {
                by_level.entry(level).or_default().push(switch);
            }
        }
        for (level, switches) in by_level {
            // A switch with nothing below but its own ends is a leaf, at whatever height it hangs.
            let is_above = |switch: &SwitchId| {
                let below = |hop: &Hop| levels[hop.switch.index()] < Some(level);
                fabric.hops(*switch).iter().any(below)
            };
            let switches: Vec<SwitchId> = switches.into_iter().filter(is_above).collect();
            let with: Vec<SwitchId> = switches.iter().copied().filter(|s| hosts(s) > 0).collect();
            let few_switches = FEW * with.len() <= switches.len();
            let few_hosts = with
                .iter()
                .all(|switch| FEW * hosts(switch) <= fabric.hops(*switch).len());
            let some_have_none = with.len() < switches.len();
            let are_out_of_place = few_switches || few_hosts && (level == 1 || some_have_none);
            let ends: usize = with.iter().map(hosts).sum();
            if are_out_of_place && FEW_OF_ALL * ends <= all
                || level == 1 && VERY_FEW_OF_ALL * ends <= all
                || between_leaves::FEW_OF_ALL * ends <= all
                    && between_leaves::among(fabric, &graph, &with, &leaves).len() == with.len()
            {
                odd.extend(with);
            }
        }
    }
    odd
}
