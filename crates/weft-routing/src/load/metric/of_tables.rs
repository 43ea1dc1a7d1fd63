//! Bounds of tables by destination: what channels carry comes in whole numbers of hosts.

use super::search::Found;
use crate::load::Demand;
use crate::load::whole_flows::{common_divisor, over_some_port};
use crate::paths::PathSpace;
use weft_fabric::SwitchId;

/// A bound of any routes as one of tables by destination: of the multiples of what the numbers of hosts have in common,
/// or by the ports of one switch, where these show more.
pub(super) fn of_tables(
    space: &PathSpace,
    part: &[SwitchId],
    demand: Demand<'_>,
    found: Found,
) -> Found {
    let (Demand::PerHost(numbers) | Demand::PerPair(numbers)) = demand;
    let least_load = found.least_load.next_multiple_of(common_divisor(numbers));
    let found = Found {
        least_load,
        ..found
    };
    let Demand::PerHost(hosts) = demand else {
        return found;
    };
    let all = hosts.iter().sum();
    let by_ports = |switch: SwitchId| over_some_port(space, switch, hosts[switch.index()], all);
    let Some(switch) = part.iter().copied().max_by_key(|&switch| by_ports(switch)) else {
        return found;
    };
    let least_load = by_ports(switch);
    if least_load <= found.least_load {
        return found;
    }
    let mut weights = vec![0; space.edge_count()];
    for edge in space.edge_ids(switch.number()) {
        weights[edge as usize] = 1;
    }
    Found {
        weights,
        least_load,
        ..found
    }
}
