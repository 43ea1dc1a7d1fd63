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
    /// Per edge: hosts that have been led over it.
    carried: Vec<u64>,
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
            carried: vec![0; space.edge_count()],
        }
    }

    /// Makes a lane hold the turns of a path, all of them or, if that would close a cycle, none;
    /// and tells which.
    pub(crate) fn hold(&mut self, lane: usize, path: &[u32]) -> bool {
        let mut added: Vec<(usize, [u32; 2])> = Vec::new();
        for turn in path.windows(2).map(|turn| [turn[0], turn[1]]) {
            let place = self.space.turn_place(turn[0], turn[1]);
            if self.held[place] >> lane & 1 == 1 {
                continue;
            }
            if !self.lanes[lane].add(turn[0], turn[1]) {
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

    /// The lanes that hold all turns of a path, and those whose order it ascends.
    fn fit(&self, path: &[u32]) -> [LaneSet; 2] {
        let mut fit = [LaneSet::MAX; 2];
        for turn in path.windows(2).map(|turn| [turn[0], turn[1]]) {
            fit[0] &= self.held[self.space.turn_place(turn[0], turn[1])];
            let ascending = |(lane, order): (usize, &AcyclicDependencies)| {
                LaneSet::from(order.is_before(turn[0], turn[1])) << lane
            };
            fit[1] &= self
                .lanes
                .iter()
                .enumerate()
                .map(ascending)
                .fold(0, |a, b| a | b);
        }
        fit
    }

    /// Finds a path, shortest or nearly, from every switch to another, by a tree, that some lane holds, and
    /// makes lanes hold more where their orders can be changed for it, if they may be; a switch whose
    /// paths fit nowhere stays without.
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
        let mut exits = vec![NO_EXIT; space.switch_count()];
        let mut order: Vec<u32> = (0..).take(distances.len()).collect();
        order.retain(|&at| at != target && distances[at as usize] != u32::MAX);
        order.sort_by_key(|&at| distances[at as usize]);
        let mut paths: Vec<Vec<u32>> = Vec::new();
        for at in order {
            paths.clear();
            for edge in space.edge_ids(at) {
                let mut here = space.edge(edge).to;
                if distances[here as usize] >= distances[at as usize] {
                    continue;
                }
                let mut path = vec![edge];
                while exits[here as usize] != NO_EXIT {
                    path.push(edge_by(space, here, exits[here as usize]));
                    here = space.edge(path[path.len() - 1]).to;
                }
                if here == target {
                    paths.push(path);
                }
            }
            let detour = |path: &Vec<u32>| {
                let next = space.edge(path[0]).to;
                lengths.of(path[0]) + distances[next as usize] - distances[at as usize]
            };
            paths.sort_by_key(|path| {
                let detour = Some(detour(path)).filter(|&detour| detour > lengths.slack);
                (detour, self.carried[path[0] as usize])
            });
            if let Some(place) = self.choose(&paths, may_reorder) {
                exits[at as usize] = exit_by(space, paths[place][0]);
                for &edge in &paths[place] {
                    self.carried[edge as usize] += hosts[at as usize];
                }
            }
        }
        exits
    }

    /// Chooses a path that a lane holds, else one that some lane's order ascends, else one that
    /// can be put on a lane by changing its order, if that may be; `None` if there is none.
    fn choose(&mut self, paths: &[Vec<u32>], may_reorder: bool) -> Option<usize> {
        let fits: Vec<[LaneSet; 2]> = paths.iter().map(|path| self.fit(path)).collect();
        if let Some(place) = fits.iter().position(|fit| fit[0] != 0) {
            return Some(place);
        }
        if let Some(place) = fits.iter().position(|fit| fit[1] != 0) {
            let lane = fits[place][1].trailing_zeros() as usize;
            // What ascends closes no cycle.
            return self.hold(lane, &paths[place]).then_some(place);
        }
        if !may_reorder {
            return None;
        }
        for lane in 0..self.lanes.len() {
            for (place, path) in paths.iter().enumerate() {
                if self.hold(lane, path) {
                    return Some(place);
                }
            }
        }
        None
    }

    pub(crate) fn ranks(&self) -> Vec<Vec<u32>> {
        self.lanes.iter().map(AcyclicDependencies::ranks).collect()
    }
}
