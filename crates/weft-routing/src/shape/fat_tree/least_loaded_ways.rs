//! Ways to one leaf after the other, over the channels that carry least.

use crate::paths::PathSpace;
use crate::shape::FatTree;
use std::cmp::Reverse;

/// What the channels of a tree carry, and the ways to the leaf at hand.
#[derive(Clone, Debug)]
pub(crate) struct Flows<'a> {
    space: &'a PathSpace,
    tree: &'a FatTree,
    /// Per switch: its hosts.
    hosts: &'a [u64],
    /// Per edge: hosts led over it so far.
    loads: Vec<u64>,
    /// Per switch: its way; `None` at the leaf, and where there is none.
    next: Vec<Option<u32>>,
    /// Per switch: whether the leaf is below it, or it itself.
    is_above: Vec<bool>,
    /// Per switch: whether it is on the main way, or its way leads there.
    is_main: Vec<bool>,
}

impl<'a> Flows<'a> {
    pub(crate) fn new(space: &'a PathSpace, tree: &'a FatTree, hosts: &'a [u64]) -> Self {
        let count = space.switch_count();
        Self {
            space,
            tree,
            hosts,
            loads: vec![0; space.edge_count()],
            next: vec![None; count],
            is_above: vec![false; count],
            is_main: vec![false; count],
        }
    }

    /// Lays ways to a host of a leaf, adds what they carry to the loads, and shows the way of every
    /// switch.
    /// Time O(n²·E) for n levels and E links at worst, O(n·E) on a whole tree.
    pub(crate) fn lead_to(&mut self, leaf: u32) -> Result<&[Option<u32>], u32> {
        self.next.fill(None);
        self.is_above.fill(false);
        self.is_main.fill(false);
        self.is_above[leaf as usize] = true;
        self.is_main[leaf as usize] = true;
        let mut above = vec![leaf];
        let mut main = Some(leaf);
        for level in 1..=self.tree.height() {
            main = main.and_then(|at| self.lengthen(at));
            above = self.climb(&above);
            let is_new = |at: &u32| self.next[*at as usize].is_none();
            let others: Vec<u32> = above.iter().copied().filter(is_new).collect();
            for at in others {
                self.next[at as usize] = self.way_down(at);
            }
            self.fill_below(level);
        }
        let lost =
            |leaf: &&u32| self.next[**leaf as usize].is_none() && !self.is_above[**leaf as usize];
        if let Some(&from) = self.tree.leaves().iter().find(lost) {
            return Err(from);
        }
        self.carry();
        Ok(&self.next)
    }

    /// Lays the main way from a switch on to the parent whose channel down carries least, and is
    /// that parent; `None` at the top.
    fn lengthen(&mut self, at: u32) -> Option<u32> {
        let back = |edge: u32| self.space.edge(edge).reverse;
        let up = self.least(at, back, |_| true)?;
        let parent = self.space.edge(up).to;
        self.next[parent as usize] = Some(back(up));
        self.is_main[parent as usize] = true;
        Some(parent)
    }

    /// The channel up from a switch, of those permitted, that costs least: by what one of the
    /// parallel links carries, then all of them; of equals the first. Loads are those of the edges that
    /// `counted` names.
    fn least(
        &self,
        at: u32,
        counted: impl Fn(u32) -> u32,
        is_permitted: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        let ups = self.tree.ups(at);
        let to = |edge: u32| self.space.edge(edge).to;
        let load = |edge: u32| self.loads[counted(edge) as usize];
        let cost = |&edge: &u32| {
            let parallel = ups.iter().filter(|&&other| to(other) == to(edge));
            let all: u64 = parallel.map(|&other| load(other)).sum();
            (Reverse(self.is_main[to(edge) as usize]), load(edge), all)
        };
        let permitted = ups.iter().copied().filter(|&edge| is_permitted(to(edge)));
        permitted.min_by_key(cost)
    }

    /// The parents of some switches, each once; they are above the leaf.
    fn climb(&mut self, below: &[u32]) -> Vec<u32> {
        let mut above = Vec::new();
        for &at in below {
            for &edge in self.tree.ups(at) {
                let to = self.space.edge(edge).to;
                if !self.is_above[to as usize] {
                    self.is_above[to as usize] = true;
                    above.push(to);
                }
            }
        }
        above
    }

    /// The least loaded channel from a switch down to one above the leaf.
    fn way_down(&self, at: u32) -> Option<u32> {
        let to = |edge: &u32| self.space.edge(*edge).to as usize;
        let downs = self.tree.downs(self.space, at);
        let leads = downs.filter(|edge| self.is_above[to(edge)]);
        leads.min_by_key(|&edge| self.loads[edge as usize])
    }

    /// Leads switches without a way up to those above the leaf on a level, or to others so led.
    fn fill_below(&mut self, level: usize) {
        let tree = self.tree;
        for lower in (0..level).rev() {
            for &at in tree.level(lower) {
                if self.next[at as usize].is_some() || self.is_above[at as usize] {
                    continue;
                }
                let has_way = |to: u32| self.next[to as usize].is_some();
                if let Some(up) = self.least(at, |edge| edge, has_way) {
                    self.next[at as usize] = Some(up);
                    let parent = self.space.edge(up).to;
                    self.is_main[at as usize] = self.is_main[parent as usize];
                }
            }
        }
    }

    /// Adds what the ways from all hosts carry to the loads.
    fn carry(&mut self) {
        for &leaf in self.tree.leaves() {
            let mut at = leaf;
            while let Some(edge) = self.next[at as usize] {
                self.loads[edge as usize] += self.hosts[leaf as usize];
                at = self.space.edge(edge).to;
            }
        }
    }
}
