//! What bounds of loads are added up from: the ends of switches, and how far it is from one to all others.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use weft_fabric::{Fabric, Hop, SwitchId};

/// The ends of a switch that send and are sent to.
pub(crate) fn ends_of(fabric: &Fabric, switch: SwitchId) -> u128 {
    fabric.compute_hosts_of(switch) as u128
}

/// Per switch: the least sum of costs on a way from the source; none where none leads. Channels without a cost are
/// not taken.
pub(crate) fn nearest_first(
    fabric: &Fabric,
    source: SwitchId,
    cost: impl Fn(SwitchId, Hop) -> Option<u64>,
) -> Vec<Option<u64>> {
    let mut least = vec![None; fabric.switch_count()];
    let mut next = BinaryHeap::from([Reverse((0_u64, source))]);
    while let Some(Reverse((length, switch))) = next.pop() {
        if least[switch.index()].is_some() {
            continue;
        }
        least[switch.index()] = Some(length);
        for &hop in fabric.hops(switch) {
            if let Some(cost) = cost(switch, hop) {
                next.push(Reverse((length + cost, hop.switch)));
            }
        }
    }
    least
}
