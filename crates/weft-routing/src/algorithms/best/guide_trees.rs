//! A tree towards a switch that every other joins, whatever the orders permit.

use super::tree_on_lanes::Tree;
use crate::cycles::LaneOrders;
use crate::paths::{Exit, Lengths, PathSpace, edge_by};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Completes a tree: switches without a path take one as short as can be found.
///
/// Where the paths there are bar a switch altogether, a shortest path of its own that some lane
/// permits is laid first, and all others are found around it; where such paths bar one another, all
/// keep to the first lane, whose order joins all switches with hosts.
pub(crate) fn complete(
    space: &PathSpace,
    orders: &LaneOrders,
    target: u32,
    begun: &[Exit],
    lengths: Lengths<'_>,
) -> Vec<Exit> {
    let mut guide = Guide {
        space,
        orders,
        target,
        lengths,
        laid: Vec::new(),
        tree: Tree::new(space.switch_count()),
    };
    guide.tree.follow(space, orders, target, begun);
    if guide.tree.lanes.iter().all(|&lanes| lanes != 0) {
        return guide.tree.exits;
    }
    guide.extend();
    while let Some(from) = guide.missing() {
        guide.lay(from);
        guide.tree.clear(orders, target);
        // The nearest were laid last but their ways come first.
        for &edge in guide.laid.iter().rev() {
            let lanes = guide.tree.lanes_by(space, orders, edge);
            guide.tree.set(space, space.tail(edge), edge, lanes);
        }
        guide.extend();
    }
    guide.tree.exits
}

/// Edges that lead to a switch with a path: the length from there on, their rank and number.
type Open = BinaryHeap<Reverse<(u32, Reverse<u32>, u32)>>;

struct Guide<'a> {
    space: &'a PathSpace,
    orders: &'a LaneOrders,
    target: u32,
    lengths: Lengths<'a>,
    /// Edges that lead to the next one laid or to the target, each after those that lead to it.
    laid: Vec<u32>,
    tree: Tree,
}

impl Guide<'_> {
    /// The first switch with hosts that has no path.
    fn missing(&self) -> Option<u32> {
        let lanes = (0..).zip(&self.tree.lanes);
        let mut missing = lanes.filter(|&(at, &lanes)| lanes == 0 && self.space.has_host(at));
        missing.next().map(|(at, _)| at)
    }

    /// Gives switches without a path one over a neighbour that has one, the nearest
    /// first, of equals by the latest edge, which more can come before.
    fn extend(&mut self) {
        let mut distances = vec![0_u32; self.space.switch_count()];
        let mut open = BinaryHeap::new();
        for at in (0..).take(self.space.switch_count()) {
            if self.tree.lanes[at as usize] != 0 {
                let mut here = at;
                while here != self.target {
                    let way = self.way(here);
                    distances[at as usize] += self.lengths.of(way);
                    here = self.space.edge(way).to;
                }
                self.open_before(at, distances[at as usize], &mut open);
            }
        }
        while let Some(Reverse((distance, _, edge))) = open.pop() {
            let at = self.space.tail(edge);
            let lanes = self.tree.lanes_by(self.space, self.orders, edge);
            if self.tree.lanes[at as usize] == 0 && lanes != 0 {
                self.tree.set(self.space, at, edge, lanes);
                self.open_before(at, distance, &mut open);
            }
        }
    }

    fn way(&self, at: u32) -> u32 {
        edge_by(self.space, at, self.tree.exits[at as usize])
    }

    /// Opens the edges that lead to a switch from those without a path.
    fn open_before(&self, at: u32, distance: u32, open: &mut Open) {
        for back in self.space.edges_of(at) {
            if self.tree.lanes[back.to as usize] == 0 {
                let lanes = self.tree.lanes_by(self.space, self.orders, back.reverse);
                let latest = self.orders.latest(back.reverse, lanes);
                let beyond = distance + self.lengths.of(back.reverse);
                open.push(Reverse((beyond, Reverse(latest), back.reverse)));
            }
        }
    }

    /// Lays the shortest path from a switch that some lane permits and that goes on as what is
    /// laid, or if there is none, paths for all.
    fn lay(&mut self, from: u32) {
        let mut ways = vec![None; self.space.switch_count()];
        for &edge in &self.laid {
            ways[self.space.tail(edge) as usize] = Some(edge);
        }
        let mut found: Option<Vec<u32>> = None;
        for lane in 0..usize::from(self.orders.lane_count()) {
            let shorter_than = found.as_ref().map_or(usize::MAX, Vec::len);
            found = self
                .ascending_path(lane, &ways, from, shorter_than)
                .or(found);
        }
        let Some(mut path) = found else {
            self.laid = self.last_ways();
            return;
        };
        path.retain(|&edge| ways[self.space.tail(edge) as usize].is_none());
        path.append(&mut self.laid);
        self.laid = path;
    }

    /// One of the shortest paths to the target that ascend the order of a lane and take the
    /// ways given at the switches that have one, if it has fewer links than so many.
    ///
    /// It meets no switch twice: what leaves it the second time may follow what came to it first.
    fn ascending_path(
        &self,
        lane: usize,
        ways: &[Option<u32>],
        from: u32,
        shorter_than: usize,
    ) -> Option<Vec<u32>> {
        let space = self.space;
        let mut before = vec![None; space.edge_count()];
        let mut queue: Vec<u32> = space.edge_ids(from).collect();
        let mut is_met = vec![false; space.edge_count()];
        for &edge in &queue {
            is_met[edge as usize] = true;
        }
        // Links of the paths that end with what is looked at, and the place of the last such.
        let (mut links, mut last) = (1, queue.len());
        let mut place = 0;
        while let Some(&held) = queue.get(place) {
            if place == last {
                (links, last) = (links + 1, queue.len());
            }
            if links >= shorter_than {
                return None;
            }
            place += 1;
            let to = space.edge(held).to;
            if to == self.target {
                let mut path = vec![held];
                let mut at = held;
                while let Some(edge) = before[at as usize] {
                    path.push(edge);
                    at = edge;
                }
                path.reverse();
                return Some(path);
            }
            for (exit, wanted) in (0..).zip(space.edge_ids(to)) {
                let is_way = ways[to as usize].is_none_or(|way| way == wanted);
                let is_permitted = self.orders.permitted(space, held, exit) >> lane & 1 == 1;
                if is_way && is_permitted && !is_met[wanted as usize] {
                    is_met[wanted as usize] = true;
                    before[wanted as usize] = Some(held);
                    queue.push(wanted);
                }
            }
        }
        None
    }

    /// Ways that keep to the first lane, for all switches it joins to the target: each takes
    /// the last edge, by the lane's order, that leads there.
    ///
    /// A path that ascends the order begins with an edge no later than that, so who has any path has
    /// a way.
    fn last_ways(&self) -> Vec<u32> {
        let rank = |edge: u32| self.orders.rank(0, edge);
        let mut edges: Vec<u32> = (0..).take(self.space.edge_count()).collect();
        edges.sort_unstable_by_key(|&edge| Reverse(rank(edge)));
        let mut ways = vec![None; self.space.switch_count()];
        let mut laid = Vec::new();
        for edge in edges {
            let [at, to] = [self.space.tail(edge), self.space.edge(edge).to];
            if ways[at as usize].is_some() || at == self.target {
                continue;
            }
            let goes_on = ways[to as usize].is_some_and(|way| rank(edge) < rank(way));
            if to == self.target || goes_on {
                ways[at as usize] = Some(edge);
                laid.push(edge);
            }
        }
        laid.reverse();
        laid
    }
}
