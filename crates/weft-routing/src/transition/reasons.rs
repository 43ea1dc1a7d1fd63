//! Why a single change cannot be the next: the packets that would wait in a circle, and what has to stand as it does for
//! that.

use super::addresses::Sent;
use super::changes_done::{ChangesDone, Refusal};
use super::lane_choice::Rows;
use super::mixtures::Turn;
use super::one_change::SingleChange;
use crate::form::{LanedSet, numbers};
use std::collections::BTreeSet;

/// Packets that each wait for the next, the last one for the first.
#[derive(Clone, Debug)]
pub(super) struct Reason {
    /// Changes by which it holds: those that are met have to be, and the others must not be.
    pub(super) needs: BTreeSet<usize>,
    /// None where packets would be lost instead.
    pub(super) waits: Vec<Waiting>,
}

/// A packet that holds a lane of an edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub(super) held: u32,
    pub(super) address: usize,
    /// The switch where it was sent.
    pub(super) from: u32,
    /// Whether it meets the other entry of the change, or is sent by the other service level.
    pub(super) is_by_change: bool,
}

/// A way to a dependency, and the changes by which it is one.
struct Way {
    from: u32,
    is_by_change: bool,
    needs: BTreeSet<usize>,
}

impl ChangesDone<'_> {
    /// Why a change cannot be the next, of one that [`may`](Self::may) not be.
    pub(super) fn reason(&mut self, place: usize) -> Reason {
        let mut needs = BTreeSet::new();
        let mut waits = Vec::new();
        let Refusal::Circle(turns) = self.refusal(place) else {
            return Reason {
                needs: self.all_beside(place),
                waits,
            };
        };
        let mut is_told = true;
        for turn in turns {
            let Some((address, way)) = self.shortest_way(turn, place, &needs) else {
                // Round a circle by one entry and then by the other.
                needs.extend(self.all_beside(place));
                is_told = false;
                continue;
            };
            needs.extend(way.needs);
            waits.push(Waiting {
                held: turn[0],
                address,
                from: way.from,
                is_by_change: way.is_by_change,
            });
        }
        if !is_told {
            waits.clear();
        }
        Reason { needs, waits }
    }

    /// All other changes that packets meet which meet one.
    fn all_beside(&self, place: usize) -> BTreeSet<usize> {
        let address = self.changes[place].address();
        let all = address.map_or_else(|| self.places(), |number| self.own[number].clone());
        let beside = all.into_iter().chain(self.lanes);
        beside.filter(|&other| other != place).collect()
    }

    /// Who waits there by the fewest changes beside those that are needed already.
    fn shortest_way(
        &mut self,
        turn: Turn,
        place: usize,
        needed: &BTreeSet<usize>,
    ) -> Option<(usize, Way)> {
        let changed = self.changes[place].address();
        let mut best: Option<(usize, (usize, Way))> = None;
        for number in 0..self.turns.len() {
            let is_changed = changed.is_none_or(|changed| changed == number);
            let waits = self.turns[number].binary_search(&turn).is_ok();
            if !(self.counts[number] && (is_changed || waits)) {
                continue;
            }
            let ways = self.ways(number, turn, is_changed.then_some(place));
            self.steps += ways.len() * self.joint.left_count;
            for way in ways {
                let more = way.needs.difference(needed).count();
                if best.as_ref().is_none_or(|(least, _)| more < *least) {
                    best = Some((more, (number, way)));
                }
            }
        }
        best.map(|(_, found)| found)
    }

    /// The ways by which packets to an address come to hold one and want the other.
    fn ways(&self, number: usize, turn: Turn, place: Option<usize>) -> Vec<Way> {
        let joint = self.joint;
        let change = place.map(|place| self.changes[place]);
        let address = &joint.addresses[number];
        let [_, management] = &joint.management;
        let mut senders: Vec<(Sent, bool)> = Vec::new();
        senders.extend(self.sent[number].iter().map(|&sent| (sent, false)));
        if let Some(SingleChange::Levels { from, .. }) = change {
            senders.push((self.other_levels(number, from), true));
        }
        senders.extend(management.iter().map(|&sent| (sent, false)));
        let mut found = Vec::new();
        for (sent, is_by_level) in senders {
            let mut instead = vec![None];
            if let Some(SingleChange::Entry { at, .. }) = change {
                instead.push(Some(at));
            }
            for instead in instead {
                let own = self.way(number, (sent, instead), turn, place);
                let Some(mut needs) = own else { continue };
                let both = address.levels(sent.from);
                let is_told = both
                    .iter()
                    .all(|levels| levels & sent.levels == sent.levels);
                if !is_told && !management.contains(&sent) {
                    let levels = SingleChange::Levels {
                        number,
                        from: sent.from,
                    };
                    let is_it = |of: &&usize| self.changes[**of] == levels;
                    needs.extend(self.own[number].iter().find(is_it));
                }
                if joint.lanes.is_by_port() {
                    needs.extend(self.lanes);
                }
                if let Some(place) = place {
                    needs.remove(&place);
                }
                found.push(Way {
                    from: sent.from,
                    is_by_change: is_by_level || instead.is_some(),
                    needs,
                });
            }
        }
        found
    }

    /// Follows what is sent to where it holds one and wants the other, and tells the changes of the entries on its way.
    fn way(
        &self,
        number: usize,
        (sent, instead): (Sent, Option<u32>),
        turn: Turn,
        place: Option<usize>,
    ) -> Option<BTreeSet<usize>> {
        let joint = self.joint;
        let is_relaned = place.map(|place| self.changes[place]) == Some(SingleChange::Lanes);
        let rows = if is_relaned { Rows::Either } else { self.rows };
        let exit = |at: u32| match instead {
            Some(changed) if changed == at => self.other_exit(number, at),
            _ => self.exits[number][at as usize],
        };
        let mut passed = vec![sent.from];
        let mut held = exit(sent.from);
        if !joint.stands(held) {
            return None;
        }
        let begun = joint
            .lanes
            .begun(&joint.edges[held as usize], sent.levels, rows);
        let mut on: LanedSet = begun.levels;
        for _ in 0..joint.switch_count {
            let at = joint.edges[held as usize].to;
            let wanted = exit(at);
            if !joint.stands(wanted) || on == 0 {
                return None;
            }
            passed.push(at);
            let edges = [held, wanted].map(|edge| &joint.edges[edge as usize]);
            let (mut next, mut waits) = (0, false);
            for one in numbers(on) {
                let given = joint.lanes.turned(edges, 1 << one, rows).levels;
                next |= given;
                let vertex = |edge, of| joint.vertex(edge, joint.lanes.laned.lane(of).number());
                waits |= vertex(held, one) == turn[0]
                    && numbers(given).any(|other| vertex(wanted, other) == turn[1]);
            }
            if waits {
                let is_passed = |of: &&usize| match self.changes[**of] {
                    SingleChange::Entry { at, .. } => passed.contains(&at),
                    SingleChange::Levels { .. } | SingleChange::Lanes => false,
                };
                return Some(self.own[number].iter().filter(is_passed).copied().collect());
            }
            (held, on) = (wanted, next);
        }
        None
    }
}
