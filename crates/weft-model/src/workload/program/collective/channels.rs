//! Rings, trees and chains as NCCL has them: several at once, piece by piece, node by node.

use super::Member;
use super::circle::{Circle, distances};
use super::flow::{Channel, Flow, Slot};
use super::parts::{Parts, piece_bytes};
use super::pipeline::Pipeline;
use super::rails::{Crossing, passed_by};
use super::rooted::part_bytes;
use weft_fabric::narrow;

/// What travels round a ring.
struct Round<'a> {
    /// The rounds that it takes, for each piece.
    rounds: usize,
    /// In how many of these what comes is combined.
    combining: usize,
    /// How many places before the own one the part is that is given first.
    behind: usize,
    /// Length of the part of a place of the circle.
    part: &'a dyn Fn(usize) -> u64,
}

/// The neighbours of a rank in a tree.
struct Branch {
    parent: Option<u32>,
    children: Vec<u32>,
}

impl Member<'_> {
    /// All ranks, those of each node turned by as many as the channel's number.
    fn circle(&self, channel: u32, per_node: u32) -> Circle {
        let turned = |rank: u32| {
            let (node, place) = (rank / per_node, rank % per_node);
            node * per_node + (place + channel) % per_node
        };
        let ranks: Vec<u32> = (0..self.ranks).map(turned).collect();
        self.circle_of(ranks)
    }

    fn circle_of(&self, ranks: Vec<u32>) -> Circle {
        let own = ranks.iter().position(|&rank| rank == self.rank);
        // Invariant: the own rank is in each of its circles.
        let own = own.unwrap_or_else(|| unreachable!("rank {} is in its circle", self.rank));
        Circle { ranks, own }
    }

    /// A flow round a ring: in each round a part goes to the next and another comes from the one before.
    fn ring(circle: &Circle, channel: u32, pipeline: Pipeline, round: &Round<'_>) -> Flow {
        let count = circle.ranks.len();
        let longest = (0..count).map(round.part).max().unwrap_or(0);
        let slices = pipeline.slices as usize;
        let chunks = pipeline.pieces(longest);
        let pieces = chunks * u64::from(pipeline.slices);
        let mut slots = Vec::new();
        for chunk in 0..chunks {
            for number in 0..round.rounds {
                for slice in 0..pipeline.slices {
                    let index = chunk * u64::from(pipeline.slices) + u64::from(slice);
                    // The part that is given, and the one before it, which comes.
                    let place = (circle.own + 2 * count - round.behind - number % count) % count;
                    let before = (place + count - 1) % count;
                    let combines = number < round.combining;
                    slots.push(Slot {
                        from: vec![circle.previous()],
                        combined: if combines {
                            piece_bytes((round.part)(before), index, pieces)
                        } else {
                            0
                        },
                        to: vec![circle.at(1)],
                        bytes: piece_bytes((round.part)(place), index, pieces),
                        after: Vec::from_iter(slots.len().checked_sub(slices)),
                    });
                }
            }
        }
        Flow {
            channel: Channel::Number(channel),
            in_flight: pipeline.in_flight as usize,
            slots,
        }
    }

    /// Each channel has a ring of all ranks and its share of each part.
    fn rings(
        &mut self,
        pipeline: Pipeline,
        (rounds, combining, behind): (u32, u32, usize),
        part: &dyn Fn(u32) -> u64,
    ) {
        let mut flows = Vec::new();
        for channel in 0..pipeline.channels {
            let circle = self.circle(channel, pipeline.per_node);
            let round = Round {
                rounds: rounds as usize,
                combining: combining as usize,
                behind,
                part: &|place| part_bytes(part(circle.ranks[place]), channel, 1, pipeline.channels),
            };
            let mut flow = Self::ring(&circle, channel, pipeline, &round);
            let width = pipeline.per_node as usize;
            if pipeline.pxn > 0 && width > 1 && circle.ranks.len() > width {
                let crossing = Crossing::of(&circle, width);
                for slot in &mut flow.slots {
                    (slot.from, slot.to) = (vec![crossing.from], vec![crossing.to]);
                }
                if let Some(ends) = crossing.relay {
                    let last = circle.further(width - 1);
                    let relayed = Self::ring(&last, channel, pipeline, &round);
                    flows.push(passed_by(relayed, ends));
                }
            }
            flows.push(flow);
        }
        self.flow(&flows);
    }

    pub(super) fn all_reduce_ring(&mut self, pipeline: Pipeline, bytes: u64) {
        let ranks = self.ranks;
        let rounds = (2 * (ranks - 1), ranks - 1, 0);
        self.rings(pipeline, rounds, &|part| part_bytes(bytes, part, 1, ranks));
    }

    pub(super) fn reduce_scatter_ring(&mut self, pipeline: Pipeline, parts: Parts) {
        let rounds = self.ranks - 1;
        self.rings(pipeline, (rounds, rounds, 1), &|rank| parts.of(rank));
    }

    pub(super) fn all_gather_ring(&mut self, pipeline: Pipeline, parts: Parts) {
        self.rings(pipeline, (self.ranks - 1, 0, 0), &|rank| parts.of(rank));
    }

    /// In each node a reduce-scatter by a ring, then among the ranks with the same place in their nodes an
    /// all-reduce of what they hold, then in each node an all-gather.
    pub(super) fn all_reduce_hierarchical(&mut self, pipeline: Pipeline, bytes: u64) {
        let (width, nodes) = (pipeline.per_node, self.ranks / pipeline.per_node);
        let (node, place) = (self.rank / width, self.rank % width);
        let inside = self.circle_of((0..width).map(|place| node * width + place).collect());
        let across = self.circle_of((0..nodes).map(|node| node * width + place).collect());
        let of = |place: usize| piece_bytes(bytes, place as u64, width.into());
        let own = of(place as usize);
        let of_own = |node: usize| piece_bytes(own, node as u64, nodes.into());
        let (others, other_nodes) = (width as usize - 1, nodes as usize - 1);
        let steps = [
            (&inside, others, others, 1, &of as &dyn Fn(usize) -> u64),
            (&across, 2 * other_nodes, other_nodes, 0, &of_own),
            (&inside, others, 0, 0, &of),
        ];
        for (circle, rounds, combining, behind, part) in steps {
            let round = Round {
                rounds,
                combining,
                behind,
                part,
            };
            let flow = Self::ring(circle, 0, pipeline, &round);
            self.flow(&[flow]);
        }
    }

    /// The own branch in a channel's tree: a binary tree of nodes, in each of which a chain of its ranks hangs
    /// on the first.
    fn branch(&self, channel: u32, pipeline: Pipeline, is_second: bool) -> Branch {
        let (width, nodes) = (pipeline.per_node, self.ranks / pipeline.per_node);
        let node = self.rank / width;
        let first = channel % width;
        let rank_of = |node: u32, place: u32| node * width + (first + place) % width;
        let place = (self.rank % width + width - first) % width;
        let next = (place + 1 < width).then(|| rank_of(node, place + 1));
        if place > 0 {
            return Branch {
                parent: Some(rank_of(node, place - 1)),
                children: Vec::from_iter(next),
            };
        }
        let (parent, children) = if is_second {
            second_tree(node, nodes)
        } else {
            binary_tree(node, nodes)
        };
        let children = children.into_iter().map(|child| rank_of(child, 0));
        Branch {
            parent: parent.map(|parent| rank_of(parent, 0)),
            children: children.chain(next).collect(),
        }
    }

    /// Pieces go up each channel's tree, combined on the way, and down again beside those that still go up.
    pub(super) fn all_reduce_trees(&mut self, pipeline: Pipeline, bytes: u64, is_double: bool) {
        let mut flows = Vec::new();
        for channel in 0..pipeline.channels {
            let is_second = is_double && channel >= pipeline.channels / 2;
            let branch = self.branch(channel, pipeline, is_second);
            let share = part_bytes(bytes, channel, 1, pipeline.channels);
            let up = branch.parent.as_slice();
            let down = branch.children.as_slice();
            let lines = match branch.parent {
                None => vec![(down, share, down)],
                Some(_) if down.is_empty() => vec![(&[][..], 0, up), (up, 0, &[][..])],
                Some(_) => vec![(down, share, up), (up, 0, down)],
            };
            flows.extend(lines.into_iter().map(|(from, combined, to)| {
                passed_on(channel, pipeline, share, from, combined, to)
            }));
        }
        self.flow(&flows);
    }

    /// Pieces go from the root along each channel's ring, to its last rank.
    pub(super) fn broadcast_chain(&mut self, pipeline: Pipeline, root: u32, bytes: u64) {
        self.chains(pipeline, root, bytes, false);
    }

    /// Pieces go from the rank after the root along each channel's ring to the root, combined on the way.
    pub(super) fn reduce_chain(&mut self, pipeline: Pipeline, root: u32, bytes: u64) {
        self.chains(pipeline, root, bytes, true);
    }

    fn chains(&mut self, pipeline: Pipeline, root: u32, bytes: u64, to_root: bool) {
        let flows: Vec<Flow> = (0..pipeline.channels)
            .map(|channel| {
                let circle = self.circle(channel, pipeline.per_node);
                // Between these two the ring is cut.
                let (last, first) = if to_root {
                    (self.rank == root, circle.previous() == root)
                } else {
                    (circle.at(1) == root, self.rank == root)
                };
                let from: Vec<u32> = (!first).then(|| circle.previous()).into_iter().collect();
                let to: Vec<u32> = (!last).then(|| circle.at(1)).into_iter().collect();
                let share = part_bytes(bytes, channel, 1, pipeline.channels);
                let combined = if to_root { share } else { 0 };
                passed_on(channel, pipeline, share, &from, combined, &to)
            })
            .collect();
        self.flow(&flows);
    }

    /// Rounds node by node: in each a rank sends to one so many nodes and places further on, and receives from
    /// one as many before, by distances that differ much from one round to the next.
    pub(super) fn exchange_by_node(
        &mut self,
        pipeline: Pipeline,
        bytes: impl Fn(u32) -> Option<u64>,
        sends: impl Fn(u32) -> bool,
    ) {
        let (width, nodes) = (pipeline.per_node, self.ranks / pipeline.per_node);
        let (node, place) = (self.rank / width, self.rank % width);
        let mut slots = Vec::new();
        for node_distance in distances(nodes) {
            for distance in distances(width) {
                if node_distance == 0 && distance == 0 {
                    continue;
                }
                let rank_of = |node: u32, place: u32| (node % nodes) * width + place % width;
                let to = rank_of(node + node_distance, place + distance);
                let from = rank_of(node + nodes - node_distance, place + width - distance);
                let given = bytes(to);
                slots.push(Slot {
                    from: sends(from).then_some(from).into_iter().collect(),
                    combined: 0,
                    to: given.map(|_| to).into_iter().collect(),
                    bytes: given.unwrap_or(0),
                    after: Vec::new(),
                });
            }
        }
        slots.retain(|slot| !(slot.from.is_empty() && slot.to.is_empty()));
        let in_flight = pipeline.in_flight as usize;
        self.flow(&[Flow {
            channel: Channel::Distance,
            in_flight,
            slots,
        }]);
    }
}

/// Pieces of a share that come from some ranks and go on to others.
fn passed_on(
    channel: u32,
    pipeline: Pipeline,
    share: u64,
    from: &[u32],
    combined: u64,
    to: &[u32],
) -> Flow {
    let pieces = pipeline.pieces(share);
    let slot = |number: u64| Slot {
        from: from.to_vec(),
        combined: piece_bytes(combined, number, pieces),
        to: to.to_vec(),
        bytes: piece_bytes(share, number, pieces),
        after: vec![narrow(number, "pieces are counted in memory")],
    };
    Flow {
        channel: Channel::Number(channel),
        in_flight: pipeline.in_flight as usize,
        slots: (0..pieces).map(slot).collect(),
    }
}

/// NCCL's binary tree, in which leaves and others alternate: the parent, none at 0, and the children.
fn binary_tree(node: u32, nodes: u32) -> (Option<u32>, Vec<u32>) {
    if node == 0 {
        let child = (nodes > 1).then(|| nodes.next_power_of_two() / 2);
        return (None, Vec::from_iter(child));
    }
    let bit = 1 << node.trailing_zeros();
    let above = (node ^ bit) | (bit << 1);
    let parent = if above < nodes { above } else { node ^ bit };
    let mut children = Vec::new();
    if bit > 1 {
        children.push(node - bit / 2);
        let steps = std::iter::successors(Some(bit / 2), |&step| (step > 1).then_some(step / 2));
        children.extend(steps.map(|step| node + step).find(|&child| child < nodes));
    }
    (Some(parent), children)
}

/// The second tree of a double one: the first mirrored where the number of nodes is even, else shifted by one.
fn second_tree(node: u32, nodes: u32) -> (Option<u32>, Vec<u32>) {
    let is_mirrored = nodes.is_multiple_of(2);
    let there = |node: u32| {
        if is_mirrored {
            nodes - 1 - node
        } else {
            (node + nodes - 1) % nodes
        }
    };
    let back = |node: u32| {
        if is_mirrored {
            nodes - 1 - node
        } else {
            (node + 1) % nodes
        }
    };
    let (parent, children) = binary_tree(there(node), nodes);
    (parent.map(back), children.into_iter().map(back).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_are_those_of_the_comments_in_nccl() {
        let parents = |nodes: u32, tree: fn(u32, u32) -> (Option<u32>, Vec<u32>)| {
            let parent = |node| tree(node, nodes).0;
            (0..nodes).map(parent).collect::<Vec<_>>()
        };
        let some = |numbers: &[i64]| -> Vec<Option<u32>> {
            let number = |&number: &i64| u32::try_from(number).ok();
            numbers.iter().map(number).collect()
        };
        // `src/graph/trees.cc`, illustrations of ncclGetDtree: 12 nodes are mirrored, 13 shifted.
        let first = [-1, 2, 4, 2, 8, 6, 4, 6, 0, 10, 8, 10];
        assert_eq!(parents(12, binary_tree), some(&first));
        let mirrored = [1, 3, 1, 11, 5, 7, 5, 3, 9, 7, 9, -1];
        assert_eq!(parents(12, second_tree), some(&mirrored));
        let shifted = [9, -1, 3, 5, 3, 9, 7, 5, 7, 1, 11, 0, 11];
        assert_eq!(parents(13, second_tree), some(&shifted));
    }

    #[test]
    fn each_parent_has_its_children_and_inside_of_one_tree_is_a_leaf_of_the_other() {
        for nodes in 2..=64 {
            for tree in [binary_tree, second_tree] {
                for node in 0..nodes {
                    let (parent, children) = tree(node, nodes);
                    for child in children {
                        assert_eq!(tree(child, nodes).0, Some(node), "{child} of {nodes}");
                    }
                    if let Some(parent) = parent {
                        let siblings = tree(parent, nodes).1;
                        assert!(siblings.contains(&node), "{node} of {nodes}");
                        assert!(siblings.len() <= 2);
                    }
                }
                let roots = (0..nodes).filter(|&node| tree(node, nodes).0.is_none());
                assert_eq!(roots.count(), 1);
            }
            // Nobody has two children in both trees, so that nobody sends more than the data once up and
            // twice down.
            let both = (0..nodes).filter(|&node| {
                binary_tree(node, nodes).1.len() == 2 && second_tree(node, nodes).1.len() == 2
            });
            assert_eq!(both.count(), 0, "{nodes} nodes");
        }
    }
}
