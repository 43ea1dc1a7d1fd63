//! The tree towards one host after the other, over turns that close no cycle.

use super::turns_of_a_lane::LaneTurns;
use crate::paths::{Edge, NO_EDGE, PathSpace};

/// Links of a switch that has no way.
const NO_WAY: u32 = u32::MAX;

/// Grows trees and knows what the channels carry.
#[derive(Debug)]
pub(super) struct TreeGrowth<'a> {
    space: &'a PathSpace,
    /// Per switch: its hosts.
    hosts: &'a [u64],
    /// Per edge: hosts led over it so far.
    loads: Vec<u64>,
    /// Where the tree at hand leads.
    to: u32,
    /// Per switch: its way.
    next: Vec<u32>,
    /// Per switch: links of its path, and what its channels carry.
    links: Vec<u32>,
    costs: Vec<u64>,
    /// Per switch: the last search that met it.
    met: Vec<u64>,
    search: u64,
    /// Ways looked at, by what they cost; scratch.
    ways: Vec<(u64, u32)>,
}

impl<'a> TreeGrowth<'a> {
    pub(super) fn new(space: &'a PathSpace, hosts: &'a [u64]) -> Self {
        let count = space.switch_count();
        Self {
            space,
            hosts,
            loads: vec![0; space.edge_count()],
            to: 0,
            next: vec![NO_EDGE; count],
            links: vec![NO_WAY; count],
            costs: vec![0; count],
            met: vec![0; count],
            search: 0,
            ways: Vec::new(),
        }
    }

    /// Grows a tree towards a host of a switch, adds what it carries to the loads, and shows the
    /// way of every switch; those that lead no host there may have none.
    pub(super) fn lead_to(&mut self, layer: &mut LaneTurns<'_>, to: u32) -> &[u32] {
        self.to = to;
        self.next.fill(NO_EDGE);
        self.links.fill(NO_WAY);
        self.links[to as usize] = 0;
        self.costs[to as usize] = 0;
        self.spread(layer, vec![to]);
        if !self.reach_islands(layer) {
            layer.escape_to(to, &mut self.next);
        }
        layer.keep(&self.next);
        self.carry();
        &self.next
    }

    /// Gives neighbours of some switches, all equally far, a way by them, then their
    /// neighbours, and so on.
    fn spread(&mut self, layer: &mut LaneTurns<'_>, mut last: Vec<u32>) {
        let space = self.space;
        while let Some(&one) = last.first() {
            let links = self.links[one as usize];
            self.search += 1;
            let mut near = Vec::new();
            for &at in &last {
                for edge in space.edges_of(at) {
                    let met = &mut self.met[edge.to as usize];
                    if self.links[edge.to as usize] == NO_WAY && *met != self.search {
                        *met = self.search;
                        near.push(edge.to);
                    }
                }
            }
            near.retain(|&at| self.join(layer, at, links));
            last = near;
        }
    }

    /// Gives a switch the cheapest way by neighbours so many links from the end whose turn can
    /// be taken, and tells whether there is one.
    fn join(&mut self, layer: &mut LaneTurns<'_>, at: u32, links: u32) -> bool {
        let space = self.space;
        let mut ways = std::mem::take(&mut self.ways);
        ways.clear();
        for edge in space.edge_ids(at) {
            let to = space.edge(edge).to as usize;
            if self.links[to] == links {
                ways.push((self.costs[to] + self.loads[edge as usize], edge));
            }
        }
        ways.sort_unstable();
        let permitted = |&&(_, edge): &&(u64, u32)| self.may_go_on(layer, edge);
        let found = ways.iter().find(permitted).map(|way| way.1);
        self.ways = ways;
        if let Some(edge) = found {
            self.set(at, edge);
        }
        found.is_some()
    }

    /// Takes the turn from an edge to the way of the switch it leads to.
    fn may_go_on(&self, layer: &mut LaneTurns<'_>, edge: u32) -> bool {
        let to = self.space.edge(edge).to;
        to == self.to || layer.take(edge, self.next[to as usize])
    }

    fn set(&mut self, at: u32, edge: u32) {
        let to = self.space.edge(edge).to as usize;
        self.next[at as usize] = edge;
        self.links[at as usize] = self.links[to] + 1;
        self.costs[at as usize] = self.costs[to] + self.loads[edge as usize];
    }

    /// Leads switches without a way by neighbours that change theirs, and tells whether all with
    /// hosts have one.
    fn reach_islands(&mut self, layer: &mut LaneTurns<'_>) -> bool {
        loop {
            let all = (0..).take(self.next.len());
            let is_island = |at: &u32| self.links[*at as usize] == NO_WAY;
            let islands: Vec<u32> = all.filter(is_island).collect();
            if !islands.iter().any(|&at| self.hosts[at as usize] > 0) {
                return true;
            }
            let mut is_any_reached = false;
            for at in islands {
                if self.links[at as usize] == NO_WAY && self.reach(layer, at) {
                    is_any_reached = true;
                    self.shorten_by(layer, at);
                    self.spread(layer, vec![at]);
                }
            }
            if !is_any_reached {
                return false;
            }
        }
    }

    /// Gives a switch a way by a neighbour that another way suits as well, and tells whether
    /// there is one: neighbours near the end come first, and their ways near the end.
    fn reach(&mut self, layer: &mut LaneTurns<'_>, at: u32) -> bool {
        let space = self.space;
        let by_length = |growth: &Self, edges: std::ops::Range<u32>| {
            let has_way = |edge: &u32| growth.links[space.edge(*edge).to as usize] != NO_WAY;
            let mut edges: Vec<u32> = edges.filter(has_way).collect();
            edges.sort_by_key(|&edge| {
                let to = space.edge(edge).to as usize;
                (
                    growth.links[to],
                    growth.costs[to] + growth.loads[edge as usize],
                )
            });
            edges
        };
        for edge in by_length(self, space.edge_ids(at)) {
            let by = space.edge(edge).to;
            for other in by_length(self, space.edge_ids(by)) {
                let is_new = other != self.next[by as usize];
                if is_new && self.redirect(layer, by, other, Some(edge)) {
                    self.set(at, edge);
                    return true;
                }
            }
        }
        false
    }

    /// Leads neighbours of a switch by it where that is shorter, and theirs by them.
    fn shorten_by(&mut self, layer: &mut LaneTurns<'_>, at: u32) {
        let mut queue = vec![at];
        while let Some(at) = queue.pop() {
            for edge in self.space.edges_of(at) {
                let links = self.links[edge.to as usize];
                let is_shorter = links != NO_WAY && links > self.links[at as usize] + 1;
                if is_shorter && self.redirect(layer, edge.to, edge.reverse, None) {
                    queue.push(edge.to);
                }
            }
        }
    }

    /// Gives a switch another way, if that ends and turns can be taken from all that lead to the
    /// switch, from `also` too; and tells whether it did.
    fn redirect(
        &mut self,
        layer: &mut LaneTurns<'_>,
        at: u32,
        way: u32,
        also: Option<u32>,
    ) -> bool {
        let space = self.space;
        let mut here = space.edge(way).to;
        while here != self.to {
            if here == at {
                return false;
            }
            here = space.edge(self.next[here as usize]).to;
        }
        if at == self.to || !self.may_go_on(layer, way) {
            return false;
        }
        let arriving = self.arriving(at);
        if !arriving.chain(also).all(|held| layer.take(held, way)) {
            return false;
        }
        self.set(at, way);
        let mut below = vec![at];
        while let Some(at) = below.pop() {
            let arriving: Vec<u32> = self.arriving(at).collect();
            for held in arriving {
                below.push(space.tail(held));
                self.set(space.tail(held), held);
            }
        }
        true
    }

    /// The edges of the tree that lead to a switch.
    fn arriving(&self, at: u32) -> impl Iterator<Item = u32> + '_ {
        let back = self.space.edges_of(at).iter();
        let is_way = |edge: &&Edge| self.next[edge.to as usize] == edge.reverse;
        back.filter(is_way).map(|edge| edge.reverse)
    }

    /// Adds what the tree carries to the loads.
    fn carry(&mut self) {
        for (from, &hosts) in (0..).zip(self.hosts).filter(|entry| *entry.1 > 0) {
            let mut at: u32 = from;
            while at != self.to {
                let edge = self.next[at as usize];
                self.loads[edge as usize] += hosts;
                at = self.space.edge(edge).to;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::TurnRule;
    use weft_fabric::SwitchId;
    use weft_testing::fabric_of;

    fn edge(space: &PathSpace, from: u32, to: u32) -> u32 {
        let mut edges = space.edge_ids(from);
        edges.find(|&edge| space.edge(edge).to == to).unwrap()
    }

    /// Takes the turns of a walk and sees the last one of the circle refused.
    fn take_all_but_the_last(layer: &mut LaneTurns<'_>, space: &PathSpace, circle: &[u32]) {
        let edges: Vec<u32> = circle.windows(2).map(|w| edge(space, w[0], w[1])).collect();
        let (last, others) = edges.split_last().unwrap();
        for turn in others.windows(2) {
            assert!(layer.take(turn[0], turn[1]));
        }
        assert!(!layer.take(others[others.len() - 1], *last));
    }

    /// 3 may lead to 0 neither by 1 nor by 4 nor by 8, as that closes the circles of the test. But if
    /// 1 goes by 2, 3 can follow it; and then 8, so far led to 0 by 7, 6, 5 and 2, follows 3.
    #[test]
    fn a_neighbour_gives_way_to_an_island_and_others_follow_it() {
        let links = [
            (0, 1),
            (0, 2),
            (1, 2),
            (1, 3),
            (3, 4),
            (4, 0),
            (2, 5),
            (5, 6),
            (6, 7),
            (7, 8),
            (8, 3),
        ];
        let fabric = fabric_of(&[1; 9], &links);
        let space = PathSpace::new(&fabric, None, TurnRule::Free);
        let mut layer = LaneTurns::new(&space, SwitchId::new(0), &[]);
        take_all_but_the_last(&mut layer, &space, &[1, 0, 4, 3, 1, 0]);
        take_all_but_the_last(&mut layer, &space, &[4, 0, 1, 3, 4, 0]);
        take_all_but_the_last(&mut layer, &space, &[8, 7, 6, 5, 2, 1, 3, 8, 7]);
        let hosts = [1; 9];
        let mut growth = TreeGrowth::new(&space, &hosts);
        let next = growth.lead_to(&mut layer, 0);
        let ends: Vec<u32> = next[1..].iter().map(|&edge| space.edge(edge).to).collect();
        assert_eq!(ends, [2, 0, 1, 0, 2, 5, 6, 3]);
        // What the tree carries: all but 4 come by 2.
        assert_eq!(growth.loads[edge(&space, 2, 0) as usize], 7);
        assert_eq!(growth.loads[edge(&space, 1, 2) as usize], 3);
        assert_eq!(growth.loads[edge(&space, 1, 0) as usize], 0);
    }

    /// On a line each switch has one neighbour nearer the end, and nothing can be blocked.
    #[test]
    fn on_a_line_trees_are_the_line() {
        let fabric = fabric_of(&[1; 4], &[(0, 1), (1, 2), (2, 3)]);
        let space = PathSpace::new(&fabric, None, TurnRule::Free);
        let targets = [0, 1, 2, 3].map(SwitchId::new);
        let mut layer = LaneTurns::new(&space, SwitchId::new(1), &targets);
        let hosts = [1; 4];
        let mut growth = TreeGrowth::new(&space, &hosts);
        let next = growth.lead_to(&mut layer, 2);
        assert_eq!(
            next,
            [
                edge(&space, 0, 1),
                edge(&space, 1, 2),
                NO_EDGE,
                edge(&space, 3, 2)
            ]
        );
    }
}
