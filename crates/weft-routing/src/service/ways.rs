//! Ways to one switch after the other that close no cycle with the routes there are.

use super::{Ends, lane_number};
use crate::cycles::{AcyclicDependencies, Dependencies};
use crate::form::{Lane, RouteHop, Routes};
use crate::paths::PathSpace;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use weft_fabric::{PortNumber, SwitchId, metrics, narrow};

/// What routes hold and want, edges of lanes, and more ways beside them.
pub(super) struct Ways<'a> {
    pub(super) space: &'a PathSpace,
    lanes: usize,
    /// `None` where the routes there are have a cycle: then there is none to keep out.
    held: Option<AcyclicDependencies>,
    /// Per switch: links to the one that new turns are made near.
    from_middle: Vec<u32>,
}

/// A way on that may be taken: whether it makes a new turn, how far from the middle that is, the links of the
/// whole way, and the edge.
type Open = Reverse<(bool, u32, u32, u32)>;

/// The way on from every switch to one of them.
pub(super) struct Tree {
    to: u32,
    /// Per switch: the edge it goes by.
    next: Vec<Option<u32>>,
    /// Per switch: the lane of its way.
    lanes: Vec<u8>,
}

impl<'a> Ways<'a> {
    /// Beside the routes of the compute part.
    pub(super) fn beside(ends: &Ends<'_>, space: &'a PathSpace, routes: &Routes) -> Self {
        let lanes = usize::from(routes.lane_count().max(1));
        let mut wanted = Dependencies::new(space.edge_count() * lanes);
        let mut way: Vec<u32> = Vec::new();
        let mut add = |way: &mut Vec<u32>| {
            for pair in way.windows(2).filter(|pair| pair[0] != pair[1]) {
                if wanted.uses(pair[0], pair[1]) == 0 {
                    wanted.add(pair[0], pair[1]);
                }
            }
            way.clear();
        };
        for shared in routes.shared(ends.compute) {
            for step in routes.walk_shared(ends.compute, &shared) {
                match step.hop {
                    Ok(RouteHop::Channel(_)) => {
                        let edge = space.edge_by_port(step.switch.number(), step.port);
                        way.extend(edge.map(|edge| vertex(edge, lanes, step.lane.index())));
                    }
                    // A stop lets go of all channels.
                    Ok(RouteHop::InTransit(_)) | Err(_) => add(&mut way),
                }
            }
            add(&mut way);
        }
        let held = wanted.ranks().map(|ranks| {
            let mut held = AcyclicDependencies::with_ranks(ranks);
            for vertex in (0..).take(space.edge_count() * lanes) {
                for &(other, _) in wanted.wanted(vertex) {
                    let is_added = held.add(vertex, other);
                    debug_assert!(is_added, "what ascends closes no cycle");
                }
            }
            held
        });
        let first = ends.compute.switches_with_hosts().next();
        let from_middle = first.map(|leaf| metrics::distances_from(ends.fabric, leaf));
        Self {
            lanes,
            held,
            from_middle: from_middle.unwrap_or_else(|| vec![0; space.switch_count()]),
            space,
        }
    }

    /// Holds a way on one lane, all of it or, if that closes a cycle, none; and tells which.
    pub(super) fn hold(&mut self, lane: usize, way: &[u32]) -> bool {
        let lanes = self.lanes;
        let Some(held) = &mut self.held else {
            return true;
        };
        let vertices: Vec<u32> = way.iter().map(|&edge| vertex(edge, lanes, lane)).collect();
        held.add_route(&vertices)
    }

    /// The first lane that can hold a way, which it does then.
    pub(super) fn hold_on_any(&mut self, way: &[u32]) -> Option<u8> {
        let lanes = self.lanes;
        (0..lanes)
            .find(|&lane| self.hold(lane, way))
            .map(lane_number)
    }

    /// Tells whether a turn is held on some lane as it is.
    fn is_held(&self, turn: [u32; 2]) -> bool {
        let Some(held) = &self.held else { return true };
        (0..self.lanes).any(|lane| {
            let [one, other] = turn.map(|edge| vertex(edge, self.lanes, lane));
            held.uses(one, other) > 0
        })
    }

    /// Leads every switch that it can to one of them: by turns that are held already before any others, and
    /// by new ones as near to one leaf as may be. Turns from down to up that are all made near one leaf of
    /// a tree close no cycle, as between two of them there is no way but over the top.
    pub(super) fn lead_to(&mut self, to: u32) -> Tree {
        let count = self.space.switch_count();
        let mut tree = Tree {
            to,
            next: vec![None; count],
            lanes: vec![0; count],
        };
        let mut open = BinaryHeap::new();
        self.open(&tree, to, 0, &mut open);
        while let Some(Reverse((_, _, links, edge))) = open.pop() {
            let at = self.space.tail(edge);
            if at == to || tree.next[at as usize].is_some() {
                continue;
            }
            tree.next[at as usize] = Some(edge);
            match self.hold_on_any(&tree.way(self.space, at)) {
                Some(lane) => {
                    tree.lanes[at as usize] = lane;
                    self.open(&tree, at, links, &mut open);
                }
                None => tree.next[at as usize] = None,
            }
        }
        tree
    }

    /// Adds the edges into a switch whose way is known.
    fn open(&self, tree: &Tree, at: u32, links: u32, open: &mut BinaryHeap<Open>) {
        for back in self.space.edges_of(at) {
            if back.to != tree.to && tree.next[back.to as usize].is_none() {
                let next = tree.next[at as usize];
                let is_new = next.is_some_and(|next| !self.is_held([back.reverse, next]));
                let distance = if is_new {
                    self.from_middle[at as usize]
                } else {
                    0
                };
                open.push(Reverse((is_new, distance, links + 1, back.reverse)));
            }
        }
    }
}

impl Tree {
    /// Whether a switch is led to the end.
    pub(super) fn joins(&self, from: u32) -> bool {
        from == self.to || self.next[from as usize].is_some()
    }

    /// The port that a switch goes on by.
    pub(super) fn port(&self, space: &PathSpace, at: SwitchId) -> Option<PortNumber> {
        self.next[at.index()].map(|edge| space.edge(edge).port)
    }

    /// The lane of the way from a switch.
    pub(super) fn lane(&self, from: u32) -> Lane {
        Lane::new(self.lanes[from as usize])
    }

    /// The way from a switch.
    pub(super) fn way(&self, space: &PathSpace, from: u32) -> Vec<u32> {
        let mut way = Vec::new();
        let mut at = from;
        while let Some(edge) = self.next[at as usize] {
            way.push(edge);
            at = space.edge(edge).to;
        }
        way
    }
}

fn vertex(edge: u32, lanes: usize, lane: usize) -> u32 {
    narrow(
        edge as usize * lanes + lane,
        "a fabric has fewer than 2^32 channels of lanes",
    )
}
