//! Starts with so many lanes, one after the other, and the best of them.

use super::known_tables::Known;
use super::negotiation::Negotiation;
use super::patterns::{Apart, Figure, Patterns};
use super::search::{Effort, Found, Search};
use super::{MOST_STARTS, starting_orders};
use crate::algorithms::Patience;
use crate::error::RoutingError;
use crate::form::{Endpoints, ForwardingTables, PairGranularity};
use crate::load::{Demand, Detours};
use crate::orient::routed_part;
use crate::paths::{PathSpace, TurnRule};
use crate::progress::Progress;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use weft_fabric::Fabric;

/// Starts after which routes on one lane negotiate anew.
const STARTS_A_NEGOTIATION: u64 = 32;

/// Starts without a better one after which they go on from the best.
const MOST_IN_VAIN: u32 = 4;

/// A search with so many lanes.
///
/// Whatever is better than all before, as it was found, is improved; so the best is the same or better
/// after more starts.
pub(super) struct Race<'s, 'a> {
    search: &'s Search<'a>,
    lanes: u8,
    /// Lengths by which routes may be longer than shortest ones.
    detours: Option<Arc<Detours>>,
    /// Found but not looked at.
    open: Vec<Found<'a>>,
    /// The best as it was found: its figure.
    record: Option<Figure>,
    best: Option<Found<'a>>,
    /// Per negotiated tree and switch: what the switch sends.
    sent: Option<Arc<[u64]>>,
    negotiation: Option<Negotiation<'a>>,
    /// The negotiation at its best, with the figure of what it led to.
    leader: Option<(Negotiation<'a>, Figure)>,
    in_vain: u32,
    /// Whether it is too far behind another to go on.
    is_given_up: bool,
}

impl<'s, 'a> Race<'s, 'a> {
    /// Has started from others alone, and with one lane from the heights of a tree.
    pub(super) fn new(search: &'s Search<'a>, lanes: u8, others: Vec<Found<'a>>) -> Self {
        let mut race = Self {
            search,
            lanes,
            detours: None,
            open: others,
            record: None,
            best: None,
            sent: None,
            negotiation: None,
            leader: None,
            in_vain: 0,
            is_given_up: false,
        };
        if lanes == 1 && starting_orders::has_heights(search.fabric, search.part) {
            for number in 0..search.effort.starts.min(2) {
                race.open.extend(search.begin(lanes, number, None));
            }
            race.improve();
        }
        race
    }

    /// Has not started; routes may be longer than shortest ones.
    fn around(search: &'s Search<'a>, lanes: u8, detours: &Arc<Detours>) -> Self {
        Self {
            detours: Some(Arc::clone(detours)),
            ..Self::new(search, lanes, Vec::new())
        }
    }

    /// Tells whether no tables are better than the best or, on fabrics with rails, hardly any.
    fn is_good_enough(&self) -> bool {
        self.search.is_good_enough(self.best.as_ref())
    }

    /// Tells whether the largest load of the best is near the least possible.
    fn is_nearly_even(&self) -> bool {
        let patterns = self.search.patterns;
        let best = self.best.as_ref();
        best.is_some_and(|best| patterns.is_nearly_least(best.figure()))
    }

    /// Tells whether it is so near that what a search would gain is not worth its time.
    fn is_hardly_above_least(&self) -> bool {
        let patterns = self.search.patterns;
        let best = self.best.as_ref();
        patterns.count() == 1
            && best.is_some_and(|best| patterns.is_hardly_above_least(best.figure()))
    }

    pub(super) fn into_best(mut self) -> Option<Found<'a>> {
        self.improve();
        self.best
    }

    /// Takes its share of some starts.
    pub(super) fn run(&mut self, starts: Range<u64>) {
        for start in starts {
            if self.is_given_up || self.is_good_enough() || (self.search.is_over)() {
                return;
            }
            if self.lanes == 1 {
                self.negotiate(start);
            } else if let Some(number) = self.number(start) {
                let detours = self.detours.as_ref();
                self.open
                    .extend(self.search.begin(self.lanes, number, detours));
            }
            self.improve();
        }
    }

    /// Which start with so many lanes it is: as many times fewer as there are lanes, but both of
    /// the first two; half as many again with longer routes.
    fn number(&self, start: u64) -> Option<u64> {
        let share = match self.detours {
            None => u64::from(self.lanes),
            Some(_) => 2 * u64::from(self.lanes),
        };
        match start {
            0 | 1 => Some(start),
            _ => (start.is_multiple_of(share) && start > share).then_some(start / share),
        }
    }

    /// Lets routes on one lane negotiate on.
    fn negotiate(&mut self, start: u64) {
        let search = self.search;
        if start.is_multiple_of(STARTS_A_NEGOTIATION) {
            let random = [start / STARTS_A_NEGOTIATION, search.effort.seed];
            let targets = search.negotiated_targets();
            let sent = self
                .sent
                .get_or_insert_with(|| search.negotiated_demand().into());
            let sent = Arc::clone(sent);
            let (space, part) = (search.space, search.part);
            self.negotiation = Some(Negotiation::new(space, part, &targets, sent, random));
            self.leader = None;
        }
        let Some(negotiation) = &mut self.negotiation else {
            return;
        };
        let found = negotiation
            .agree()
            .and_then(|found| search.by_agreement(found));
        let figure = found.as_ref().map(Found::figure);
        let is_behind = match (&self.leader, figure) {
            (Some((_, best)), Some(figure)) => figure > *best,
            (_, figure) => figure.is_none(),
        };
        match figure {
            Some(figure) if !is_behind => {
                self.leader = Some((negotiation.clone(), figure));
                self.in_vain = 0;
            }
            _ => self.in_vain += 1,
        }
        if self.in_vain == MOST_IN_VAIN
            && let Some((leader, _)) = &self.leader
        {
            negotiation.go_back_to(leader);
            self.in_vain = 0;
        }
        self.open.extend(found);
    }

    /// Improves the best of what has not been looked at, if nothing was better before.
    fn improve(&mut self) {
        let Some(found) = self.open.drain(..).min_by_key(Found::figure) else {
            return;
        };
        if self.record.is_none_or(|record| found.figure() < record) {
            self.record = Some(found.figure());
            let improved = self.search.improve(found);
            let both = self.best.take().into_iter().chain([improved]);
            self.best = both.min_by_key(Found::figure);
        }
    }
}

impl<'a> Search<'a> {
    /// Races with the numbers of lanes besides one whose routes may be longer than shortest ones; none where these are
    /// not known to be of use, or cost much to know.
    fn races_around_full_channels(&self) -> Vec<Race<'_, 'a>> {
        let edges = (0..).take(self.space.edge_count());
        let has_one_rate = edges
            .map(|edge| self.space.slowness(edge))
            .all(|slowness| slowness == 1);
        let is_tried = self.effort.is_thorough && has_one_rate && !self.patterns.has_rails();
        if !is_tried || self.more_lanes().is_empty() {
            return Vec::new();
        }
        let between = self.patterns.between(self.space, self.endpoints);
        let Some(detours) = Detours::find(self.space, &between).map(Arc::new) else {
            return Vec::new();
        };
        let lanes = self.more_lanes().iter();
        lanes
            .map(|&lanes| Race::around(self, lanes, &detours))
            .collect()
    }
}

/// Makes tables, one tree per host, whose packets never deadlock on the lanes allowed, no worse
/// than any of those known.
///
/// With `patience` it asks after the first answer, and after the starts of `effort`, whether to go on, and returns what
/// there is once that is over. It tells in the end how many starts there were, 0 for the first answer. With more of
/// them the largest load is never higher.
///
/// Of several demands the worst ratio of a largest load to the least possible of its demand is kept low.
///
/// Shapes: `demands`, per switch and host what the hosts of the one send to the other; without any, one per host.
/// Time O(r·h·C) for r rounds, h hosts and C channels between switches, and the ranking of the orders.
pub(crate) fn balanced_tables<K: Iterator<Item = Known>>(
    fabric: &Fabric,
    demands: &[Vec<u64>],
    known: impl FnOnce() -> K,
    effort: Effort,
    progress: &Progress,
    patience: Option<Patience<'_>>,
) -> Result<(ForwardingTables, u64), RoutingError> {
    let part = routed_part(fabric)?;
    let space = PathSpace::new(fabric, None, TurnRule::Free).with_rates(fabric);
    let endpoints = Endpoints::new(fabric, PairGranularity::Host);
    let hosts = endpoints.hosts_per_switch(space.switch_count());
    let apart = match demands {
        [] | [_] => None,
        several => Some(Apart::new(&space, &part, &endpoints, several)),
    };
    let patterns = match (demands.first(), &apart) {
        (_, Some(apart)) => Patterns::several(&space, &part, &endpoints, apart),
        (Some(demand), None) => Patterns::one(&space, &part, &endpoints, Demand::PerPair(demand)),
        (None, None) => Patterns::one(&space, &part, &endpoints, Demand::PerHost(&hosts))
            .with_rails(fabric, &space, &part, &endpoints),
    };
    let search = Search {
        fabric,
        space: &space,
        part: &part,
        endpoints: &endpoints,
        hosts: &hosts,
        patterns: &patterns,
        effort,
        progress,
        is_over: &|| false,
    };
    let mut known = known();
    let mut looked_at = Vec::new();
    let goes_on = || effort.starts > 0 && patience.is_some_and(|patience| (patience.go_on)());
    if search.takes_what_is_near() && starting_orders::has_heights(fabric, &part) {
        // On trees, whole or damaged, the first of them seldom leaves much to search for.
        looked_at.extend(known.next());
    }
    let figure = |known: &Known| search.figure_of(known);
    let near = looked_at.iter().map(|known| (known, figure(known)));
    let near = near
        .into_iter()
        .find(|(_, figure)| patterns.is_near(*figure));
    if let Some((known, figure)) = near
        && (patterns.is_good_enough(figure) || !goes_on())
    {
        return Ok((search.on_all_lanes(known), 0));
    }
    let first = match (near, patience) {
        (Some((known, _)), _) => search.follow(known),
        // Of large fabrics it is often enough.
        (None, None) if effort.starts > 0 && !search.takes_what_is_near() => None,
        (None, _) => search.first_answer(),
    };
    let is_enough = |found: &Found<'_>| match patience {
        None if effort.starts > 0 => patterns.is_near(found.figure()),
        _ => !goes_on(),
    };
    if let Some(found) = first.as_ref().filter(|found| is_enough(found)) {
        return Ok((search.tables(found), 0));
    }
    patterns.look_for_least(&space, &endpoints);
    let effort = Effort {
        starts: effort.starts.max(1),
        ..effort
    };
    // Without a first answer one start is made, whatever the time.
    let has_answer = AtomicBool::new(first.is_some());
    let impatient = patience.map(|patience| patience.is_over);
    let is_over =
        || has_answer.load(Ordering::Relaxed) && impatient.is_some_and(|is_over| is_over());
    let search = Search {
        effort,
        is_over: &is_over,
        ..search
    };
    // What there is if the search ends on the way, and after how many starts.
    let mut kept = first.map(|found| (found, 0));
    let known: Vec<Known> = looked_at.into_iter().chain(known).collect();
    let mut followed: Vec<Found<'_>> = known
        .iter()
        .filter(|known| known.is_start)
        .filter_map(|known| search.follow(known))
        .collect();
    let on_one_lane = followed.extract_if(.., |found| found.ground.orders.lane_count() == 1);
    let mut races = vec![Race::new(&search, 1, on_one_lane.collect())];
    let mut longer: Option<Vec<Race<'_, '_>>> = None;
    let mut starts = 0;
    // The same with any number of lanes.
    let is_settled = |race: &Race<'_, '_>| {
        race.is_good_enough() || patience.is_none() && race.is_hardly_above_least()
    };
    if !races.iter().any(is_settled) {
        let more = search.more_lanes().iter();
        races.extend(more.map(|&lanes| {
            let fits = |found: &mut Found<'_>| found.ground.orders.lane_count() <= lanes;
            Race::new(&search, lanes, followed.extract_if(.., fits).collect())
        }));
        let mut first = 0;
        let may_go_on = |starts: u64| {
            // A whole block may follow.
            let has_room = starts + STARTS_AT_ONCE <= MOST_STARTS.into();
            has_room && patience.is_some_and(|patience| (patience.go_on)())
        };
        while starts < effort.starts || may_go_on(starts) {
            let at_once = match (effort.is_thorough, patterns.has_rails()) {
                // One tells already which races are far behind.
                (true, false) if starts == 0 => 1,
                (true, false) => STARTS_AT_ONCE,
                (true, true) => STARTS_FOR_RAILS,
                (false, _) => 1,
            };
            let end = match effort.starts {
                least if starts < least => least.min(starts + at_once),
                _ => starts + at_once,
            };
            if effort.is_thorough || starts > 0 {
                let started = races[first..].par_iter_mut();
                started.for_each(|race| race.run(starts..end));
            } else {
                first = run_from_most(&mut races, &(starts..end));
            }
            // Whether longer routes are tried depends on starts without them alone: so more starts are never worse.
            if !races.iter().any(Race::is_good_enough) {
                let longer = longer.get_or_insert_with(|| search.races_around_full_channels());
                let started = longer.par_iter_mut();
                started.for_each(|race| race.run(starts..end));
            }
            if is_over() {
                break;
            }
            starts = end;
            if effort.is_thorough && patterns.count() == 1 {
                give_up_behind(races.iter_mut().chain(longer.iter_mut().flatten()));
            }
            if patience.is_some() {
                // Those that never start are improved now, not in the end.
                races[..first].iter_mut().for_each(Race::improve);
                let all = races.iter().chain(longer.iter().flatten());
                let best = all.filter_map(|race| race.best.as_ref());
                let best = best.min_by_key(|found| found.figure());
                if let Some(best) = best.filter(|_| !is_over()) {
                    kept = Some((best.clone(), starts));
                    has_answer.store(true, Ordering::Relaxed);
                }
            }
            // What rails carry depends on the trees more than on the orders.
            let is_even = |race: &Race<'_, '_>| {
                race.is_good_enough() || patterns.has_rails() && race.is_nearly_even()
            };
            if races.iter().chain(longer.iter().flatten()).any(is_even) {
                break;
            }
        }
    }
    let (mut found, starts) = match kept {
        Some((found, 0)) if is_over() => return Ok((search.tables(&found), 0)),
        Some(ended) if is_over() => ended,
        _ => {
            let all = races.into_iter().chain(longer.into_iter().flatten());
            let found = all.filter_map(Race::into_best);
            let Some(found) = found.min_by_key(Found::figure) else {
                unreachable!("there are tables to start from, or one start at least");
            };
            (found, starts)
        }
    };
    // What follows is short, and done whenever the search ended.
    let search = Search {
        is_over: &|| false,
        ..search
    };
    let fitting = known.iter().filter(|known| {
        known.tables.lane_tables().is_some() && known.tables.lane_count() <= effort.lanes
    });
    let mut as_known: Option<(Figure, &Known)> = None;
    for known in fitting {
        // Of equals those are taken whose lanes are service levels: these take no plugin to tell switches.
        if search.is_good_enough(Some(&found)) {
            break;
        }
        if let Some(by_levels) = search.follow_levels(known) {
            let by_levels = Race::new(&search, by_levels.lane_count(), vec![by_levels]);
            let by_levels = by_levels.into_best();
            found = std::iter::once(found)
                .chain(by_levels)
                .min_by_key(Found::figure)
                .unwrap_or_else(|| unreachable!("there is one at least"));
        } else {
            let figure = search.figure_of(known);
            if as_known.is_none_or(|(best, _)| figure < best) {
                as_known = Some((figure, known));
            }
        }
    }
    for known in known.iter().filter(|known| !known.is_start) {
        let figure = search.figure_of(known);
        if as_known.is_none_or(|(best, _)| figure < best) {
            as_known = Some((figure, known));
        }
    }
    let tables = match as_known {
        Some((figure, known)) if figure < found.figure() => known.tables.clone(),
        _ => search.tables(&found),
    };
    Ok((tables, starts.max(1)))
}

/// Ends races whose largest load is far above that of the best: on one lane of a network that needs more, nearly all the
/// time of a search would go into starts that lead to nothing.
fn give_up_behind<'r, 's: 'r, 'a: 's>(races: impl Iterator<Item = &'r mut Race<'s, 'a>>) {
    let mut started: Vec<_> = races.filter(|race| race.best.is_some()).collect();
    let largest = |race: &Race<'_, '_>| race.best.as_ref().map(|found| found.figure().largest);
    let least = started.iter().filter_map(|race| largest(race)).min();
    for race in &mut started {
        let behind = largest(race).zip(least);
        let [more, of] = if race.lanes == 1 {
            GIVEN_UP_ON_ONE_LANE
        } else {
            GIVEN_UP
        };
        race.is_given_up = behind.is_some_and(|(own, best)| own * of > best * (of + more));
    }
}

/// How far above the best a race is given up, as a fraction of it.
const GIVEN_UP: [u64; 2] = [1, 20];

/// The same on one lane, where the first starts are far from the last.
const GIVEN_UP_ON_ONE_LANE: [u64; 2] = [1, 5];

/// Takes the first starts of races with ascending numbers of lanes, as large fabrics have time for: that with
/// the most first, until one is nearly even; and tells from which race on they have started.
///
/// Which these are depends on the first starts alone: so more starts are never worse.
fn run_from_most(races: &mut [Race<'_, '_>], starts: &Range<u64>) -> usize {
    let mut first = races.len();
    while first > 0 {
        first -= 1;
        races[first].run(starts.clone());
        if races[first].is_nearly_even() {
            break;
        }
    }
    first
}

/// Starts tried between two looks at whether to go on, whatever the number of cores; on large fabrics
/// it is one.
pub(super) const STARTS_AT_ONCE: u64 = 8;

/// The same on fabrics with rails, where more are made only if the largest load is not nearly even.
const STARTS_FOR_RAILS: u64 = 2;
