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

    /// Gives every destination a target of its own.
    pub(super) fn part_targets(&mut self) {
        let target = |&place: &u32| self.targets[place as usize].clone();
        self.targets = self.target_of.iter().map(target).collect();
        self.target_of = (0..).take(self.targets.len()).collect();
    }

    /// Changes the target of a destination, and of all that share it.
    pub(super) fn set_target(&mut self, destination: usize, target: Target) {
        self.targets[self.target_of[destination] as usize] = target;
    }
}

/// A switch that routes lead to.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) switch: u32,
    /// The ways to nearer switches, by lengths along the guide.
    nearer: NextHops,
    /// Per switch: its way in the guide, a tree every path of which ascends the order of a lane.
    guide: Vec<Exit>,
}

impl Target {
    /// A target with a guide, a tree towards it.
    ///
    /// Lengths of edges are positive, and not so different that one vanishes beside another.
    pub(crate) fn new(
        space: &PathSpace,
        switch: u32,
        guide: Vec<Exit>,
        length: impl Fn(u32) -> f64,
    ) -> Self {
        let (order, distances) = nearest_first(space, switch, &guide, length);
        let distance = |at: u32| distances[at as usize];
        let nearer = NextHops::of(space, order, |at, edge| distance(edge.to) < distance(at));
        Self {
            switch,
            nearer,
            guide,
        }
    }

    /// The switches joined to the target by ascending length of their way in the guide, each
    /// with its ways to nearer switches.
    pub(crate) fn nearer(&self) -> impl DoubleEndedIterator<Item = (u32, &[Way])> {
        self.nearer.iter()
    }

    /// The switch joined to the target that so many others are nearer than, with its ways to nearer ones.
    #[inline]
    pub(super) fn nearer_at(&self, place: usize) -> Option<(u32, &[Way])> {
        self.nearer.get(place)
    }

    /// The switches joined to the target, but so many of the nearest.
    pub(super) fn nearer_from(&self, place: usize) -> &[u32] {
        self.nearer.switches_from(place)
    }

    /// The switches joined to the target, each before all that are nearer.
    pub(crate) fn farthest_first(&self) -> impl Iterator<Item = u32> + Clone {
        self.nearer.switches().rev()
    }

    /// The way that a switch takes in the guide.
    pub(crate) fn guided(&self, space: &PathSpace, at: u32) -> Way {
        let edge = edge_by(space, at, self.guide[at as usize]);
        let to = space.edge(edge).to;
        Way { edge, to }
    }
}

/// The switches that a tree joins to one, by ascending length of their ways, and the lengths, infinite for others.
///
/// Shapes: `exits`, per switch its way; the lengths, per switch.
pub(super) fn nearest_first(
    space: &PathSpace,
    switch: u32,
    exits: &[Exit],
    length: impl Fn(u32) -> f64,
) -> (Vec<u32>, Vec<f64>) {
    let mut distances = vec![f64::INFINITY; exits.len()];
    distances[switch as usize] = 0.0;
    let mut order: Vec<u32> = Vec::new();
    let mut path = Vec::new();
    for mut at in (0..).take(exits.len()) {
        while distances[at as usize].is_infinite() && exits[at as usize] != NO_EXIT {
            path.push(at);
            at = space.edge(edge_by(space, at, exits[at as usize])).to;
        }
        let mut known = distances[at as usize];
        while let Some(at) = path.pop() {
            known += length(edge_by(space, at, exits[at as usize]));
            distances[at as usize] = known;
            order.push(at);
        }
    }
    // Lengths are not negative: their bits are ordered as they are.
    let distance = |at: u32| distances[at as usize].to_bits();
    let mut keys: Vec<(u64, u32)> = order.iter().map(|&at| (distance(at), at)).collect();
    keys.sort_unstable();
    (keys.into_iter().map(|(_, at)| at).collect(), distances)
}
