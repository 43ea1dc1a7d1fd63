//! Cables missing from one switch to several others: which port is whose.

use super::MissingEnd;
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
            } else if self.short(switch) > 0 || self.peers.whole(switch).is_none() {
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

    /// Tells whether the ports of an end of a cable found are of this cable alone: the pattern tells, or those told of the
    /// cables missing of a trunk are the only ones that lie beside its other cables.
    fn is_settled(&self, place: usize, end: usize) -> bool {
        let [here, there] = [end, 1 - end].map(|end| &self.found[place][end]);
        let mut ports = here.ports.iter();
        ports.all(|&port| {
            self.pattern
                .is_beyond_doubt((here.switch, port), there.switch)
        }) || here.ports.len() == 1 && self.are_beside(here.switch, there.switch)
            || self.is_told_by_group(place, end)
    }

    /// Tells whether the port of an end is the only one without a cable that leads to the group of the other end in other
    /// spines, and the cable the only one found that leads there.
    fn is_told_by_group(&self, place: usize, end: usize) -> bool {
        let [here, there] = [end, 1 - end].map(|end| &self.found[place][end]);
        let Some(group) = self.group_of[there.switch.index()] else {
            return false;
        };
        let ports = self.pattern.dark(here.switch);
        let towards =
            ports.filter(|&port| self.to_groups.get(&(here.switch, port)) == Some(&group));
        let is_end = |of: &MissingEnd, other: &MissingEnd| {
            of.switch == here.switch && self.group_of[other.switch.index()] == Some(group)
        };
        let found = self.found.iter();
        let found = found.filter(|[one, other]| is_end(one, other) || is_end(other, one));
        towards.eq(here.ports.iter().copied()) && here.ports.len() == 1 && found.count() == 1
    }

    /// Tells whether the ports of all cables found between two switches lie in a row with other cables between them at the
    /// first, and no other without a cable does, where cables of trunks lie together.
    fn are_beside(&self, switch: SwitchId, there: SwitchId) -> bool {
        let ends = self.found.iter().filter_map(|[one, other]| {
            let is_pair = |[a, b]: [SwitchId; 2]| a == switch && b == there;
            let of_pair = [(one, other), (other, one)];
            let mut of_pair = of_pair.into_iter();
            of_pair.find(|(a, b)| is_pair([a.switch, b.switch]))
        });
        let told: BTreeSet<PortNumber> = ends.flat_map(|(end, _)| &end.ports).copied().collect();
        let leads_there = |port: PortNumber| {
            let far = self.pattern.far((switch, port));
            far.is_some_and(|(far, _)| far == there)
        };
        let around = |port: PortNumber| {
            let number = port.number();
            let around = [number.checked_sub(1), number.checked_add(1)];
            around.into_iter().flatten().map(PortNumber::new)
        };
        let is_in_row =
            |&port: &PortNumber| around(port).any(|near| leads_there(near) || told.contains(&near));
        let mut others = self
            .pattern
            .dark(switch)
            .filter(|port| !told.contains(port));
        self.pattern.has_trunks_together(switch, there)
            && told.iter().all(is_in_row)
            && !others.any(|port| around(port).any(leads_there))
    }
}
