//! The way to tables from those that they are a repair of, once what had failed is back.

use super::broken_ways::BrokenWays;
use super::failed_parts::Left;
use super::longest_mixture::most_switches;
use super::mixing::{Order, Senders, holds_mixtures, rounds_outwards};
use super::plan::Plan;
use super::standing_tables::StandingTables;
use super::{RoundEntry, cleared_first, named_entry};
use crate::form::Lane;
use crate::paths::NO_EDGE;
use std::sync::Arc;

/// How tables give way to others while packets are on their way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Leading {
    /// The entries that are set in each round, the next once switches have those of the one before; in each in any
    /// order. Where destinations are cleared, the first round clears their entries and does nothing else, the next
    /// waits for the packets of before, and the last sets them.
    pub rounds: Vec<Vec<RoundEntry>>,
    /// Names of destinations whose entries that change are cleared before they are set.
    pub cleared: Vec<String>,
    /// Packets that are waited for then met at most so many switches.
    pub cleared_switches: usize,
    /// Packets to destinations whose entries differ meet at most so many switches.
    pub most_switches: usize,
    /// Entries that differ, of switches and destinations of both.
    pub(super) changed_entries: usize,
    /// Pairs of a source and a destination that have another service level.
    pub(super) changed_lanes: usize,
}

impl StandingTables {
    /// How others give way to these tables, both repairs of the same ones, where all is there that the others stand
    /// on: packets by old entries, by new ones and by any mixture that they may meet wait for one another in no circle,
    /// and none that has met a new entry is lost but those to destinations that are cleared. `None` where hosts would
    /// have to let go of service levels meanwhile, and where what switches send [counts](Self::counts_management) by one
    /// of them alone.
    ///
    /// # Complexity
    /// Time in proportion to switches and destinations, and for those whose entries differ the search for cycles.
    pub fn led_from(&self, old: &Self) -> Option<Leading> {
        let counts = [self, old].map(Self::counts_management);
        let is_one_plan = Arc::ptr_eq(&self.plan, &old.plan) && counts[0] == counts[1];
        if !is_one_plan || !self.left.includes(&old.left) {
            return None;
        }
        let led = self.led_beside(old, &old.left, false);
        (led.cleared.is_empty() || led.changed_lanes == 0).then_some(led)
    }

    /// How tables give way to these, both of the same plan, by what is left for both; `is_repair`: as old ones
    /// lead over what failed, packets of before are gone before any entry is another.
    pub(super) fn led_beside(&self, old: &Self, left: &Arc<Left>, is_repair: bool) -> Leading {
        let plan = &*self.plan;
        let mut held = self.held.clone();
        let mut turns = Vec::new();
        let mut broken = BrokenWays::new(plan.space.switch_count());
        let mut led = Leading::default();
        let mut rounds: Vec<Vec<RoundEntry>> = vec![Vec::new()];
        let [mut clears, mut sets] = [const { Vec::new() }; 2];
        // Nobody sends to what is new or back.
        for destination in (0..plan.to.len()).filter(|&to| plan.is_left(to, left)) {
            let rows = [old, self].map(|of| &of.lanes[of.lane_row(destination)]);
            let [was, is] = [old, self].map(|of| plan.entries(&of.exits, destination));
            let is_same = was.exits == is.exits && rows[0] == rows[1];
            if is_same && left.includes(&self.left) {
                continue;
            }
            let was_edge = |at: u32| old.edge_that_stands(destination, at, left);
            let is_edge = |at: u32| self.edge_that_stands(destination, at, &self.left);
            let changed = changed(plan, (&was_edge, &is_edge), rows);
            broken.find_between(plan, (&was_edge, &is_edge), changed);
            if broken.switches.is_empty() {
                continue;
            }
            let relaned = rows[0].iter().zip(rows[1]).filter(|(was, is)| was != is);
            led.changed_lanes += relaned.count();
            let senders = Senders {
                rows,
                left: [left, &self.left],
            };
            // Whoever has no entry yet would lose what others send there by new ones. Those of what fails lose more.
            let leads = is_repair || broken.switches.iter().all(|of| of.old != NO_EDGE);
            let orders = [Order::Any, Order::Outwards].into_iter();
            let mut orders = orders.filter(|order| leads || *order == Order::Outwards);
            let packets = (&broken, senders);
            let order =
                orders.find(|&order| holds_mixtures(&mut held, is, packets, order, &mut turns));
            let differing = || broken.switches.iter().filter(|of| of.old != of.next);
            led.changed_entries += differing().count();
            let entry = |at: u32, edge: u32| named_entry(plan, (destination, at), edge);
            if is_repair || order.is_none() {
                let met = broken.switches.iter();
                let met = met.map(|of| 1 + was.way(of.at).count());
                led.cleared_switches = led.cleared_switches.max(met.max().unwrap_or(0));
            }
            let Some(order) = order else {
                let name = plan.granularity.endpoint_name(&plan.fabric, destination);
                led.cleared.push(name.to_owned());
                clears.extend(differing().map(|of| entry(of.at, NO_EDGE)));
                sets.extend(differing().map(|of| entry(of.at, of.next)));
                continue;
            };
            let later = match order {
                Order::Any => Vec::new(),
                Order::Outwards => rounds_outwards(is, &broken),
            };
            let most = most_switches(is, &broken, order, |of| was.edge(of.at));
            led.most_switches = led.most_switches.max(most);
            for of in differing() {
                let round = later.iter().find(|(at, _)| *at == of.at);
                let round = round.map_or(0, |(_, round)| *round as usize);
                if rounds.len() <= round {
                    rounds.resize_with(round + 1, Vec::new);
                }
                rounds[round].push(entry(of.at, of.next));
            }
        }
        if is_repair || !led.cleared.is_empty() {
            led.most_switches = led.most_switches.max(led.cleared_switches);
            rounds = cleared_first(clears, rounds, sets);
        }
        led.rounds = rounds;
        led
    }

    /// The edge that a switch goes on by, where that, the switch and somebody who sends there are left.
    fn edge_that_stands(&self, destination: usize, at: u32, left: &Left) -> u32 {
        if left.switches[at as usize] && self.plan.is_left(destination, left) {
            left.standing(self.edge(destination, at))
        } else {
            NO_EDGE
        }
    }
}

/// The switches whose entry is another, or whose sources have another service level.
fn changed<'a>(
    plan: &'a Plan,
    (was, is): (&'a impl Fn(u32) -> u32, &'a impl Fn(u32) -> u32),
    rows: [&'a [Lane]; 2],
) -> impl Iterator<Item = u32> + 'a {
    let switches = (0..).take(plan.space.switch_count());
    switches.filter(move |&at| {
        let sources = plan.sources_of(at);
        was(at) != is(at) || rows[0][sources.clone()] != rows[1][sources]
    })
}
