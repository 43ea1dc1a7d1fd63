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
