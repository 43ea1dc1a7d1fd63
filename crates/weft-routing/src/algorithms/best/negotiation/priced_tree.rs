//! Trees towards a switch over channels that cost, with a price for every turn that descends.

use super::channel_order::ChannelOrder;
use crate::paths::{NO_EDGE, PathSpace};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

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
        let mut open = BinaryHeap::new();
        // Costs are not negative: their bits are in the order of their values.
        let entry =
            |cost: f64, edge: u32| Reverse((cost.to_bits(), Reverse(order.rank(edge)), edge));
        let may_take = |edge: u32| {
            let way = kept[space.tail(edge) as usize];
            way == NO_EDGE || way == edge
        };
        let arriving = |at: u32| space.edges_of(at).iter().map(|edge| edge.reverse);
        for edge in arriving(to).filter(|&edge| may_take(edge)) {
            open.push(entry(costs.edges[edge as usize], edge));
        }
        while let Some(Reverse((cost, _, way))) = open.pop() {
            let at = space.tail(way);
            if tree.ways[at as usize] != NO_EDGE || at == to {
                continue;
            }
            tree.ways[at as usize] = way;
            tree.order.push(at);
            for edge in arriving(at) {
                let from = space.tail(edge);
                let is_back = from == space.edge(way).to;
                if is_back || tree.ways[from as usize] != NO_EDGE || !may_take(edge) {
                    continue;
                }
                let mut cost = f64::from_bits(cost) + costs.edges[edge as usize];
                if !order.ascends(edge, way) {
                    cost += costs.descent;
                }
                if cost.is_finite() {
                    open.push(entry(cost, edge));
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
    use weft_fabric::generate::ring;

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
