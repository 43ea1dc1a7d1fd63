//! A tree of links that all switches are joined by, whose turns are held as if packets made them: whatever else is held
//! beside them, by the tree there is a way from each switch to each.

use super::{Draining, Sure};
use crate::form::Lane;
use crate::joining::{HeldLanes, LaneStep};
use crate::paths::PathSpace;
use crate::repair::failed_parts::Left;
use crate::repair::legal_turns::joined;
use crate::repair::mending::Apart;
use std::collections::{BTreeSet, VecDeque};

/// So many switches are tried as roots.
const MOST_ROOTS: usize = 32;

/// All ways to a destination are led anew beside a tree once by any links, and then by those of the tree.
pub(super) const MOST_ANEW: u8 = 2;

/// Links that join switches without a ring, and the turns between any two of them that meet, on one lane.
///
/// # Source
/// That ways which may go anywhere are kept free of deadlock beside a tree which each finds a way by is as in Domke,
/// Hoefler, Matsuoka, "Routing on the dependency graph: a new approach to deadlock-free high-performance routing",
/// High-Performance Parallel and Distributed Computing, 2016, §4.
#[derive(Clone, Debug)]
pub(super) struct SpareTree {
    /// Per edge: whether it is one of either direction of a link of the tree.
    is_in: Vec<bool>,
    /// Per switch: whether it is joined.
    is_joined: Vec<bool>,
    turns: BTreeSet<[LaneStep; 2]>,
}

impl SpareTree {
    /// Tells whether a link of the tree is gone over.
    pub(super) fn has(&self, edge: u32) -> bool {
        self.is_in[edge as usize]
    }

    /// Lets go of the turns again.
    fn release(&self, held: &mut HeldLanes) {
        for turn in &self.turns {
            held.release(turn);
        }
    }

    /// Holds turns again beside what they were held beside before.
    fn hold_again(&self, held: &mut HeldLanes) {
        for turn in &self.turns {
            let holds = held.hold(turn);
            debug_assert!(holds, "a turn that held closes a cycle in another order");
        }
    }

    /// Joins all switches that can be joined to one beside what is held.
    fn of_root(space: &PathSpace, held: &mut HeldLanes, left: &Left, root: u32) -> Self {
        let mut is_joined = vec![false; space.switch_count()];
        is_joined[root as usize] = true;
        let mut tree = Self {
            is_in: vec![false; space.edge_count()],
            is_joined,
            turns: BTreeSet::new(),
        };
        tree.grow(space, held, left, root);
        tree
    }

    /// The turns that a link more makes with those of the tree: to the switch that it leads away from, and back.
    fn turns_with(&self, space: &PathSpace, edge: u32) -> Vec<[LaneStep; 2]> {
        let back = space.edge(edge).reverse;
        let others = space.edge_ids(space.tail(edge));
        let others = others.filter(|&other| self.has(other));
        let turns = others.flat_map(|other| [[back, other], [space.edge(other).reverse, edge]]);
        turns
            .map(|turn| turn.map(|edge| (edge, Lane::ZERO)))
            .collect()
    }

    /// Joins the switch that an edge leads to, and tells whether the turns are held.
    fn join(&mut self, space: &PathSpace, held: &mut HeldLanes, edge: u32) -> bool {
        let turns = self.turns_with(space, edge);
        for (place, turn) in turns.iter().enumerate() {
            if !held.hold(turn) {
                for turn in &turns[..place] {
                    held.release(turn);
                }
                return false;
            }
        }
        self.turns.extend(turns);
        let [to, back] = [space.edge(edge).to, space.edge(edge).reverse];
        self.is_joined[to as usize] = true;
        self.is_in[edge as usize] = true;
        self.is_in[back as usize] = true;
        true
    }

    /// Joins all switches that can be beside what is held, those first that are nearest to one that is joined.
    fn grow(&mut self, space: &PathSpace, held: &mut HeldLanes, left: &Left, from: u32) {
        let mut open = VecDeque::from([from]);
        while let Some(at) = open.pop_front() {
            for edge in space
                .edge_ids(at)
                .filter(|&edge| is_whole(space, left, edge))
            {
                let to = space.edge(edge).to;
                if !self.is_joined[to as usize] && self.join(space, held, edge) {
                    open.push_back(to);
                }
            }
        }
    }
}

/// Tells whether both directions of a link are left.
fn is_whole(space: &PathSpace, left: &Left, edge: u32) -> bool {
    left.has(edge) && left.has(space.edge(edge).reverse)
}

impl Draining {
    /// Leads all switches that send beside a tree that all are led by in the end.
    pub(super) fn lead_all_beside_tree(&mut self) -> Result<(), Apart> {
        let Some(any) = self.first_apart() else {
            return Ok(());
        };
        self.sure = Sure::Tree(self.spare_tree().ok_or(any)?);
        let mut open: BTreeSet<usize> = self.apart.keys().copied().collect();
        loop {
            while let Some(destination) = open.pop_first() {
                self.lead(destination);
            }
            let Some(apart) = self.first_apart() else {
                if let Sure::Tree(tree) = &self.sure {
                    tree.release(&mut self.tables.held);
                }
                return Ok(());
            };
            if self.begin_anew(apart.destination) > MOST_ANEW {
                return Err(apart);
            }
            self.let_go_of_all(apart.destination);
            open.insert(apart.destination);
        }
    }

    /// Grows a tree beside the ways that are whole, as far as some root can; others let go of the ways that fewest are.
    /// `None` where even so it joins not all.
    fn spare_tree(&mut self) -> Option<SpareTree> {
        let (plan, left) = (self.plan.clone(), self.left.clone());
        let space = &plan.space;
        let in_part = joined(space, &left);
        let part: Vec<u32> = (0..)
            .zip(&in_part)
            .filter(|of| *of.1)
            .map(|of| of.0)
            .collect();
        let step = part.len().div_ceil(MOST_ROOTS).max(1);
        let held = &mut self.tables.held;
        let mut best: Option<(usize, SpareTree)> = None;
        for &root in part.iter().step_by(step) {
            let tree = SpareTree::of_root(space, held, &left, root);
            let count = tree.is_joined.iter().filter(|is| **is).count();
            if count == part.len() {
                return Some(tree);
            }
            tree.release(held);
            if best.as_ref().is_none_or(|(most, _)| count > *most) {
                best = Some((count, tree));
            }
        }
        let (_, mut tree) = best?;
        tree.hold_again(held);
        while let Some(edge) = self.nearest_to(&tree, &part) {
            while !tree.join(space, &mut self.tables.held, edge) {
                let turn = self.cheapest(&tree, edge)?.1;
                if self.rivals.contains_key(&turn) {
                    return None;
                }
                self.let_go_of(turn);
            }
            let to = space.edge(edge).to;
            tree.grow(space, &mut self.tables.held, &left, to);
        }
        Some(tree)
    }

    /// The edge to a switch of a part that is not joined which fewest ways stand against.
    fn nearest_to(&mut self, tree: &SpareTree, part: &[u32]) -> Option<u32> {
        let (plan, left) = (self.plan.clone(), self.left.clone());
        let space = &plan.space;
        let inside = part.iter().filter(|&&at| tree.is_joined[at as usize]);
        let edges = inside.flat_map(|&at| space.edge_ids(at));
        let outwards = edges.filter(|&edge| {
            is_whole(space, &left, edge) && !tree.is_joined[space.edge(edge).to as usize]
        });
        let priced = outwards.map(|edge| (self.cheapest(tree, edge).map_or(0, |of| of.0), edge));
        priced.min().map(|(_, edge)| edge)
    }

    /// The turn that fewest ways make of those that a link more of a tree would close a circle with, and how many do.
    fn cheapest(&mut self, tree: &SpareTree, edge: u32) -> Option<(u32, [LaneStep; 2])> {
        let held = &mut self.tables.held;
        let turns = tree.turns_with(&self.plan.space, edge);
        let chain = turns.iter().find_map(|turn| held.obstruction(turn))?;
        let turns = chain.windows(2).map(|of| [of[0], of[1]]);
        let others = turns.filter(|turn| !tree.turns.contains(turn));
        others.map(|turn| (held.uses(turn), turn)).min()
    }
}
