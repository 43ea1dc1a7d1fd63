//! The races of a fabric on which not all numbers of lanes are searched with.

use super::known_tables::Known;
use super::patterns::{FAR, Figure, HARDLY};
use super::race_of_starts::{GIVEN_UP, Race};
use super::search::{Found, Search};

/// Ways out of switches that are looked at for lengths by which routes may be longer: in so many rounds over all, within
/// bounds.
const ROUNDS_FOR_DETOURS: u64 = 128;
const LOOKS_AT_DETOURS: [u64; 2] = [1 << 24, 1 << 25];

/// How far above a bound a start by shortest routes is at most that no longer ones are looked for beside, as a fraction:
/// no bound can show more of shortest ones.
const SHORT_ENOUGH: [u64; 2] = [1, 100];

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
        let fits = |found: &Found<'_>| found.lane_count() <= self.effort.lanes;
        let starts = known.iter().filter(|known| known.is_start);
        let figures: Vec<(Figure, &Known)> =
            starts.map(|known| (self.figure_of(known), known)).collect();
        let even = figures
            .iter()
            .filter(|(figure, _)| self.patterns.is_within(HARDLY, *figure));
        let mut even = even.filter_map(|(_, known)| self.follow(known));
        if let Some(found) = even.find(fits) {
            return vec![Race::of(self, found)];
        }
        let mut races: Vec<Race<'_, 'a>> = Vec::new();
        let mut detours = None;
        let [least, most] = LOOKS_AT_DETOURS;
        let looks = (self.space.switch_count() * self.space.edge_count()) as u64;
        let looks = (looks * ROUNDS_FOR_DETOURS).clamp(least, most);
        for &lanes in self.more_lanes().iter().rev() {
            let mut race = Race::new(self, lanes, Vec::new());
            race.begun = begun.take();
            race.begin(0);
            let is_within = |race: &Race<'_, '_>, share| {
                let figure = race.begun_with();
                figure.is_some_and(|figure| self.patterns.is_within(share, figure))
            };
            if self.effort.is_thorough && !is_within(&race, SHORT_ENOUGH) {
                let detours = detours.get_or_insert_with(|| self.detours(looks));
                if let Some(detours) = detours {
                    let mut around = Race::around(self, lanes, detours);
                    around.begin(0);
                    if around.begun_with() < race.begun_with() && around.begun_with().is_some() {
                        race = around;
                    }
                }
            }
            let best = races.iter().filter_map(Race::figure).min();
            let is_behind = |best: u64| {
                let [more, of] = GIVEN_UP;
                let own = race.begun_with().map(|figure| figure.largest);
                own.is_none_or(|own| own * of > best * (of + more))
            };
            if best.is_some_and(|best| is_behind(best.largest)) {
                break;
            }
            race.improve();
            races.push(race);
            let is_enough = |race: &Race<'_, '_>| {
                if self.effort.is_thorough {
                    race.is_near()
                } else {
                    race.figure()
                        .is_some_and(|figure| self.patterns.is_within(FAR, figure))
                }
            };
            if races.iter().any(is_enough) || (self.is_over)() {
                break;
            }
        }
        let best = races.iter().filter_map(Race::figure).min();
        let is_far = |figure: Figure| {
            let [more, of] = FAR;
            best.is_some_and(|best| figure.largest * of > best.largest * (of + more))
        };
        let near = figures.iter().filter(|(figure, _)| !is_far(*figure));
        let followed = near.filter_map(|(_, known)| self.follow(known));
        let is_better = |found: &Found<'_>| best.is_none_or(|best| found.figure() < best);
        let better = followed.filter(|found| fits(found) && is_better(found));
        races.extend(better.map(|found| Race::of(self, found)));
        races
    }
}
