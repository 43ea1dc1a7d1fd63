//! The ways towards one switch that trees may take, and a tree that holds whatever the loads are.

use crate::paths::exits::{Exit, NO_EXIT, edge_by};
use crate::paths::path_space::PathSpace;
use weft_fabric::narrow;

/// A switch that routes lead to.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// The switch.
    pub(crate) switch: u32,
    /// Switches by ascending links of their way in the guide, the target left out.
    order: Vec<u32>,
    /// Per place in `order`: where its edges to switches with shorter ways begin; then their number.
    offsets: Vec<u32>,
    edges: Vec<u32>,
    /// Per switch: its way in the guide, a tree every path of which ascends the order of a lane.
    guide: Vec<Exit>,
}

impl Target {
    /// A target with a guide, a tree towards it.
    pub(crate) fn new(space: &PathSpace, switch: u32, guide: Vec<Exit>) -> Self {
        let mut links = vec![u32::MAX; guide.len()];
        links[switch as usize] = 0;
        let mut order: Vec<u32> = Vec::new();
        let mut path = Vec::new();
        for mut at in (0..).take(guide.len()) {
            while links[at as usize] == u32::MAX && guide[at as usize] != NO_EXIT {
                path.push(at);
                at = space.edge(edge_by(space, at, guide[at as usize])).to;
            }
            let mut known = links[at as usize];
            while let Some(at) = path.pop() {
                known += 1;
                links[at as usize] = known;
                order.push(at);
            }
        }
        order.sort_unstable_by_key(|&at| (links[at as usize], at));
        let (mut offsets, mut edges) = (vec![0], Vec::new());
        for &at in &order {
            let nearer = |&edge: &u32| links[space.edge(edge).to as usize] < links[at as usize];
            edges.extend(space.edge_ids(at).filter(nearer));
            offsets.push(narrow(edges.len(), "edges have numbers of 32 bits"));
        }
        Self {
            switch,
            order,
            offsets,
            edges,
            guide,
        }
    }

    /// The switches joined to the target by ascending links of their way in the guide, each
    /// with its edges to switches of fewer links.
    pub(crate) fn nearer(&self) -> impl DoubleEndedIterator<Item = (u32, &[u32])> {
        self.order.iter().enumerate().map(|(place, &at)| {
            let ends = [self.offsets[place], self.offsets[place + 1]].map(|end| end as usize);
            (at, &self.edges[ends[0]..ends[1]])
        })
    }

    /// The edge that a switch takes in the guide.
    pub(crate) fn guided(&self, space: &PathSpace, at: u32) -> u32 {
        edge_by(space, at, self.guide[at as usize])
    }
}
