//! When hosts are told new service levels, and let go of old ones.

use super::{Entries, Planner, index};
use crate::transition::mixtures::Order;
use crate::transition::phase::OpenPhase;
use crate::transition::senders::Levels;

impl<'j> Planner<'j> {
    /// Lets hosts be told new levels beside the old ones, where that closes no cycle; the other addresses
    /// are drained.
    pub(in crate::transition) fn answer(&mut self, phase: &mut OpenPhase<'j>) {
        for number in self.numbers() {
            if self.levels[number] != Levels::Old || self.entries[number] == Entries::Cleared {
                continue;
            }
            let standing = self.standing(number, Levels::Either);
            if standing.is_some_and(|mixture| mixture.has_lanes() && phase.hold(&mixture)) {
                phase.answered.push(index(number));
                self.set_levels(number, Levels::Either);
            } else {
                self.clear(phase, number);
            }
        }
    }

    /// Has hosts let go of the old levels of those addresses whose packets may be on either meanwhile, and tells
    /// whether there was any; `is_careful`: of those alone whose new entries are there, or can be written then.
    pub(in crate::transition) fn renew_some(
        &mut self,
        phase: &mut OpenPhase<'j>,
        is_careful: bool,
    ) -> bool {
        let mut has_moved = false;
        for &number in self.order {
            if self.levels[number] != Levels::Old || self.entries[number] == Entries::Cleared {
                continue;
            }
            if !is_careful || self.leads_on(phase, number) {
                has_moved |= self.renew_one(phase, number);
            }
        }
        has_moved
    }

    /// Whether the new entries of an address are there, or could be written once hosts have let go of its old levels.
    fn leads_on(&self, phase: &mut OpenPhase<'j>, number: usize) -> bool {
        if !matches!(self.entries[number], Entries::Old | Entries::Between(_)) {
            return true;
        }
        let either = self.standing(number, Levels::Either);
        let mixture = |order| {
            let of_levels = self.senders(number, Levels::New);
            self.mixture_of(number, self.entries[number], order, of_levels)
        };
        phase.would(|phase| {
            either.is_some_and(|either| phase.hold(&either))
                && [Order::Outwards, Order::Any]
                    .into_iter()
                    .map(mixture)
                    .any(|mixture| mixture.goes_on() && phase.hold(&mixture))
        })
    }

    /// Has hosts be told the new levels of an address in a phase, and let go of the old ones by its end, if its packets
    /// may be on either meanwhile, and tells whether they may.
    pub(super) fn renew_one(&mut self, phase: &mut OpenPhase<'j>, number: usize) -> bool {
        let standing = self.standing(number, Levels::Either);
        let may = standing.is_some_and(|mixture| mixture.has_lanes() && phase.hold(&mixture));
        if may {
            for told in [&mut phase.answered, &mut phase.renewed] {
                told.push(index(number));
                told.sort_unstable();
            }
            self.set_levels(number, Levels::New);
        }
        may
    }

    /// Has all hosts let go of old levels by the end of the phase.
    pub(in crate::transition) fn renew(&mut self, phase: &mut OpenPhase<'j>) {
        for number in self.numbers() {
            if self.levels[number] == Levels::Either {
                phase.renewed.push(index(number));
                self.set_levels(number, Levels::New);
            }
        }
        phase.renewed.sort_unstable();
    }
}
