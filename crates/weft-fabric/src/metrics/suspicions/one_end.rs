//! Cables that one end alone tells of, or the numbers of links at both.

use super::missing::{Pair, Search};
use crate::{PortNumber, SwitchId};
use std::collections::BTreeMap;

/// Switches of one kind that lack links, and how many each.
type Short = BTreeMap<SwitchId, usize>;

impl Search<'_, '_> {
    /// A cable is missing where a dark port should lead to a switch that has fewer links than its kind, and has none to this
    /// one: the twins of that one are too few to tell the same of its ports.
    pub(super) fn by_one_end(&mut self) {
        for switch in self.fabric.switch_ids() {
            let dark: Vec<PortNumber> = self.pattern.dark(switch).collect();
            for port in dark {
                let Some(there) = self.pattern.told((switch, port)) else {
                    continue;
                };
                let links = self.pattern.near.links(switch, there);
                let lacks_it = links == 0 && self.lack(there).is_some_and(|lack| lack > 0);
                let are_poor = self.is_poor(switch) && lacks_it;
                let is_meant = are_poor && self.is_meant(switch, there);
                if is_meant && self.is_free((switch, port)) && !self.are_spines([switch, there]) {
                    let back = self.lacked(there);
                    if !back.is_empty() {
                        self.take([switch, there], [vec![port], back]);
                    }
                }
            }
        }
    }

    /// Cables are missing between switches that have fewer links than their kind and such of a kind that does not agree that
    /// have fewer than any number several of it have, where these two kinds alone lack links that are joined to each other,
    /// both as many, and one side is a single switch.
    pub(super) fn by_numbers(&mut self) {
        let (mut known, mut others) = (BTreeMap::new(), BTreeMap::new());
        for switch in self.fabric.switch_ids().filter(|&at| self.has_room(at)) {
            let kind = self.peers.kind_of(switch);
            let (of_kinds, lack) = match self.lack(switch) {
                Some(lack) => (&mut known, lack),
                None => (&mut others, self.below_all(switch)),
            };
            if lack > 0 && !self.is_made_with_fewer(switch) {
                let short: &mut Short = of_kinds.entry(kind).or_default();
                short.insert(switch, lack);
            }
        }
        let is_joined = |one: usize, other: usize| self.pattern.near.are_joined(one, other);
        let mut taken = Vec::new();
        for (&kind, short) in &known {
            let mut beside = others.iter().filter(|&(&other, _)| is_joined(kind, other));
            let (Some((&other, theirs)), None) = (beside.next(), beside.next()) else {
                continue;
            };
            let rivals = known.keys().filter(|&&rival| is_joined(rival, other));
            let sums = [short, theirs].map(|short| short.values().sum::<usize>());
            if rivals.count() == 1 && sums[0] == sums[1] && short.len().min(theirs.len()) == 1 {
                let pairs = short.keys().flat_map(|&one| {
                    let count = move |&other: &SwitchId| short[&one].min(theirs[&other]);
                    theirs
                        .keys()
                        .map(move |other| ([one, *other], count(other)))
                });
                taken.extend(pairs);
            }
        }
        for (pair, count) in taken {
            self.take_by_numbers(pair, count);
        }
    }

    /// Takes so many cables between two switches, of which the second's kind does not agree, if no others have more.
    fn take_by_numbers(&mut self, [one, other]: Pair, count: usize) {
        let links = self.pattern.near.links(one, other) + self.found_between(one, other);
        if links + count > self.most_between([one, other]) || self.are_spines([one, other]) {
            return;
        }
        for _ in 0..count {
            let mut ports = self.peers.dark_ports(self.fabric, other);
            ports.retain(|&port| self.is_free((other, port)));
            if ports.is_empty() {
                ports = self.free_ports(other);
            }
            let ends = [self.free_ports(one), ports];
            if ends.iter().all(|ports| !ports.is_empty()) {
                self.take([one, other], ends);
            }
        }
    }

    /// Links that a switch has fewer than the least number that several of its kind have, those found taken off.
    fn below_all(&self, switch: SwitchId) -> usize {
        let found = self.found_at.get(&switch).copied().unwrap_or(0);
        let least = self.peers.kinds[self.peers.kind_of(switch)].least_links;
        least.saturating_sub(self.fabric.hops(switch).len() + found)
    }
}
