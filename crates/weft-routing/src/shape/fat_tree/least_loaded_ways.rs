//! Ways to one switch after the other, over the channels that carry least.

use super::turning::Turning;
use crate::paths::PathSpace;
use crate::shape::FatTree;
use std::cmp::Reverse;
use weft_fabric::Fabric;

/// What the channels of a tree carry, and the ways to the switch at hand.
#[derive(Clone, Debug)]
pub(crate) struct Flows<'a> {
    space: &'a PathSpace,
    tree: &'a FatTree,
    /// Per switch: its hosts.
    hosts: &'a [u64],
    /// Per edge: hosts led over it so far.
    loads: Vec<u64>,
    /// The switch that the ways lead to.
    goal: u32,
    /// Per switch: its way; `None` at the goal, and where there is none.
    next: Vec<Option<u32>>,
    /// Per switch: whether the goal is below it, or it itself.
    is_above: Vec<bool>,
    /// Per switch: whether it is on the main way, or its way leads there.
    is_main: Vec<bool>,
    turning: Turning,
}

impl<'a> Flows<'a> {
    pub(crate) fn new(
        fabric: &Fabric,
        space: &'a PathSpace,
        tree: &'a FatTree,
        hosts: &'a [u64],
    ) -> Self {
        let count = space.switch_count();
        Self {
            space,
            tree,
            hosts,
            loads: vec![0; space.edge_count()],
            goal: 0,
            next: vec![None; count],
            is_above: vec![false; count],
            is_main: vec![false; count],
            turning: Turning::new(fabric, space, tree),
        }
    }

    /// Lays ways to a host of a switch, adds what they carry to the loads, and shows the way of every
    /// switch.
    /// Time O(n²·E) for n levels and E links at worst, O(n·E) on a whole tree.
    ///
    /// # Errors
    /// A switch with hosts that has no way.
    pub(crate) fn lead_to(&mut self, goal: u32) -> Result<&[Option<u32>], u32> {
        self.next.fill(None);
        self.is_above.fill(false);
        self.is_main.fill(false);
        self.goal = goal;
        self.is_above[goal as usize] = true;
        self.is_main[goal as usize] = true;
        let mut above = vec![goal];
        let mut main = Some(goal);
        let own = self.tree.level_of(goal).unwrap_or(0);
        self.fill_below(own);
        for level in own + 1..=self.tree.height() {
            main = main.and_then(|at| self.lengthen(at));
            above = self.climb(&above);
            let is_new = |at: &u32| self.next[*at as usize].is_none();
            let others: Vec<u32> = above.iter().copied().filter(is_new).collect();
            for at in others {
                self.next[at as usize] = self.way_down(at, |to| self.is_above[to as usize]);
            }
            self.fill_below(level);
        }
        if own > 0 && self.lost(self.tree.higher()).is_some() {
            self.turn_back();
        }
        let tree = self.tree;
        if let Some(from) = self
            .lost(tree.leaves())
            .or_else(|| self.lost(tree.higher()))
        {
            return Err(from);
        }
        self.carry();
        Ok(&self.next)
    }

    /// The first of some switches without a way.
    fn lost(&self, of: &[u32]) -> Option<u32> {
        let mut of = of.iter().copied();
        of.find(|&from| !self.has_way(from))
    }

    fn has_way(&self, at: u32) -> bool {
        at == self.goal || self.next[at as usize].is_some()
    }

    /// A switch at which the ways laid so far could close a circle.
    pub(crate) fn doubtful(&self) -> Option<u32> {
        self.turning.doubtful()
    }

    /// Leads switches without a way between switches above the leaves: up to where ways may turn, down there to
    /// the first switch with a way, and on with it.
    fn turn_back(&mut self) {
        let tree = self.tree;
        if self.lost(tree.leaves()).is_some() {
            return;
        }
        for level in 1..=tree.height() {
            for &at in tree.level(level) {
                if self.turning.has(at) && !self.has_way(at) {
                    let leads = |to| self.turning.has(to) && self.has_way(to);
                    self.next[at as usize] = self.way_down(at, leads);
                }
            }
        }
        self.turning.turned_up();
        self.fill_below(tree.height());
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

    /// The least loaded channel from a switch down to one of those permitted.
    fn way_down(&self, at: u32, is_permitted: impl Fn(u32) -> bool) -> Option<u32> {
        let downs = self.tree.downs(self.space, at);
        let leads = downs.filter(|&edge| is_permitted(self.space.edge(edge).to));
        leads.min_by_key(|&edge| self.loads[edge as usize])
    }

    /// Leads switches below a level without a way up to the goal or those above it, or to others so led.
    fn fill_below(&mut self, level: usize) {
        let tree = self.tree;
        for lower in (0..level).rev() {
            for &at in tree.level(lower) {
                if self.next[at as usize].is_some() || self.is_above[at as usize] {
                    continue;
                }
                if let Some(up) = self.least(at, |edge| edge, |to| self.has_way(to)) {
                    self.next[at as usize] = Some(up);
                    let parent = self.space.edge(up).to;
                    self.is_main[at as usize] = self.is_main[parent as usize];
                }
            }
        }
    }

    /// Adds what the ways from all hosts carry to the loads.
    fn carry(&mut self) {
        let tree = self.tree;
        for &from in tree.leaves().iter().chain(tree.higher()) {
            let (mut before, mut at) = (None, from);
            while let Some(edge) = self.next[at as usize] {
                self.loads[edge as usize] += self.hosts[from as usize];
                let to = self.space.edge(edge).to;
                if let Some(before) = before {
                    self.turning.pass(tree, [before, at, to]);
                }
                before = Some(at);
                at = to;
            }
        }
    }
}
