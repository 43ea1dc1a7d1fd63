//! The switches of a fabric as a graph: each pair of neighbours once, with the links between them.

use crate::{Fabric, LinkId, SwitchId, narrow};
use std::collections::BTreeSet;

/// A switch next to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Neighbour {
    pub(super) switch: u32,
    /// Links between the two.
    pub(super) links: u32,
}

/// Neighbours of every switch in ascending order, one row per switch.
#[derive(Clone, Debug)]
pub(super) struct SwitchGraph {
    offsets: Vec<usize>,
    neighbours: Vec<Neighbour>,
}

impl SwitchGraph {
    /// Reduces a fabric to its switches; cables back to the same switch are left out.
    pub(super) fn of(fabric: &Fabric) -> Self {
        Self::without(fabric, &BTreeSet::new())
    }

    /// Reduces a fabric so, as if it did not have some of its links.
    pub(super) fn without(fabric: &Fabric, links: &BTreeSet<LinkId>) -> Self {
        let mut graph = Self {
            offsets: vec![0],
            neighbours: Vec::new(),
        };
        let mut row: Vec<u32> = Vec::new();
        for switch in fabric.switch_ids() {
            row.clear();
            let hops = fabric.hops(switch).iter();
            let hops = hops.filter(|hop| !links.contains(&hop.channel.link()));
            row.extend(hops.map(|hop| hop.switch.number()));
            row.sort_unstable();
            for same in row.chunk_by(|a, b| a == b) {
                graph.neighbours.push(Neighbour {
                    switch: same[0],
                    links: narrow(same.len(), "a switch has at most 254 ports"),
                });
            }
            graph.offsets.push(graph.neighbours.len());
        }
        graph
    }

    pub(super) fn switch_count(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Counts the pairs of neighbours, in both orders.
    pub(super) fn arc_count(&self) -> usize {
        self.neighbours.len()
    }

    pub(super) fn of_switch(&self, switch: usize) -> &[Neighbour] {
        &self.neighbours[self.offsets[switch]..self.offsets[switch + 1]]
    }

    /// Where the row of a switch starts among all neighbours.
    pub(super) fn row_start(&self, switch: usize) -> usize {
        self.offsets[switch]
    }

    /// Gives every switch that is joined to leaves its links to the nearest.
    pub(super) fn distances_from(&self, leaves: &[SwitchId], levels: &mut [Option<u32>]) {
        let mut order = leaves.to_vec();
        for leaf in leaves {
            levels[leaf.index()] = Some(0);
        }
        let mut next = 0;
        while let Some(&switch) = order.get(next) {
            next += 1;
            let above = levels[switch.index()].map(|level| level + 1);
            for neighbour in self.of_switch(switch.index()) {
                let there = SwitchId::new(neighbour.switch);
                if levels[there.index()].is_none() {
                    levels[there.index()] = above;
                    order.push(there);
                }
            }
        }
    }
}
