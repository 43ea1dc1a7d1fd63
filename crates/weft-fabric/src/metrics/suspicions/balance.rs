//! Lacks of switches that may have been joined, which of them are cables and which may be meant.

use super::missing::{Pair, Search};
use crate::SwitchId;
use std::collections::{BTreeMap, BTreeSet};

/// Where both sides do not lack as many, one switch in so many may have been made with a link fewer than its kind.
const IN_DOUBT: usize = 20;

/// Switches that pairs join, and how many links those of each kind lack.
pub(super) struct Part {
    /// In the order of their ids.
    pub(super) switches: Vec<SwitchId>,
    /// By kind: links that its switches lack together, at least and at most.
    pub(super) lacks: BTreeMap<usize, [usize; 2]>,
    /// Kinds of which pairs are joined, the lower number first.
    pub(super) joined: BTreeSet<[usize; 2]>,
}

impl Part {
    /// The kinds that pairs join to each other, in two sides. `None` where some are joined among themselves.
    fn sides(&self) -> Option<BTreeMap<usize, usize>> {
        let mut sides: BTreeMap<usize, usize> = BTreeMap::new();
        let mut open = vec![(*self.lacks.first_key_value()?.0, 0)];
        while let Some((kind, side)) = open.pop() {
            match sides.insert(kind, side) {
                Some(before) if before != side => return None,
                Some(_) => {}
                None => open.extend(self.beside(kind).map(|there| (there, 1 - side))),
            }
        }
        Some(sides)
    }

    /// Links that each side lacks, at least and at most.
    fn lacks_of(&self, sides: &BTreeMap<usize, usize>) -> [[usize; 2]; 2] {
        [0, 1].map(|side| {
            let kinds = self.lacks.iter().filter(|(kind, _)| sides[kind] == side);
            kinds.fold([0, 0], |[least, most], (_, lacks)| {
                [least + lacks[0], most + lacks[1]]
            })
        })
    }

    /// The kinds of which each link that is lacking is a cable: a cable is missing at both ends, so that of the two sides
    /// that pairs join the one that lacks more has switches that were made with fewer. `None` without two sides.
    pub(super) fn certain(&self) -> Option<BTreeSet<usize>> {
        let sides = self.sides()?;
        let lacks = self.lacks_of(&sides).map(|[least, _]| least);
        let certain = sides.into_iter();
        Some(
            certain
                .filter(|&(_, side)| lacks[side] <= lacks[1 - side])
                .map(|(kind, _)| kind)
                .collect(),
        )
    }

    /// Tells whether both sides are known to lack as many.
    fn is_even(&self) -> bool {
        let lacks = self.sides().map(|sides| self.lacks_of(&sides));
        lacks.is_some_and(|[[least, most], other]| least == most && other == [least, most])
    }

    /// The kinds that pairs join to one.
    fn beside(&self, kind: usize) -> impl Iterator<Item = usize> + use<'_> {
        let of_kind = self.joined.iter().filter(move |pair| pair.contains(&kind));
        of_kind.map(move |&[one, other]| if one == kind { other } else { one })
    }

    /// How many cables are missing at least between switches of two kinds each, and whether these may not be all.
    pub(super) fn shared_out(mut self) -> (BTreeMap<[usize; 2], usize>, bool) {
        let mut counts = BTreeMap::new();
        let Some(certain) = self.certain() else {
            let kinds = (self.lacks.first_key_value(), self.lacks.len());
            if let (Some((&kind, &[least, most])), 1) = kinds {
                let is_even = least == most && least > 0 && least.is_multiple_of(2);
                counts.extend(is_even.then_some(([kind; 2], least / 2)));
            }
            return (counts, false);
        };
        let is_even = self.is_even();
        // Kinds that are joined to but one other have all their cables there.
        let only = |part: &Self| {
            part.joined.iter().copied().find_map(|[one, other]| {
                let ends = [[one, other], [other, one]].into_iter();
                let mut ends = ends.filter(|[end, _]| certain.contains(end));
                ends.find(|&[end, _]| part.beside(end).count() == 1)
            })
        };
        while let Some([end, there]) = only(&self) {
            let count = self.lacks[&end][0].min(self.lacks[&there][1]);
            for kind in [end, there] {
                let lacks = self.lacks.entry(kind);
                lacks.and_modify(|lacks| *lacks = lacks.map(|lack| lack.saturating_sub(count)));
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
                let others: usize = others.map(|there| self.lacks[&there][1]).sum();
                self.lacks[&kind][0].saturating_sub(others)
            });
            counts.insert(pair, least.max().unwrap_or(0));
        }
        if !is_even {
            for count in counts.values_mut() {
                *count -= *count / IN_DOUBT;
            }
        }
        counts.retain(|_, count| *count > 0);
        (
            counts,
            !is_even || self.lacks.values().any(|&[_, most]| most > 0),
        )
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
                let lacks = part.lacks.entry(kind).or_default();
                lacks[0] += self.short(switch);
                lacks[1] += self.lack_of_kind(switch);
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
