//! Starts with so many lanes, one after the other, and the best of them.

use super::negotiation::Negotiation;
use super::search::{Effort, Found, Known, Search};
use super::starting_orders;
use crate::error::RoutingError;
use crate::form::{Endpoints, ForwardingTables, PairGranularity};
use crate::load::{Demand, between, least_load};
use crate::orient::routed_part;
use crate::paths::{PathSpace, TurnRule};
use crate::progress::Progress;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;
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
    /// Found but not looked at.
    open: Vec<Found<'a>>,
    /// The best as it was found: its figure.
    record: Option<(u64, u64)>,
    best: Option<Found<'a>>,
    /// Per negotiated tree and switch: what the switch sends.
    sent: Option<Arc<[u64]>>,
    negotiation: Option<Negotiation<'a>>,
    /// The negotiation at its best, with the figure of what it led to.
    leader: Option<(Negotiation<'a>, (u64, u64))>,
    in_vain: u32,
}

impl<'s, 'a> Race<'s, 'a> {
    /// Has started from others alone, and with one lane from the heights of a tree.
    pub(super) fn new(search: &'s Search<'a>, lanes: u8, others: Vec<Found<'a>>) -> Self {
        let mut race = Self {
            search,
            lanes,
            open: others,
            record: None,
            best: None,
            sent: None,
            negotiation: None,
            leader: None,
            in_vain: 0,
        };
        if lanes == 1 && starting_orders::has_heights(search.fabric, search.part) {
            for number in 0..search.effort.starts.min(2) {
                race.open.push(search.begin(lanes, number));
            }
            race.improve();
        }
        race
    }

    /// Tells whether no tables have a lower largest load than the best.
    pub(super) fn is_even(&self) -> bool {
        self.search.is_even(self.best.as_ref())
    }

    pub(super) fn into_best(mut self) -> Option<Found<'a>> {
        self.improve();
        self.best
    }

    /// Takes its share of some starts.
    pub(super) fn run(&mut self, starts: Range<u64>) {
        for start in starts {
            if self.is_even() {
                return;
            }
            if self.lanes == 1 {
                // Where more lanes are searched with alone, one lane is for trees.
                if self.search.effort.is_thorough || self.search.effort.lanes == 1 {
                    self.negotiate(start);
                }
            } else if let Some(number) = self.number(start) {
                self.open.push(self.search.begin(self.lanes, number));
            }
            self.improve();
        }
    }

    /// Which start with so many lanes it is: as many times fewer as there are lanes, but both of
    /// the first two.
    fn number(&self, start: u64) -> Option<u64> {
        let lanes = u64::from(self.lanes);
        match start {
            0 | 1 => Some(start),
            _ => (start.is_multiple_of(lanes) && start > lanes).then_some(start / lanes),
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
        let found = negotiation.agree().map(|found| search.by_agreement(found));
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

/// Makes tables, one tree per host, whose packets never deadlock on the lanes allowed, no worse
/// than any of those known.
///
/// After the starts of `effort` it asks, with the starts so far, whether to go on, and tells in the end
/// how many there were. With more of them the largest load is never higher.
///
/// Shapes: `demand`, per switch and host what the hosts of the one send to the other; without it, one
/// per host.
/// Time O(r·h·C) for r rounds, h hosts and C channels between switches, and the ranking of the orders.
pub(crate) fn balanced_tables(
    fabric: &Fabric,
    demand: Option<&[u64]>,
    known: &[Known],
    effort: Effort,
    progress: &Progress,
    mut go_on: impl FnMut(u64) -> bool,
) -> Result<(ForwardingTables, u64), RoutingError> {
    let part = routed_part(fabric)?;
    let space = PathSpace::new(fabric, None, TurnRule::Free);
    let endpoints = Endpoints::new(fabric, PairGranularity::Host);
    let hosts = endpoints.hosts_per_switch(space.switch_count());
    let demand = demand.map_or(Demand::PerHost(&hosts), Demand::PerPair);
    let between = between(&space, &endpoints, demand);
    let search = Search {
        fabric,
        space: &space,
        part: &part,
        endpoints: &endpoints,
        hosts: &hosts,
        demand,
        effort,
        progress,
        between: &between,
        least: least_load(&space, &part, &between),
    };
    let known: Vec<Found<'_>> = known.iter().map(|known| search.follow(known)).collect();
    let mut races = Vec::new();
    let mut best = None;
    if search.tries_one_lane() {
        races.push(Race::new(&search, 1, known));
    } else {
        best = known.into_iter().min_by_key(Found::figure);
    }
    let mut starts = 0;
    if !races.iter().any(Race::is_even) && !search.is_even(best.as_ref()) {
        let more = search.more_lanes().iter();
        races.extend(more.map(|&lanes| Race::new(&search, lanes, Vec::new())));
        while starts < effort.starts || go_on(starts) {
            let at_once = if effort.is_thorough {
                STARTS_AT_ONCE
            } else {
                1
            };
            let end = match effort.starts {
                least if starts < least => least.min(starts + at_once),
                _ => starts + at_once,
            };
            races.par_iter_mut().for_each(|race| race.run(starts..end));
            starts = end;
            if races.iter().any(Race::is_even) {
                break;
            }
        }
    }
    let found = races.into_iter().filter_map(Race::into_best);
    let best = best.into_iter().chain(found).min_by_key(Found::figure);
    let Some(found) = best else {
        unreachable!(
            "a search with neither tables to start from nor one lane has one start at least"
        );
    };
    Ok((search.tables(&found), starts))
}

/// Starts tried between two looks at whether to go on, whatever the number of cores; on large fabrics
/// it is one.
pub(super) const STARTS_AT_ONCE: u64 = 8;
