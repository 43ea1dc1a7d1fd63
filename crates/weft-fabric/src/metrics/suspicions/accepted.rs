//! Pairs of switches that may lack a cable: of which it is certain.

use super::missing::{Pair, Search};
use crate::SwitchId;
use std::collections::{BTreeMap, BTreeSet};

impl Search<'_, '_> {
    /// Takes the pairs that are the only choice of one end, by all it may have been joined to but for what is unlikely, if
    /// the other can have them all; where the kinds of both tell nothing, those of which both ends tell.
    pub(super) fn accept(
        &mut self,
        mut pairs: BTreeMap<Pair, usize>,
        is_unlikely: impl Fn(Pair) -> bool,
        mutual: &BTreeSet<Pair>,
    ) {
        pairs.retain(|pair, _| !pair.iter().any(|&switch| self.is_made_with_fewer(switch)));
        let mut rivals: BTreeMap<SwitchId, Vec<Pair>> = BTreeMap::new();
        if pairs.is_empty() {
            return;
        }
        let ends: BTreeSet<SwitchId> = pairs.keys().flatten().copied().collect();
        let plausible = self.plausible();
        let doubtful = self.doubtful(&plausible, &pairs);
        for pair in plausible {
            if !is_unlikely(pair) && !pairs.contains_key(&pair) {
                for [switch, there] in [pair, [pair[1], pair[0]]] {
                    if ends.contains(&switch) {
                        rivals.entry(switch).or_default().push([switch, there]);
                    }
                }
            }
        }
        loop {
            let of_pairs: BTreeSet<SwitchId> = pairs.keys().flatten().copied().collect();
            let rooms: BTreeMap<SwitchId, usize> =
                of_pairs.into_iter().map(|at| (at, self.room(at))).collect();
            let room = |switch: SwitchId| rooms[&switch];
            let mut wanted: BTreeMap<SwitchId, usize> = BTreeMap::new();
            for (pair, &count) in &pairs {
                for &switch in pair {
                    *wanted.entry(switch).or_default() += count.min(room(switch));
                }
            }
            for (&switch, wanted) in &mut wanted {
                let rivals = rivals.get(&switch).map_or(&[][..], Vec::as_slice);
                *wanted += rivals
                    .iter()
                    .map(|&pair| self.may_have(pair))
                    .sum::<usize>();
            }
            let is_only = |switch: SwitchId| wanted[&switch] <= room(switch);
            let has_rule = |switch: SwitchId| self.peers.whole(switch).is_some();
            let is_sure = |switch: SwitchId| {
                is_only(switch) && has_rule(switch) && !doubtful.contains(&switch)
            };
            let is_mutual = |pair: &Pair| {
                let are_without_rule = !pair.iter().any(|&switch| has_rule(switch));
                mutual.contains(pair) && are_without_rule && pair.iter().any(|&at| is_only(at))
            };
            let sure: Vec<(Pair, usize)> = pairs
                .iter()
                .filter(|(pair, _)| is_mutual(pair) || pair.iter().any(|&at| is_sure(at)))
                .map(|(&pair, &count)| (pair, count.min(room(pair[0])).min(room(pair[1]))))
                .collect();
            let mut demand: BTreeMap<SwitchId, usize> = BTreeMap::new();
            for (pair, count) in &sure {
                for &switch in pair {
                    *demand.entry(switch).or_default() += count;
                }
            }
            let fits = |pair: &Pair| pair.iter().all(|&switch| demand[&switch] <= room(switch));
            let taken: Vec<(Pair, usize)> = sure
                .iter()
                .filter(|(pair, _)| fits(pair))
                .copied()
                .collect();
            if taken.is_empty() {
                return;
            }
            for (pair, count) in taken {
                pairs.remove(&pair);
                for _ in 0..count {
                    let has_rule = pair.iter().any(|&switch| self.lack(switch).is_some());
                    let ports = if has_rule {
                        self.likely_ends(pair)
                    } else {
                        self.free_ends(pair)
                    };
                    if ports.iter().all(|ports| !ports.is_empty()) {
                        self.take(pair, ports);
                    }
                }
            }
            pairs.retain(|pair, _| pair.iter().all(|&switch| self.room(switch) > 0));
        }
    }

    /// The switches that may have been made with fewer links than their kinds: of all that may have been joined they are on
    /// the side that lacks more.
    fn doubtful(
        &self,
        plausible: &BTreeSet<Pair>,
        pairs: &BTreeMap<Pair, usize>,
    ) -> BTreeSet<SwitchId> {
        let all: BTreeSet<Pair> = pairs.keys().chain(plausible).copied().collect();
        let mut doubtful = BTreeSet::new();
        for part in self.parts(&all) {
            let has_rule = |&switch: &SwitchId| self.peers.whole(switch).is_some();
            let Some(certain) = part.certain() else {
                continue;
            };
            if part.switches.iter().all(has_rule) {
                let switches = part.switches.into_iter();
                doubtful.extend(
                    switches.filter(|&switch| !certain.contains(&self.peers.kind_of(switch))),
                );
            }
        }
        doubtful
    }
}
