//! The way to tables from those that they are a repair of, once what had failed is back.

use super::broken_ways::BrokenWays;
use super::longest_mixture::most_switches;
use super::mixing::{Order, Senders, holds_mixtures, rounds_outwards};
use super::plan::Plan;
use super::standing_tables::StandingTables;
use super::{RoundEntry, named_entry};
use crate::form::Lane;
use crate::paths::NO_EDGE;
use std::sync::Arc;

/// How tables give way to others while packets are on their way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leading {
    /// The entries that are set in each round, the next once switches have those of the one before; in each in any
    /// order.
    pub rounds: Vec<Vec<RoundEntry>>,
    /// Packets to destinations whose entries differ meet at most so many switches.
    pub most_switches: usize,
}

impl StandingTables {
    /// How others give way to these tables, both repairs of the same ones, where all is there that the others stand
    /// on: packets by old entries, by new ones and by any mixture that they may meet wait for one another in no circle,
    /// and none that has met a new entry is lost. `None` where that is not found.
    ///
    /// # Complexity
    /// Time in proportion to switches and destinations, and for those whose entries differ the search for cycles.
    pub fn led_from(&self, old: &Self) -> Option<Leading> {
        if !Arc::ptr_eq(&self.plan, &old.plan) || !self.left.includes(&old.left) {
            return None;
        }
        let plan = &*self.plan;
        let switches = plan.space.switch_count();
        let mut held = self.held.clone();
        let mut turns = Vec::new();
        let mut broken = BrokenWays::new(switches);
        let mut leading = Leading {
            rounds: vec![Vec::new()],
            most_switches: 0,
        };
        // Nobody sends to what is new or back.
        let is_left = |to: &usize| plan.is_left(*to, &old.left);
        for destination in (0..plan.to.len()).filter(is_left) {
            let rows = [old, self].map(|of| &of.lanes[of.lane_row(destination)]);
            let [was, is] = [old, self].map(|of| plan.entries(&of.exits, destination));
            let is_same = was.exits == is.exits && rows[0] == rows[1];
            if is_same && old.left.includes(&self.left) {
                continue;
            }
            let was_edge = |at: u32| old.edge_that_stands(destination, at);
            let is_edge = |at: u32| self.edge_that_stands(destination, at);
            let changed = changed(plan, (&was_edge, &is_edge), rows);
            broken.find_between(plan, (&was_edge, &is_edge), changed);
            if broken.switches.is_empty() {
                continue;
            }
            let senders = Senders {
                rows,
                left: [&old.left, &self.left],
            };
            // Whoever has no entry yet would lose what others send there by new ones.
            let leads = broken.switches.iter().all(|of| of.old != NO_EDGE);
            let orders = [Order::Any, Order::Outwards].into_iter();
            let mut orders = orders.filter(|order| leads || *order == Order::Outwards);
            let packets = (&broken, senders);
            let order =
                orders.find(|&order| holds_mixtures(&mut held, is, packets, order, &mut turns))?;
            let later = match order {
                Order::Any => Vec::new(),
                Order::Outwards => rounds_outwards(is, &broken),
            };
            let most = most_switches(is, &broken, order, |of| of.old);
            leading.most_switches = leading.most_switches.max(most);
            for of in broken.switches.iter().filter(|of| of.old != of.next) {
                let round = later.iter().find(|(at, _)| *at == of.at);
                let round = round.map_or(0, |(_, round)| *round as usize);
                if leading.rounds.len() <= round {
                    leading.rounds.resize_with(round + 1, Vec::new);
                }
                leading.rounds[round].push(named_entry(plan, (destination, of.at), of.next));
            }
        }
        Some(leading)
    }

    /// The edge that a switch goes on by, where both stand.
    fn edge_that_stands(&self, destination: usize, at: u32) -> u32 {
        if self.left.switches[at as usize] && self.plan.is_left(destination, &self.left) {
            self.left.standing(self.edge(destination, at))
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
