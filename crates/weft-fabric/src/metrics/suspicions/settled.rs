//! Cables missing from one switch to several others: which port is whose.

use super::missing::Search;
use crate::{PortNumber, SwitchId};
use std::collections::{BTreeMap, BTreeSet};

impl Search<'_, '_> {
    /// Tells of cables missing from one switch to several others all ports of theirs, where nothing says which is whose.
    pub(super) fn settle_switches(&mut self) {
        let mut at: BTreeMap<SwitchId, Vec<[usize; 2]>> = BTreeMap::new();
        for (place, ends) in self.found.iter().enumerate() {
            for (end, here) in ends.iter().enumerate() {
                if !self.is_settled(place, end) {
                    at.entry(here.switch).or_default().push([place, end]);
                }
            }
        }
        for (switch, places) in at {
            let ends = || {
                places
                    .iter()
                    .map(|&[place, end]| &self.found[place][end].ports)
            };
            let others = places
                .iter()
                .map(|&[place, end]| self.found[place][1 - end].switch);
            let others: BTreeSet<SwitchId> = others.collect();
            let mut ports: BTreeSet<PortNumber> = ends().flatten().copied().collect();
            if ports.len() < places.len() {
                ports.extend(self.all_free(switch));
            } else if self.short(switch) > 0 {
                ports.extend(self.lacked(switch));
            } else if others.len() < 2 {
                continue;
            }
            let ports: Vec<PortNumber> = ports.into_iter().collect();
            for [place, end] in places {
                self.found[place][end].ports.clone_from(&ports);
            }
        }
    }

    /// Tells whether the ports of an end of a cable found are of this cable alone: the pattern tells, or the one told lies
    /// beside cables to the same switch.
    fn is_settled(&self, place: usize, end: usize) -> bool {
        let [here, there] = [end, 1 - end].map(|end| &self.found[place][end]);
        let leads_there = |port: u8| {
            let far = self.pattern.far((here.switch, PortNumber::new(port)));
            far.is_some_and(|(far, _)| far == there.switch)
        };
        let is_beside = |port: PortNumber| {
            let number = port.number();
            let around = [number.checked_sub(1), number.checked_add(1)];
            self.pattern.has_trunks_together(here.switch, there.switch)
                && around.into_iter().flatten().any(leads_there)
        };
        let mut ports = here.ports.iter();
        ports.all(|&port| self.pattern.expected((here.switch, port)) == Some(there.switch))
            || matches!(here.ports[..], [port] if is_beside(port))
    }
}
