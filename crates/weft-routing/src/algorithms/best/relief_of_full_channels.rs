//! Channels that carry most, relieved by single switches that send another way.

use super::MOST_DEMANDS;
use super::balanced_forest::Forest;
use super::target_switch::{Ground, Target};
use super::tree_on_lanes::Tree;
use crate::cycles::{LaneOrders, LaneSet};
use crate::paths::{NO_EXIT, Way, edge_by, exit_by};
use weft_fabric::narrow;

impl Forest<'_> {
    /// Lets single switches send towards a destination by another port, they and all behind them,
    /// wherever their way leads over a channel that carries `full` or more of a pattern and the largest of its loads
    /// that change falls by it, while no channel they take carries more of another than `permitted`; and
    /// tells whether any did.
    ///
    /// So the pattern's loads ordered from the largest down always fall, and repeating this ends.
    /// Time O(C) per destination whose tree uses a full channel, and O(p·d) per switch behind one, for
    /// C channels, p ports and ways of d links.
    ///
    /// Shapes: `permitted`, per pattern.
    pub(super) fn relieve(
        &mut self,
        ground: &Ground,
        pattern: usize,
        full: u64,
        permitted: &[u64],
    ) -> bool {
        let switches = self.space.switch_count();
        let mut relief = Relief {
            orders: &ground.orders,
            forest: self,
            destination: 0,
            pattern,
            others: Vec::new(),
            permitted,
            tree: Tree::new(switches),
            flows: vec![[0; MOST_PATTERNS]; switches],
            is_behind: vec![false; switches],
            places: vec![0; switches],
            path: Vec::new(),
            detour: Vec::new(),
        };
        let mut is_changed = false;
        for destination in 0..ground.target_of.len() {
            let target = ground.target(destination);
            let counting = relief.forest.patterns.counting(destination);
            if !counting.clone().any(|counting| counting == pattern) {
                continue;
            }
            relief.others.clear();
            relief
                .others
                .extend(counting.filter(|&other| other != pattern));
            relief.destination = destination;
            if !relief.mark(target, full) {
                continue;
            }
            relief.measure(target);
            for (at, ways) in target.nearer() {
                if relief.is_behind[at as usize] && relief.flows[at as usize][0] > 0 {
                    is_changed |= relief.send_elsewhere(target, at, ways);
                }
            }
        }
        is_changed
    }
}

/// Patterns that count what is sent to one destination: all, what stays on all rails, and on its own; or all of
/// several demands, and each.
const MOST_PATTERNS: usize = 1 + MOST_DEMANDS;

/// A forest, and what is known of the tree that is looked at.
struct Relief<'a, 'f> {
    orders: &'a LaneOrders,
    forest: &'a mut Forest<'f>,
    destination: usize,
    /// The pattern whose loads are to fall.
    pattern: usize,
    /// Others that count what is sent to the destination.
    others: Vec<usize>,
    /// Per pattern: the largest load.
    permitted: &'a [u64],
    /// The same ways as in the forest, with their lanes.
    tree: Tree,
    /// Per switch: what it and those behind it send to the destination by the pattern, and by each of the others.
    flows: Vec<[u64; MOST_PATTERNS]>,
    /// Per switch: whether a full channel lay on its way.
    is_behind: Vec<bool>,
    /// Per switch: its place on `path`, counted from 1; 0 where it is not on it.
    places: Vec<u32>,
    /// The way of the switch that is looked at.
    path: Vec<u32>,
    /// Another way of it, up to where it meets `path`.
    detour: Vec<u32>,
}

impl Relief<'_, '_> {
    fn way(&self, at: u32) -> u32 {
        let place = self.destination * self.forest.space.switch_count() + at as usize;
        edge_by(self.forest.space, at, self.forest.exits[place])
    }

    fn next(&self, edge: u32) -> u32 {
        self.forest.space.edge(edge).to
    }

    /// Marks the switches whose way leads over a full channel, and tells if there are any.
    fn mark(&mut self, target: &Target, full: u64) -> bool {
        self.is_behind[target.switch as usize] = false;
        let mut is_any = false;
        for (at, _) in target.nearer() {
            let way = self.way(at);
            let is_full = self.forest.loads[self.pattern][way as usize] >= full;
            let is_behind = is_full || self.is_behind[self.next(way) as usize];
            self.is_behind[at as usize] = is_behind;
            is_any |= is_behind;
        }
        is_any
    }

    /// Finds the flows and lanes of the tree.
    fn measure(&mut self, target: &Target) {
        self.flows.fill([0; MOST_PATTERNS]);
        let forest = &*self.forest;
        for (at, _) in target.nearer().rev() {
            let next = self.next(self.way(at));
            let patterns = std::iter::once(&self.pattern).chain(&self.others);
            for (place, &pattern) in patterns.enumerate() {
                self.flows[at as usize][place] +=
                    forest.patterns.counted(pattern, at, self.destination);
                self.flows[next as usize][place] += self.flows[at as usize][place];
            }
        }
        let exits = forest.exits(self.destination);
        self.tree
            .follow(forest.space, self.orders, target.switch, exits);
    }

    /// Finds the ports by which a switch fills the channels less, and lets it send by the best of
    /// them that leaves it and all behind it a lane; and tells whether there is one.
    fn send_elsewhere(&mut self, target: &Target, at: u32, ways: &[Way]) -> bool {
        let flows = self.flows[at as usize];
        self.walk(at);
        let mut choices: Vec<([u64; 2], u32)> = Vec::new();
        let first = self.path[0];
        for &Way { edge, .. } in ways.iter().filter(|way| way.edge != first) {
            let meeting = self.walk_around(edge);
            let before = &self.forest.loads[self.pattern];
            let loads = |edges: &[u32]| -> (u64, u64) {
                let loads = edges.iter().map(|&edge| before[edge as usize]);
                (loads.clone().max().unwrap_or(0), loads.sum())
            };
            let (_, sum) = loads(&self.detour);
            let most = self.most_with(self.pattern, flows[0]);
            let of_others = self.others.iter().zip(&flows[1..]);
            let is_permitted = |(&other, &flow): (&usize, &u64)| {
                self.most_with(other, flow) <= self.permitted[other]
            };
            let is_less = most < loads(&self.path[..meeting]).0;
            if is_less && of_others.into_iter().all(is_permitted) {
                let shared = loads(&self.path[meeting..]).0;
                choices.push(([shared.max(most), sum], edge));
            }
        }
        choices.sort_unstable();
        let chosen = choices.iter().map(|choice| choice.1);
        let chosen = chosen.into_iter().find(|&edge| self.lead(target, at, edge));
        if let Some(edge) = chosen {
            let meeting = self.walk_around(edge);
            let patterns = std::iter::once(&self.pattern).chain(&self.others);
            for (place, (&pattern, flow)) in patterns.zip(flows).enumerate() {
                for &edge in &self.path[..meeting] {
                    self.forest.loads[pattern][edge as usize] -= self.carried(edge, flow);
                    self.flows[self.forest.space.tail(edge) as usize][place] -= flow;
                }
                for &edge in &self.detour {
                    self.forest.loads[pattern][edge as usize] += self.carried(edge, flow);
                    self.flows[self.forest.space.tail(edge) as usize][place] += flow;
                }
            }
            let place = self.destination * self.forest.space.switch_count() + at as usize;
            self.forest.exits[place] = exit_by(self.forest.space, edge);
        }
        for &edge in &self.path {
            self.places[self.forest.space.tail(edge) as usize] = 0;
        }
        self.places[target.switch as usize] = 0;
        chosen.is_some()
    }

    /// The largest load of a pattern on the detour with a flow more.
    fn most_with(&self, pattern: usize, flow: u64) -> u64 {
        let loads = &self.forest.loads[pattern];
        let with = |&edge: &u32| loads[edge as usize] + self.carried(edge, flow);
        self.detour.iter().map(with).max().unwrap_or(0)
    }

    /// What a flow adds to the load of a channel.
    fn carried(&self, edge: u32, flow: u64) -> u64 {
        flow * self.forest.space.slowness(edge)
    }

    /// Notes the way from a switch.
    fn walk(&mut self, from: u32) {
        self.path.clear();
        let mut at = from;
        loop {
            let links = self.path.len() + 1;
            self.places[at as usize] =
                narrow(links, "ways have fewer links than there are switches");
            if self.tree.exits[at as usize] == NO_EXIT {
                return;
            }
            let edge = self.way(at);
            self.path.push(edge);
            at = self.next(edge);
        }
    }

    /// Notes the way over an edge up to where it meets that of its switch, and tells after how
    /// many channels of that.
    fn walk_around(&mut self, first: u32) -> usize {
        self.detour.clear();
        let mut edge = first;
        loop {
            self.detour.push(edge);
            let at = self.next(edge);
            match self.places[at as usize] {
                0 => edge = self.way(at),
                place => return place as usize - 1,
            }
        }
    }

    /// Lets a switch send over an edge in the tree if that leaves it and all behind it a lane, and
    /// tells whether it does.
    fn lead(&mut self, target: &Target, at: u32, edge: u32) -> bool {
        let (space, tree) = (self.forest.space, &mut self.tree);
        let exit = tree.exits[at as usize];
        tree.exits[at as usize] = exit_by(space, edge);
        let mut before: Vec<(u32, LaneSet)> = Vec::new();
        let mut is_behind = vec![false; space.switch_count()];
        for (other, _) in target.nearer().skip_while(|&(other, _)| other != at) {
            let way = edge_by(space, other, tree.exits[other as usize]);
            if other != at && !is_behind[space.edge(way).to as usize] {
                continue;
            }
            is_behind[other as usize] = true;
            let lanes = tree.lanes_by(space, self.orders, way);
            before.push((other, tree.lanes[other as usize]));
            tree.lanes[other as usize] = lanes;
            if lanes == 0 {
                tree.exits[at as usize] = exit;
                for (other, lanes) in before {
                    tree.lanes[other as usize] = lanes;
                }
                return false;
            }
        }
        true
    }
}
