//! How far switches are from hosts: the levels of a tree, where the fabric is one.

use crate::{Fabric, SwitchId};
use std::collections::VecDeque;

/// Links from each switch to the nearest of the `leaves`, which have level 0.
///
/// Shapes: one entry per switch, `None` where there is no way to any.
pub(super) fn levels(fabric: &Fabric, leaves: &[SwitchId]) -> Vec<Option<u32>> {
    let mut levels = vec![None; fabric.switch_count()];
    let mut reached: VecDeque<SwitchId> = leaves.iter().copied().collect();
    for leaf in leaves {
        levels[leaf.index()] = Some(0);
    }
    while let Some(switch) = reached.pop_front() {
        let level = levels[switch.index()].map(|level: u32| level + 1);
        for hop in fabric.hops(switch) {
            if levels[hop.switch.index()].is_none() {
                levels[hop.switch.index()] = level;
                reached.push_back(hop.switch);
            }
        }
    }
    levels
}

/// The first pair of neighbouring switches that `are_peers` says a tree does not join.
pub(super) fn joined_peers(
    fabric: &Fabric,
    are_peers: impl Fn(SwitchId, SwitchId) -> bool,
) -> Option<[SwitchId; 2]> {
    fabric.switch_ids().find_map(|switch| {
        let mut hops = fabric.hops(switch).iter();
        let peer = hops.find(|hop| are_peers(switch, hop.switch))?;
        Some([switch, peer.switch])
    })
}
