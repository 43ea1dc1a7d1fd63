//! Turns by which ways never close a cycle on one lane: none goes up, towards a root, after it went down.

use super::failed_parts::Left;
use super::plan::Plan;
use super::standing_tables::StandingTables;
use crate::paths::PathSpace;
use std::cmp::Reverse;
use std::collections::VecDeque;

/// An order of switches; a link leads up to the end that comes first.
///
/// Every switch that is joined to the first has a link up, so that there is a way without forbidden turns from each to
/// each: up as far as the first, and down.
///
/// # Source
/// Schroeder et al., "Autonet: a high-speed, self-configuring local area network using point-to-point links", IEEE
/// Journal on Selected Areas in Communications 9, 1991; that only switches are moved which lose their last link up is
/// as in Casado, Bermúdez, Quiles, Sánchez, Duato, "Performance evaluation of dynamic reconfiguration in high-speed
/// local area networks", High-Performance Computer Architecture, 2000.
#[derive(Clone, Debug)]
pub(super) struct LegalTurns {
    /// Per switch: its place in the order.
    places: Vec<usize>,
    /// Whether the tables make no others.
    pub(super) are_kept: bool,
}

impl LegalTurns {
    /// The turns of tables, by levels around that root for which fewest of their turns are others, where switches that
    /// what is left gives no link up are moved behind one that has. `None` with several lanes.
    ///
    /// Time in proportion to switches and turns at worst.
    pub(super) fn of(tables: &StandingTables, left: &Left) -> Option<Self> {
        let plan = &*tables.plan;
        if plan.rules.lane_count() > 1 {
            return None;
        }
        let space = &plan.space;
        let mut may_be_root = joined(space, &tables.left);
        let turns = TurnsBySwitch::of(tables);
        let mut places = vec![UNKNOWN; space.switch_count()];
        let mut others = |root, most| turns.others(tables, (root, most), &mut places);
        let guess = turns.busiest_switch(&may_be_root)?;
        let mut best = (others(guess, u64::MAX)?, guess);
        may_be_root[guess as usize] = false;
        let mut is_better = |root: u32, best: &mut (u64, u32)| {
            if !std::mem::take(&mut may_be_root[root as usize]) {
                return false;
            }
            // Of roots alike the first.
            let most = best.0.checked_sub(u64::from(root > best.1));
            let found = most.and_then(|most| others(root, most));
            *best = found.map_or(*best, |found| (found, root));
            found.is_some()
        };
        // Where a root is nearly as good as any, that which has fewest is mostly near: with so few known, others are soon
        // seen to have more.
        let mut beside = Some(guess);
        while let Some(at) = beside.take() {
            for edge in space.edge_ids(at).filter(|&edge| tables.left.has(edge)) {
                let to = space.edge(edge).to;
                if is_better(to, &mut best) {
                    beside = Some(to);
                }
            }
        }
        for root in (0..).take(space.switch_count()) {
            is_better(root, &mut best);
        }
        let (others, root) = best;
        let order = by_levels(space, root, &tables.left);
        Some(Self {
            are_kept: others == 0,
            ..Self::with_links_up(plan, order, left)
        })
    }

    /// The order given, where switches that have no link up any more come right behind a neighbour that has.
    fn with_links_up(plan: &Plan, mut order: Vec<u32>, left: &Left) -> Self {
        let space = &plan.space;
        let mut made = Self {
            places: places(space, &order),
            are_kept: false,
        };
        let mut is_joined = vec![false; space.switch_count()];
        let in_part = joined(space, left);
        if let Some(&first) = order.iter().find(|&&at| in_part[at as usize]) {
            is_joined[first as usize] = true;
        }
        let neighbours = |at: u32| {
            let edges = space.edge_ids(at).filter(|&edge| left.has(edge));
            edges.map(|edge| space.edge(edge).to)
        };
        loop {
            let mut goes_on = true;
            while std::mem::take(&mut goes_on) {
                for &at in &order {
                    let place = made.places[at as usize];
                    let mut above = neighbours(at).filter(|&to| made.places[to as usize] < place);
                    if !is_joined[at as usize] && above.any(|to| is_joined[to as usize]) {
                        is_joined[at as usize] = true;
                        goes_on = true;
                    }
                }
            }
            let behind = order.iter().find_map(|&at| {
                let joined = neighbours(at).filter(|&to| is_joined[to as usize]);
                let first = joined.min_by_key(|&to| made.places[to as usize]);
                first.filter(|_| !is_joined[at as usize]).map(|to| (at, to))
            });
            let Some((at, behind)) = behind else {
                return made;
            };
            order.retain(|&other| other != at);
            let place = order.iter().position(|&other| other == behind);
            order.insert(place.map_or(0, |place| place + 1), at);
            made.places = places(space, &order);
        }
    }

    /// Tells whether an edge leads up.
    pub(super) fn is_up(&self, space: &PathSpace, edge: u32) -> bool {
        self.places[space.edge(edge).to as usize] < self.places[space.tail(edge) as usize]
    }

    /// Tells whether ways may go on from one edge to another.
    pub(super) fn allow(&self, space: &PathSpace, [held, wanted]: [u32; 2]) -> bool {
        self.is_up(space, held) || !self.is_up(space, wanted)
    }
}

/// No place in an order.
const UNKNOWN: u64 = u64::MAX;

/// The level of switches that are not joined to the root.
const APART: u64 = u32::MAX as u64;

/// The place of a switch by its level around a root, then by number.
fn place(level: u64, at: u32) -> u64 {
    level << 32 | u64::from(at)
}

/// The turns that tables make, by the switches that they lead over.
struct TurnsBySwitch {
    /// Per switch: where its turns begin; then the number of all.
    firsts: Vec<usize>,
    /// The switches before and after, and the uses.
    turns: Vec<([u32; 2], u64)>,
}

impl TurnsBySwitch {
    fn of(tables: &StandingTables) -> Self {
        let space = &tables.plan.space;
        let turns = tables.held.turns().map(|([held, wanted], uses)| {
            let ends = [space.tail(held.0), space.edge(wanted.0).to];
            (space.tail(wanted.0), (ends, u64::from(uses)))
        });
        let mut turns: Vec<(u32, ([u32; 2], u64))> = turns.collect();
        turns.sort_unstable();
        let switches = (0..).take(space.switch_count() + 1);
        let first = |at: u32| turns.partition_point(|of| of.0 < at);
        Self {
            firsts: switches.map(first).collect(),
            turns: turns.iter().map(|of| of.1).collect(),
        }
    }

    fn over(&self, at: u32) -> &[([u32; 2], u64)] {
        &self.turns[self.firsts[at as usize]..self.firsts[at as usize + 1]]
    }

    /// The switch over which most lead, the first of equals, of those that may be a root: where ways go up and down,
    /// that is mostly theirs.
    fn busiest_switch(&self, is_root: &[bool]) -> Option<u32> {
        let roots = (0..).zip(is_root).filter(|root| *root.1);
        let uses = |at: u32| -> u64 { self.over(at).iter().map(|of| of.1).sum() };
        roots
            .map(|(at, _)| at)
            .max_by_key(|&at| (uses(at), Reverse(at)))
    }

    /// The uses of turns that lead up after they went down, by levels around a root, where there are not more than so
    /// many; of equal level the switch of lower number is above. `places` are all unknown before and after.
    fn others(
        &self,
        tables: &StandingTables,
        (root, most): (u32, u64),
        places: &mut [u64],
    ) -> Option<u64> {
        let (space, left) = (&tables.plan.space, &tables.left);
        let mut all = 0;
        // Whoever is looked at knows the places of all that may be above it.
        let mut goes_on = |places: &[u64], at: u32, own: u64| {
            let is_above = |end: u32| places[end as usize] < own;
            let others = self.over(at).iter();
            let others = others
                .map(|&([one, other], uses)| uses * u64::from(is_above(one) & is_above(other)));
            all += others.sum::<u64>();
            all <= most
        };
        places[root as usize] = place(0, root);
        let mut met = vec![root];
        let mut looked_at = 0;
        let mut holds = true;
        while let Some(&at) = met.get(looked_at).filter(|_| holds) {
            looked_at += 1;
            let own = places[at as usize];
            holds = goes_on(places, at, own);
            for edge in space.edge_ids(at).filter(|&edge| left.has(edge)) {
                let to = space.edge(edge).to;
                if places[to as usize] == UNKNOWN {
                    places[to as usize] = place((own >> 32) + 1, to);
                    met.push(to);
                }
            }
        }
        // Those that are not joined to the root come last, by number.
        let switches = (0..).take(places.len());
        let apart = switches.filter(|&at| places[at as usize] == UNKNOWN);
        let apart: Vec<u32> = if holds { apart.collect() } else { Vec::new() };
        for &at in &apart {
            places[at as usize] = place(APART, at);
        }
        holds = holds
            && apart
                .iter()
                .all(|&at| goes_on(places, at, place(APART, at)));
        for at in met.into_iter().chain(apart) {
            places[at as usize] = UNKNOWN;
        }
        holds.then_some(all)
    }
}

/// Tells for each switch its links from a root; most of those that are not joined to it.
fn fill_levels(space: &PathSpace, root: u32, left: &Left, levels: &mut [u32]) {
    levels.fill(u32::MAX);
    levels[root as usize] = 0;
    let mut open = VecDeque::from([root]);
    while let Some(at) = open.pop_front() {
        for edge in space.edge_ids(at).filter(|&edge| left.has(edge)) {
            let to = space.edge(edge).to;
            if levels[to as usize] == u32::MAX {
                levels[to as usize] = levels[at as usize] + 1;
                open.push_back(to);
            }
        }
    }
}

/// Switches by their links from a root, those as near by number; then those that are not joined to it.
fn by_levels(space: &PathSpace, root: u32, left: &Left) -> Vec<u32> {
    let mut levels = vec![0; space.switch_count()];
    fill_levels(space, root, left, &mut levels);
    let mut order: Vec<u32> = (0..).take(levels.len()).collect();
    order.sort_by_key(|&at| levels[at as usize]);
    order
}

fn places(space: &PathSpace, order: &[u32]) -> Vec<usize> {
    let mut places = vec![0; space.switch_count()];
    for (place, &at) in order.iter().enumerate() {
        places[at as usize] = place;
    }
    places
}

/// Per switch: whether what is left joins it to switches that send.
pub(super) fn joined(space: &PathSpace, left: &Left) -> Vec<bool> {
    let mut is_joined = vec![false; space.switch_count()];
    let sends = (0..).zip(&left.sends).find(|(_, sends)| **sends);
    let mut open: Vec<u32> = sends.iter().map(|&(at, _)| at).collect();
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut is_joined[at as usize], true) {
            continue;
        }
        let edges = space.edge_ids(at).filter(|&edge| left.has(edge));
        open.extend(edges.map(|edge| space.edge(edge).to));
    }
    is_joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::route_spec;
    use crate::form::Routes;
    use std::sync::Arc;
    use weft_fabric::generate::{JellyfishParameters, jellyfish, torus};

    /// The uses of turns that lead up after they went down, counted turn by turn from levels that are whole.
    fn counted(tables: &StandingTables, root: u32) -> u64 {
        let space = &tables.plan.space;
        let mut levels = vec![0; space.switch_count()];
        fill_levels(space, root, &tables.left, &mut levels);
        let place = |at: u32| (levels[at as usize], at);
        let turns = tables.held.turns().filter(|([held, wanted], _)| {
            let at = place(space.tail(wanted.0));
            at > place(space.tail(held.0)) && at > place(space.edge(wanted.0).to)
        });
        turns.map(|of| u64::from(of.1)).sum()
    }

    /// What is counted around a root while levels are found is what whole levels tell, and no root that is not looked at
    /// in full is better.
    #[test]
    fn the_root_is_the_first_of_those_with_fewest_other_turns() {
        let parameters = JellyfishParameters {
            switches: 20,
            degree: 4,
            hosts_per_switch: 1,
            seed: 3,
        };
        let random = jellyfish(&parameters).unwrap();
        for fabric in [random, torus(4, 4, 1).unwrap()] {
            for spec in ["down_preferred", "best:starts=1,lanes=1", "dimension_order"] {
                let Ok(made) = route_spec(&fabric, spec) else {
                    continue;
                };
                let Routes::Tables(made) = made.routes else {
                    continue;
                };
                let Ok(tables) = StandingTables::new(Arc::new(fabric.clone()), &made) else {
                    continue;
                };
                let turns = TurnsBySwitch::of(&tables);
                let mut found = vec![UNKNOWN; fabric.switch_count()];
                let mut best = (u64::MAX, 0);
                for root in (0..).take(fabric.switch_count()) {
                    let all = counted(&tables, root);
                    best = best.min((all, root));
                    let mut others = |most| turns.others(&tables, (root, most), &mut found);
                    assert_eq!(others(all), Some(all));
                    assert_eq!(all.checked_sub(1).and_then(&mut others), None);
                    assert!(found.iter().all(|&place| place == UNKNOWN));
                }
                let order = by_levels(&tables.plan.space, best.1, &tables.left);
                let legal = LegalTurns::of(&tables, &tables.left).unwrap();
                assert_eq!(legal.places, places(&tables.plan.space, &order));
                assert_eq!(legal.are_kept, best.0 == 0);
                assert_eq!(legal.are_kept, spec == "down_preferred", "{spec}");
            }
        }
    }
}
