//! Orders of the channels that permit a shortest path between as many pairs as will fit.

use crate::cycles::{AcyclicDependencies, LaneSet};
use crate::paths::{Exit, Lengths, NO_EXIT, PathSpace, edge_by, exit_by};

/// Lanes that hold turns, and an order for each that they ascend.
#[derive(Clone, Debug)]
pub(crate) struct LaneGrowth<'a> {
    space: &'a PathSpace,
    lanes: Vec<AcyclicDependencies>,
    /// Per turn: lanes that hold it.
    held: Vec<LaneSet>,
    /// Per turn: lanes on which it would close a cycle with the turns that they hold.
    barred: Vec<LaneSet>,
    /// Per edge: hosts that have been led over it.
    carried: Vec<u64>,
    /// Pairs of switches that no lane takes a shortest path of.
    longer: u64,
}

impl<'a> LaneGrowth<'a> {
    /// Lanes without turns, ordered as given.
    pub(crate) fn new(space: &'a PathSpace, ranks: &[Vec<u32>]) -> Self {
        Self {
            space,
            lanes: ranks
                .iter()
                .map(|ranks| AcyclicDependencies::with_ranks(ranks))
                .collect(),
            held: vec![0; space.turn_count()],
            barred: vec![0; space.turn_count()],
            carried: vec![0; space.edge_count()],
            longer: 0,
        }
    }

    /// Makes a lane hold the turns of a path, all of them or, if that would close a cycle, none;
    /// and tells which.
    pub(crate) fn hold(&mut self, lane: usize, path: &[u32]) -> bool {
        let is_barred = |turn: &[u32]| {
            let place = self.space.turn_place(turn[0], turn[1]);
            self.barred[place] >> lane & 1 == 1
        };
        if path.windows(2).any(is_barred) {
            return false;
        }
        let mut added: Vec<(usize, [u32; 2])> = Vec::new();
        for turn in path.windows(2).map(|turn| [turn[0], turn[1]]) {
            let place = self.space.turn_place(turn[0], turn[1]);
            if self.held[place] >> lane & 1 == 1 {
                continue;
            }
            if !self.lanes[lane].add(turn[0], turn[1]) {
                // What is held stays: a cycle that it closes with that alone it always will.
                let closing = self.lanes[lane].closing();
                let is_in = |turn: &[u32; 2]| closing.windows(2).any(|pair| pair == turn);
                if !added.iter().any(|(_, turn)| is_in(turn)) {
                    self.barred[place] |= 1 << lane;
                }
                for (place, turn) in added {
                    self.held[place] &= !(1 << lane);
                    self.lanes[lane].remove_route(&turn);
                }
                return false;
            }
            self.held[place] |= 1 << lane;
            added.push((place, turn));
        }
        true
    }

    /// The lanes that hold all turns of a path.
    fn holding(&self, path: &[u32]) -> LaneSet {
        let turns = path.windows(2);
        let holding = turns.map(|turn| self.held[self.space.turn_place(turn[0], turn[1])]);
        holding.fold(LaneSet::MAX, |all, held| all & held)
    }

    /// The first lane whose order a path ascends.
    fn ascended(&self, path: &[u32]) -> Option<usize> {
        self.lanes.iter().position(|order| {
            let mut turns = path.windows(2);
            turns.all(|turn| order.is_before(turn[0], turn[1]))
        })
    }

    /// Finds a path, shortest or nearly, from every switch to another, by a tree, that some lane holds, and
    /// makes lanes hold more where their orders can be changed for it, if they may be. A switch whose shortest
    /// paths fit nowhere goes over any other that has a path then, by the shortest that fits; where none does, it stays
    /// without.
    ///
    /// Shapes: `distances`, of every switch by some `lengths`; the result, a way for every switch.
    pub(crate) fn lead_to(
        &mut self,
        target: u32,
        lengths: Lengths<'_>,
        distances: &[u32],
        hosts: &[u64],
        may_reorder: bool,
    ) -> Vec<Exit> {
        let space = self.space;
        let mut leading = Leading {
            target,
            exits: vec![NO_EXIT; space.switch_count()],
            lanes: vec![0; space.switch_count()],
            paths: Paths::default(),
            ways: Vec::new(),
        };
        leading.lanes[target as usize] = LaneSet::MAX;
        let mut order: Vec<(u32, u32)> = distances.iter().copied().zip(0..).collect();
        order.retain(|&(distance, at)| at != target && distance != u32::MAX);
        order.sort_unstable();
        let (mut led, mut left) = (Vec::with_capacity(order.len()), Vec::new());
        for (distance, at) in order {
            leading.find_ways(self, at, |edge| {
                let next = space.edge(edge).to;
                if distances[next as usize] >= distance {
                    return None;
                }
                let detour = lengths.of(edge) + distances[next as usize] - distance;
                Some(Some(detour).filter(|&detour| detour > lengths.slack))
            });
            if self.lead(&mut leading, at, may_reorder).is_some() {
                led.push(at);
            } else {
                left.push(at);
            }
        }
        self.longer += left.len() as u64;
        // No way out of a switch was carried over before by those nearer: all are counted at once.
        let mut flows = hosts.to_vec();
        for at in led.into_iter().rev() {
            let edge = edge_by(space, at, leading.exits[at as usize]);
            self.carried[edge as usize] += flows[at as usize];
            flows[space.edge(edge).to as usize] += flows[at as usize];
        }
        // What is left goes by others, as near as it can.
        while may_reorder && !left.is_empty() {
            let before = left.len();
            left.retain(|&at| {
                leading.find_ways(self, at, |edge| {
                    let next = space.edge(edge).to;
                    Some(Some(lengths.of(edge) + distances[next as usize]))
                });
                let Some(edge) = self.lead(&mut leading, at, may_reorder) else {
                    return true;
                };
                leading.paths.clear();
                leading.add_path(space, edge);
                for &edge in leading.paths.path(0) {
                    self.carried[edge as usize] += hosts[at as usize];
                }
                false
            });
            if left.len() == before {
                break;
            }
        }
        leading.exits
    }

    /// Gives a switch the first of its ways that a lane holds, else the first whose order some lane has already, else one that can
    /// be put on a lane by changing its order, if that may be; and tells which, if there is one.
    fn lead(&mut self, leading: &mut Leading, at: u32, may_reorder: bool) -> Option<u32> {
        let (edge, lanes) = self
            .held_way(leading)
            .or_else(|| self.way_to_hold(leading, may_reorder))?;
        leading.exits[at as usize] = exit_by(self.space, edge);
        leading.lanes[at as usize] = lanes;
        Some(edge)
    }

    /// The first of the ways that a lane holds, with such lanes.
    fn held_way(&self, leading: &mut Leading) -> Option<(u32, LaneSet)> {
        for place in 0..leading.ways.len() {
            let edge = leading.ways[place].2;
            let next = self.space.edge(edge).to as usize;
            let turn = match leading.exits[next] {
                NO_EXIT => LaneSet::MAX,
                exit => self.held[self.space.turn_place_by(edge, exit)],
            };
            let mut lanes = leading.lanes[next] & turn;
            // Lanes may have come to hold the rest since.
            if lanes == 0 && turn != 0 {
                leading.paths.clear();
                leading.add_path(self.space, edge);
                lanes = self.holding(leading.paths.path(0));
            }
            if lanes != 0 {
                return Some((edge, lanes));
            }
        }
        None
    }

    /// A way that a lane is made to hold: one that ascends its order, else one that can by changing it, if that may be.
    fn way_to_hold(&mut self, leading: &mut Leading, may_reorder: bool) -> Option<(u32, LaneSet)> {
        leading.paths.clear();
        for place in 0..leading.ways.len() {
            leading.add_path(self.space, leading.ways[place].2);
        }
        let paths = &leading.paths;
        let ascending = (0..paths.count())
            .find_map(|place| self.ascended(paths.path(place)).map(|lane| (place, lane)));
        let place = match ascending {
            // What ascends closes no cycle.
            Some((place, lane)) => self.hold(lane, paths.path(place)).then_some(place)?,
            None if may_reorder => {
                let lanes = 0..self.lanes.len();
                let mut all =
                    lanes.flat_map(|lane| (0..paths.count()).map(move |place| (lane, place)));
                all.find(|&(lane, place)| self.hold(lane, paths.path(place)))?
                    .1
            }
            None => return None,
        };
        Some((leading.ways[place].2, self.holding(paths.path(place))))
    }

    /// Pairs of switches, of those that were led to each other, that no lane takes a shortest path of.
    pub(crate) fn longer(&self) -> u64 {
        self.longer
    }

    pub(crate) fn ranks(&self) -> Vec<Vec<u32>> {
        self.lanes.iter().map(AcyclicDependencies::ranks).collect()
    }
}

/// A tree towards a switch that is made.
struct Leading {
    target: u32,
    /// Per switch: its way.
    exits: Vec<Exit>,
    /// Per switch: lanes that held its path when it was led, all at the target.
    lanes: Vec<LaneSet>,
    /// Those of the switch that is looked at, in the order in which they are wanted.
    paths: Paths,
    /// Per path: by how much it is too long, what its first edge has carried, and that.
    ways: Vec<(Option<u32>, u64, u32)>,
}

impl Leading {
    /// Finds the ways of a switch over others that have one, those with a length.
    fn find_ways(
        &mut self,
        growth: &LaneGrowth<'_>,
        at: u32,
        length: impl Fn(u32) -> Option<Option<u32>>,
    ) {
        let space = growth.space;
        self.ways.clear();
        for edge in space.edge_ids(at) {
            let next = space.edge(edge).to;
            let is_led = next == self.target || self.exits[next as usize] != NO_EXIT;
            if let Some(length) = length(edge).filter(|_| is_led) {
                self.ways
                    .push((length, growth.carried[edge as usize], edge));
            }
        }
        // Of equals the lowest port.
        self.ways.sort_unstable();
    }

    /// Adds the path that takes an edge first and goes on as the tree does.
    fn add_path(&mut self, space: &PathSpace, edge: u32) {
        self.paths.begin(edge);
        let mut here = space.edge(edge).to;
        while here != self.target {
            let way = edge_by(space, here, self.exits[here as usize]);
            self.paths.edges.push(way);
            here = space.edge(way).to;
        }
    }
}

/// Paths, one after the other.
#[derive(Debug, Default)]
struct Paths {
    edges: Vec<u32>,
    /// Per path: where it begins.
    begins: Vec<usize>,
}

impl Paths {
    fn clear(&mut self) {
        self.edges.clear();
        self.begins.clear();
    }

    fn begin(&mut self, edge: u32) {
        self.begins.push(self.edges.len());
        self.edges.push(edge);
    }

    fn count(&self) -> usize {
        self.begins.len()
    }

    fn path(&self, place: usize) -> &[u32] {
        let end = self.begins.get(place + 1).copied();
        &self.edges[self.begins[place]..end.unwrap_or(self.edges.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cycles::Dependencies;
    use crate::paths::TurnRule;
    use proptest::prelude::*;
    use weft_fabric::generate::{IrregularParameters, irregular};

    proptest! {
        #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

        /// What is led ascends the order of some lane; who has no shortest way is counted, and left without one only where no
        /// lane takes any over a switch that has one.
        #[test]
        fn switches_without_a_shortest_way_go_over_others(
            switches in 6_u32..40, seed in any::<u64>(), lanes in 1_usize..3,
        ) {
            let parameters = IrregularParameters {
                switches, hosts_per_switch: 1, ports_per_switch: 4, seed, ..IrregularParameters::default()
            };
            let fabric = irregular(&parameters).unwrap();
            let space = PathSpace::new(&fabric, None, TurnRule::Free);
            let count = space.switch_count();
            let ranks: Vec<u32> = (0..).take(space.edge_count()).collect();
            let mut growth = LaneGrowth::new(&space, &vec![ranks; lanes]);
            let hosts = vec![1; count];
            let mut trees = Vec::new();
            let mut longer = 0;
            for target in (0..).take(count) {
                let distances = Lengths::LINKS.distances_to(&space, target);
                let exits = growth.lead_to(target, Lengths::LINKS, &distances, &hosts, true);
                let path_of = |mut at: u32| {
                    let mut path = Vec::new();
                    while at != target && exits[at as usize] != NO_EXIT {
                        path.push(edge_by(&space, at, exits[at as usize]));
                        at = space.edge(path[path.len() - 1]).to;
                    }
                    path
                };
                for at in (0..).take(count).filter(|&at| at != target) {
                    let path = path_of(at);
                    longer += u64::from(path.is_empty() || path.len() > distances[at as usize] as usize);
                    if path.is_empty() {
                        for edge in space.edge_ids(at) {
                            let next = space.edge(edge).to;
                            let mut over = vec![edge];
                            over.extend(path_of(next));
                            let is_led = next == target || over.len() > 1;
                            let mut trial = growth.clone();
                            prop_assert!(!is_led || (0..lanes).all(|lane| !trial.hold(lane, &over)));
                        }
                    } else {
                        trees.push(path);
                    }
                }
            }
            prop_assert_eq!(growth.longer(), longer);
            let ranks = growth.ranks();
            for path in trees {
                let ascends = |ranks: &Vec<u32>| {
                    path.windows(2).all(|turn| ranks[turn[0] as usize] < ranks[turn[1] as usize])
                };
                prop_assert!(ranks.iter().any(ascends));
            }
        }

    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

        /// A lane holds a path exactly where its turns close no cycle with those that it holds, however often it was asked.
        #[test]
        fn a_path_is_refused_exactly_where_it_would_close_a_cycle(
            switches in 6_u32..14, seed in any::<u64>(),
            walks in prop::collection::vec(
                (0_usize..2, any::<prop::sample::Index>(), prop::collection::vec(any::<prop::sample::Index>(), 1..6)), 1..120,
            ),
        ) {
            let parameters = IrregularParameters {
                switches, hosts_per_switch: 1, ports_per_switch: 4, seed, ..IrregularParameters::default()
            };
            let fabric = irregular(&parameters).unwrap();
            let space = PathSpace::new(&fabric, None, TurnRule::Free);
            let edges = space.edge_count();
            let ranks: Vec<u32> = (0..).take(edges).collect();
            let mut growth = LaneGrowth::new(&space, &[ranks.clone(), ranks.into_iter().rev().collect()]);
            let mut plain = [Dependencies::new(edges), Dependencies::new(edges)];
            for (lane, first, further) in walks {
                let mut path = vec![u32::try_from(first.index(edges)).unwrap()];
                for exit in further {
                    let ways = space.edge_ids(space.edge(path[path.len() - 1]).to);
                    let way = ways.start + u32::try_from(exit.index(ways.len())).unwrap();
                    path.push(way);
                }
                let mut with = plain[lane].clone();
                path.windows(2).for_each(|turn| with.add(turn[0], turn[1]));
                let closes = with.cycle().is_some();
                prop_assert_eq!(growth.hold(lane, &path), !closes);
                if !closes {
                    plain[lane] = with;
                }
                let ranks = &growth.ranks()[lane];
                for held in (0..).take(edges) {
                    for &(wanted, _) in plain[lane].wanted(held) {
                        prop_assert!(ranks[held as usize] < ranks[wanted as usize]);
                    }
                }
            }
        }
    }
}
