//! What packets meet while some entries are old and some are new.

use super::broken_ways::{Broken, BrokenWays};
use super::change::Change;
use super::failed_parts::Left;
use super::plan::Entries;
use crate::form::{Lane, LanedSet};
use crate::joining::{Held, HeldLanes, LaneStep};
use crate::paths::NO_EDGE;

/// Who sends to a destination, before and after.
#[derive(Clone, Copy)]
pub(super) struct Senders<'a> {
    /// The service levels of its sources.
    pub(super) rows: [&'a [Lane]; 2],
    pub(super) left: [&'a Left; 2],
}

impl Senders<'_> {
    /// What hosts of a switch send over an edge, by old levels or new.
    fn own_levels(self, entries: Entries<'_>, at: u32, edge: u32) -> LanedSet {
        let own = |side| self.own_levels_at(side, entries, [at, edge]);
        own(0) | own(1)
    }

    /// What hosts of a switch send over an edge by old levels (0) or new ones (1).
    fn own_levels_at(self, side: usize, entries: Entries<'_>, turn: [u32; 2]) -> LanedSet {
        let (row, left) = (self.rows[side], self.left[side]);
        entries.plan.own_levels(row, turn, left)
    }
}

/// In which order switches get their new entries to a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Each when it will.
    Any,
    /// Each once those have theirs that its new way passes, so that who has met a new entry meets no old one.
    Outwards,
}

/// What leaves a switch by an entry: what has met no new entry, and what has. Where switches change in any order
/// that is not told apart.
type Met = [LanedSet; 2];

/// Makes lanes hold what packets to a destination may meet on the way from the old entries that still stand
/// to the new ones, each switch changing when it will. Where that would close a cycle, switches change from the
/// destination outwards, round after round; where even that would, switches without hosts that no hosts' packets pass are
/// left without an entry; and where that does not help, entries that change must be cleared first.
/// Returns in which order packets meet entries: those that are cleared first no old one after a new one either.
///
/// Only switches whose old way is broken have another entry, and packets come to them from one another
/// alone: those that other switches send pass none of them.
pub(super) fn mix(
    held: &mut HeldLanes,
    entries: Entries<'_>,
    broken: &mut BrokenWays,
    senders: Senders<'_>,
    change: &mut Change,
) -> Order {
    let [old_left, left] = senders.left;
    if has_no_mixture(entries, broken, senders) {
        debug_assert!({
            broken.gather_old(entries, senders.rows[0], old_left);
            let held_before = change.turns.len();
            let packets = (&*broken, senders);
            holds_mixtures(held, entries, packets, Order::Any, &mut change.turns)
                && change.turns.len() == held_before
        });
        return Order::Any;
    }
    broken.gather_old(entries, senders.rows[0], old_left);
    for gives_up in [false, true] {
        if gives_up && !broken.give_up_management(entries.plan, left) {
            break;
        }
        let packets = (&*broken, senders);
        let mut holds = |order| holds_mixtures(held, entries, packets, order, &mut change.turns);
        if holds(Order::Any) {
            return Order::Any;
        }
        if holds(Order::Outwards) {
            let later = rounds_outwards(entries, broken);
            change.later.push((entries.destination, later));
            return Order::Outwards;
        }
    }
    change.cleared.push(entries.destination);
    let met = broken.switches.iter();
    let met = met.map(|of| 1 + entries.way(of.at).count());
    change.cleared_switches = change.cleared_switches.max(met.max().unwrap_or(0));
    Order::Outwards
}

/// Tells whether packets meet new entries alone or, past what failed, old ones alone, on levels that lanes hold already
/// on the new ways: so it is where switches have no old entry that stands but the new one, no level is another, and what
/// failed led to none of them.
fn has_no_mixture(entries: Entries<'_>, broken: &BrokenWays, senders: Senders<'_>) -> bool {
    broken.switches.iter().all(|of| {
        let has_failed = of.old == NO_EDGE;
        let passed = if has_failed {
            entries.edge(of.at)
        } else {
            NO_EDGE
        };
        let ahead = (passed != NO_EDGE).then(|| entries.plan.space.edge(passed).to);
        let leads_to_one = ahead
            .and_then(|at| broken.place(at))
            .is_some_and(|place| broken.switches[place].next != NO_EDGE);
        let [was, is] = [0, 1].map(|side| senders.own_levels_at(side, entries, [of.at, of.next]));
        (has_failed || of.old == of.next) && !leads_to_one && was & !is == 0
    })
}

/// The switches that change after the first round, each with its round, which comes after those of the switches that
/// its new way passes.
pub(super) fn rounds_outwards(entries: Entries<'_>, broken: &BrokenWays) -> Vec<(u32, u32)> {
    let changes = |of: &Broken| of.next != of.old;
    let round = |of: &Broken| {
        let (mut round, mut edge) = (0, of.next);
        // None passes a switch twice.
        for _ in 0..broken.switches.len() {
            let ahead = (edge != NO_EDGE).then(|| entries.plan.space.edge(edge).to);
            let Some(place) = ahead.and_then(|at| broken.place(at)) else {
                break;
            };
            let ahead = &broken.switches[place];
            round += u32::from(changes(ahead));
            edge = ahead.next;
        }
        round
    };
    let changing = broken.switches.iter().filter(|of| changes(of));
    let rounds = changing.map(|of| (of.at, round(of)));
    rounds.filter(|&(_, round)| round > 0).collect()
}

/// Holds what packets may meet where each broken switch has its old entry or a new one, all of it or none,
/// and tells which.
pub(super) fn holds_mixtures(
    held: &mut HeldLanes,
    entries: Entries<'_>,
    (broken, senders): (&BrokenWays, Senders<'_>),
    order: Order,
    turns: &mut Vec<[LaneStep; 2]>,
) -> bool {
    let (plan, space) = (entries.plan, &entries.plan.space);
    let switches = &broken.switches;
    // The old edge if it stands, and the new one if that is another.
    let edges = |place: usize| {
        let [was, is] = [switches[place].old, switches[place].next];
        [was, if is == was { NO_EDGE } else { is }]
    };
    let standing = |place: usize| {
        let both = edges(place).into_iter().enumerate();
        both.filter(|&(_, edge)| edge != NO_EDGE)
    };
    // What of that which comes to a switch goes on by one of the two.
    let going_on = |place: usize, which: usize, [untouched, turned]: Met| match (which, order) {
        (0, _) if edges(place)[1] != NO_EDGE => [untouched, 0],
        (1, Order::Outwards) => [0, untouched | turned],
        _ => [untouched, turned],
    };
    // What is on each of them, and which of them others may have to be told of.
    let mut met: Vec<[Met; 2]> = vec![[[0; 2]; 2]; switches.len()];
    let mut open: Vec<(usize, usize)> = Vec::new();
    for place in 0..switches.len() {
        for (which, edge) in standing(place) {
            let own = senders.own_levels(entries, switches[place].at, edge);
            met[place][which] = going_on(place, which, [own, 0]);
            open.push((place, which));
        }
    }
    let arrive =
        |met: &mut Vec<[Met; 2]>, open: &mut Vec<(usize, usize)>, edge: u32, levels: Met| {
            let Some(place) = broken.place(space.edge(edge).to) else {
                return;
            };
            for (which, wanted) in standing(place) {
                let come = levels.map(|levels| plan.rules.turned(space, [edge, wanted], levels));
                let come = going_on(place, which, come);
                let before = met[place][which];
                let all = [before[0] | come[0], before[1] | come[1]];
                if all != before {
                    met[place][which] = all;
                    open.push((place, which));
                }
            }
        };
    // Those that have passed what failed came there by old entries.
    for broken in switches.iter().filter(|broken| broken.old_levels != 0) {
        let edge = entries.edge(broken.at);
        arrive(&mut met, &mut open, edge, [broken.old_levels, 0]);
    }
    while let Some((at, which)) = open.pop() {
        let levels = met[at][which];
        arrive(&mut met, &mut open, edges(at)[which], levels);
    }
    let first = turns.len();
    let walk = broken.new_walk();
    let mut hold = |levels: LanedSet, turn: [u32; 2]| {
        let mut steps = plan.rules.steps(space, turn, levels);
        steps.all(|steps| {
            let held = held.hold_turn(steps);
            if held == Held::Now {
                turns.push(steps);
            }
            held != Held::Not
        })
    };
    let mut each = 0..met.len();
    let is_held = each.all(|at| {
        standing(at).all(|(which, edge)| {
            let on = met[at][which];
            let next = space.edge(edge).to;
            if let Some(next) = broken.place(next) {
                return standing(next).all(|(which, wanted)| {
                    let [untouched, turned] = going_on(next, which, on);
                    hold(untouched | turned, [edge, wanted])
                });
            }
            let mut levels = on[0] | on[1];
            let mut before = edge;
            let is_rest_held = plan.holds_way_from(next, senders.left[1]);
            for wanted in entries.way(next) {
                if !hold(levels, [before, wanted]) {
                    return false;
                }
                levels = plan.rules.turned(space, [before, wanted], levels);
                // Whoever came to that switch on these levels before has met the rest of the way.
                if is_rest_held || !broken.passes(walk, space.tail(wanted), levels) {
                    break;
                }
                before = wanted;
            }
            true
        })
    });
    if !is_held {
        for turn in turns.drain(first..) {
            held.take_back(&turn);
        }
    }
    is_held
}
