//! Ways for switches without hosts, by which they answer the subnet manager wherever that is.
//!
//! Routes between hosts pass some of these switches never on the way to some hosts, and leave them without an entry.

use super::broken_ways::{BrokenWays, MendedWays};
use super::packets::Packets;
use super::plan::{NO_EXIT, Plan};
use super::standing_tables::StandingTables;
use crate::form::numbers;
use crate::joining::{HeldLanes, Joins, LaneStep, Leads, grow};
use std::sync::Arc;
use weft_fabric::SwitchId;

impl StandingTables {
    /// The tables with ways for switches without hosts to all destinations that they have none to, as far as some close
    /// no cycle with all there is, and the switch and the destination of each that was found.
    ///
    /// Nothing is found where management does not [count](Self::counts_management).
    ///
    /// # Complexity
    /// Time in proportion to such switches and destinations, and for those without a way the search for one.
    pub fn managed(mut self) -> (Self, Vec<(SwitchId, usize)>) {
        let mut found = Vec::new();
        let (plan, left) = (Arc::clone(&self.plan), Arc::clone(&self.left));
        if !left.counts_management {
            return (self, found);
        }
        let switches = plan.space.switch_count();
        let bare = (0..).take(switches);
        let bare = bare.filter(|&at| plan.manages(at, &left) && !left.sends[at as usize]);
        let bare: Vec<u32> = bare.collect();
        let mut broken = BrokenWays::new(switches);
        let [mut before, mut now] = [(), ()].map(|()| Packets::new(switches));
        for destination in (0..plan.to.len()).filter(|&to| plan.is_left(to, &left)) {
            let entries = plan.entries(&self.exits, destination);
            if bare.iter().all(|&at| entries.exits[at as usize] != NO_EXIT) {
                continue;
            }
            // What leads to one without an entry leads nowhere either.
            let ends = |at: u32| entries.way(at).last().map(|edge| plan.space.edge(edge).to);
            let lost = bare.iter().filter(|&&at| ends(at) != Some(entries.to()));
            let lost: Vec<(u32, u32)> = lost.map(|&at| (at, entries.edge(at))).collect();
            let apart: Vec<u32> = lost.iter().map(|of| of.0).collect();
            broken.take(&lost);
            let mut ways = MendedWays {
                entries,
                broken: &mut broken,
                left: &left,
            };
            let mut answering = Answering {
                plan: &plan,
                held: &mut self.held,
                has: &|edge| left.has(edge),
                ways: Vec::new(),
            };
            grow(&mut ways, &plan.space, &apart, &mut answering);
            let held = answering.ways;
            plan.edges(&self.exits, destination, &mut before.next);
            now.next.clone_from(&before.next);
            for of in broken.switches.iter().filter(|of| of.is_led()) {
                now.next[of.at as usize] = of.next;
                if of.next != of.old {
                    found.push((SwitchId::new(of.at), destination));
                }
            }
            let row = self.lane_row(destination);
            for packets in [&mut before, &mut now] {
                packets.gather(&plan, &self.lanes[row.clone()], destination, &left);
            }
            for way in held {
                self.held.release(&way);
            }
            now.replace(&before, &plan, &mut self.held, &left);
            for of in broken.switches.iter().filter(|of| of.is_led()) {
                self.set_edge(destination, of.at, of.next);
            }
        }
        (self, found)
    }
}

/// Joins switches without hosts to the ways to a destination.
struct Answering<'w> {
    plan: &'w Plan,
    held: &'w mut HeldLanes,
    has: &'w dyn Fn(u32) -> bool,
    /// What is held for them.
    ways: Vec<Vec<LaneStep>>,
}

impl Joins for Answering<'_> {
    /// By turns that are held already before any others; then the nearest.
    type Order = (bool, u32);

    fn may_go(&self, edge: u32) -> bool {
        (self.has)(edge)
    }

    fn order<W: Leads>(&self, ways: &W, _: u32, edge: u32, links: u32) -> Option<Self::Order> {
        let by = self.plan.space.edge(edge).to;
        let is_new = by != ways.to() && !self.held.makes([edge, ways.next(by)]);
        Some((is_new, links))
    }

    fn at_best<W: Leads>(&self, _: &W, _: u32, _: u32, links: u32) -> Option<Self::Order> {
        Some((false, links))
    }

    fn join(&mut self, _: u32, path: &[u32]) -> bool {
        let levels = self.plan.rules.of_management();
        let way = numbers(levels)
            .find_map(|number| self.plan.rules.way(&self.plan.space, path, 1 << number));
        let held = way.filter(|way| self.held.hold(way));
        let is_held = held.is_some();
        self.ways.extend(held);
        is_held
    }
}
