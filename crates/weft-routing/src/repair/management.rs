//! Ways for switches without hosts, by which they answer the subnet manager wherever that is.
//!
//! Routes between hosts pass some of these switches never on the way to some hosts, and leave them without an entry.

use super::barred_first::{Tried, barred_first};
use super::broken_ways::{BrokenWays, MendedWays};
use super::packets::Packets;
use super::plan::{NO_EXIT, Plan};
use super::standing_tables::StandingTables;
use crate::form::numbers;
use crate::joining::{HeldLanes, Joins, LaneStep, Leads, grow};
use std::sync::Arc;
use weft_fabric::SwitchId;

/// So many orders of the destinations are tried at most.
const MOST_ORDERS: usize = 16;

/// Tables with more ways for switches without hosts.
#[derive(Clone, Debug)]
pub struct Managed {
    /// The tables.
    pub tables: StandingTables,
    /// The entries that they have more, by switch and destination.
    pub found: Vec<(SwitchId, usize)>,
    /// The switches without a way still, each with the destination.
    pub lacking: Vec<(SwitchId, usize)>,
}

impl StandingTables {
    /// The tables with ways for switches without hosts to all destinations that they have none to, as far as some close
    /// no cycle with all there is.
    ///
    /// Ways found first may bar others: destinations that switches lack a way to come first the next time, and of a few
    /// orders that is kept which leaves fewest. Nothing is found where management does not
    /// [count](Self::counts_management).
    ///
    /// # Complexity
    /// Time in proportion to such switches and destinations, and for those without a way the search for one.
    pub fn managed(self) -> Managed {
        let bare = self.bare();
        let all = (0..self.plan.to.len()).filter(|&to| self.plan.is_left(to, &self.left));
        let lacking = all.filter(|&to| self.lacks(&bare, to).next().is_some());
        let lacking: Vec<usize> = lacking.collect();
        let best = barred_first(MOST_ORDERS, lacking, |order| {
            let made = (!order.is_empty()).then(|| self.clone().managed_by(order))?;
            Some(Tried {
                price: made.lacking.len(),
                barred: destinations(&made.lacking),
                made,
            })
        });
        best.unwrap_or_else(|| Managed {
            tables: self,
            found: Vec::new(),
            lacking: Vec::new(),
        })
    }

    /// Switches without hosts, as far as what they send counts.
    fn bare(&self) -> Vec<u32> {
        let (plan, left) = (&self.plan, &self.left);
        let bare = (0..).take(plan.space.switch_count());
        let bare = bare.filter(|&at| plan.manages(at, left) && !left.sends[at as usize]);
        bare.collect()
    }

    /// Those of the switches that have no way to a destination, each with its edge to nowhere.
    fn lacks<'a>(
        &'a self,
        bare: &'a [u32],
        destination: usize,
    ) -> impl Iterator<Item = (u32, u32)> + 'a {
        let plan = &self.plan;
        let entries = plan.entries(&self.exits, destination);
        // What leads to one without an entry leads nowhere either.
        let ends = move |at: u32| entries.way(at).last().map(|edge| plan.space.edge(edge).to);
        let are_all_led = bare.iter().all(|&at| entries.exits[at as usize] != NO_EXIT);
        let looked_at = if are_all_led { &[][..] } else { bare };
        let lost = looked_at
            .iter()
            .filter(move |&&at| ends(at) != Some(entries.to()));
        lost.map(move |&at| (at, entries.edge(at)))
    }

    /// The same with ways to some destinations, one after the other.
    fn managed_by(mut self, destinations: &[usize]) -> Managed {
        let (plan, left) = (Arc::clone(&self.plan), Arc::clone(&self.left));
        let switches = plan.space.switch_count();
        let bare = self.bare();
        let [mut found, mut lacking] = [const { Vec::new() }; 2];
        let mut broken = BrokenWays::new(switches);
        let [mut before, mut now] = [(), ()].map(|()| Packets::new(switches));
        for &destination in destinations {
            let lost: Vec<(u32, u32)> = self.lacks(&bare, destination).collect();
            let apart: Vec<u32> = lost.iter().map(|of| of.0).collect();
            broken.take(&lost);
            let mut ways = MendedWays {
                entries: plan.entries(&self.exits, destination),
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
            for of in &broken.switches {
                let entry = (SwitchId::new(of.at), destination);
                if !of.is_led() {
                    lacking.push(entry);
                    continue;
                }
                now.next[of.at as usize] = of.next;
                if of.next != of.old {
                    found.push(entry);
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
        for entries in [&mut found, &mut lacking] {
            entries.sort_unstable_by_key(|&(at, to)| (to, at));
        }
        Managed {
            tables: self,
            found,
            lacking,
        }
    }
}

/// The destinations of entries that are sorted by these, each once.
fn destinations(entries: &[(SwitchId, usize)]) -> Vec<usize> {
    let mut all: Vec<usize> = entries.iter().map(|entry| entry.1).collect();
    all.dedup();
    all
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
