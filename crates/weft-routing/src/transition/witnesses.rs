//! Why changes cannot be the first of those left over: who waits for whom once one is.

use super::BlockedChange;
use super::certain_ways::{CertainWays, Place};
use super::side::NOWHERE;
use super::standing_ways::{Use, begun};
use crate::form::numbers;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Why a change is not the first: who wants what, the last one the first.
#[derive(Clone, Debug)]
pub(super) struct Witness {
    pub(super) waits: Vec<CertainWait>,
    /// What has to stand as it does for that.
    pub(super) needs: BTreeSet<Place>,
}

/// A packet that holds one lane of an edge and wants another.
#[derive(Clone, Copy, Debug)]
pub(super) struct CertainWait {
    pub(super) held: u32,
    pub(super) lane: u8,
    pub(super) address: u32,
    pub(super) from: u32,
    pub(super) is_by_change: bool,
}

impl CertainWays<'_> {
    /// Why none of the changes left over is the first.
    pub(super) fn witnesses(&mut self) -> BTreeMap<Place, Witness> {
        let mut users: BTreeMap<Use, u32> = BTreeMap::new();
        for (number, ways) in (0..).zip(&self.ways) {
            for &used in &ways.uses {
                users.entry(used).or_insert(number);
            }
        }
        let places = self.places();
        let all = places.into_iter().map(|place| {
            let added = self.added(place.0 as usize, (place.1, place.2));
            let Some(last) = self.closing(&added) else {
                unreachable!("what is left over closes a cycle");
            };
            let cycle = self.cycle(&added[..=last]);
            (place, self.witness(place, &cycle, (&added, &users)))
        });
        all.collect()
    }

    /// The cycle that further dependencies close, the last of them first.
    fn cycle(&self, added: &[Use]) -> Vec<u32> {
        let [held, wanted] = added[added.len() - 1];
        let mut from: BTreeMap<u32, u32> = BTreeMap::from([(wanted, held)]);
        let mut open = VecDeque::from([wanted]);
        while let Some(at) = open.pop_front() {
            if at == held {
                break;
            }
            let there = self.graph.wanted(at).iter().map(|&(next, _)| next);
            let more = added
                .iter()
                .filter(|used| used[0] == at)
                .map(|used| used[1]);
            for next in there.chain(more) {
                from.entry(next).or_insert_with(|| {
                    open.push_back(next);
                    at
                });
            }
        }
        let mut cycle = vec![held];
        let mut at = held;
        while at != wanted {
            at = from[&at];
            cycle.push(at);
        }
        cycle.reverse();
        cycle
    }

    fn witness(
        &self,
        place: Place,
        cycle: &[u32],
        (added, users): (&[Use], &BTreeMap<Use, u32>),
    ) -> Witness {
        let mut found = Witness {
            waits: Vec::new(),
            needs: BTreeSet::new(),
        };
        let pairs = cycle.iter().zip(cycle.iter().cycle().skip(1));
        for (&held, &wanted) in pairs {
            let used = [held, wanted];
            let is_by_change = !users.contains_key(&used);
            debug_assert!(!is_by_change || added.contains(&used));
            let address = if is_by_change { place.0 } else { users[&used] };
            let instead = is_by_change.then_some((place.1, place.2));
            let [(held, lane), (wanted, wanted_lane)] =
                used.map(|vertex| self.joint.edge_of(vertex));
            let way = self.way(address, instead, ([held, wanted], [lane, wanted_lane]));
            let Some((from, passed)) = way else {
                unreachable!("somebody waits there");
            };
            let ways = &self.ways[address as usize];
            let is_needed = |at: &u32| ways.others[*at as usize] != NOWHERE;
            let needs = passed.into_iter().filter(is_needed);
            let entries = needs.map(|at| (address, at, BlockedChange::Entry));
            found.needs.extend(entries);
            if ways.other_levels.contains_key(&from) {
                found.needs.insert((address, from, BlockedChange::Level));
            }
            found.waits.push(CertainWait {
                held,
                lane,
                address,
                from,
                is_by_change,
            });
        }
        found
    }

    /// Who comes to hold a lane of one edge and want one of another, and the switches on its way.
    fn way(
        &self,
        address: u32,
        instead: Option<(u32, BlockedChange)>,
        (edges, lanes): ([u32; 2], [u8; 2]),
    ) -> Option<(u32, Vec<u32>)> {
        let ways = &self.ways[address as usize];
        let (joint, laned) = (self.joint, &self.joint.lanes.laned);
        let exit = |at: u32| {
            if instead == Some((at, BlockedChange::Entry)) {
                ways.others[at as usize]
            } else {
                ways.exit(at)
            }
        };
        let by_level = instead.filter(|of| of.1 == BlockedChange::Level);
        let senders = ways.sent.iter().map(|&(from, levels)| match by_level {
            Some((at, _)) if at == from => (from, ways.other_levels[&at]),
            _ => (from, levels),
        });
        for (from, levels) in senders {
            let mut held = exit(from);
            for mut on in numbers(begun(joint, levels, held)).map(|number| 1 << number) {
                let mut passed = vec![from];
                // Round a circle once more, if need be.
                for _ in 0..=2 * joint.switch_count {
                    let at = joint.edges[held as usize].to;
                    let wanted = exit(at);
                    if !joint.stands(wanted) {
                        break;
                    }
                    passed.push(at);
                    let next = joint.certain_turn([held, wanted], on);
                    let both = numbers(on).zip(numbers(next));
                    let mut both =
                        both.map(|both| [both.0, both.1].map(|of| laned.lane(of).number()));
                    if [held, wanted] == edges && both.any(|both| both == lanes) {
                        return Some((from, passed));
                    }
                    if next == 0 {
                        break;
                    }
                    (held, on) = (wanted, next);
                }
                held = exit(from);
            }
        }
        None
    }
}
