//! The places of switches in their pods, by the ports in which others have them.

use crate::{Fabric, PortNumber, SwitchId};
use std::collections::{BTreeMap, BTreeSet};

/// Per switch and kind of neighbours: the ports in which more than half of these have it, as all leaves of a pod
/// have its first spine in their first port up.
pub(super) struct PlacesByPorts(Vec<BTreeMap<usize, BTreeSet<PortNumber>>>);

impl PlacesByPorts {
    /// Shapes: `kinds`, per switch.
    pub(super) fn of(fabric: &Fabric, kinds: &[usize]) -> Self {
        let of_switch = |switch: SwitchId| {
            let mut counts: BTreeMap<usize, BTreeMap<PortNumber, usize>> = BTreeMap::new();
            let mut near: BTreeMap<usize, BTreeSet<SwitchId>> = BTreeMap::new();
            for hop in fabric.hops(switch) {
                let kind = kinds[hop.switch.index()];
                let port = fabric.target(hop.channel).port;
                *counts.entry(kind).or_default().entry(port).or_default() += 1;
                near.entry(kind).or_default().insert(hop.switch);
            }
            let told = counts.into_iter().map(|(kind, ports)| {
                let all = near[&kind].len();
                let most = ports.into_iter().filter(|&(_, count)| 2 * count > all);
                (kind, most.map(|(port, _)| port).collect())
            });
            told.collect()
        };
        Self(fabric.switch_ids().map(of_switch).collect())
    }

    /// The kinds of neighbours of a switch of which more than half have it in the same ports, and these.
    pub(super) fn told(
        &self,
        switch: SwitchId,
    ) -> impl Iterator<Item = (usize, &BTreeSet<PortNumber>)> {
        let all = self.0[switch.index()].iter();
        all.filter(|(_, ports)| !ports.is_empty())
            .map(|(&kind, ports)| (kind, ports))
    }

    /// The ports in which more than half of the neighbours of a kind have a switch.
    pub(super) fn ports(&self, switch: SwitchId, kind: usize) -> Option<&BTreeSet<PortNumber>> {
        self.0[switch.index()].get(&kind)
    }
}
