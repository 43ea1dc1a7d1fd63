//! Forwarding tables: the way from a switch to an address is that of all sources behind the switch, so
//! it is followed once.

use crate::form::port_targets::{PortTarget, PortTargets};
use crate::form::{ForwardingTables, PairGranularity};
use rayon::prelude::*;
use weft_fabric::{Fabric, HostId, PortNumber, SwitchId};

/// Addresses that are followed together, a bit each: their entries at a switch lie together.
const TOGETHER: usize = 64;

/// An address and what it is of.
#[derive(Clone, Copy, Debug)]
struct Place {
    address: usize,
    switch: SwitchId,
    /// The port of the host that it is of, where it is one's.
    host_port: Option<PortNumber>,
}

/// Tells whether every address leads there from all switches with hosts. Where only addresses that
/// nobody sends to do not, or lane tables choose lanes by the way a packet came, that is for others to
/// find out.
pub(super) fn all_arrive(fabric: &Fabric, tables: &ForwardingTables) -> bool {
    if tables.lane_tables().is_some() {
        return false;
    }
    let granularity = tables.granularity();
    let mut places = Vec::new();
    for endpoint in 0..tables.endpoint_count() {
        let switch = granularity.endpoint_switch(fabric, endpoint);
        if fabric.hosts_of(switch).is_empty() {
            continue;
        }
        let addresses = tables.addresses(endpoint);
        if addresses.is_empty() {
            return false;
        }
        let host_port = match granularity {
            PairGranularity::Host => Some(fabric.host_port(HostId::from_index(endpoint))),
            PairGranularity::Switch => None,
        };
        places.extend(addresses.map(|address| Place {
            address,
            switch,
            host_port,
        }));
    }
    let targets = PortTargets::new(fabric);
    let sources: Vec<SwitchId> = fabric.switches_with_hosts().collect();
    places
        .par_chunks(TOGETHER)
        .all(|places| arrive(tables, &targets, &sources, places))
}

/// Tells whether these addresses lead to their places from all sources.
fn arrive(
    tables: &ForwardingTables,
    targets: &PortTargets,
    sources: &[SwitchId],
    places: &[Place],
) -> bool {
    let switch_count = targets.switch_count();
    // Per switch, a bit per place: known to lead there, and met on a way that is being followed or was.
    let mut leads = vec![0_u64; switch_count];
    let mut met = vec![0_u64; switch_count];
    for (number, place) in places.iter().enumerate() {
        let entry = || tables.next_port(place.switch, place.address);
        if place.host_port.is_some_and(|port| entry() != Some(port)) {
            return false;
        }
        leads[place.switch.index()] |= 1 << number;
    }
    let mut way = Vec::new();
    for &source in sources {
        for (number, place) in places.iter().enumerate() {
            let bit = 1 << number;
            let mut here = source;
            while leads[here.index()] & bit == 0 {
                if met[here.index()] & bit != 0 {
                    // In a circle: whatever was met on other ways leads there.
                    return false;
                }
                met[here.index()] |= bit;
                way.push(here);
                let port = tables.next_port(here, place.address);
                match port.map(|port| targets.of(here.index(), port)) {
                    Some(PortTarget::Switch(next)) => here = SwitchId::from_index(next),
                    Some(PortTarget::Host | PortTarget::Nothing) | None => return false,
                }
            }
            for passed in way.drain(..) {
                leads[passed.index()] |= bit;
            }
        }
    }
    true
}
