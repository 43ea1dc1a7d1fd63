//! Turns from channel to channel that routes may take, and a tree that joins all switches.

use crate::orient::nearest_to_all;
use crate::paths::PathSpace;
use std::ops::Range;
use weft_fabric::{Fabric, SwitchId};

/// Which channels may be taken one right after another.
///
/// Whatever the rest, no route turns straight back to the switch that it came from.
#[derive(Clone, Debug)]
pub(crate) struct Turns<'a> {
    space: &'a PathSpace,
    permitted: Vec<bool>,
}

impl<'a> Turns<'a> {
    /// All turns but those straight back.
    pub(crate) fn all(space: &'a PathSpace) -> Self {
        let mut turns = Self::none(space);
        for held in turns.edges() {
            let from = space.edge(space.edge(held).reverse).to;
            for wanted in space.edge_ids(space.edge(held).to) {
                let place = turns.place(held, wanted);
                turns.permitted[place] = space.edge(wanted).to != from;
            }
        }
        turns
    }

    pub(crate) fn none(space: &'a PathSpace) -> Self {
        Self {
            space,
            permitted: vec![false; space.turn_count()],
        }
    }

    pub(crate) fn space(&self) -> &'a PathSpace {
        self.space
    }

    pub(crate) fn edges(&self) -> Range<u32> {
        0..SwitchId::from_index(self.space.edge_count()).number()
    }

    /// Counts the places of turns, permitted or not.
    pub(crate) fn place_count(&self) -> usize {
        self.permitted.len()
    }

    pub(crate) fn place(&self, held: u32, wanted: u32) -> usize {
        self.space.turn_place(held, wanted)
    }

    pub(crate) fn permits(&self, held: u32, wanted: u32) -> bool {
        self.permitted[self.place(held, wanted)]
    }

    pub(crate) fn set(&mut self, held: u32, wanted: u32, is_permitted: bool) {
        let place = self.place(held, wanted);
        self.permitted[place] = is_permitted;
    }

    /// The edges that may follow an edge, by ascending port.
    pub(crate) fn after(&self, held: u32) -> impl Iterator<Item = u32> + '_ {
        let exits = self.space.edge_ids(self.space.edge(held).to);
        exits.filter(move |&wanted| self.permits(held, wanted))
    }

    /// All turns that may be taken, by ascending edges.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.edges()
            .flat_map(|held| self.after(held).map(move |wanted| (held, wanted)))
    }
}

/// A spanning tree of the switches that a root is joined to.
///
/// Routes that keep to its links join every two switches, and as a tree has no ring, its turns never
/// close a cycle of channels: who never gives them up can always route on.
#[derive(Clone, Debug)]
pub(crate) struct SpanningTree {
    /// Per switch: the edge to its parent; `None` for the root and the switches apart from it.
    parent: Vec<Option<u32>>,
    /// Per switch: links to the root.
    depth: Vec<u32>,
}

impl SpanningTree {
    /// The tree from the switch of a part of the fabric that is nearest to all of it.
    pub(crate) fn of_part(fabric: &Fabric, space: &PathSpace, part: &[SwitchId]) -> Self {
        Self::from_root(space, nearest_to_all(fabric, part))
    }

    /// The tree of a breadth-first search, by ascending ports.
    pub(crate) fn from_root(space: &PathSpace, root: SwitchId) -> Self {
        let mut tree = Self {
            parent: vec![None; space.switch_count()],
            depth: vec![0; space.switch_count()],
        };
        let mut queue = vec![root.number()];
        let mut place = 0;
        while let Some(&here) = queue.get(place) {
            place += 1;
            for edge in space.edges_of(here) {
                let next = edge.to as usize;
                if edge.to != root.number() && tree.parent[next].is_none() {
                    tree.parent[next] = Some(edge.reverse);
                    tree.depth[next] = tree.depth[here as usize] + 1;
                    queue.push(edge.to);
                }
            }
        }
        tree
    }

    pub(crate) fn parent(&self, switch: u32) -> Option<u32> {
        self.parent[switch as usize]
    }

    /// The number of links between a switch and the root; 0 for switches apart from it.
    pub(crate) fn depth(&self, switch: u32) -> u32 {
        self.depth[switch as usize]
    }

    /// The turns between links of the tree.
    pub(crate) fn turns<'a>(&self, space: &'a PathSpace) -> Turns<'a> {
        let mut turns = Turns::none(space);
        let of_tree = |edge: u32| {
            let back = space.edge(edge).reverse;
            let [to, from] = [edge, back].map(|e| space.edge(e).to as usize);
            self.parent[from] == Some(edge) || self.parent[to] == Some(back)
        };
        for held in turns.edges().filter(|&edge| of_tree(edge)) {
            for wanted in space.edge_ids(space.edge(held).to) {
                if of_tree(wanted) && wanted != space.edge(held).reverse {
                    turns.set(held, wanted, true);
                }
            }
        }
        turns
    }

    /// Pairs of switches, of some that the tree joins, whose ways over it make all turns that those between any two make, each
    /// where it is first made when the ways from the first one to all come first, then those from the second, and so on.
    ///
    /// Time O(sum of d²) for switches of degree d in the tree, and the sorting of as many pairs.
    pub(crate) fn pairs_of_all_turns(&self, space: &PathSpace, ends: &[SwitchId]) -> Vec<[u32; 2]> {
        let count = self.parent.len();
        // Per switch: the place of the first of the ends there, among all below it with itself, and among all others.
        let mut here = vec![usize::MAX; count];
        for (place, end) in ends.iter().enumerate() {
            here[end.index()] = place;
        }
        let mut highest_first: Vec<u32> = (0..).take(count).collect();
        highest_first.sort_by_key(|&at| self.depth[at as usize]);
        let mut below = here.clone();
        let mut children: Vec<Vec<u32>> = vec![Vec::new(); count];
        for &at in highest_first.iter().rev() {
            if let Some(edge) = self.parent[at as usize] {
                let above = space.edge(edge).to as usize;
                below[above] = below[above].min(below[at as usize]);
                children[above].push(at);
            }
        }
        let mut others = vec![usize::MAX; count];
        let mut pairs = Vec::new();
        for &at in &highest_first {
            let own = &children[at as usize];
            let around = others[at as usize].min(here[at as usize]);
            for &child in own {
                let rest = own.iter().filter(|&&other| other != child);
                let of_rest = rest.map(|&other| below[other as usize]).min();
                others[child as usize] = around.min(of_rest.unwrap_or(usize::MAX));
            }
            // What lies behind each link of the switch.
            let mut behind: Vec<usize> = own.iter().map(|&child| below[child as usize]).collect();
            behind.push(others[at as usize]);
            behind.retain(|&first| first != usize::MAX);
            for &from in &behind {
                pairs.extend(
                    behind
                        .iter()
                        .filter(|&&to| to != from)
                        .map(|&to| [from, to]),
                );
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let number = |place: usize| ends[place].number();
        pairs.into_iter().map(|pair| pair.map(number)).collect()
    }

    /// The edges of the way over the tree.
    pub(crate) fn path(&self, space: &PathSpace, from: u32, to: u32) -> Vec<u32> {
        let (mut up, mut down) = (Vec::new(), Vec::new());
        let (mut low, mut high) = (from, to);
        while low != high {
            let is_low_deeper = self.depth[low as usize] >= self.depth[high as usize];
            let (end, way) = if is_low_deeper {
                (&mut low, &mut up)
            } else {
                (&mut high, &mut down)
            };
            let Some(edge) = self.parent[*end as usize] else {
                unreachable!("the tree joins the two, so that one of them has a parent");
            };
            way.push(edge);
            *end = space.edge(edge).to;
        }
        up.extend(down.iter().rev().map(|&edge| space.edge(edge).reverse));
        up
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::TurnRule;
    use proptest::prelude::*;
    use weft_fabric::generate::{IrregularParameters, irregular};

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

        /// Turns, each as it is first made, beside those of the ways between all pairs, one after the other.
        #[test]
        fn few_pairs_make_all_turns_in_the_same_order(
            switches in 5_u32..30, seed in any::<u64>(), root in any::<prop::sample::Index>(), share in 1_usize..4,
        ) {
            let parameters = IrregularParameters { switches, seed, ..IrregularParameters::default() };
            let fabric = irregular(&parameters).unwrap();
            let space = PathSpace::new(&fabric, None, TurnRule::Free);
            let root = SwitchId::new(u32::try_from(root.index(space.switch_count())).unwrap());
            let tree = SpanningTree::from_root(&space, root);
            let ends: Vec<SwitchId> = fabric.switch_ids().step_by(share).collect();
            let made = |pairs: &mut dyn Iterator<Item = [u32; 2]>| {
                let mut made: Vec<[u32; 2]> = Vec::new();
                for [from, to] in pairs {
                    let path = tree.path(&space, from, to);
                    let turns = path.windows(2).map(|turn| [turn[0], turn[1]]);
                    made.extend(turns.filter(|turn| !made.contains(turn)).collect::<Vec<_>>());
                }
                made
            };
            let numbers = || ends.iter().map(|end| end.number());
            let all = made(&mut numbers().flat_map(|from| numbers().map(move |to| [from, to])));
            let pairs = tree.pairs_of_all_turns(&space, &ends);
            prop_assert!(pairs.len() <= all.len());
            prop_assert_eq!(made(&mut pairs.into_iter()), all);
        }
    }
}
