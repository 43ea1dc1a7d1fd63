//! Cables that restore a regular fabric, where no port tells them.

use super::missing::{Pair, Search};
use super::spines::Counts;
use super::usual::{SAMPLE, Usual};
use crate::SwitchId;
use std::collections::{BTreeMap, BTreeSet};

/// Where one of so many pairs that are not joined looks as if it were, at most, the ways around tell which are.
const SELDOM: usize = 20;

/// Ways of two and of three links from one switch to another.
type Ways = [usize; 2];

/// The neighbours of switches, with the cables found.
struct Restored<'s, 'f> {
    search: &'s Search<'s, 'f>,
    found: BTreeMap<SwitchId, BTreeSet<SwitchId>>,
}

impl<'s, 'f> Restored<'s, 'f> {
    fn of(search: &'s Search<'s, 'f>) -> Self {
        let mut found: BTreeMap<SwitchId, BTreeSet<SwitchId>> = BTreeMap::new();
        for [one, other] in &search.found {
            found.entry(one.switch).or_default().insert(other.switch);
            found.entry(other.switch).or_default().insert(one.switch);
        }
        Self { search, found }
    }

    fn near(&self, of: SwitchId) -> BTreeSet<SwitchId> {
        let found = self.found.get(&of).into_iter().flatten().copied();
        let own = self.search.pattern.near.neighbours(of).keys().copied();
        own.chain(found).collect()
    }

    fn ways(&self, from: SwitchId, to: SwitchId) -> Ways {
        let (own, others) = (self.near(from), self.near(to));
        let three = own.iter().filter(|&&near| near != to).map(|&near| {
            let ahead = self.near(near);
            let others = others.iter().filter(|&&far| far != from);
            others.filter(|far| ahead.contains(far)).count()
        });
        [own.intersection(&others).count(), three.sum()]
    }

    /// Tells whether a cable has the usual ways around, and none at its ends has more.
    fn is_regular(&self, [one, other]: Pair, usual: Ways) -> bool {
        let has_more = |[from, to]: Pair| {
            let ways = self.ways(from, to);
            ways[0] > usual[0] || ways[1] > usual[1]
        };
        let at = |end: SwitchId| self.near(end).into_iter().map(move |near| [end, near]);
        self.ways(one, other) == usual && !at(one).chain(at(other)).any(has_more)
    }

    /// The ways beside most links between switches of a kind, where two of it that are not joined seldom have as many.
    fn usual(&self, kind: usize) -> Option<Ways> {
        let switches = &self.search.peers.kinds[kind].switches;
        let is_of_kind = |at: &SwitchId| self.search.peers.kind_of(*at) == kind;
        let mut counts: Counts<Ways> = BTreeMap::new();
        let joined = switches.iter().flat_map(|&one| {
            let near = self.near(one).into_iter().filter(is_of_kind);
            near.filter(move |&other| one < other)
                .map(move |other| [one, other])
        });
        for [one, other] in joined.take(SAMPLE) {
            *counts.entry(self.ways(one, other)).or_default() += 1;
        }
        let all: usize = counts.values().sum();
        let (usual, count) = counts.into_iter().max_by_key(|&(_, count)| count)?;
        let apart = (1..switches.len()).flat_map(|step| {
            let places = 0..switches.len();
            places.map(move |at| [switches[at], switches[(at + step) % switches.len()]])
        });
        let apart = apart.filter(|&[one, other]| !self.near(one).contains(&other));
        let apart: Vec<[SwitchId; 2]> = apart.take(SAMPLE).collect();
        let like = apart
            .iter()
            .filter(|&&[one, other]| self.ways(one, other) == usual);
        (2 * count > all && SELDOM * like.count() <= apart.len()).then_some(usual)
    }
}

impl Search<'_, '_> {
    /// Takes cables between switches of one kind that lack links, which with those found have as many ways around as most
    /// links of the kind: in a torus each cable set right completes squares of the next.
    pub(super) fn restore(&mut self) {
        for kind in 0..self.peers.kinds.len() {
            let poor = self.poor(kind);
            if poor.len() < 2 || poor.len() > SAMPLE {
                continue;
            }
            let pairs = self.restoring(kind, &poor);
            let pairs: BTreeMap<Pair, usize> = pairs.into_iter().map(|pair| (pair, 1)).collect();
            let told: BTreeSet<Pair> = pairs.keys().copied().collect();
            self.accept(pairs, |pair| !told.contains(&pair), &BTreeSet::new());
        }
    }

    /// The switches of a kind that lack links and have ports for them.
    fn poor(&self, kind: usize) -> Vec<SwitchId> {
        let switches = self.peers.kinds[kind].switches.iter().copied();
        let poor = switches.filter(|&at| self.lack(at).is_some_and(|lack| lack > 0));
        poor.filter(|&at| self.has_room(at)).collect()
    }

    /// Pairs of switches that lack links each of which is the only one of both that has ways around as most links have, and
    /// has them still once all are joined.
    fn restoring(&self, kind: usize, poor: &[SwitchId]) -> Vec<Pair> {
        let mut restored = Restored::of(self);
        let Some(usual) = restored.usual(kind) else {
            return Vec::new();
        };
        let kinds = [kind; 2];
        let usual_ports = self.peers.has_ports_alike(poor[0]);
        let usual_ports =
            usual_ports.then(|| Usual::of(self.fabric, self.peers, self.pattern, kinds));
        let have_ports = |one, other| {
            let ports = usual_ports.as_ref();
            ports.is_none_or(|ports| ports.has_ports(self.pattern, one, other))
        };
        let mut lacks: Counts<SwitchId> = BTreeMap::new();
        lacks.extend(poor.iter().map(|&at| (at, self.lack(at).unwrap_or(0))));
        let mut taken: Vec<Pair> = Vec::new();
        loop {
            let mut choices: BTreeMap<SwitchId, Vec<SwitchId>> = BTreeMap::new();
            for (place, &one) in poor.iter().enumerate() {
                for &other in &poor[place + 1..] {
                    let may_be = lacks[&one] > 0
                        && lacks[&other] > 0
                        && !restored.near(one).contains(&other)
                        && !self.are_spines([one, other])
                        && have_ports(one, other);
                    if may_be && restored.ways(one, other) == usual {
                        choices.entry(one).or_default().push(other);
                        choices.entry(other).or_default().push(one);
                    }
                }
            }
            let sure = choices.iter().find_map(|(&one, others)| {
                let &[other] = &others[..] else { return None };
                (choices[&other] == [one]).then_some([one, other])
            });
            let Some([one, other]) = sure else { break };
            for [here, there] in [[one, other], [other, one]] {
                restored.found.entry(here).or_default().insert(there);
                lacks.entry(here).and_modify(|lack| *lack -= 1);
            }
            taken.push([one, other]);
        }
        taken.retain(|&[one, other]| restored.is_regular([one, other], usual));
        taken
    }
}
