//! Switches that lack cables of which nothing tells which two they joined.

use super::MissingEnd;
use super::missing::{Among, Pair, Search};
use super::peers::{MADE_SO, holes};
use crate::SwitchId;
use std::collections::{BTreeMap, BTreeSet};

impl Search<'_, '_> {
    /// Links that a switch has fewer than it should, those found taken off. One that has much fewer than its kind without
    /// holes among its ports was made so, and lacks but what belongs in the holes.
    pub(super) fn short(&self, switch: SwitchId) -> usize {
        let lack = self.lack_of_kind(switch);
        if self.is_made_with_fewer(switch) {
            self.holes(switch).min(lack)
        } else {
            lack
        }
    }

    /// Links that a switch has fewer than its kind, those found taken off.
    pub(super) fn lack_of_kind(&self, switch: SwitchId) -> usize {
        let found = self.found_at.get(&switch).copied().unwrap_or(0);
        let whole = self.peers.whole(switch).unwrap_or(0);
        whole.saturating_sub(self.fabric.hops(switch).len() + found)
    }

    /// Links that some switch of the kind has more than one with those found. Where the kind does not agree, the switches
    /// that had most may lack some, too: then one may have lacked as many as there are holes among its ports.
    fn may_lack(&self, switch: SwitchId) -> usize {
        let found = self.found_at.get(&switch).copied().unwrap_or(0);
        let kind = &self.peers.kinds[self.peers.kind_of(switch)];
        let fewer = kind
            .most_links
            .saturating_sub(self.fabric.hops(switch).len() + found);
        if self.peers.whole(switch).is_some() {
            fewer
        } else {
            fewer.max(self.holes(switch))
        }
    }

    /// Cables that two switches may have more between them, as any two of their kinds, by what the second may lack.
    pub(super) fn may_have(&self, [one, other]: Pair) -> usize {
        let links = self.pattern.near.links(one, other) + self.found_between(one, other);
        let more = self.most_between([one, other]).saturating_sub(links);
        more.min(self.may_lack(other))
    }

    /// Tells whether a switch has much fewer links than its kind, and not for holes among its ports.
    pub(super) fn is_made_with_fewer(&self, switch: SwitchId) -> bool {
        let lack = self.lack_of_kind(switch);
        lack >= MADE_SO && 2 * self.holes(switch) <= lack
    }

    /// Free ports between such with links to switches.
    fn holes(&self, switch: SwitchId) -> usize {
        let holes = holes(self.fabric, switch);
        holes.filter(|&port| self.is_free((switch, port))).count()
    }

    /// Tells whether the switches of a kind may have been made with fewer links than others of it: they do not agree, or there
    /// are as many as in a `PolarFly`, some of which have a link less.
    fn may_be_made_so(&self, kind: usize) -> bool {
        let count = self.fabric.switch_count();
        let links = self.peers.kinds[kind].links;
        links.is_none_or(|(links, _)| count == links * links - links + 1)
    }

    /// Tells whether some switches of one kind may lack all they lack towards each other.
    fn may_lack_each_other(&self, switches: &[SwitchId]) -> bool {
        switches.iter().all(|&one| {
            let others = switches.iter().filter(|&&other| other != one);
            let most = others.map(|&other| self.may_have([one, other]).min(self.short(other)));
            self.short(one) <= most.sum()
        })
    }

    /// Pairs of switches that have fewer links than others of their kinds and may have been joined: they have fewer cables
    /// than any two of their kinds, and one is joined to a twin of the other, as far as there are twins.
    pub(super) fn plausible(&self) -> BTreeSet<Pair> {
        let poor = self.fabric.switch_ids();
        let poor: Vec<SwitchId> = poor
            .filter(|&switch| self.may_lack(switch) > 0 && self.has_room(switch))
            .collect();
        let near: BTreeMap<SwitchId, Near> = poor.iter().map(|&at| (at, self.near(at))).collect();
        let mut found: BTreeMap<Pair, usize> = BTreeMap::new();
        for [one, other] in &self.found {
            *found.entry([one.switch, other.switch]).or_default() += 1;
        }
        let mut pairs = BTreeSet::new();
        for (place, &one) in poor.iter().enumerate() {
            for &other in &poor[place + 1..] {
                let kinds = [one, other].map(|switch| self.peers.kind_of(switch));
                let may_be = kinds[0] == kinds[1]
                    || near[&one].may_be(other, kinds[1])
                    || near[&other].may_be(one, kinds[0]);
                let links =
                    self.pattern.near.links(one, other) + found.get(&[one, other]).unwrap_or(&0);
                if may_be && links < self.most_between([one, other]) {
                    pairs.insert([one, other]);
                }
            }
        }
        pairs
    }

    /// The switches that twins of one are joined to.
    fn near(&self, switch: SwitchId) -> Near {
        let mut near = Near::default();
        for (kind, twins) in self.pattern.near.twins(switch) {
            near.kinds.insert(kind);
            for &twin in twins {
                let theirs = self.pattern.near.neighbours_of_kind(twin, kind);
                near.switches.extend(theirs.map(|(there, _)| there));
            }
        }
        near.switches.sort_unstable();
        near.switches.dedup();
        near
    }

    /// The most cables between any two switches of the kinds of two.
    pub(super) fn most_between(&self, pair: Pair) -> usize {
        let mut kinds = pair.map(|switch| self.peers.kind_of(switch));
        kinds.sort_unstable();
        self.most.get(&kinds).copied().unwrap_or(0)
    }

    /// Tells the cables that are missing among switches of two kinds, or of one, where those of both lack as many.
    pub(super) fn tell_among(&mut self) {
        let mut pairs = self.plausible();
        // Between groups they are told by what the groups have.
        pairs.retain(|&pair| !self.are_spines(pair));
        for part in self.parts(&pairs) {
            let mut kinds: BTreeMap<usize, Vec<SwitchId>> = BTreeMap::new();
            for &switch in &part.switches {
                kinds
                    .entry(self.peers.kind_of(switch))
                    .or_default()
                    .push(switch);
            }
            if part.certain().is_none() {
                for switches in kinds.values_mut() {
                    switches.retain(|&switch| self.short(switch) > 0);
                }
                let mut of_kinds = kinds.iter();
                let may_be_meant = |(&kind, all): (&usize, &Vec<SwitchId>)| {
                    self.may_be_made_so(kind) || !self.may_lack_each_other(all)
                };
                if of_kinds.any(may_be_meant) {
                    continue;
                }
            }
            let (counts, is_least) = part.shared_out();
            for ([one, other], count) in counts {
                let ends = [&kinds[&one], &kinds[&other]];
                let of_end = |&switch: &SwitchId| MissingEnd {
                    switch,
                    ports: if self.is_made_with_fewer(switch) {
                        self.all_free(switch)
                    } else {
                        self.free_ports(switch)
                    },
                };
                let ends = ends.map(|end| end.iter().map(of_end).collect::<Vec<_>>());
                if ends.iter().flatten().any(|end| end.ports.is_empty()) {
                    continue;
                }
                if let [[one], [other]] = ends.each_ref().map(Vec::as_slice) {
                    if self.is_other_there([one.switch, other.switch]) {
                        continue;
                    }
                    for _ in 0..count {
                        let ports = [one.ports.clone(), other.ports.clone()];
                        self.take([one.switch, other.switch], ports);
                    }
                } else {
                    self.among.push(Among {
                        count,
                        is_least,
                        ends,
                    });
                }
            }
        }
    }
}

/// Where a switch may lead: to switches that its twins are joined to, or to any of a kind towards which it has no twins.
#[derive(Default)]
struct Near {
    kinds: BTreeSet<usize>,
    /// In the order of ids.
    switches: Vec<SwitchId>,
}

impl Near {
    fn may_be(&self, there: SwitchId, kind: usize) -> bool {
        !self.kinds.contains(&kind) || self.switches.binary_search(&there).is_ok()
    }
}
