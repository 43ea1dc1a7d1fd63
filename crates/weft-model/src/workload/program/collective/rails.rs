//! Nodes with an adapter for each rank, the rails of a network: what is for a rank of another node goes first to the
//! rank of the own node on that one's rail, inside the node, and from there over the network of the rail, as NCCL's
//! PXN (PCI × `NVLink`) does.
//!
//! A rank's place in its node is its rail.
//!
//! Sources: NCCL 2.23, `src/graph/search.cc` (`ncclTopoGetNetDev`: the adapter is that of the local rank with the
//! peer's place); NVIDIA, Doubling all2all performance with NVIDIA Collective Communication Library 2.12, 2022, for what
//! is sent together.

use super::Member;
use super::circle::{Circle, distances};
use super::flow::{Channel, Flow, Slot};
use super::pipeline::Pipeline;

/// The ends of a ring at one rank, where it goes from node to node on one rail.
pub(super) struct Crossing {
    /// The rank before, or at the node's first that of the node before it.
    pub(super) from: u32,
    /// The rank after, or at the node's last its first.
    pub(super) to: u32,
    /// At the node's first: its last, whose parts it passes on, and the first of the node after.
    pub(super) relay: Option<(u32, u32)>,
}

impl Crossing {
    /// The own one in a circle of nodes, in each of which as many ranks follow each other.
    pub(super) fn of(circle: &Circle, per_node: usize) -> Self {
        let count = circle.ranks.len();
        let place = circle.own % per_node;
        let is_last = place + 1 == per_node;
        let (back, on) = (count - per_node, count + 1 - per_node);
        Self {
            from: circle.at(if place == 0 { back } else { count - 1 }),
            to: circle.at(if is_last { on } else { 1 }),
            relay: (place == 0).then(|| (circle.at(per_node - 1), circle.at(per_node))),
        }
    }
}

/// What a rank passes on as it is: all that another sends of a flow.
pub(super) fn passed_by(flow: Flow, (from, to): (u32, u32)) -> Flow {
    let slot = |(number, slot): (usize, Slot)| Slot {
        from: vec![from],
        combined: 0,
        to: vec![to],
        bytes: slot.bytes,
        after: vec![number],
    };
    Flow {
        slots: flow.slots.into_iter().enumerate().map(slot).collect(),
        ..flow
    }
}

impl Member<'_> {
    /// An exchange of all with all, node by node: parts for another node go to the ranks of the own node on their
    /// rails, and from each as many together as it says. `given` tells what a rank of the own node has for another, if
    /// it is anything, `sends` whether one of another node has something for this one.
    pub(super) fn exchange_by_rail(
        &mut self,
        pipeline: Pipeline,
        given: impl Fn(u32, u32) -> Option<u64>,
        sends: impl Fn(u32) -> bool,
    ) {
        let (width, nodes) = (pipeline.per_node, self.ranks / pipeline.per_node);
        let (node, place) = (self.rank / width, self.rank % width);
        let rank_of = |node: u32, place: u32| (node % nodes) * width + place % width;
        // The ranks of a node whose parts are on the own rail, the one that is there first.
        let giver = |node: u32, part: u32| rank_of(node, place + width - part);
        let together = match pipeline.aggregate {
            0 => width,
            most => most.min(width),
        };
        let mut slots = Vec::new();
        for distance in distances(nodes) {
            let first = slots.len();
            let receiver = rank_of(node + distance, place);
            for places in 1..width {
                let from = giver(node, places);
                let bytes = given(self.rank, rank_of(node + distance, place + places));
                slots.push(Slot {
                    from: Vec::from_iter(given(from, receiver).map(|_| from)),
                    to: Vec::from_iter(bytes.map(|_| rank_of(node, place + places))),
                    bytes: bytes.unwrap_or(0),
                    ..Slot::default()
                });
            }
            if distance == 0 {
                continue;
            }
            let before = node + nodes - distance;
            // Of the parts that go on, the own one is there; each other is that of a slot.
            for begin in (0..width).step_by(together as usize) {
                let end = (begin + together).min(width);
                let lengths = (begin..end).filter_map(|part| given(giver(node, part), receiver));
                let lengths: Vec<u64> = lengths.collect();
                let comes = (begin..end).any(|part| sends(giver(before, part)));
                let after = (begin.max(1)..end).map(|part| first + part as usize - 1);
                slots.push(Slot {
                    from: Vec::from_iter(comes.then(|| rank_of(before, place))),
                    to: Vec::from_iter((!lengths.is_empty()).then_some(receiver)),
                    bytes: lengths.iter().sum(),
                    after: after.collect(),
                    ..Slot::default()
                });
            }
        }
        self.flow(&[Flow {
            channel: Channel::Number(0),
            in_flight: pipeline.in_flight as usize,
            slots,
        }]);
    }
}
