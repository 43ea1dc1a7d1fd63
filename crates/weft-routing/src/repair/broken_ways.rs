//! The ways to one destination that a failure breaks: those of the switches behind it, and of no other.

use super::failed_parts::Left;
use super::holding::Mending;
use super::plan::{Entries, Plan};
use crate::form::{Lane, LanedSet};
use crate::joining::{Growth, Leads};
use crate::paths::NO_EDGE;
use std::cell::Cell;
use weft_fabric::narrow;

/// No place among the broken switches.
const WHOLE: u32 = u32::MAX;

/// A switch whose old way leads over what failed.
#[derive(Clone, Debug)]
pub(super) struct Broken {
    pub(super) at: u32,
    /// The edge of its old entry if that stands.
    pub(super) old: u32,
    /// The edge of its entry: the old one until it gets a new one.
    pub(super) next: u32,
    links: Option<u32>,
    /// What packets are on that left by its old entry, whether or not that stands: its own are among them.
    pub(super) old_levels: LanedSet,
}

impl Broken {
    /// Tells whether it is led to the destination again.
    pub(super) fn is_led(&self) -> bool {
        self.links.is_some()
    }
}

/// The broken switches of a destination, with an array to find them by.
#[derive(Clone, Debug)]
pub(super) struct BrokenWays {
    pub(super) switches: Vec<Broken>,
    /// Per switch: its place in these.
    place: Vec<u32>,
    /// Per switch whose way stands: the links of that, once asked for, with the number of the search then.
    links: Vec<Cell<(u32, Option<u32>)>>,
    search: u32,
    /// Per switch whose way stands: the last walk that passed it, and on what levels and lanes.
    passed: Vec<Cell<(u32, LanedSet)>>,
    walk: Cell<u32>,
    /// Room for the service levels of before to a destination.
    pub(super) row_before: Vec<Lane>,
    /// Room to lead them in.
    growth: Growth,
}

impl BrokenWays {
    pub(super) fn new(switches: usize) -> Self {
        Self {
            switches: Vec::new(),
            place: vec![WHOLE; switches],
            links: vec![Cell::new((0, None)); switches],
            search: 0,
            passed: vec![Cell::new((0, 0)); switches],
            walk: Cell::new(0),
            row_before: Vec::new(),
            growth: Growth::default(),
        }
    }

    /// Finds the switches whose ways lead over edges that are gone, each given as the entry for it after the switch it
    /// leaves. Time in proportion to the ports of these switches, and to the edges.
    pub(super) fn find(&mut self, entries: Entries<'_>, gone: &[(u32, u8)], left: &Left) {
        self.clear();
        for &(at, exit) in gone {
            if entries.exits[at as usize] == exit {
                self.push(at, NO_EDGE);
            }
        }
        let space = &entries.plan.space;
        let mut place = 0;
        while let Some(&Broken { at, .. }) = self.switches.get(place) {
            place += 1;
            for edge in space.edge_ids(at) {
                let (to, exit) = entries.plan.back[edge as usize];
                if entries.exits[to as usize] == exit {
                    self.push(to, left.standing(space.edge(edge).reverse));
                }
            }
        }
    }

    /// Finds switches and those whose ways lead over them by what each goes on by before, or by what it does then.
    /// Time in proportion to the ports of these switches.
    pub(super) fn find_between(
        &mut self,
        plan: &Plan,
        (was, is): (impl Fn(u32) -> u32, impl Fn(u32) -> u32),
        changed: impl Iterator<Item = u32>,
    ) {
        self.clear();
        for at in changed {
            self.push(at, was(at));
        }
        let mut place = 0;
        while let Some(broken) = self.switches.get_mut(place) {
            place += 1;
            let at = broken.at;
            broken.next = is(at);
            for edge in plan.space.edges_of(at) {
                if [was(edge.to), is(edge.to)].contains(&edge.reverse) {
                    self.push(edge.to, was(edge.to));
                }
            }
        }
    }

    /// Adds switches that have no entry, so that ways may lead over them, and tells whether there are any.
    pub(super) fn add_others(&mut self, entries: Entries<'_>, left: &Left) -> bool {
        let known = self.switches.len();
        for at in without_entry(entries, left) {
            self.push(at, NO_EDGE);
        }
        self.switches.len() > known
    }

    /// Takes switches for broken, each with the edge of its old entry if that stands.
    pub(super) fn take(&mut self, switches: &[(u32, u32)]) {
        self.clear();
        for &(at, old) in switches {
            self.push(at, old);
        }
    }

    fn clear(&mut self) {
        self.search += 1;
        for broken in self.switches.drain(..) {
            self.place[broken.at as usize] = WHOLE;
        }
    }

    fn push(&mut self, at: u32, old: u32) {
        if self.place[at as usize] == WHOLE {
            self.place[at as usize] = narrow(self.switches.len(), "there are fewer than switches");
            self.switches.push(Broken {
                at,
                old,
                next: old,
                links: None,
                old_levels: 0,
            });
        }
    }

    /// Leaves switches without an entry to which no way was found.
    pub(super) fn give_up_others(&mut self, plan: &Plan, left: &Left) {
        for broken in &mut self.switches {
            if plan.manages(broken.at, left) && !broken.is_led() {
                broken.next = NO_EDGE;
            }
        }
    }

    /// Leaves switches without hosts without an entry where no packets of hosts pass them any more, and tells whether
    /// there is any that had one.
    pub(super) fn give_up_management(&mut self, plan: &Plan, left: &Left) -> bool {
        if !left.counts_management {
            return false;
        }
        let mut passed = vec![false; self.switches.len()];
        for start in 0..self.switches.len() {
            let mut place = left.sends[self.switches[start].at as usize].then_some(start);
            while let Some(here) = place.filter(|&here| !passed[here]) {
                passed[here] = true;
                let next = self.switches[here].next;
                place = (next != NO_EDGE)
                    .then(|| self.place(plan.space.edge(next).to))
                    .flatten();
            }
        }
        let mut is_any = false;
        for (broken, is_passed) in self.switches.iter_mut().zip(passed) {
            if is_passed || !plan.manages(broken.at, left) {
                continue;
            }
            is_any |= broken.next != NO_EDGE;
            broken.next = NO_EDGE;
        }
        is_any
    }

    pub(super) fn has(&self, at: u32) -> bool {
        self.place[at as usize] != WHOLE
    }

    pub(super) fn place(&self, at: u32) -> Option<usize> {
        let place = self.place[at as usize];
        (place != WHOLE).then_some(place as usize)
    }

    /// Begins a walk over ways that stand, and returns its number.
    pub(super) fn new_walk(&self) -> u32 {
        let walk = self.walk.get().wrapping_add(1);
        if walk == 0 {
            self.passed.iter().for_each(|passed| passed.set((0, 0)));
        }
        self.walk.set(walk.max(1));
        self.walk.get()
    }

    /// Notes that a walk passes a switch on some levels, and tells whether any of them is new there.
    pub(super) fn passes(&self, walk: u32, at: u32, levels: LanedSet) -> bool {
        let passed = &self.passed[at as usize];
        let (last, known) = passed.get();
        let known = if last == walk { known } else { 0 };
        passed.set((walk, known | levels));
        levels & !known != 0
    }

    /// Switches that packets meet which are led from one whose way stands, that one among them.
    pub(super) fn whole_switches(&self, entries: Entries<'_>, at: u32) -> usize {
        let links = self.whole_links(entries, at);
        links.map_or(1, |links| links as usize + 1)
    }

    /// The links of the way from a switch whose way stands, where it leads to the destination.
    fn whole_links(&self, entries: Entries<'_>, at: u32) -> Option<u32> {
        let known = &self.links[at as usize];
        let (search, links) = known.get();
        if search == self.search {
            return links;
        }
        let (mut links, mut end) = (0, at);
        for edge in entries.way(at) {
            (links, end) = (links + 1, entries.plan.space.edge(edge).to);
        }
        let links = (end == entries.to()).then_some(links);
        known.set((self.search, links));
        links
    }

    /// Notes what leaves each by old entries.
    pub(super) fn gather_old(&mut self, entries: Entries<'_>, row: &[Lane], left: &Left) {
        let plan = entries.plan;
        for from in 0..self.switches.len() {
            let at = self.switches[from].at;
            let mut edge = entries.edge(at);
            let mut levels = plan.own_levels(row, [at, edge], left);
            self.switches[from].old_levels |= levels;
            while levels != 0 {
                let ahead = plan.space.edge(edge).to;
                // A way that has left them does not come back.
                let Some(place) = self.place(ahead) else {
                    break;
                };
                let wanted = entries.edge(ahead);
                if wanted == NO_EDGE {
                    break;
                }
                levels = plan.rules.turned(&plan.space, [edge, wanted], levels);
                let before = self.switches[place].old_levels;
                self.switches[place].old_levels |= levels;
                // Who comes round again finds nothing new.
                if before == self.switches[place].old_levels {
                    break;
                }
                edge = wanted;
            }
        }
    }

    /// Compute ends that any of them has at most.
    pub(super) fn most_ends(&self, left: &Left) -> u64 {
        let ends = self.switches.iter().map(|of| left.compute[of.at as usize]);
        ends.max().unwrap_or(0)
    }

    /// A switch that sends and is not led to the destination any more.
    pub(super) fn apart(&self, left: &Left) -> Option<u32> {
        let apart = |broken: &&Broken| broken.links.is_none() && left.sends[broken.at as usize];
        self.switches.iter().find(apart).map(|broken| broken.at)
    }
}

/// The switches that are left without an entry, as no route passes them.
pub(super) fn without_entry<'a>(
    entries: Entries<'a>,
    left: &'a Left,
) -> impl Iterator<Item = u32> + 'a {
    let switches = (0..).zip(&left.switches).filter(|of| *of.1);
    let others = switches
        .map(|of| of.0)
        .filter(move |&at| at != entries.to());
    others.filter(move |&at| entries.edge(at) == NO_EDGE)
}

/// Broken ways as they are mended, with those that stand.
pub(super) struct MendedWays<'a> {
    pub(super) entries: Entries<'a>,
    pub(super) broken: &'a mut BrokenWays,
    pub(super) left: &'a Left,
}

impl MendedWays<'_> {
    /// Leads those of some switches that are not led again yet, as far as lanes hold their ways.
    pub(super) fn lead(&mut self, apart: &[u32], mending: &mut Mending<'_>) {
        let mut growth = std::mem::take(&mut self.broken.growth);
        growth.lead(self, &mending.plan.space, apart, mending);
        self.broken.growth = growth;
    }
}

impl Leads for MendedWays<'_> {
    fn to(&self) -> u32 {
        self.entries.to()
    }

    fn next(&self, at: u32) -> u32 {
        match self.broken.place(at) {
            Some(place) => self.broken.switches[place].next,
            None => self.entries.edge(at),
        }
    }

    fn links(&self, at: u32) -> Option<u32> {
        if let Some(place) = self.broken.place(at) {
            return self.broken.switches[place].links;
        }
        self.broken.whole_links(self.entries, at)
    }

    fn least_links(&self, at: u32) -> u32 {
        self.entries.plan.least_links(at, self.to())
    }

    fn is_open(&self, at: u32) -> bool {
        let place = self.broken.place(at);
        self.left.switches[at as usize]
            && place.is_some_and(|place| self.broken.switches[place].links.is_none())
    }

    fn set_next(&mut self, at: u32, edge: u32) {
        if let Some(place) = self.broken.place(at) {
            self.broken.switches[place].next = edge;
        }
    }

    fn set_links(&mut self, at: u32, links: u32) {
        if let Some(place) = self.broken.place(at) {
            self.broken.switches[place].links = Some(links);
        }
    }
}
