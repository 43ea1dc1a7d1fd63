//! The races of a fabric on which not all numbers of lanes are searched with.

use super::known_tables::Known;
use super::patterns::{FAR, Figure, HARDLY};
use super::race_of_starts::{GIVEN_UP, Race};
use super::search::{Found, Search};
use crate::load::Detours;
use std::cell::LazyCell;
use std::sync::Arc;

/// Ways out of switches that are looked at for lengths by which routes may be longer: in so many rounds over all, within
/// bounds.
const ROUNDS_FOR_DETOURS: u64 = 128;
const LOOKS_AT_DETOURS: [u64; 2] = [1 << 24, 1 << 25];

/// How far above a bound a start by shortest routes is at most that no longer ones are looked for beside, as a fraction:
/// no bound can show more of shortest ones.
const SHORT_ENOUGH: [u64; 2] = [1, 100];

/// Longer routes of a start, as a fraction of all pairs of switches, from which on it lacks lanes.
const MANY_LONGER: [u64; 2] = [1, 50];

/// Lanes beyond which fewer are seldom near: on one lane and two tables depend on more than their orders.
const FEW_LANES: u8 = 2;

impl<'a> Search<'a> {
    /// Tells whether fewer lanes are searched with only where the most are not enough: not on small fabrics, nor on trees,
    /// where bounds end most searches at once, nor where rails or several demands are to be even by themselves.
    pub(super) fn is_lean(&self) -> bool {
        !self.effort.is_exhaustive
            && self.effort.lanes > FEW_LANES
            && self.patterns.count() == 1
            && !self.has_heights()
    }

    /// Takes known tables that are hardly above a bound, or makes the first start with the most lanes, by shortest routes and
    /// by longer ones, where these are of use, and improves the better one; and with fewer lanes while the largest load is more
    /// than a twentieth above a bound, on large fabrics a quarter, and what they begin with is not a twentieth behind. Of known
    /// tables those count that are better once their fullest channels are relieved, which by a quarter hardly any gets.
    ///
    /// Which races that leaves depends on first starts alone: so more starts are never worse.
    pub(super) fn lean_races(
        &self,
        mut begun: Option<Found<'a>>,
        known: &[Known],
    ) -> Vec<Race<'_, 'a>> {
        let starts = known.iter().filter(|known| known.is_start);
        let figures: Vec<(Figure, &Known)> =
            starts.map(|known| (self.figure_of(known), known)).collect();
        if let Some(found) = self.hardly_above_bound(&figures) {
            return vec![Race::of(self, found)];
        }
        let mut races: Vec<Race<'_, 'a>> = Vec::new();
        let looks = self.looks_at_detours();
        let worthwhile = LazyCell::new(|| self.detours(looks, false));
        let any = LazyCell::new(|| self.detours(looks, true));
        let detours = |around_any: bool| {
            if around_any {
                any.as_ref()
            } else {
                worthwhile.as_ref()
            }
        };
        for &lanes in self.more_lanes().iter().rev() {
            let mut race = self.better_start(lanes, begun.take(), detours);
            let best = races.iter().filter_map(Race::figure).min();
            if best.is_some_and(|best| is_above(GIVEN_UP, race.begun_with(), best)) {
                break;
            }
            let lacks_lanes = self.lacks_lanes(&race);
            race.improve();
            races.push(race);
            let is_enough = races.iter().any(|race| self.needs_no_fewer_lanes(race));
            if is_enough || lacks_lanes || (self.is_over)() {
                break;
            }
        }
        let best = races.iter().filter_map(Race::figure).min();
        races.extend(self.relieved(&figures, best));
        races
    }

    /// Known tables that are hardly above a bound, the first of them.
    fn hardly_above_bound(&self, figures: &[(Figure, &Known)]) -> Option<Found<'a>> {
        let even = figures.iter();
        let even = even.filter(|(figure, _)| self.patterns.is_within(HARDLY, *figure));
        let mut even = even.filter_map(|(_, known)| self.follow(known));
        even.find(|found| self.fits(found))
    }

    fn fits(&self, found: &Found<'_>) -> bool {
        found.lane_count() <= self.effort.lanes
    }

    fn looks_at_detours(&self) -> u64 {
        let [least, most] = LOOKS_AT_DETOURS;
        let looks = (self.space.switch_count() * self.space.edge_count()) as u64;
        (looks * ROUNDS_FOR_DETOURS).clamp(least, most)
    }

    /// The first start with some lanes by shortest routes, or by longer ones where these are of use, or it is not near a bound,
    /// and that is better.
    fn better_start<'d>(
        &self,
        lanes: u8,
        begun: Option<Found<'a>>,
        detours: impl Fn(bool) -> Option<&'d Arc<Detours>>,
    ) -> Race<'_, 'a> {
        let mut race = Race::new(self, lanes, Vec::new());
        race.begun = begun;
        race.begin(0);
        let figure = race.begun_with();
        let is_short_enough =
            figure.is_some_and(|figure| self.patterns.is_within(SHORT_ENOUGH, figure));
        if !self.effort.is_thorough || is_short_enough {
            return race;
        }
        let is_near = figure.is_some_and(|figure| self.is_near(figure));
        let Some(detours) = detours(!is_near) else {
            return race;
        };
        let mut around = Race::around(self, lanes, detours);
        around.begin(0);
        let is_better = around.begun_with().is_some() && around.begun_with() < figure;
        if is_better { around } else { race }
    }

    /// Tells whether, on a large fabric, what a race has begun with takes so many longer routes for want of lanes that fewer
    /// would lead nowhere: most of the time of a search would go into them.
    fn lacks_lanes(&self, race: &Race<'_, '_>) -> bool {
        let switches = self.endpoints.source_switches().len() as u64;
        let [share, of] = MANY_LONGER;
        !self.effort.is_thorough && race.begun_longer() * of > switches * switches * share
    }

    fn needs_no_fewer_lanes(&self, race: &Race<'_, '_>) -> bool {
        if self.effort.is_thorough {
            return race.is_near();
        }
        let figure = race.figure();
        figure.is_some_and(|figure| !self.is_far(figure))
    }

    /// Known tables that are not far above the best and are better once their fullest channels are relieved.
    fn relieved(
        &self,
        figures: &[(Figure, &Known)],
        best: Option<Figure>,
    ) -> impl Iterator<Item = Race<'_, 'a>> {
        let is_far = move |figure| best.is_some_and(|best| is_above(FAR, Some(figure), best));
        let near = figures.iter().filter(move |(figure, _)| !is_far(*figure));
        let followed = near.filter_map(|(_, known)| self.follow(known));
        let is_better = move |found: &Found<'_>| best.is_none_or(|best| found.figure() < best);
        let better = followed.filter(move |found| self.fits(found) && is_better(found));
        better.map(|found| Race::of(self, found))
    }
}

/// Tells whether the largest load is more than a share above that of the best; where there is none it is.
fn is_above(share: [u64; 2], figure: Option<Figure>, best: Figure) -> bool {
    figure.is_none_or(|figure| figure.is_above(share, best))
}

/// Looks in a row at what starts have brought, after which a lean search ends by itself where that was nothing.
const MOST_LOOKS_IN_VAIN: u32 = 4;

/// Looks at what starts have brought.
#[derive(Clone, Copy, Debug)]
pub(super) struct Looks<T> {
    /// The best at the last one.
    best: Option<T>,
    /// Those in a row that found nothing better than the one before.
    in_vain: u32,
}

impl<T> Default for Looks<T> {
    fn default() -> Self {
        Self {
            best: None,
            in_vain: 0,
        }
    }
}

impl<T: Copy + PartialOrd> Looks<T> {
    /// Takes a look at the best there is, and tells whether so many in a row have found nothing better.
    pub(super) fn are_in_vain(&mut self, best: Option<T>) -> bool {
        let before = std::mem::replace(&mut self.best, best);
        let is_better = before.is_none_or(|before| best.is_some_and(|best| best < before));
        self.in_vain = if is_better { 0 } else { self.in_vain + 1 };
        self.in_vain == MOST_LOOKS_IN_VAIN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_looks_in_a_row_that_found_nothing_better_end_a_search() {
        let mut looks = Looks::default();
        let ended = [9, 9, 9, 9, 8, 8, 8, 8, 8].map(|best| looks.are_in_vain(Some(best)));
        // The fourth after the last better one, and not the three before that.
        assert_eq!(
            ended,
            [false, false, false, false, false, false, false, false, true]
        );
    }
}
