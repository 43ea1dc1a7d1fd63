//! Lacks of switches that may have been joined, which of them are cables and which may be meant.

use super::missing::{Pair, Search};
use crate::SwitchId;
use std::collections::{BTreeMap, BTreeSet};

/// Switches that pairs join, and how many links those of each kind lack.
pub(super) struct Part {
    /// In the order of their ids.
    pub(super) switches: Vec<SwitchId>,
    /// By kind: links that its switches lack together.
    pub(super) lacks: BTreeMap<usize, usize>,
    /// Kinds of which pairs are joined, the lower number first.
    pub(super) joined: BTreeSet<[usize; 2]>,
}

impl Part {
    /// The kinds of which each link that is lacking is a cable: a cable is missing at both ends, so that of the two sides
    /// that pairs join the one that lacks more has switches that were made with fewer. `None` without two sides.
    pub(super) fn certain(&self) -> Option<BTreeSet<usize>> {
        let mut sides: BTreeMap<usize, usize> = BTreeMap::new();
        let mut open = vec![(*self.lacks.first_key_value()?.0, 0)];
        while let Some((kind, side)) = open.pop() {
            match sides.insert(kind, side) {
                Some(before) if before != side => return None,
                Some(_) => {}
                None => open.extend(self.beside(kind).map(|there| (there, 1 - side))),
            }
        }
        let of_side = |side: usize| {
            let kinds = self.lacks.iter().filter(|(kind, _)| sides[kind] == side);
            kinds.map(|(_, lack)| lack).sum::<usize>()
        };
        let lacks = [of_side(0), of_side(1)];
        let certain = sides.into_iter();
        Some(
            certain
                .filter(|&(_, side)| lacks[side] <= lacks[1 - side])
                .map(|(kind, _)| kind)
                .collect(),
        )
    }

    /// The kinds that pairs join to one.
    fn beside(&self, kind: usize) -> impl Iterator<Item = usize> + use<'_> {
        let of_kind = self.joined.iter().filter(move |pair| pair.contains(&kind));
        of_kind.map(move |&[one, other]| if one == kind { other } else { one })
    }

    /// How many cables are missing at least between switches of two kinds each, and whether these are not all that the
    /// switches lack.
    pub(super) fn shared_out(mut self) -> (BTreeMap<[usize; 2], usize>, bool) {
        let mut counts = BTreeMap::new();
        let Some(certain) = self.certain() else {
            // Nothing counts them from another side: all may have been made so, as some of a PolarFly are.
            return (counts, false);
        };
        // Kinds that are joined to but one other have all their cables there.
        let only = |part: &Self| {
            part.joined.iter().copied().find_map(|[one, other]| {
                let ends = [[one, other], [other, one]].into_iter();
                let mut ends = ends.filter(|[end, _]| certain.contains(end));
                ends.find(|&[end, _]| part.beside(end).count() == 1)
            })
        };
        while let Some([end, there]) = only(&self) {
            let count = self.lacks[&end].min(self.lacks[&there]);
            for kind in [end, there] {
                self.lacks.entry(kind).and_modify(|lack| *lack -= count);
            }
            let pair = [end.min(there), end.max(there)];
            self.joined.remove(&pair);
            counts.insert(pair, count);
        }
        // Of the others those that cannot be all to the other kinds.
        for &pair in &self.joined {
            let least = pair.iter().filter(|kind| certain.contains(kind));
            let least = least.map(|&kind| {
                let others = self.beside(kind).filter(|there| !pair.contains(there));
                let others: usize = others.map(|there| self.lacks[&there]).sum();
                self.lacks[&kind].saturating_sub(others)
            });
            counts.insert(pair, least.max().unwrap_or(0));
        }
        counts.retain(|_, count| *count > 0);
        (counts, self.lacks.values().any(|&lack| lack > 0))
    }
}

impl Search<'_, '_> {
    /// The parts that pairs join.
    pub(super) fn parts(&self, pairs: &BTreeSet<Pair>) -> Vec<Part> {
        let mut near: BTreeMap<SwitchId, Vec<SwitchId>> = BTreeMap::new();
        for &[one, other] in pairs {
            near.entry(one).or_default().push(other);
            near.entry(other).or_default().push(one);
        }
        let mut seen = BTreeSet::new();
        let mut all = Vec::new();
        for &first in near.keys() {
            let mut part = Part {
                switches: Vec::new(),
                lacks: BTreeMap::new(),
                joined: BTreeSet::new(),
            };
            let mut open = vec![first];
            while let Some(switch) = open.pop() {
                if !seen.insert(switch) {
                    continue;
                }
                let kind = self.peers.kind_of(switch);
                part.switches.push(switch);
                *part.lacks.entry(kind).or_default() += self.short(switch);
                for &there in &near[&switch] {
                    let there_kind = self.peers.kind_of(there);
                    part.joined
                        .insert([kind.min(there_kind), kind.max(there_kind)]);
                    open.push(there);
                }
            }
            part.switches.sort_unstable();
            if !part.switches.is_empty() {
                all.push(part);
            }
        }
        all
    }
}
