//! The orders in which `OpenSM` takes switches and hosts.

use std::cmp::Reverse;
use weft_fabric::{Fabric, HostId, SwitchId};

/// Sorts switches by GUID as `OpenSM` compares them, byte by byte from the last; those without one come
/// first, by id.
/// Source: `OpenSM`, `cl_map.c`, over keys in network byte order.
pub(crate) fn sort_as_manager(fabric: &Fabric, switches: &mut [SwitchId]) {
    switches.sort_by_key(|&switch| {
        let guid = fabric.switch(switch).guid;
        (guid.map(u64::swap_bytes), switch)
    });
}

/// Per switch: its place in that order.
pub(crate) fn places_as_manager(fabric: &Fabric) -> Vec<u32> {
    let mut switches: Vec<SwitchId> = fabric.switch_ids().collect();
    sort_as_manager(fabric, &mut switches);
    let mut places = vec![0; switches.len()];
    for (place, switch) in (0..).zip(switches) {
        places[switch.index()] = place;
    }
    places
}

/// All hosts in the order in which `OpenSM` routes to them: those of the switch with most first, of switches
/// with as many in the manager's order; on a switch by port.
/// Source: `OpenSM`, `osm_ucast_mgr.c` and `osm_ucast_dfsssp.c`, the order of ports by the load of their
/// switches.
pub(crate) fn hosts_as_manager(fabric: &Fabric) -> Vec<HostId> {
    let mut switches: Vec<SwitchId> = fabric.switches_with_hosts().collect();
    sort_as_manager(fabric, &mut switches);
    switches.sort_by_key(|&switch| Reverse(fabric.hosts_of(switch).len()));
    let hosts = switches.iter().flat_map(|&switch| fabric.hosts_of(switch));
    hosts.copied().collect()
}
