//! Which node of one fabric is which of the other.

use super::colours::colours;
use super::numbered::Side;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Likeness is taken between as many switches of either fabric at most.
const MOST_SWITCHES: usize = 400;

/// As many nodes are tried for the first of a part where nothing else tells it.
const MOST_TRIED: usize = 256;
/// Votes are counted anew at most so often.
const MOST_ROUNDS: usize = 16;

/// By what nodes were found to be the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MatchedBy {
    /// Nodes with the same GUID.
    pub guid: usize,
    /// Nodes with the same name.
    pub name: usize,
    /// Nodes in the same place between others.
    pub shape: usize,
}

/// Per node of one fabric, that of the other.
pub(super) struct Matching {
    pub(super) there: Vec<Option<usize>>,
    pub(super) by: MatchedBy,
    /// The switches matched by their place of whose cables fewer than half agree.
    pub(super) uncertain: Vec<usize>,
}

/// Matches the nodes: by GUID, then by name, then by their place between those matched.
pub(super) fn matched(here: &Side<'_>, there: &Side<'_>) -> Matching {
    let mut found = Pairs::new(here, there);
    found.by(Side::guid);
    let guid = found.count();
    found.by(|side, node| Some(side.name(node)));
    let name = found.count() - guid;
    let fixed: Vec<bool> = found.to.iter().map(Option::is_some).collect();
    let known = found.clone();
    if found.count() > 0 {
        found.spread();
        found.settle(&fixed);
    }
    found.by_colours();
    found.settle(&fixed);
    if std::env::var("OLD").is_err()
        && known.may_be_told_by_likeness()
        && found.agreement() < here.fabric.link_count()
    {
        let mut other = known;
        other.by_likeness();
        other.spread();
        other.settle(&fixed);
        if other.agreement() > found.agreement() {
            found = other;
        }
    }
    let shape = found.count() - guid - name;
    let uncertain = (0..here.fabric.switch_count()).filter(|&node| !fixed[node]);
    Matching {
        uncertain: uncertain.filter(|&node| found.is_uncertain(node)).collect(),
        there: found.to,
        by: MatchedBy { guid, name, shape },
    }
}

#[derive(Clone)]
pub(super) struct Pairs<'s, 'f> {
    pub(super) here: &'s Side<'f>,
    pub(super) there: &'s Side<'f>,
    pub(super) to: Vec<Option<usize>>,
    pub(super) from: Vec<Option<usize>>,
}

impl<'s, 'f> Pairs<'s, 'f> {
    fn new(here: &'s Side<'f>, there: &'s Side<'f>) -> Self {
        Self {
            here,
            there,
            to: vec![None; here.count()],
            from: vec![None; there.count()],
        }
    }

    fn count(&self) -> usize {
        self.to.iter().flatten().count()
    }

    /// Tells whether switches are left, and not too many for it.
    fn may_be_told_by_likeness(&self) -> bool {
        let counts = [self.here, self.there].map(|side| side.fabric.switch_count());
        counts.iter().all(|&count| count <= MOST_SWITCHES)
            && self.to[..counts[0]].iter().any(Option::is_none)
    }

    pub(super) fn join(&mut self, node: usize, other: usize) {
        self.to[node] = Some(other);
        self.from[other] = Some(node);
    }

    /// Joins the nodes left that share something which one of each fabric has.
    fn by<K: Ord>(&mut self, key: impl Fn(&Side<'f>, usize) -> Option<K>) {
        let keys = |side: &Side<'f>, pairs: &[Option<usize>]| {
            let mut keys: BTreeMap<(bool, K), Vec<usize>> = BTreeMap::new();
            for node in (0..side.count()).filter(|&node| pairs[node].is_none()) {
                if let Some(key) = key(side, node) {
                    keys.entry((side.is_switch(node), key))
                        .or_default()
                        .push(node);
                }
            }
            keys
        };
        let others = keys(self.there, &self.from);
        for (key, nodes) in keys(self.here, &self.to) {
            if let ([node], Some([other])) = (&nodes[..], others.get(&key).map(|o| &o[..])) {
                self.join(*node, *other);
            }
        }
    }

    /// Votes of the neighbours of a node for those it may be: a neighbour that is matched votes for
    /// what its match has in the same port, if that cable ends in a port of the same number.
    fn votes(&self, node: usize) -> BTreeMap<usize, usize> {
        let mut votes = BTreeMap::new();
        for (&port, &(near, near_port)) in &self.here.far[node] {
            let Some(match_of_near) = self.to[near] else {
                continue;
            };
            let far = self.there.far[match_of_near].get(&near_port);
            if let Some(&(other, other_port)) = far
                && self.there.is_switch(other) == self.here.is_switch(node)
                && (other_port == port || !self.here.is_switch(node))
            {
                *votes.entry(other).or_default() += 1;
            }
        }
        votes
    }

    /// Joins nodes to what most neighbours say, those with most votes first, until none is left that
    /// a neighbour has a word for.
    fn spread(&mut self) {
        let mut open: BTreeSet<usize> = (0..self.here.count())
            .filter(|&node| self.to[node].is_none())
            .collect();
        loop {
            let mut best: Vec<(usize, usize, usize)> = Vec::new();
            for &node in &open {
                let votes = self.votes(node).into_iter();
                let free = votes.filter(|&(other, _)| self.from[other].is_none());
                if let Some((other, votes)) = free.max_by_key(|&(other, n)| (n, Reverse(other))) {
                    best.push((votes, node, other));
                }
            }
            best.sort_unstable_by_key(|&(votes, node, _)| (Reverse(votes), node));
            let most = best.first().map_or(0, |&(votes, ..)| votes);
            let before = open.len();
            // Those with half of the most votes; others may have more when these are joined.
            for (_, node, other) in best.into_iter().filter(|&(votes, ..)| 2 * votes >= most) {
                if self.from[other].is_none() {
                    self.join(node, other);
                    open.remove(&node);
                }
            }
            if open.len() == before {
                return;
            }
        }
    }

    /// Counts the votes of all neighbours anew and gives every node that is not fixed what most say.
    fn settle(&mut self, fixed: &[bool]) {
        for _ in 0..MOST_ROUNDS {
            let mut wishes: Vec<(usize, usize, usize)> = Vec::new();
            for node in (0..self.here.count()).filter(|&node| !fixed[node]) {
                let votes = self.votes(node).into_iter();
                wishes.extend(votes.map(|(other, votes)| (votes, node, other)));
            }
            let is_fixed = |&(_, _, other): &(usize, usize, usize)| {
                self.from[other].is_some_and(|node| fixed[node])
            };
            wishes.retain(|wish| !is_fixed(wish));
            let old = self.to.clone();
            wishes.sort_unstable_by_key(|&(votes, node, other)| {
                (Reverse(votes), old[node] != Some(other), node, other)
            });
            for (node, is_fixed) in fixed.iter().enumerate() {
                if !is_fixed && let Some(other) = self.to[node].take() {
                    self.from[other] = None;
                }
            }
            for (_, node, other) in wishes {
                if self.to[node].is_none() && self.from[other].is_none() {
                    self.join(node, other);
                }
            }
            // What no neighbour speaks for stays as it was.
            for (node, other) in old.iter().enumerate() {
                if let Some(other) = *other
                    && self.to[node].is_none()
                    && self.from[other].is_none()
                {
                    self.join(node, other);
                }
            }
            if self.to == old {
                return;
            }
        }
    }

    /// The cables of a node that join the same ports of matched nodes in both fabrics, among those to nodes
    /// that are meant.
    fn agreeing(&self, node: usize, is_meant: impl Fn(usize) -> bool) -> usize {
        let Some(other) = self.to[node] else { return 0 };
        let ports = self.here.far[node].iter();
        let same = ports.filter(|&(&port, &(far, far_port))| {
            let is_there = |&(there, there_port): &(usize, u8)| {
                self.to[far] == Some(there) && (there_port == far_port || !self.here.is_switch(far))
            };
            is_meant(far) && self.there.far[other].get(&port).is_some_and(is_there)
        });
        same.count()
    }

    /// Cables that join the same ports of matched nodes in both fabrics.
    fn agreement(&self) -> usize {
        let ends = (0..self.here.count()).map(|node| self.agreeing(node, |_| true));
        ends.sum::<usize>() / 2
    }

    /// Tells whether fewer than half of the cables to switches of a node and of its match agree; ends in
    /// the same ports many switches have.
    fn is_uncertain(&self, node: usize) -> bool {
        let Some(other) = self.to[node] else {
            return false;
        };
        let to_switches = |side: &Side<'_>, node: usize| {
            let far = side.far[node].values();
            far.filter(|(far, _)| side.is_switch(*far)).count()
        };
        let cables = to_switches(self.here, node).max(to_switches(self.there, other));
        2 * self.agreeing(node, |far| self.here.is_switch(far)) < cables
    }

    /// Matches parts of which no node is known, from a node on whose surroundings are rare: each
    /// that looks like it is tried, and the one taken with which most cables agree.
    fn by_colours(&mut self) {
        for rounds in [3, 2, 1, 0] {
            let (ours, theirs) = (colours(self.here, rounds), colours(self.there, rounds));
            loop {
                let mut alike: BTreeMap<u64, [Vec<usize>; 2]> = BTreeMap::new();
                for node in (0..self.here.fabric.switch_count()).filter(|&n| self.to[n].is_none()) {
                    alike.entry(ours[node]).or_default()[0].push(node);
                }
                for node in
                    (0..self.there.fabric.switch_count()).filter(|&n| self.from[n].is_none())
                {
                    alike.entry(theirs[node]).or_default()[1].push(node);
                }
                let rarest = alike
                    .into_values()
                    .filter(|[here, there]| !here.is_empty() && !there.is_empty())
                    .min_by_key(|[here, there]| here.len().max(there.len()));
                let Some([here, there]) = rarest else { break };
                let first = here[0];
                let before = self.agreement();
                let fixed: Vec<bool> = self.to.iter().map(Option::is_some).collect();
                let mut best: Option<(usize, Self)> = None;
                for &other in there.iter().take(MOST_TRIED) {
                    let mut tried = self.clone();
                    tried.join(first, other);
                    tried.spread();
                    tried.settle(&fixed);
                    let agreement = tried.agreement();
                    if best.as_ref().is_none_or(|(most, _)| agreement > *most) {
                        let is_whole = agreement == self.here.fabric.link_count();
                        best = Some((agreement, tried));
                        if is_whole {
                            break;
                        }
                    }
                }
                match best {
                    Some((agreement, tried)) if agreement > before => *self = tried,
                    _ => break,
                }
            }
        }
    }
}
