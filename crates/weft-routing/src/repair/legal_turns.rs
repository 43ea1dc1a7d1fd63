//! Turns by which ways never close a cycle on one lane: none goes up, towards a root, after it went down.

use super::failed_parts::Left;
use super::plan::Plan;
use super::standing_tables::StandingTables;
use crate::paths::PathSpace;
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
        let turns = tables.held.turns().map(|([held, wanted], uses)| {
            let switches = [
                space.tail(held.0),
                space.tail(wanted.0),
                space.edge(wanted.0).to,
            ];
            (switches.map(|at| at as usize), u64::from(uses))
        });
        let turns: Vec<([usize; 3], u64)> = turns.collect();
        let mut best: Option<(u64, u32)> = None;
        let mut levels = vec![0; space.switch_count()];
        let roots = (0..).zip(joined(space, &tables.left));
        for root in roots.filter(|root| root.1).map(|(root, _)| root) {
            fill_levels(space, root, &tables.left, &mut levels);
            // The place of a switch by its level, of those alike by its number.
            let place = |at: usize| (levels[at], at);
            let least = best.map_or(u64::MAX, |best| best.0);
            let mut others = 0;
            for &([from, at, to], uses) in &turns {
                if place(at) > place(from) && place(at) > place(to) {
                    others += uses;
                    if others >= least {
                        break;
                    }
                }
            }
            if others < least {
                best = Some((others, root));
            }
            if others == 0 {
                break;
            }
        }
        let (others, root) = best?;
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
