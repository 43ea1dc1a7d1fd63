//! Trees towards a switch over channels that cost, with a price for every turn that descends.

use super::channel_order::ChannelOrder;
use crate::paths::{NO_EDGE, PathSpace};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A way that a switch may get, the sooner it is taken the less: what it costs, then how late its channel is, then which
/// channel it is.
type Entry = u128;

/// Costs are not negative: their bits are in the order of their values.
#[inline]
fn entry(cost: f64, rank: u32, edge: u32) -> Entry {
    u128::from(cost.to_bits()) << 64 | u128::from(!rank) << 32 | u128::from(edge)
}

#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "the parts that were put together"
)]
fn cost_and_edge(entry: Entry) -> (f64, u32) {
    (f64::from_bits((entry >> 64) as u64), entry as u32)
}

#[derive(Clone, Debug)]
pub(super) struct PricedTree {
    /// Per switch: its way.
    pub(super) ways: Vec<u32>,
    /// Switches with a way, each after the one that its way leads to.
    order: Vec<u32>,
}

/// What paths cost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Costs<'a> {
    /// Per edge, not negative.
    pub(super) edges: &'a [f64],
    /// For every turn that descends; infinite where none may.
    pub(super) descent: f64,
}

impl PricedTree {
    pub(super) fn new(switch_count: usize) -> Self {
        Self {
            ways: vec![NO_EDGE; switch_count],
            order: Vec::new(),
        }
    }

    /// Grows a tree by the cheapest path first (Dijkstra); a switch keeps the first way it gets,
    /// of equals the latest channel, which more can come before.
    ///
    /// Shapes: `kept`, per switch the only way it may take, or none.
    /// Time O(C log C) for C channels.
    pub(super) fn grow(
        space: &PathSpace,
        order: &ChannelOrder,
        to: u32,
        costs: Costs<'_>,
        kept: &[u32],
    ) -> Self {
        let mut tree = Self::new(space.switch_count());
        let mut open = BinaryHeap::with_capacity(space.switch_count());
        // Per switch: its cheapest way so far. Of all that it may get that comes out of the heap first, so
        // nothing dearer has to go in.
        let mut cheapest = vec![Entry::MAX; space.switch_count()];
        let mut offer = |open: &mut BinaryHeap<Reverse<Entry>>, from: u32, offered: Entry| {
            let cheapest = &mut cheapest[from as usize];
            if offered < *cheapest {
                *cheapest = offered;
                open.push(Reverse(offered));
            }
        };
        let may_take = |from: u32, edge: u32| {
            let way = kept[from as usize];
            way == NO_EDGE || way == edge
        };
        for back in space.edges_of(to) {
            let edge = back.reverse;
            if may_take(back.to, edge) {
                let cost = costs.edges[edge as usize];
                offer(&mut open, back.to, entry(cost, order.rank(edge), edge));
            }
        }
        while let Some(Reverse(next)) = open.pop() {
            let (cost, way) = cost_and_edge(next);
            let at = space.tail(way);
            if tree.ways[at as usize] != NO_EDGE || at == to {
                continue;
            }
            tree.ways[at as usize] = way;
            tree.order.push(at);
            let (beyond, rank_of_way) = (space.edge(way).to, order.rank(way));
            for back in space.edges_of(at) {
                let (edge, from) = (back.reverse, back.to);
                let is_done = from == beyond || tree.ways[from as usize] != NO_EDGE;
                if is_done || !may_take(from, edge) {
                    continue;
                }
                let rank = order.rank(edge);
                let mut cost = cost + costs.edges[edge as usize];
                if rank >= rank_of_way {
                    cost += costs.descent;
                }
                if cost.is_finite() {
                    offer(&mut open, from, entry(cost, rank, edge));
                }
            }
        }
        tree
    }

    /// Grows a tree without a turn that descends and leads all switches that have hosts; `None`
    /// where some cannot be led.
    ///
    /// Those left without a way keep to a tree of the latest channels.
    pub(super) fn grow_ascending(
        space: &PathSpace,
        order: &ChannelOrder,
        to: u32,
        edges: &[f64],
    ) -> Option<Self> {
        let costs = Costs {
            edges,
            descent: f64::INFINITY,
        };
        let mut kept = vec![NO_EDGE; space.switch_count()];
        let mut latest = None;
        loop {
            let tree = Self::grow(space, order, to, costs, &kept);
            let missing = tree.missing(space, to);
            if missing.is_empty() {
                return Some(tree);
            }
            let latest = latest.get_or_insert_with(|| Self::latest(space, order, to));
            for mut at in missing {
                while at != to && kept[at as usize] == NO_EDGE {
                    let way = latest.ways[at as usize];
                    if way == NO_EDGE {
                        return None;
                    }
                    kept[at as usize] = way;
                    at = space.edge(way).to;
                }
            }
        }
    }

    /// The tree whose ways are the latest channels that lead on without a turn that descends:
    /// a switch has a way if any path leads it.
    fn latest(space: &PathSpace, order: &ChannelOrder, to: u32) -> Self {
        let mut tree = Self::new(space.switch_count());
        for edge in order.descending() {
            let [at, next] = [space.tail(edge), space.edge(edge).to];
            if at == to || tree.ways[at as usize] != NO_EDGE {
                continue;
            }
            // A way that leads back would have been its switch's only one.
            if next == to || tree.ways[next as usize] != NO_EDGE {
                tree.ways[at as usize] = edge;
                tree.order.push(at);
            }
        }
        tree
    }

    /// The switches with hosts that have no way.
    fn missing(&self, space: &PathSpace, to: u32) -> Vec<u32> {
        let all = (0..).zip(&self.ways);
        let is_missing =
            |&(at, &way): &(u32, &u32)| way == NO_EDGE && at != to && space.has_host(at);
        all.filter(is_missing).map(|(at, _)| at).collect()
    }

    /// Tells whether no turn descends.
    pub(super) fn ascends(&self, space: &PathSpace, order: &ChannelOrder) -> bool {
        self.order.iter().all(|&at| {
            let way = self.ways[at as usize];
            let next = self.ways[space.edge(way).to as usize];
            next == NO_EDGE || order.ascends(way, next)
        })
    }

    /// Shows every way with what it carries and the next one, if there is one.
    ///
    /// Shapes: `flows`, per switch what it sends; overwritten.
    pub(super) fn carry(
        &self,
        space: &PathSpace,
        flows: &mut [u64],
        mut show: impl FnMut(u32, Option<u32>, u64),
    ) {
        for &at in self.order.iter().rev() {
            let way = self.ways[at as usize];
            let to = space.edge(way).to as usize;
            let flow = flows[at as usize];
            flows[to] += flow;
            let next = self.ways[to];
            show(way, (next != NO_EDGE).then_some(next), flow);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::TurnRule;
    use crate::random::stream;
    use proptest::prelude::*;
    use rand::RngExt;
    use weft_fabric::generate::ring;
    use weft_testing::{cases, fabrics};

    /// On a ring of four, of switch `s` edge `2s` leads on and `2s + 1` back, but the last way round.
    fn space() -> PathSpace {
        let ring = ring(4, 1).unwrap();
        let space = PathSpace::new(&ring, None, TurnRule::Free);
        let ends: Vec<u32> = (0..8).map(|edge| space.edge(edge).to).collect();
        assert_eq!(ends, [1, 3, 2, 0, 3, 1, 0, 2]);
        space
    }

    /// From 2 to 0 edges 5 and 3 cost 1 together, edges 4 and 6 cost 2; but from 5 to 3 descends.
    #[test]
    fn a_turn_that_descends_is_taken_where_the_way_round_costs_more() {
        let space = space();
        let order = ChannelOrder::by_keys(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
        let mut edges = [1.0; 8];
        edges[5] = 0.0;
        for (descent, way) in [(0.5, 5), (1.5, 4), (f64::INFINITY, 4)] {
            let costs = Costs {
                edges: &edges,
                descent,
            };
            let tree = PricedTree::grow(&space, &order, 0, costs, &[NO_EDGE; 4]);
            assert_eq!(tree.ways, [NO_EDGE, 3, way, 6], "{descent}");
            assert_eq!(tree.ascends(&space, &order), way == 4);
        }
    }

    /// Way 3 of switch 1 is the cheapest but comes before 5, and nothing leads 2 the other way: so 1
    /// would have to go round itself, which only the latest channels tell.
    #[test]
    fn switches_nearer_the_end_go_round_where_others_could_not_follow_them() {
        let space = space();
        // 1 → 0 is 3, 1 → 2 is 2, 2 → 3 is 4, 3 → 0 is 6; 3 → 2 is 7, 2 → 1 is 5.
        let order = ChannelOrder::by_keys(&[0.0, 0.1, 2.0, 6.0, 5.0, 4.0, 3.0, 7.0]);
        let tree = PricedTree::grow_ascending(&space, &order, 0, &[1.0; 8]).unwrap();
        // From 2 by 5 and 3 ascends; from 3 only 6.
        assert_eq!(tree.ways, [NO_EDGE, 3, 5, 6]);
        // Where 5 comes after 3 and 4 after 6, nothing leads 2.
        let order = ChannelOrder::by_keys(&[0.0, 0.1, 0.2, 1.0, 5.0, 4.0, 3.0, 7.0]);
        assert!(PricedTree::grow_ascending(&space, &order, 0, &[1.0; 8]).is_none());
        // Where 3 comes first of all, 2 cannot go by 1; by 3 it costs more, but can.
        let order = ChannelOrder::by_keys(&[0.2, 0.1, 0.3, 0.0, 5.0, 4.0, 6.0, 7.0]);
        let mut edges = [1.0; 8];
        edges[4] = 50.0;
        let tree = PricedTree::grow_ascending(&space, &order, 0, &edges).unwrap();
        assert_eq!(tree.ways, [NO_EDGE, 3, 4, 6]);
    }

    /// The same with all ways that any switch may get in one list.
    fn ways_plainly(
        space: &PathSpace,
        order: &ChannelOrder,
        to: u32,
        costs: Costs<'_>,
        kept: &[u32],
    ) -> Vec<u32> {
        let mut ways = vec![NO_EDGE; space.switch_count()];
        let mut open: Vec<(f64, u32)> = Vec::new();
        let mut last = None;
        loop {
            let at = last.map_or(to, |(_, way)| space.tail(way));
            for edge in space.edges_of(at).iter().map(|back| back.reverse) {
                let (cost, descends) = last.map_or((0.0, false), |(cost, way)| {
                    (cost, !order.ascends(edge, way))
                });
                let is_back = last.is_some_and(|(_, way)| space.tail(edge) == space.edge(way).to);
                let cost = cost + costs.edges[edge as usize];
                let cost = cost + if descends { costs.descent } else { 0.0 };
                let way = kept[space.tail(edge) as usize];
                if !is_back && cost.is_finite() && (way == NO_EDGE || way == edge) {
                    open.push((cost, edge));
                }
            }
            open.retain(|&(_, edge)| {
                let from = space.tail(edge);
                from != to && ways[from as usize] == NO_EDGE
            });
            let later = |edge: u32| std::cmp::Reverse(order.rank(edge));
            let next = open.iter().copied().min_by(|one, other| {
                let by_cost = one.0.total_cmp(&other.0);
                by_cost.then(later(one.1).cmp(&later(other.1)))
            });
            let Some((_, way)) = next else {
                return ways;
            };
            ways[space.tail(way) as usize] = way;
            last = next;
        }
    }

    proptest! {
        #![proptest_config(cases(60))]

        /// Whole costs, of which many sums are equal, and some switches that keep a way.
        #[test]
        fn a_switch_gets_the_cheapest_of_all_its_ways(fabric in fabrics(1), seed in any::<u64>()) {
            let space = PathSpace::new(&fabric, None, TurnRule::Free);
            let mut random = stream(seed, "test", 0);
            let mut draw = |below: u32| random.random_range(0..below);
            let keys: Vec<f64> = (0..space.edge_count()).map(|_| draw(1000).into()).collect();
            let edges: Vec<f64> = keys.iter().map(|_| draw(4).into()).collect();
            let order = ChannelOrder::by_keys(&keys);
            let mut kept = vec![NO_EDGE; space.switch_count()];
            for (at, kept) in (0..).zip(&mut kept) {
                let exits = space.edge_ids(at);
                if !exits.is_empty() && draw(5) == 0 {
                    *kept = exits.start + draw(exits.end - exits.start);
                }
            }
            for descent in [0.0, 1.0, 2.5, f64::INFINITY] {
                let costs = Costs { edges: &edges, descent };
                for to in (0..).take(space.switch_count()) {
                    let tree = PricedTree::grow(&space, &order, to, costs, &kept);
                    let plain = ways_plainly(&space, &order, to, costs, &kept);
                    prop_assert_eq!(tree.ways, plain);
                }
            }
        }
    }

    /// 2 and 1 send 3 and 5 over 1 → 0; 3 sends 7.
    #[test]
    fn a_tree_carries_what_comes_together() {
        let space = space();
        let order = ChannelOrder::by_keys(&[0.0, 0.1, 2.0, 6.0, 5.0, 4.0, 3.0, 7.0]);
        let tree = PricedTree::grow_ascending(&space, &order, 0, &[1.0; 8]).unwrap();
        let mut carried = Vec::new();
        tree.carry(&space, &mut [0, 5, 3, 7], |way, next, flow| {
            carried.push((way, next, flow));
        });
        carried.sort_unstable();
        assert_eq!(carried, [(3, None, 8), (5, Some(3), 3), (6, None, 7)]);
    }
}
