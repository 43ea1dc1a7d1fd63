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
            target: None,
            from_target: vec![0; switches],
            onward: vec![0; switches],
            flows: vec![0; MOST_PATTERNS * switches],
            is_behind: vec![false; switches],
            fullest_on: vec![0; switches],
            is_changed: false,
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
            relief.come_to(ground.target_of[destination], target);
            if !relief.mark(target, full) {
                continue;
            }
            relief.measure(target);
            for (place, (at, ways)) in (1..).zip(target.nearer()) {
                if relief.is_behind[place] && relief.flow(place, 0) > 0 {
                    relief.is_changed |= relief.send_elsewhere(target, place, at, ways);
                }
            }
            is_changed |= relief.is_changed;
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
    /// The target of the destination, as far as `from_target` is of it.
    target: Option<u32>,
    /// Per switch: its place from the target on, which has 0, by ascending length in the guide. What follows "per place" is
    /// so: then a tree is gone through from one end of a list to the other.
    from_target: Vec<u32>,
    /// Per place: that of the switch its way leads to.
    onward: Vec<u32>,
    /// Per place: what it and those behind it send to the destination by the pattern, and by each of the others.
    flows: Vec<u64>,
    /// Per place: whether a full channel lay on its way.
    is_behind: Vec<bool>,
    /// Per place: the largest load on its way by the pattern, while no switch sends another way.
    fullest_on: Vec<u64>,
    /// Whether some do.
    is_changed: bool,
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
    /// Per place: whether its lanes are others by the edge that is tried; and those that were, with the switch.
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

    /// Numbers the switches from a target on.
    fn come_to(&mut self, number: u32, target: &Target) {
        if self.target.replace(number) != Some(number) {
            self.from_target[target.switch as usize] = 0;
            for (place, (at, _)) in (1..).zip(target.nearer()) {
                self.from_target[at as usize] = place;
            }
        }
    }

    /// Marks the switches whose way leads over a full channel, and tells if there are any.
    fn mark(&mut self, target: &Target, full: u64) -> bool {
        self.is_changed = false;
        let mut is_any = false;
        for (place, (at, _)) in (1..).zip(target.nearer()) {
            let way = self.way(at);
            let next = self.from_target[self.next(way) as usize];
            let load = self.forest.loads[self.pattern][way as usize];
            let fullest = load.max(self.fullest_on[next as usize]);
            self.onward[place] = next;
            self.fullest_on[place] = fullest;
            self.is_behind[place] = fullest >= full;
            is_any |= fullest >= full;
        }
        is_any
    }

    /// The largest load on the way of a switch.
    fn fullest_from(&self, place: usize, mut at: u32, target: u32) -> u64 {
        if !self.is_changed {
            return self.fullest_on[place];
        }
        let loads = &self.forest.loads[self.pattern];
        let mut fullest = 0;
        while at != target {
            let way = self.way(at);
            fullest = fullest.max(loads[way as usize]);
            at = self.next(way);
        }
        fullest
    }

    /// What the switch at a place and those behind it send by the pattern, 0, or by one of the others.
    fn flow(&self, place: usize, counting: usize) -> u64 {
        self.flows[place * (1 + self.others.len()) + counting]
    }

    /// Finds the flows of the tree.
    fn measure(&mut self, target: &Target) {
        self.is_followed = false;
        let (forest, counted) = (&*self.forest, 1 + self.others.len());
        let joined = target.nearer().count();
        self.flows[..(1 + joined) * counted].fill(0);
        for (place, (at, _)) in (1..=joined).rev().zip(target.nearer().rev()) {
            let next = self.onward[place] as usize;
            let patterns = std::iter::once(&self.pattern).chain(&self.others);
            for (counting, &pattern) in patterns.enumerate() {
                let own = forest.patterns.counted(pattern, at, self.destination);
                let flow = &mut self.flows[place * counted + counting];
                *flow += own;
                let flow = *flow;
                self.flows[next * counted + counting] += flow;
            }
        }
    }

    /// Finds the ports by which a switch fills the channels less, and lets it send by the best of
    /// them that leaves it and all behind it a lane; and tells whether there is one.
    fn send_elsewhere(&mut self, target: &Target, place: usize, at: u32, ways: &[Way]) -> bool {
        let counted = 1 + self.others.len();
        let mut flows = [0; MOST_PATTERNS];
        flows[..counted].copy_from_slice(&self.flows[place * counted..][..counted]);
        let first = self.way(at);
        let fullest = self.fullest_from(place, at, target.switch);
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
        let chosen = edges.find(|&edge| self.lead(target, place, at, edge));
        self.choices = choices;
        if let Some(edge) = chosen {
            let Some((meeting, _)) = self.walk_around(edge, flows[0]) else {
                unreachable!("it has been walked before, over the same loads")
            };
            let patterns = std::iter::once(&self.pattern).chain(&self.others);
            let flow_of = |edge: u32| {
                let tail = self.forest.space.tail(edge) as usize;
                self.from_target[tail] as usize * counted
            };
            for (counting, (&pattern, flow)) in patterns.zip(flows).enumerate() {
                for &edge in &self.path[..meeting] {
                    self.forest.loads[pattern][edge as usize] -= self.carried(edge, flow);
                    self.flows[flow_of(edge) + counting] -= flow;
                }
                for &edge in &self.detour {
                    self.forest.loads[pattern][edge as usize] += self.carried(edge, flow);
                    self.flows[flow_of(edge) + counting] += flow;
                }
            }
            self.onward[place] = self.from_target[self.next(edge) as usize];
            let exit = self.destination * self.forest.space.switch_count() + at as usize;
            self.forest.exits[exit] = exit_by(self.forest.space, edge);
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
    fn lead(&mut self, target: &Target, place: usize, at: u32, edge: u32) -> bool {
        let (space, tree) = (self.forest.space, &mut self.tree);
        if !std::mem::replace(&mut self.is_followed, true) {
            let exits = self.forest.exits(self.destination);
            tree.follow_nearest_first(space, self.orders, target, exits);
        }
        let exit = std::mem::replace(&mut tree.exits[at as usize], exit_by(space, edge));
        self.lanes_before.clear();
        let mut has_lanes = true;
        for (place, &other) in (place..).zip(target.nearer_from(place - 1)) {
            if other != at && !self.is_led[self.onward[place] as usize] {
                continue;
            }
            let way = edge_by(space, other, tree.exits[other as usize]);
            let lanes = tree.lanes_by(space, self.orders, way);
            let before = std::mem::replace(&mut tree.lanes[other as usize], lanes);
            // Those behind a switch whose way and lanes are as before have theirs.
            self.is_led[place] = other == at || lanes != before;
            self.lanes_before.push((other, before));
            has_lanes = lanes != 0;
            if !has_lanes {
                break;
            }
        }
        for &(other, lanes) in &self.lanes_before {
            self.is_led[self.from_target[other as usize] as usize] = false;
            if !has_lanes {
                tree.lanes[other as usize] = lanes;
            }
        }
        if !has_lanes {
            tree.exits[at as usize] = exit;
        }
        has_lanes
    }
}
