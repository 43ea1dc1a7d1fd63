//! One failure: entries that lead nowhere any more get others, and what held before holds beside them.

use super::FailedParts;
use super::broken_ways::{Broken, BrokenWays, MendedWays};
use super::change::Change;
use super::failed_parts::Left;
use super::gathered::Gathered;
use super::holding::Mending;
use super::legal_turns::LegalTurns;
use super::longest_mixture::most_switches;
use super::mixing::{Order, Senders, mix};
use super::packets::Packets;
use super::plan::{Plan, add_loads};
use super::standing_tables::StandingTables;
use super::turns_nearby::TurnsNearby;
use crate::joining::{HeldWays, LaneStep};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A pair of switch and destination that cannot be joined beside the old routes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Apart {
    pub(super) from: u32,
    pub(super) destination: usize,
}

impl StandingTables {
    /// Repairs the tables after more parts failed, by legal turns alone where some are given, the ways to some destinations
    /// before all others.
    ///
    /// # Errors
    /// The first pair that has no way; then all is as it was.
    pub(super) fn mend_along(
        &mut self,
        failed: &FailedParts,
        legal: Option<&LegalTurns>,
        first: &[usize],
    ) -> Result<Change, Apart> {
        let plan = self.plan.clone();
        let left = Arc::new(self.left_after(failed));
        let gone = left.gone.clone();
        let mut change = Change {
            cut: Some(self.held.cut(&gone)),
            loads: self.loads.clone(),
            ..Change::none(left, self.busiest())
        };
        let gone: Vec<(u32, u8)> = gone.iter().map(|&edge| plan.entry_for(edge)).collect();
        let lost = change.left.lost(&self.left);
        let mut gathered = Gathered::new(plan.space.switch_count());
        let mut broken = BrokenWays::new(plan.space.switch_count());
        let others = (0..plan.to.len()).filter(|to| !first.contains(to));
        for destination in first.iter().copied().chain(others) {
            let is_left = plan.is_left(destination, &change.left);
            let weights = [&self.left, &change.left].map(|left| plan.weight(destination, left));
            let is_alike = is_left && weights[0] == weights[1];
            if !is_alike {
                self.lose_all(&plan, destination, &change.left, &mut gathered);
            }
            if !is_left {
                continue;
            }
            let entries = plan.entries(&self.exits, destination);
            broken.find(entries, &gone, &change.left);
            if is_alike {
                for &(at, lost) in lost.iter().filter(|(at, _)| !broken.has(*at)) {
                    for edge in entries.way(at) {
                        self.loads[edge as usize] -= lost * weights[0];
                    }
                }
            }
            if broken.switches.is_empty() {
                continue;
            }
            if let Err(apart) = self.mend_ways(
                (&plan, legal),
                destination,
                is_alike,
                &mut change,
                &mut broken,
            ) {
                self.undo(change);
                return Err(apart);
            }
        }
        if !first.is_empty() {
            change.sort_by_destination(plan.sources.len());
        }
        Ok(change)
    }

    /// What the busiest channel has to carry, in parts of its time.
    pub(super) fn busiest(&self) -> u64 {
        let loads = (0..).zip(&self.loads);
        let carried = loads.map(|(edge, load)| load * self.plan.space.slowness(edge));
        carried.max().unwrap_or(0)
    }

    /// Puts everything back as it was before a repair.
    pub(super) fn undo(&mut self, change: Change) {
        for (destination, at, edge) in change.entries {
            self.set_edge(destination, at, edge);
        }
        for (place, lane) in change.lanes.into_iter().rev() {
            self.lanes[place] = lane;
        }
        self.loads = change.loads;
        self.release(change.turns, change.ways);
        if let Some(turns) = change.cut {
            self.held.restore(turns);
        }
    }

    /// Lets go of what was held for the way from old entries to new ones.
    fn release(&mut self, turns: Vec<[LaneStep; 2]>, mut ways: HeldWays) {
        for turn in turns {
            self.held.take_back(&turn);
        }
        ways.release(0, &mut self.held);
    }

    /// Goes on with the tables as they were repaired: old routes are no more.
    pub(super) fn keep(&mut self, change: Change) {
        self.release(change.turns, change.ways);
        self.held.forget_landmarks();
        let plan = self.plan.clone();
        let [mut old, mut new] = [(), ()].map(|()| Packets::new(plan.space.switch_count()));
        let (mut entries, mut lanes) = (change.entries.as_slice(), change.lanes.as_slice());
        let all_send = change.left.all_send(&self.left);
        let is_alike = plan.alike_where_ways_stay(&change.left, &self.left);
        for destination in 0..plan.to.len() {
            let of_it = entries.partition_point(|entry| entry.0 == destination);
            let (changed, rest) = entries.split_at(of_it);
            entries = rest;
            let row = self.lane_row(destination);
            let of_it = lanes.partition_point(|(place, _)| row.contains(place));
            let (relaned, rest) = lanes.split_at(of_it);
            lanes = rest;
            let stays = all_send || is_alike && plan.is_left(destination, &change.left);
            if changed.is_empty() && stays || !plan.is_left(destination, &self.left) {
                continue;
            }
            if is_alike && plan.is_left(destination, &change.left) {
                let before: BTreeMap<u32, u32> =
                    changed.iter().map(|&(_, at, was)| (at, was)).collect();
                let entries = plan.entries(&self.exits, destination);
                let nearby = TurnsNearby {
                    plan: &plan,
                    left: [&*self.left, &*change.left],
                    was: |at| before.get(&at).map_or_else(|| entries.edge(at), |&was| was),
                    is: |at| entries.edge(at),
                };
                nearby.replace(&mut self.held, before.keys().copied());
                continue;
            }
            self.edges(destination, &mut new.next);
            old.next.clone_from(&new.next);
            for &(_, at, was) in changed {
                old.next[at as usize] = was;
            }
            let mut row_before = self.lanes[row.clone()].to_vec();
            for &(place, was) in relaned.iter().rev() {
                row_before[place - row.start] = was;
            }
            old.gather(&plan, &row_before, destination, &self.left);
            new.gather(&plan, &self.lanes[row], destination, &change.left);
            new.replace(&old, &plan, &mut self.held, &change.left);
        }
        self.left = change.left;
        self.count_management_anew();
    }

    /// Takes away what all sent to a destination some of whose hosts are lost, and adds what is left.
    fn lose_all(&mut self, plan: &Plan, destination: usize, left: &Left, gathered: &mut Gathered) {
        let row = &self.lanes[self.lane_row(destination)];
        let mut next = Vec::new();
        plan.edges(&self.exits, destination, &mut next);
        plan.gather(gathered, &next, row, destination, &self.left);
        add_loads(&mut self.loads, &next, &gathered.pairs, u64::wrapping_sub);
        plan.gather(gathered, &next, row, destination, left);
        add_loads(&mut self.loads, &next, &gathered.pairs, u64::wrapping_add);
    }

    /// Mends the broken ways to a destination; `is_alike` tells whether loads still count the hosts that are
    /// lost now.
    fn mend_ways(
        &mut self,
        (plan, legal): (&Plan, Option<&LegalTurns>),
        destination: usize,
        is_alike: bool,
        change: &mut Change,
        broken: &mut BrokenWays,
    ) -> Result<(), Apart> {
        let weight = plan.weight(destination, &change.left);
        let entries = plan.entries(&self.exits, destination);
        let counted = if is_alike { &self.left } else { &change.left };
        for broken in &broken.switches {
            let own = counted.compute[broken.at as usize] * weight;
            for edge in entries.way(broken.at) {
                self.loads[edge as usize] -= own;
            }
        }
        let left = Arc::clone(&change.left);
        // Nobody sends by what failed itself, where no way led over that.
        let order = if broken
            .switches
            .iter()
            .any(|of| left.switches[of.at as usize])
        {
            self.lead_anew((plan, legal), (destination, weight), change, broken)?
        } else {
            Order::Any
        };
        let entries = plan.entries(&self.exits, destination);
        let old = |broken: &Broken| entries.edge(broken.at);
        let most = most_switches(entries, broken, order, old);
        change.most_switches = change.most_switches.max(most);
        for broken in &broken.switches {
            let was = entries.edge(broken.at);
            if broken.next != was {
                change.entries.push((destination, broken.at, was));
                // One that leads nowhere any more is cleared where a way could be.
                let could_lead =
                    left.answers[broken.at as usize] && plan.is_left(destination, &left);
                let counts = could_lead || broken.next != broken.old;
                change.changed_entries += usize::from(counts && left.switches[broken.at as usize]);
            }
        }
        for broken in &broken.switches {
            self.set_edge(destination, broken.at, broken.next);
        }
        Ok(())
    }

    /// Leads switches whose ways are broken to a destination, which stands for so many compute ends, and holds what
    /// packets may meet on the way there: tells in which order.
    fn lead_anew(
        &mut self,
        (plan, legal): (&Plan, Option<&LegalTurns>),
        (destination, weight): (usize, u64),
        change: &mut Change,
        broken: &mut BrokenWays,
    ) -> Result<Order, Apart> {
        let row = self.lane_row(destination);
        let entries = plan.entries(&self.exits, destination);
        let mut row_before = std::mem::take(&mut broken.row_before);
        row_before.clear();
        row_before.extend_from_slice(&self.lanes[row.clone()]);
        let left = Arc::clone(&change.left);
        if left.counts_management || broken.apart(&left).is_some() {
            let apart: Vec<u32> = broken.switches.iter().map(|broken| broken.at).collect();
            let own = weight * broken.most_ends(&left);
            let mut ways = MendedWays {
                entries,
                broken,
                left: &left,
            };
            let mut mending = Mending {
                plan,
                held: &mut self.held,
                loads: &mut self.loads,
                weight,
                own,
                most: change.most,
                lanes: &mut self.lanes[row.clone()],
                first_lane: row.start,
                left: &left,
                change,
                legal,
                permits: None,
            };
            ways.lead(&apart, &mut mending);
            if ways.broken.apart(&left).is_some() && ways.broken.add_others(entries, &left) {
                let apart: Vec<u32> = ways.broken.switches.iter().map(|of| of.at).collect();
                ways.lead(&apart, &mut mending);
            }
            if let Some(from) = broken.apart(&left) {
                return Err(Apart { from, destination });
            }
            if left.counts_management {
                broken.give_up_others(plan, &left);
            }
        }
        let senders = Senders {
            rows: [&row_before, &self.lanes[row]],
            left: [&self.left, &left],
        };
        let order = mix(&mut self.held, entries, broken, senders, change);
        broken.row_before = row_before;
        Ok(order)
    }
}
