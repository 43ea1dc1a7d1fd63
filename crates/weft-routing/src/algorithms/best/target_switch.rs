//! The ways towards one switch that trees may take, and a tree that holds whatever the loads are.

use crate::cycles::LaneOrders;
use crate::paths::{Exit, NO_EXIT, NextHops, PathSpace, Way, edge_by};

/// What trees grow on: orders of the channels, and the switches that the trees lead to.
#[derive(Clone, Debug)]
pub(super) struct Ground {
    pub(super) orders: LaneOrders,
    pub(super) targets: Vec<Target>,
    /// Per destination: its place in `targets`.
    pub(super) target_of: Vec<u32>,
}

impl Ground {
    pub(super) fn target(&self, destination: usize) -> &Target {
        &self.targets[self.target_of[destination] as usize]
    }
}

/// A switch that routes lead to.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) switch: u32,
    /// The ways to switches of fewer links, counted along the guide.
    nearer: NextHops,
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
        let nearer = NextHops::of(space, order, |at, edge| {
            links[edge.to as usize] < links[at as usize]
        });
        Self {
            switch,
            nearer,
            guide,
        }
    }

    /// The switches joined to the target by ascending links of their way in the guide, each
    /// with its ways to switches of fewer links.
    pub(crate) fn nearer(&self) -> impl DoubleEndedIterator<Item = (u32, &[Way])> {
        self.nearer.iter()
    }

    /// The way that a switch takes in the guide.
    pub(crate) fn guided(&self, space: &PathSpace, at: u32) -> Way {
        let edge = edge_by(space, at, self.guide[at as usize]);
        let to = space.edge(edge).to;
        Way { edge, to }
    }
}
