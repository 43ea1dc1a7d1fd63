//! The order in which a depth-first search visits the switches.

use std::cmp::Reverse;
use weft_fabric::{Fabric, SwitchId, metrics};

/// Numbers the switches as a depth-first search from `root` visits them; `u32::MAX` where no way
/// leads.
///
/// Next is the neighbour with most links to switches visited; long links back then end at few
/// switches, which restricts few turns. Of equal ones the farthest from all on average is taken, then
/// that with the lowest id.
pub(crate) fn visits(fabric: &Fabric, root: SwitchId) -> Vec<u32> {
    let switches: Vec<SwitchId> = fabric.switch_ids().collect();
    // Where no way leads is equally far from all that can be visited, hence may be left out.
    let distance_sums = metrics::distance_sums(fabric, &switches);
    let mut numbers = vec![u32::MAX; switches.len()];
    let mut links_to_visited = vec![0_u32; switches.len()];
    let mut stack = vec![root];
    let mut count = 0;
    let mut visit = |switch: SwitchId, numbers: &mut [u32], links_to_visited: &mut [u32]| {
        numbers[switch.index()] = count;
        count += 1;
        for hop in fabric.hops(switch) {
            links_to_visited[hop.switch.index()] += 1;
        }
    };
    visit(root, &mut numbers, &mut links_to_visited);
    while let Some(&here) = stack.last() {
        let next = fabric
            .hops(here)
            .iter()
            .map(|hop| hop.switch)
            .filter(|switch| numbers[switch.index()] == u32::MAX)
            .max_by_key(|switch| {
                let place = switch.index();
                (
                    links_to_visited[place],
                    distance_sums[place],
                    Reverse(*switch),
                )
            });
        if let Some(next) = next {
            visit(next, &mut numbers, &mut links_to_visited);
            stack.push(next);
        } else {
            stack.pop();
        }
    }
    numbers
}
