//! What packets meet while some entries are old and some are new.

use super::gathered::numbers;
use super::mending::{Change, Scratch};
use super::standing_tables::StandingTables;
use crate::cycles::LaneSet;
use crate::form::Lane;
use crate::joining::Held;
use crate::paths::NO_EDGE;

impl StandingTables {
    /// Makes lanes hold what packets to a destination may meet on the way from the old entries that still
    /// stand to the new ones, each switch changing when it will. Where that would close a cycle, switches
    /// that have no hosts and that no new route passes are set last: until all others are, packets that come
    /// there by an old entry find none. Where that would too, entries that change must be cleared first.
    pub(super) fn mix(
        &mut self,
        entries: [&[u32]; 2],
        destination: usize,
        change: &mut Change,
        scratch: &mut Scratch,
    ) {
        if self.holds_mixtures(entries, change, scratch) {
            return;
        }
        let [old, new] = entries;
        let is_last = |at: usize| scratch.new.lanes[at] == 0 && !change.left.sends[at];
        let all = new.iter().zip(old).enumerate();
        let first: Vec<u32> = all
            .map(|(at, (&new, &old))| if is_last(at) { old } else { new })
            .collect();
        if first != new && self.holds_mixtures([old, &first], change, scratch) {
            change.last.push(destination);
        } else {
            change.cleared.push(destination);
        }
    }

    /// Holds what packets may meet where each switch has either of two entries, all of it or none, and tells
    /// which.
    fn holds_mixtures(
        &mut self,
        entries: [&[u32]; 2],
        change: &mut Change,
        scratch: &mut Scratch,
    ) -> bool {
        let space = &self.plan.space;
        let Scratch { old, new, open, .. } = scratch;
        let switches = (0..).take(entries[0].len());
        // All packets that are at a switch by old entries, those that have passed what failed too, or by new
        // ones.
        let together = |(&old, &new): (&LaneSet, &LaneSet)| old | new;
        let mut met: Vec<LaneSet> = old.lanes.iter().zip(&new.lanes).map(together).collect();
        open.clear();
        open.extend(switches.clone());
        while let Some(at) = open.pop() {
            for edge in edges(entries, at) {
                let next = space.edge(edge).to;
                let all = met[next as usize] | met[at as usize];
                if all != met[next as usize] {
                    met[next as usize] = all;
                    open.push(next);
                }
            }
        }
        let first = change.turns.len();
        let mut hold = |lanes: LaneSet, turn: [u32; 2]| {
            let mut lanes = numbers(lanes).map(Lane::new);
            lanes.all(|lane| {
                let held = self.held.hold_turn(lane, turn);
                if held == Held::Now {
                    change.turns.push((lane, turn));
                }
                held != Held::Not
            })
        };
        let mut each = switches;
        let is_held = each.all(|at| {
            edges(entries, at).all(|held| {
                let next = space.edge(held).to;
                edges(entries, next).all(|wanted| {
                    // What old entries alone lead over is held already, and what new ones alone do.
                    let is_by = |entries: &[u32]| {
                        [entries[at as usize], entries[next as usize]] == [held, wanted]
                    };
                    let by = |is_by, lanes: &[LaneSet]| if is_by { lanes[at as usize] } else { 0 };
                    let known =
                        by(is_by(entries[0]), &old.lanes) | by(is_by(entries[1]), &new.lanes);
                    hold(met[at as usize] & !known, [held, wanted])
                })
            })
        });
        if !is_held {
            for (lane, turn) in change.turns.drain(first..) {
                self.held.release_on(lane, &turn);
            }
        }
        is_held
    }
}

/// The edges of the old entry and the new one.
fn edges(entries: [&[u32]; 2], at: u32) -> impl Iterator<Item = u32> {
    let [was, is] = entries.map(|entries| entries[at as usize]);
    let new = Some(is).filter(|_| is != was);
    let edges = [Some(was), new].into_iter().flatten();
    edges.filter(|&edge| edge != NO_EDGE)
}
