//! Switches that lack cables of which nothing tells which two they joined.

use super::MissingEnd;
use super::missing::{Pair, Search};
use crate::SwitchId;
use std::collections::{BTreeMap, BTreeSet};

impl Search<'_, '_> {
    /// Links that a switch has fewer than it should, those found taken off.
    pub(super) fn short(&self, switch: SwitchId) -> usize {
        let found = self.found.iter().flatten();
        let found = found.filter(|end| end.switch == switch).count();
        let whole = self.peers.whole(switch).unwrap_or(0);
        whole.saturating_sub(self.fabric.hops(switch).len() + found)
    }

    /// Pairs of switches that lack links and may have been joined: they have fewer cables than any two of their kinds, and
    /// one is joined to a twin of the other, as far as there are twins.
    pub(super) fn plausible(&self) -> BTreeSet<Pair> {
        let poor: Vec<SwitchId> = self.fabric.switch_ids().collect();
        let poor: Vec<SwitchId> = poor
            .into_iter()
            .filter(|&switch| self.short(switch) > 0 && self.has_room(switch))
            .collect();
        let near: BTreeMap<SwitchId, Near> = poor.iter().map(|&at| (at, self.near(at))).collect();
        let most = self.most_between();
        let mut pairs = BTreeSet::new();
        for (place, &one) in poor.iter().enumerate() {
            for &other in &poor[place + 1..] {
                let mut kinds = [one, other].map(|switch| self.peers.kind_of(switch));
                let may_be =
                    near[&one].may_be(other, kinds[1]) || near[&other].may_be(one, kinds[0]);
                kinds.sort_unstable();
                let Some(&most) = most.get(&kinds).filter(|_| may_be) else {
                    continue;
                };
                if self.pattern.links(one, other) + self.found_between(one, other) < most {
                    pairs.insert([one, other]);
                }
            }
        }
        pairs
    }

    /// The switches that twins of one are joined to.
    fn near(&self, switch: SwitchId) -> Near {
        let mut near = Near::default();
        for (kind, twins) in self.pattern.twins(switch) {
            near.kinds.insert(kind);
            for &twin in twins {
                let theirs = self.pattern.neighbours_of_kind(twin, kind);
                near.switches.extend(theirs.map(|(there, _)| there));
            }
        }
        near
    }

    /// The most cables between two switches, by their kinds.
    fn most_between(&self) -> BTreeMap<[usize; 2], usize> {
        let mut most: BTreeMap<[usize; 2], usize> = BTreeMap::new();
        for one in self.fabric.switch_ids() {
            for (&other, &links) in self.pattern.neighbours(one) {
                let mut kinds = [one, other].map(|switch| self.peers.kind_of(switch));
                kinds.sort_unstable();
                let most = most.entry(kinds).or_default();
                *most = links.max(*most);
            }
        }
        most
    }

    /// Tells the cables that are missing among switches of two kinds, or of one, where those of both lack as many.
    pub(super) fn tell_among(&mut self) {
        let told: BTreeSet<SwitchId> = self
            .among
            .iter()
            .flat_map(|(_, ends)| ends.iter().flatten())
            .map(|end| end.switch)
            .collect();
        let mut pairs = self.plausible();
        pairs.retain(|pair| !pair.iter().any(|switch| told.contains(switch)));
        for part in parts(&pairs) {
            let mut kinds: BTreeMap<usize, Vec<SwitchId>> = BTreeMap::new();
            for &switch in &part {
                kinds
                    .entry(self.peers.kind_of(switch))
                    .or_default()
                    .push(switch);
            }
            let short =
                |side: &[SwitchId]| side.iter().map(|&switch| self.short(switch)).sum::<usize>();
            let sides: Vec<Vec<SwitchId>> = kinds.into_values().collect();
            let (count, ends) = match &sides[..] {
                [one, other] if short(one) == short(other) => (short(one), [one, other]),
                [one] if short(one) % 2 == 0 => (short(one) / 2, [one, one]),
                _ => continue,
            };
            let of_end = |&switch: &SwitchId| MissingEnd {
                switch,
                ports: self.free_ports(switch),
            };
            let ends = ends.map(|end| end.iter().map(of_end).collect::<Vec<_>>());
            if ends.iter().flatten().all(|end| !end.ports.is_empty()) {
                self.among.push((count, ends));
            }
        }
    }
}

/// Where a switch may lead: to switches that its twins are joined to, or to any of a kind towards which it has no twins.
#[derive(Default)]
struct Near {
    kinds: BTreeSet<usize>,
    switches: BTreeSet<SwitchId>,
}

impl Near {
    fn may_be(&self, there: SwitchId, kind: usize) -> bool {
        !self.kinds.contains(&kind) || self.switches.contains(&there)
    }
}

/// The parts that pairs join, each in the order of its switches.
fn parts(pairs: &BTreeSet<Pair>) -> Vec<Vec<SwitchId>> {
    let mut near: BTreeMap<SwitchId, Vec<SwitchId>> = BTreeMap::new();
    for &[one, other] in pairs {
        near.entry(one).or_default().push(other);
        near.entry(other).or_default().push(one);
    }
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    for &first in near.keys() {
        let mut part = Vec::new();
        let mut open = vec![first];
        while let Some(switch) = open.pop() {
            if seen.insert(switch) {
                part.push(switch);
                open.extend(&near[&switch]);
            }
        }
        part.sort_unstable();
        if !part.is_empty() {
            all.push(part);
        }
    }
    all
}
