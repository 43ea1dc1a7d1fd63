//! What packets meet while some entries are old and some are new.

use super::broken_ways::{Broken, BrokenWays};
use super::change::Change;
use super::gathered::numbers;
use super::plan::Entries;
use crate::cycles::LaneSet;
use crate::form::Lane;
use crate::joining::{Held, HeldLanes};
use crate::paths::NO_EDGE;
use std::sync::Arc;

/// Makes lanes hold what packets to a destination may meet on the way from the old entries that still stand
/// to the new ones, each switch changing when it will. Where that would close a cycle, switches that have no
/// hosts and that no new route passes are set last: until all others are, packets that come there by an old
/// entry find none. Where that would too, entries that change must be cleared first.
///
/// Only switches whose old way is broken have another entry, and packets come to them from one another
/// alone: those that other switches send pass none of them.
pub(super) fn mix(
    held: &mut HeldLanes,
    entries: Entries<'_>,
    broken: &BrokenWays,
    change: &mut Change,
) {
    if holds_mixtures(held, entries, broken, |broken| broken.next, change) {
        return;
    }
    let left = Arc::clone(&change.left);
    let is_last = |broken: &Broken| broken.new_lanes == 0 && !left.sends[broken.at as usize];
    let first = |broken: &Broken| {
        if is_last(broken) {
            broken.old
        } else {
            broken.next
        }
    };
    let has_last = broken
        .switches
        .iter()
        .any(|broken| first(broken) != broken.next);
    if has_last && holds_mixtures(held, entries, broken, first, change) {
        let switches = broken.switches.iter();
        let last = switches.filter(|broken| first(broken) != broken.next);
        let last = last.map(|broken| broken.at).collect();
        change.last.push((entries.destination, last));
    } else {
        change.cleared.push(entries.destination);
    }
}

/// Holds what packets may meet where each broken switch has its old entry or a new one, all of it or none,
/// and tells which.
fn holds_mixtures(
    held: &mut HeldLanes,
    entries: Entries<'_>,
    broken: &BrokenWays,
    new: impl Fn(&Broken) -> u32,
    change: &mut Change,
) -> bool {
    let space = &entries.plan.space;
    let switches = &broken.switches;
    let edges = |place: usize| {
        let [was, is] = [switches[place].old, new(&switches[place])];
        let new = Some(is).filter(|_| is != was);
        let edges = [Some(was), new].into_iter().flatten();
        edges.filter(|&edge| edge != NO_EDGE)
    };
    // All packets that are at a switch by old entries, those that have passed what failed too, or by new ones.
    let together = |broken: &Broken| broken.old_lanes | broken.new_lanes;
    let mut met: Vec<LaneSet> = switches.iter().map(together).collect();
    let mut open: Vec<usize> = (0..met.len()).collect();
    while let Some(at) = open.pop() {
        for next in edges(at).filter_map(|edge| broken.place(space.edge(edge).to)) {
            let all = met[next] | met[at];
            if all != met[next] {
                met[next] = all;
                open.push(next);
            }
        }
    }
    let first = change.turns.len();
    let walk = broken.new_walk();
    let mut hold = |lanes: LaneSet, turn: [u32; 2]| {
        let mut lanes = numbers(lanes).map(Lane::new);
        lanes.all(|lane| {
            let held = held.hold_turn(lane, turn);
            if held == Held::Now {
                change.turns.push((lane, turn));
            }
            held != Held::Not
        })
    };
    let mut each = 0..met.len();
    let is_held = each.all(|at| {
        edges(at).all(|edge| {
            let next = space.edge(edge).to;
            if let Some(next) = broken.place(next) {
                return edges(next).all(|wanted| hold(met[at], [edge, wanted]));
            }
            let mut before = edge;
            for wanted in entries.way(next) {
                if !hold(met[at], [before, wanted]) {
                    return false;
                }
                // Whoever came to that switch on these lanes before has met the rest of the way.
                if !broken.passes(walk, space.tail(wanted), met[at]) {
                    break;
                }
                before = wanted;
            }
            true
        })
    });
    if !is_held {
        for (lane, turn) in change.turns.drain(first..) {
            held.release_turn(lane, turn);
        }
    }
    is_held
}
