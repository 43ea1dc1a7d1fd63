//! Channels that carry most, relieved by single switches that send another way.

use super::MOST_DEMANDS;
use super::balanced_forest::Forest;
use super::target_switch::{Ground, Target};
use super::tree_on_lanes::Tree;
use crate::cycles::{LaneOrders, LaneSet};
use crate::paths::{Way, edge_by, exit_by};
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
            is_followed: false,
            flows: vec![[0; MOST_PATTERNS]; switches],
            is_behind: vec![false; switches],
            fullest_on: vec![0; switches],
            places: vec![0; switches],
            path: Vec::new(),
            fullest: Vec::new(),
            detour: Vec::new(),
            choices: Vec::new(),
            is_led: vec![false; switches],
            lanes_before: Vec::new(),
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
    /// The same ways as in the forest, with their lanes, once the destination's have been followed.
    tree: Tree,
    is_followed: bool,
    /// Per switch: what it and those behind it send to the destination by the pattern, and by each of the others.
    flows: Vec<[u64; MOST_PATTERNS]>,
    /// Per switch: whether a full channel lay on its way.
    is_behind: Vec<bool>,
    /// Per switch: the largest load on its way by the pattern.
    fullest_on: Vec<u64>,
    /// Per switch: its place on `path`, counted from 1; 0 where it is not on it.
    places: Vec<u32>,
    /// The way of the switch that is looked at.
    path: Vec<u32>,
    /// Per number of its first channels: the largest load of them by the pattern.
    fullest: Vec<u64>,
    /// Another way of it, up to where it meets `path`.
    detour: Vec<u32>,
    /// The ports by which it fills channels less: what is largest and the sum, and the edge.
    choices: Vec<([u64; 2], u32)>,
    /// Per switch: whether it sends by the edge that is tried, and the lanes of those that do, before.
    is_led: Vec<bool>,
    lanes_before: Vec<(u32, LaneSet)>,
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
        self.look_along(target);
        let mut is_any = false;
        for (is_behind, &fullest) in self.is_behind.iter_mut().zip(&self.fullest_on) {
            *is_behind = fullest >= full;
            is_any |= *is_behind;
        }
        is_any
    }

    /// Finds the largest load on the way of every switch.
    fn look_along(&mut self, target: &Target) {
        self.fullest_on.fill(0);
        for (at, _) in target.nearer() {
            let way = self.way(at);
            let load = self.forest.loads[self.pattern][way as usize];
            self.fullest_on[at as usize] = load.max(self.fullest_on[self.next(way) as usize]);
        }
    }

    /// Finds the flows of the tree.
    fn measure(&mut self, target: &Target) {
        self.is_followed = false;
        let counted = 1 + self.others.len();
        for flows in &mut self.flows {
            flows[..counted].fill(0);
        }
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
    }

    /// Finds the ports by which a switch fills the channels less, and lets it send by the best of
    /// them that leaves it and all behind it a lane; and tells whether there is one.
    fn send_elsewhere(&mut self, target: &Target, at: u32, ways: &[Way]) -> bool {
        let flows = self.flows[at as usize];
        let (first, fullest) = (self.way(at), self.fullest_on[at as usize]);
        let loads = &self.forest.loads[self.pattern];
        let is_emptier = |way: &Way| {
            let with = loads[way.edge as usize] + self.carried(way.edge, flows[0]);
            way.edge != first && with < fullest
        };
        if !ways.iter().any(is_emptier) {
            return false;
        }
        self.walk(target.switch, at);
        self.choices.clear();
        for &Way { edge, .. } in ways.iter().filter(|way| way.edge != first) {
            let Some((meeting, most)) = self.walk_around(edge, flows[0]) else {
                continue;
            };
            let of_others = self.others.iter().zip(&flows[1..]);
            let is_permitted = |(&other, &flow): (&usize, &u64)| {
                self.most_with(other, flow) <= self.permitted[other]
            };
            if most < self.fullest[meeting] && of_others.into_iter().all(is_permitted) {
                let loads = &self.forest.loads[self.pattern];
                let load = |&edge: &u32| loads[edge as usize];
                let shared = self.path[meeting..].iter().map(load).max().unwrap_or(0);
                let sum = self.detour.iter().map(load).sum();
                self.choices.push(([shared.max(most), sum], edge));
            }
        }
        self.choices.sort_unstable();
        let choices = std::mem::take(&mut self.choices);
        let mut edges = choices.iter().map(|choice| choice.1);
        let chosen = edges.find(|&edge| self.lead(target, at, edge));
        self.choices = choices;
        if let Some(edge) = chosen {
            let Some((meeting, _)) = self.walk_around(edge, flows[0]) else {
                unreachable!("it has been walked before, over the same loads")
            };
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
        if chosen.is_some() {
            self.look_along(target);
        }
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
    fn walk(&mut self, target: u32, from: u32) {
        self.path.clear();
        self.fullest.clear();
        let mut at = from;
        let mut fullest = 0;
        loop {
            self.fullest.push(fullest);
            let links = self.path.len() + 1;
            self.places[at as usize] =
                narrow(links, "ways have fewer links than there are switches");
            if at == target {
                return;
            }
            let edge = self.way(at);
            self.path.push(edge);
            fullest = fullest.max(self.forest.loads[self.pattern][edge as usize]);
            at = self.next(edge);
        }
    }

    /// Notes the way over an edge up to where it meets that of its switch, and tells after how
    /// many channels of that, and the largest load on the way there with a flow more. `None` where that is no less than
    /// anything on the way of the switch.
    fn walk_around(&mut self, first: u32, flow: u64) -> Option<(usize, u64)> {
        self.detour.clear();
        let fullest = self.fullest[self.path.len()];
        let (mut edge, mut most) = (first, 0);
        loop {
            let load = self.forest.loads[self.pattern][edge as usize];
            most = most.max(load + self.carried(edge, flow));
            if most >= fullest {
                return None;
            }
            self.detour.push(edge);
            let at = self.next(edge);
            match self.places[at as usize] {
                0 => edge = self.way(at),
                place => return Some((place as usize - 1, most)),
            }
        }
    }

    /// Lets a switch send over an edge in the tree if that leaves it and all behind it a lane, and
    /// tells whether it does.
    fn lead(&mut self, target: &Target, at: u32, edge: u32) -> bool {
        let (space, tree) = (self.forest.space, &mut self.tree);
        if !std::mem::replace(&mut self.is_followed, true) {
            let exits = self.forest.exits(self.destination);
            tree.follow(space, self.orders, target.switch, exits);
        }
        let exit = tree.exits[at as usize];
        tree.exits[at as usize] = exit_by(space, edge);
        self.lanes_before.clear();
        self.is_led.fill(false);
        for (other, _) in target.nearer().skip_while(|&(other, _)| other != at) {
            let way = edge_by(space, other, tree.exits[other as usize]);
            if other != at && !self.is_led[space.edge(way).to as usize] {
                continue;
            }
            self.is_led[other as usize] = true;
            let lanes = tree.lanes_by(space, self.orders, way);
            let before = std::mem::replace(&mut tree.lanes[other as usize], lanes);
            self.lanes_before.push((other, before));
            if lanes == 0 {
                tree.exits[at as usize] = exit;
                for &(other, lanes) in &self.lanes_before {
                    tree.lanes[other as usize] = lanes;
                }
                return false;
            }
        }
        true
    }
}
