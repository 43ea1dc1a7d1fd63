//! Starts with so many lanes, one after the other, and the best of them.

use super::joining_orders::joining_orders;
use super::negotiation::Negotiation;
use super::patterns::Figure;
use super::search::{Found, Search};
use super::starting_orders;
use crate::load::Detours;
use std::ops::Range;
use std::sync::Arc;

/// Most ways out of switches that are looked at for lengths by which routes may be longer: as long as starts take.
const LOOKS_AT_DETOURS: u64 = 1 << 26;

/// Links of a switch of a sparse network, in the mean.
const MOST_LINKS_OF_SPARSE: usize = 8;

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
    /// The order, ranks per edge, that its negotiations begin with, if not around a tree.
    order: Option<Vec<u32>>,
    /// What its first start has found already.
    pub(super) begun: Option<Found<'a>>,
    /// Found but not looked at.
    open: Vec<Found<'a>>,
    /// The best as it was found: its figure.
    record: Option<Figure>,
    pub(super) best: Option<Found<'a>>,
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
            open: others,
            ..Self::unbegun(search, lanes)
        };
        if lanes == 1 && search.has_heights() {
            for number in 0..search.effort.starts.min(2) {
                race.open.extend(search.begin(lanes, number, None));
            }
            race.improve();
        }
        race
    }

    /// Has not started at all.
    pub(super) fn unbegun(search: &'s Search<'a>, lanes: u8) -> Self {
        Self {
            search,
            lanes,
            detours: None,
            order: None,
            begun: None,
            open: Vec::new(),
            record: None,
            best: None,
            sent: None,
            negotiation: None,
            leader: None,
            in_vain: 0,
            is_given_up: false,
        }
    }

    /// Has found tables on as many lanes as they take.
    pub(super) fn of(search: &'s Search<'a>, found: Found<'a>) -> Self {
        let mut race = Self::new(search, found.lane_count(), vec![found]);
        race.improve();
        race
    }

    /// Has not started; routes may be longer than shortest ones.
    pub(super) fn around(search: &'s Search<'a>, lanes: u8, detours: &Arc<Detours>) -> Self {
        Self {
            detours: Some(Arc::clone(detours)),
            ..Self::new(search, lanes, Vec::new())
        }
    }

    /// Has not started; routes on one lane begin with an order.
    fn along(search: &'s Search<'a>, order: Vec<u32>) -> Self {
        Self {
            order: Some(order),
            ..Self::new(search, 1, Vec::new())
        }
    }

    /// Tells whether no tables are better than the best or, on fabrics with rails, hardly any.
    pub(super) fn is_good_enough(&self) -> bool {
        self.search.is_good_enough(self.best.as_ref())
    }

    /// Tells whether the largest load of the best is near the least possible.
    pub(super) fn is_nearly_even(&self) -> bool {
        let patterns = self.search.patterns;
        let best = self.best.as_ref();
        best.is_some_and(|best| patterns.is_nearly_least(best.figure()))
    }

    /// Tells whether the largest load of the best is near the least possible, as a first answer has to be.
    pub(super) fn is_near(&self) -> bool {
        self.figure().is_some_and(|best| self.search.is_near(best))
    }

    /// Tells whether the best is enough if it has come first.
    pub(super) fn is_enough_at_first(&self) -> bool {
        let best = self.best.as_ref();
        best.is_some_and(|best| self.search.is_enough_at_first(best.figure()))
    }

    /// The figure of the best.
    pub(super) fn figure(&self) -> Option<Figure> {
        self.best.as_ref().map(Found::figure)
    }

    /// The least figure of what has not been looked at.
    pub(super) fn begun_with(&self) -> Option<Figure> {
        self.open.iter().map(Found::figure).min()
    }

    /// The longer routes, for want of lanes, of what has not been looked at.
    pub(super) fn begun_longer(&self) -> u64 {
        let longer = self.open.iter().map(|found| found.longer);
        longer.min().unwrap_or(0)
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
                self.begin(number);
            }
            self.improve();
        }
    }

    /// Begins a start on several lanes.
    pub(super) fn begin(&mut self, number: u64) {
        let detours = self.detours.as_ref();
        let begun = self.begun.take().filter(|_| number == 0);
        let begin = || self.search.begin(self.lanes, number, detours);
        self.open.extend(begun.or_else(begin));
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
        let mut agreed = None;
        if start.is_multiple_of(STARTS_A_NEGOTIATION) {
            let random = [start / STARTS_A_NEGOTIATION, search.effort.seed];
            let targets = search.negotiated_targets();
            let sent = self
                .sent
                .get_or_insert_with(|| search.negotiated_demand().into());
            let sent = Arc::clone(sent);
            let (space, part) = (search.space, search.part);
            self.leader = None;
            let begun = if let Some(ranks) = &self.order {
                Negotiation::along(space, ranks, &targets, sent, random)
            } else {
                let mut around = Negotiation::new(space, part, &targets, sent, random);
                around.agree().map(|agreement| (around, agreement))
            };
            (self.negotiation, agreed) = begun.unzip();
        } else if let Some(negotiation) = &mut self.negotiation {
            agreed = negotiation.agree();
        }
        let Some(negotiation) = &mut self.negotiation else {
            return;
        };
        let found = agreed.and_then(|agreement| search.by_agreement(agreement));
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
    pub(super) fn improve(&mut self) {
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
    /// Tells whether some switches have few hosts or none, so that starts can go by heights.
    pub(super) fn has_heights(&self) -> bool {
        starting_orders::has_heights(self.fabric, self.part)
    }

    /// Tells whether that is a tree, or any network whose links all join neighbouring heights.
    fn is_levelled(&self) -> bool {
        starting_orders::is_levelled(self.fabric, self.part)
    }

    /// Races on one lane that begin with orders that join all switches; none on trees, which need none, nor where time is short
    /// and there are more lanes, or so many links that a tree's root is gone around anyway.
    pub(super) fn races_along_orders(&self) -> Vec<Race<'_, 'a>> {
        let is_sparse = self.space.edge_count() <= MOST_LINKS_OF_SPARSE * self.part.len();
        let is_worth_it = self.effort.is_thorough || self.effort.lanes == 1 && is_sparse;
        if self.is_levelled() || !is_worth_it {
            return Vec::new();
        }
        let orders = joining_orders(self.fabric, self.space, self.part);
        let orders = orders.into_iter();
        orders.map(|order| Race::along(self, order)).collect()
    }

    /// Races with the numbers of lanes besides one whose routes may be longer than shortest ones; none where these are
    /// not known to be of use, or cost much to know, unless shortest ones have not come near a bound.
    pub(super) fn races_around_full_channels(&self, around_any: bool) -> Vec<Race<'_, 'a>> {
        let Some(detours) = self.detours(LOOKS_AT_DETOURS, around_any) else {
            return Vec::new();
        };
        let lanes = self.more_lanes().iter();
        lanes
            .map(|&lanes| Race::around(self, lanes, &detours))
            .collect()
    }

    /// Lengths by which longer routes go around channels that shortest ones alone fill; none where these are not known to
    /// be of use, or cost much to know. With `around_any` they go around any, as lanes may lack ways that are even though
    /// shortest ones could be.
    pub(super) fn detours(&self, most_looks: u64, around_any: bool) -> Option<Arc<Detours>> {
        let is_tried = self.effort.is_thorough && !self.patterns.has_rails();
        if !is_tried || self.more_lanes().is_empty() {
            return None;
        }
        let between = self.patterns.between(self.space, self.endpoints);
        let shown = self.patterns.shown();
        let found = if around_any {
            Some(Detours::of_any(self.space, &between, shown, most_looks))
        } else {
            Detours::find(self.space, &between, shown, most_looks)
        };
        found.map(Arc::new)
    }
}

/// Ends races whose largest load is far above that of the best: on one lane of a network that needs more, nearly all the
/// time of a search would go into starts that lead to nothing.
pub(super) fn give_up_behind<'r, 's: 'r, 'a: 's>(
    races: impl Iterator<Item = &'r mut Race<'s, 'a>>,
) {
    let mut started: Vec<_> = races.filter(|race| race.best.is_some()).collect();
    let largest = |race: &Race<'_, '_>| race.best.as_ref().map(|found| found.figure().largest);
    let least_of = |is_one: bool| {
        let races = started.iter().filter(|race| (race.lanes == 1) == is_one);
        races.filter_map(|race| largest(race)).min()
    };
    let [on_one, on_more] = [true, false].map(least_of);
    for race in &mut started {
        let is_behind = |best: Option<u64>, [more, of]: [u64; 2]| {
            let behind = largest(race).zip(best);
            behind.is_some_and(|(own, best)| own * of > best * (of + more))
        };
        race.is_given_up = if race.lanes == 1 {
            is_behind(on_more, ONE_BEHIND_MORE) || is_behind(on_one, ONE_BEHIND_ONE)
        } else {
            is_behind(on_more, GIVEN_UP) || is_behind(on_one, GIVEN_UP)
        };
    }
}

/// How far above the best a race is given up, as a fraction of it.
pub(super) const GIVEN_UP: [u64; 2] = [1, 20];

/// The same on one lane, where the first starts are far from the last: above the best on more lanes, and on one that begins
/// otherwise.
const ONE_BEHIND_MORE: [u64; 2] = [1, 5];
const ONE_BEHIND_ONE: [u64; 2] = [1, 2];

/// Takes the first starts of races with ascending numbers of lanes, as large fabrics have time for: that with
/// the most first, until one is nearly even; and tells from which race on they have started.
///
/// Which these are depends on the first starts alone: so more starts are never worse.
pub(super) fn run_from_most(races: &mut [Race<'_, '_>], starts: &Range<u64>) -> usize {
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
