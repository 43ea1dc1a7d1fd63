//! A tree towards a switch that every other joins, whatever the orders permit.

use super::tree_on_lanes::Tree;
use crate::cycles::{LaneOrders, LaneSet};
use crate::paths::{Exit, Lengths, NO_EXIT, PathSpace, edge_by, exit_by, links_from};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use weft_fabric::narrow;

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
        links: Vec::new(),
        laid: Vec::new(),
        tree: Tree::new(space.switch_count()),
    };
    guide.tree.follow(space, orders, target, begun);
    if guide.tree.lanes.iter().all(|&lanes| lanes != 0) {
        return guide.tree.exits;
    }
    guide.extend();
    while let Some(from) = guide.missing() {
        if guide.links.is_empty() {
            guide.links = links_from(space, target);
        }
        guide.lay(from);
        guide.keep_to_laid();
        guide.extend();
    }
    guide.tree.exits
}

/// Edges that lead to a switch with a path: the length from there on, their rank and number.
type Open = BinaryHeap<Reverse<(u32, Reverse<u32>, u32)>>;

/// An edge that a path has come to.
#[derive(Clone, Copy, Debug)]
struct Reached {
    edge: u32,
    /// Lanes that permit the path.
    lanes: LaneSet,
    /// Its links, this one included.
    links: usize,
    /// The place of the edge before it.
    before: Option<u32>,
}

struct Guide<'a> {
    space: &'a PathSpace,
    orders: &'a LaneOrders,
    target: u32,
    lengths: Lengths<'a>,
    /// Per switch: the links of a shortest way from the target or to it.
    links: Vec<u32>,
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

    /// Lets switches take the ways that are laid, and leaves those without a path whose own no lane permits then.
    fn keep_to_laid(&mut self) {
        let mut exits = std::mem::take(&mut self.tree.exits);
        for &edge in &self.laid {
            exits[self.space.tail(edge) as usize] = exit_by(self.space, edge);
        }
        self.tree.exits = vec![NO_EXIT; exits.len()];
        self.tree
            .follow(self.space, self.orders, self.target, &exits);
        for (exit, &lanes) in self.tree.exits.iter_mut().zip(&self.tree.lanes) {
            if lanes == 0 {
                *exit = NO_EXIT;
            }
        }
    }

    /// Gives switches without a path one over a neighbour that has one, the nearest
    /// first, of equals by the latest edge, which more can come before.
    fn extend(&mut self) {
        let mut open = BinaryHeap::new();
        for at in (0..).take(self.space.switch_count()) {
            let lacks = |to: u32| self.tree.lanes[to as usize] == 0;
            let mut around = self.space.edges_of(at).iter();
            if !lacks(at) && around.any(|edge| lacks(edge.to)) {
                let (mut here, mut distance) = (at, 0);
                while here != self.target {
                    let way = self.way(here);
                    distance += self.lengths.of(way);
                    here = self.space.edge(way).to;
                }
                self.open_before(at, distance, &mut open);
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
        let Some(mut path) = self.ascending_path(&ways, from) else {
            self.laid = self.last_ways();
            return;
        };
        path.retain(|&edge| ways[self.space.tail(edge) as usize].is_none());
        path.append(&mut self.laid);
        self.laid = path;
    }

    /// One of the shortest paths to the target that ascend the order of some lane and take the
    /// ways given at the switches that have one.
    ///
    /// It meets no switch twice: what leaves it the second time may follow what came to it first.
    fn ascending_path(&self, ways: &[Option<u32>], from: u32) -> Option<Vec<u32>> {
        let space = self.space;
        // Per edge: lanes by which the shortest path to it is known.
        let mut met: Vec<LaneSet> = vec![0; space.edge_count()];
        // What paths come to, and the places of it by links, at least, of a path to the target that goes on from there.
        let mut reached: Vec<Reached> = Vec::new();
        let mut open: Vec<Vec<u32>> = Vec::new();
        let add = |open: &mut Vec<Vec<u32>>, reached: &mut Vec<Reached>, one: Reached| {
            let links = one.links + self.links[space.edge(one.edge).to as usize] as usize;
            if open.len() <= links {
                open.resize(links + 1, Vec::new());
            }
            open[links].push(narrow(reached.len(), "edges and lanes are less than 2^32"));
            reached.push(one);
        };
        let lanes = self.orders.all();
        for edge in space.edge_ids(from) {
            let first = Reached {
                edge,
                lanes,
                links: 1,
                before: None,
            };
            add(&mut open, &mut reached, first);
        }
        let mut least = 0;
        while let Some(places) = open.get_mut(least) {
            let Some(place) = places.pop() else {
                least += 1;
                continue;
            };
            let mut held = reached[place as usize];
            held.lanes &= !met[held.edge as usize];
            if held.lanes == 0 {
                continue;
            }
            met[held.edge as usize] |= held.lanes;
            let to = space.edge(held.edge).to;
            if to == self.target {
                let before = |of: &Reached| of.before.map(|place| reached[place as usize]);
                let path = std::iter::successors(Some(held), before);
                let mut path: Vec<u32> = path.map(|of| of.edge).collect();
                path.reverse();
                return Some(path);
            }
            for (exit, edge) in (0..).zip(space.edge_ids(to)) {
                if ways[to as usize].is_some_and(|way| way != edge) {
                    continue;
                }
                let permitted = held.lanes & self.orders.permitted(space, held.edge, exit);
                let lanes = permitted & !met[edge as usize];
                if lanes != 0 {
                    let (links, before) = (held.links + 1, Some(place));
                    add(
                        &mut open,
                        &mut reached,
                        Reached {
                            edge,
                            lanes,
                            links,
                            before,
                        },
                    );
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cycles::{places_of, up_down_ranks};
    use crate::paths::TurnRule;
    use proptest::prelude::*;
    use weft_fabric::generate::{IrregularLinks, IrregularParameters, irregular};

    /// The links of a shortest path that ascends the order of some lane and keeps to ways, found lane by lane.
    fn links_lane_by_lane(guide: &Guide<'_>, ways: &[Option<u32>], from: u32) -> Option<usize> {
        let space = guide.space;
        let of_lane = |lane: usize| {
            let mut links = vec![usize::MAX; space.edge_count()];
            let mut queue: Vec<u32> = space.edge_ids(from).collect();
            for &edge in &queue {
                links[edge as usize] = 1;
            }
            let mut place = 0;
            while let Some(&held) = queue.get(place) {
                place += 1;
                let to = space.edge(held).to;
                if to == guide.target {
                    return Some(links[held as usize]);
                }
                for wanted in space.edge_ids(to) {
                    let is_back = space.edge(held).reverse == wanted;
                    let ascends = guide.orders.rank(lane, held) < guide.orders.rank(lane, wanted);
                    let is_way = ways[to as usize].is_none_or(|way| way == wanted);
                    if !is_back && ascends && is_way && links[wanted as usize] == usize::MAX {
                        links[wanted as usize] = links[held as usize] + 1;
                        queue.push(wanted);
                    }
                }
            }
            None
        };
        let lanes = 0..usize::from(guide.orders.lane_count());
        lanes.filter_map(of_lane).min()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        /// Whatever the orders are, if the first joins all; and what is laid is as short as any lane permits.
        #[test]
        fn every_switch_has_a_way_that_some_lane_permits(
            switches in 4_u32..40, lanes in 1_usize..4, seed in any::<u64>(),
            drawn in prop::collection::vec(prop::collection::vec(any::<u32>(), 40), 3),
            ways in prop::collection::vec(prop::option::weighted(0.1, any::<prop::sample::Index>()), 40),
        ) {
            let parameters = IrregularParameters {
                switches,
                hosts_per_switch: 1,
                ports_per_switch: 4,
                links: IrregularLinks::RandomCount,
                seed,
            };
            let fabric = irregular(&parameters).unwrap();
            let space = PathSpace::new(&fabric, None, TurnRule::Free);
            let count = space.switch_count();
            let mut keys = vec![Lengths::LINKS.distances_to(&space, 0)];
            keys.extend(drawn);
            let ranks = keys.iter().take(lanes).map(|keys| {
                let mut order: Vec<u32> = (0..).take(count).collect();
                order.sort_by_key(|&at| keys[at as usize]);
                up_down_ranks(&space, &places_of(&order))
            });
            let orders = LaneOrders::new(&space, ranks.collect());
            let mut tree = Tree::new(count);
            for target in (0..).take(count) {
                let none = vec![NO_EXIT; count];
                let exits = complete(&space, &orders, target, &none, Lengths::LINKS);
                tree.follow(&space, &orders, target, &exits);
                prop_assert!(tree.lanes.iter().all(|&lanes| lanes != 0));
                let guide = Guide {
                    space: &space,
                    orders: &orders,
                    target,
                    lengths: Lengths::LINKS,
                    links: links_from(&space, target),
                    laid: Vec::new(),
                    tree: Tree::new(count),
                };
                // Ways at some switches, wherever they lead.
                let ways: Vec<Option<u32>> = (0..).zip(&ways).take(count).map(|(at, way)| {
                    let edges = space.edge_ids(at);
                    let edge = |way: prop::sample::Index| edges.start + u32::try_from(way.index(edges.len())).unwrap();
                    (at != target).then_some(way.map(edge)).flatten()
                }).collect();
                for from in (0..).take(count).filter(|&from| from != target && ways[from as usize].is_none()) {
                    let path = guide.ascending_path(&ways, from);
                    prop_assert_eq!(path.as_ref().map(Vec::len), links_lane_by_lane(&guide, &ways, from));
                    for pair in path.iter().flat_map(|path| path.windows(2)) {
                        prop_assert_eq!(space.edge(pair[0]).to, space.tail(pair[1]));
                    }
                }
            }
        }
    }
}
