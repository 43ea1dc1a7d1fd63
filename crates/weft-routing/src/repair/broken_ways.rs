//! The ways to one destination that a failure breaks: those of the switches behind it, and of no other.

use super::failed_parts::Left;
use super::plan::{Entries, Plan};
use crate::cycles::LaneSet;
use crate::form::Lane;
use crate::joining::Leads;
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
    /// Lanes that packets came there on by old entries, and come on by new ones; its own are among them.
    pub(super) old_lanes: LaneSet,
    pub(super) new_lanes: LaneSet,
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
}

impl BrokenWays {
    pub(super) fn new(switches: usize) -> Self {
        Self {
            switches: Vec::new(),
            place: vec![WHOLE; switches],
            links: vec![Cell::new((0, None)); switches],
            search: 0,
        }
    }

    /// Finds the switches whose ways lead over edges that are gone, each given after the switch it leaves.
    /// Time in proportion to the ports of these switches, and to the edges.
    pub(super) fn find(&mut self, entries: Entries<'_>, gone: &[(u32, u32)], left: &Left) {
        self.search += 1;
        for broken in self.switches.drain(..) {
            self.place[broken.at as usize] = WHOLE;
        }
        for &(at, edge) in gone {
            if entries.edge(at) == edge {
                self.push(at, NO_EDGE);
            }
        }
        let space = &entries.plan.space;
        let mut place = 0;
        while let Some(&Broken { at, .. }) = self.switches.get(place) {
            place += 1;
            for edge in space.edges_of(at) {
                if entries.edge(edge.to) == edge.reverse {
                    self.push(edge.to, left.standing(edge.reverse));
                }
            }
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
                old_lanes: 0,
                new_lanes: 0,
            });
        }
    }

    pub(super) fn has(&self, at: u32) -> bool {
        self.place[at as usize] != WHOLE
    }

    pub(super) fn place(&self, at: u32) -> Option<usize> {
        let place = self.place[at as usize];
        (place != WHOLE).then_some(place as usize)
    }

    /// Notes the lanes that come to each by old entries.
    pub(super) fn gather_old(&mut self, entries: Entries<'_>, row: &[Lane], left: &Left) {
        for from in 0..self.switches.len() {
            let at = self.switches[from].at;
            let own = entries.plan.own_lanes(row, at, left);
            self.switches[from].old_lanes |= own;
            // A way that has left them does not come back.
            let ahead = entries.way(at).map(|edge| entries.plan.space.edge(edge).to);
            for next in ahead {
                let Some(place) = self.place(next) else { break };
                self.switches[place].old_lanes |= own;
            }
        }
    }

    /// Notes the lanes that come to each by new entries.
    pub(super) fn gather_new(&mut self, plan: &Plan, row: &[Lane], left: &Left) {
        for from in 0..self.switches.len() {
            let own = plan.own_lanes(row, self.switches[from].at, left);
            let mut at = Some(from).filter(|_| own != 0);
            while let Some(place) = at {
                let broken = &mut self.switches[place];
                broken.new_lanes |= own;
                let next = broken.next;
                let ahead = (next != NO_EDGE).then(|| plan.space.edge(next).to);
                at = ahead.and_then(|ahead| self.place(ahead));
            }
        }
    }

    /// A switch that sends and is not led to the destination any more.
    pub(super) fn apart(&self, left: &Left) -> Option<u32> {
        let apart = |broken: &&Broken| broken.links.is_none() && left.sends[broken.at as usize];
        self.switches.iter().find(apart).map(|broken| broken.at)
    }
}

/// Broken ways as they are mended, with those that stand.
pub(super) struct MendedWays<'a> {
    pub(super) entries: Entries<'a>,
    pub(super) broken: &'a mut BrokenWays,
    pub(super) left: &'a Left,
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
        let known = &self.broken.links[at as usize];
        let (search, links) = known.get();
        if search == self.broken.search {
            return links;
        }
        let (mut links, mut end) = (0, at);
        for edge in self.entries.way(at) {
            (links, end) = (links + 1, self.entries.plan.space.edge(edge).to);
        }
        let links = (end == self.to()).then_some(links);
        known.set((self.broken.search, links));
        links
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
