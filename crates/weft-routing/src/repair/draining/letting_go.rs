//! Ways that are let go of: those over what failed, and those that are in the way of others.

use super::Draining;
use crate::joining::LaneStep;
use crate::paths::NO_EDGE;
use crate::repair::failed_parts::Left;
use crate::repair::turns_nearby::TurnsNearby;
use std::sync::Arc;

impl Draining {
    /// Lets go of what failed, and of the ways that lead there.
    pub(super) fn lose(&mut self, before: &Left) {
        let left = Arc::clone(&self.left);
        self.tables.held.cut(&left.gone);
        let gone = left.gone.iter();
        let gone: Vec<(u32, u8)> = gone.map(|&edge| self.plan.entry_for(edge)).collect();
        let all_send = left.all_send(before);
        self.lost = left.lost(before);
        for destination in 0..self.plan.to.len() {
            let entries = self.plan.entries(&self.tables.exits, destination);
            self.broken.find(entries, &gone, &left);
            if !all_send || !self.broken.switches.is_empty() {
                self.let_go(destination, before);
            }
        }
        self.lost.clear();
    }

    /// Lets go of the ways of switches to a destination, which all that send over them are among, as packets of what
    /// was left before make them.
    fn let_go(&mut self, destination: usize, before: &Left) {
        let plan = Arc::clone(&self.plan);
        let lefts = [before, &self.left];
        let is_left = lefts.iter().all(|left| plan.is_left(destination, left));
        let weights = lefts.map(|left| plan.weight(destination, left));
        if is_left && weights[0] == weights[1] && plan.alike_where_ways_stay(&self.left, before) {
            self.let_go_nearby(destination, before, weights[0]);
        } else {
            self.let_go_anywhere(destination, before);
        }
        let apart = self.apart.entry(destination).or_default();
        let broken = self.broken.switches.iter();
        let stand = broken.filter(|of| self.left.switches[of.at as usize]);
        apart.extend(stand.map(|of| (of.at, of.old)));
        if apart.is_empty() || !plan.is_left(destination, &self.left) {
            self.apart.remove(&destination);
        }
    }

    /// The same where nothing else that is sent changes but for hosts that are lost.
    fn let_go_nearby(&mut self, destination: usize, before: &Left, weight: u64) {
        let (plan, tables, broken) = (&*self.plan, &mut self.tables, &self.broken);
        let entries = plan.entries(&tables.exits, destination);
        let sent = broken.switches.iter();
        let sent = sent.map(|of| (of.at, before.compute[of.at as usize]));
        let lost = self.lost.iter().copied().filter(|of| !broken.has(of.0));
        for (at, pairs) in sent.chain(lost) {
            for edge in entries.way(at) {
                tables.loads[edge as usize] -= pairs * weight;
            }
        }
        let nearby = TurnsNearby {
            plan,
            left: [before, &*self.left],
            was: |at| entries.edge(at),
            is: |at| {
                if broken.has(at) {
                    NO_EDGE
                } else {
                    entries.edge(at)
                }
            },
        };
        nearby.replace(&mut tables.held, broken.switches.iter().map(|of| of.at));
        for of in &broken.switches {
            tables.set_edge(destination, of.at, NO_EDGE);
        }
    }

    /// The same whatever lanes packets take, and whoever sends no more.
    fn let_go_anywhere(&mut self, destination: usize, before: &Left) {
        let (plan, tables) = (&self.plan, &mut self.tables);
        let row = tables.lane_row(destination);
        tables.edges(destination, &mut self.before.next);
        let row_now = &tables.lanes[row.clone()];
        self.before.gather(plan, row_now, destination, before);
        for of in &self.broken.switches {
            tables.set_edge(destination, of.at, NO_EDGE);
        }
        tables.edges(destination, &mut self.now.next);
        let row_now = &tables.lanes[row];
        self.now.gather(plan, row_now, destination, &self.left);
        self.now
            .replace(&self.before, plan, &mut tables.held, &self.left);
        self.before.count(&mut tables.loads, u64::wrapping_sub);
        self.now.count(&mut tables.loads, u64::wrapping_add);
    }

    /// Lets go of all ways to a destination.
    pub(super) fn let_go_of_all(&mut self, destination: usize) {
        let left = Arc::clone(&self.left);
        let entries = self.plan.entries(&self.tables.exits, destination);
        let switches = (0..).take(entries.exits.len());
        let led = switches.map(|at| (at, entries.edge(at)));
        let led: Vec<(u32, u32)> = led.filter(|&(_, edge)| edge != NO_EDGE).collect();
        self.broken.take(&led);
        self.let_go(destination, &left);
        self.ask_others(destination);
    }

    /// Lets go of all ways that make a turn, and tells the destinations of these.
    pub(super) fn let_go_of(&mut self, turn: [LaneStep; 2]) -> Vec<usize> {
        *self.rivals.entry(turn).or_default() += 1;
        let left = Arc::clone(&self.left);
        let [held, wanted] = turn.map(|step| step.0);
        let plan = Arc::clone(&self.plan);
        let [from, over] = [held, wanted].map(|edge| plan.space.tail(edge));
        let mut found = Vec::new();
        for destination in (0..plan.to.len()).filter(|&to| plan.is_left(to, &left)) {
            let entries = plan.entries(&self.tables.exits, destination);
            if [entries.edge(from), entries.edge(over)] != [held, wanted] {
                continue;
            }
            let row = &self.tables.lanes[self.tables.lane_row(destination)];
            plan.edges(&self.tables.exits, destination, &mut self.before.next);
            self.before.gather(&plan, row, destination, &left);
            let makes = self.before.turn(&plan, from as usize);
            let makes = makes.is_some_and(|(edges, levels)| {
                let mut steps = plan.rules.steps(&plan.space, edges, levels);
                steps.any(|steps| steps == turn)
            });
            if makes {
                self.let_go += 1;
                self.broken.find(entries, &[plan.entry_for(held)], &left);
                self.let_go(destination, &left);
                found.push(destination);
            }
        }
        found
    }
}
