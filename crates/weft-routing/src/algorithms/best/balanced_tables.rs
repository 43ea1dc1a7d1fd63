//! The search: what there is to take at once, races of starts, and what other routings have.

use super::MOST_STARTS;
use super::known_tables::Known;
use super::lean_races::Looks;
use super::patterns::{Apart, Figure, Patterns};
use super::race_of_starts::{Race, STARTS_AT_ONCE, give_up_behind, run_from_most};
use super::search::{Effort, Found, Search};
use crate::algorithms::Patience;
use crate::error::RoutingError;
use crate::form::{Endpoints, ForwardingTables, PairGranularity};
use crate::load::Demand;
use crate::orient::routed_part;
use crate::paths::{PathSpace, TurnRule};
use crate::progress::Progress;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use weft_fabric::Fabric;

/// Starts on fabrics with rails between two looks at whether to go on, where more are made only if the largest load is not
/// nearly even.
const STARTS_FOR_RAILS: u64 = 2;

/// How many starts there were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Starts {
    /// All that were asked for, or as many as matter.
    All,
    /// None: the first answer, as it is had at once.
    None,
    /// The first one with the most lanes as it is, balanced a little.
    First,
    /// So many when the search ended.
    Made(u64),
}

/// Makes tables, one tree per host, whose packets never deadlock on the lanes allowed, no worse
/// than any of those known.
///
/// With `patience` it asks after the first answer, after the first start, and after the starts of `effort`, whether to go on, and
/// returns what there is once that is over. It tells in the end how many starts there were. With more of them the largest load is never
/// higher.
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
) -> Result<(ForwardingTables, Starts), RoutingError> {
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
    let goes_on = || effort.starts > 0 && patience.is_some_and(|patience| (patience.go_on)());
    let mut known = known();
    let takes_first = effort.takes_first && !effort.is_thorough;
    // On trees, whole or damaged, and on grids the first of them seldom leaves much to search for.
    let begins_with_known = || effort.is_grid || search.has_heights();
    let may_be_first = takes_first || !effort.is_thorough && patience.is_some();
    let first_known = (may_be_first && begins_with_known()).then(|| known.next());
    let first_known = first_known.flatten();
    let near = first_known
        .as_ref()
        .map(|known| (known, search.figure_of(known)));
    let is_enough = |near: &(&Known, Figure)| search.is_enough_as_known(near.1);
    // What is near or far is told by one bound, whether the search goes on then or not.
    if near.as_ref().is_some_and(|near| !is_enough(near)) {
        patterns.look_for_least(&space, &endpoints);
    }
    let near = near.filter(is_enough);
    // Those of trees fit on one lane, and hold on any; those of grids take several.
    let on_grid = near.filter(|_| effort.is_grid);
    let on_grid = on_grid.and_then(|(known, _)| search.follow(known));
    let on_grid = on_grid.filter(|found| {
        found.lane_count() <= effort.lanes && search.is_enough_as_known(found.figure())
    });
    let near = near.filter(|_| !effort.is_grid || on_grid.is_some());
    let as_known = |known: &Known| match &on_grid {
        Some(found) => search.tables(found),
        None => search.on_all_lanes(known),
    };
    if let Some((known, figure)) = near
        && (takes_first || patterns.is_good_enough(figure) || !goes_on())
    {
        return Ok((as_known(known), Starts::None));
    }
    // What is known is seldom near elsewhere, and longer routes are not looked for on large fabrics.
    let may_be_nearer = |found: &Found<'_>| {
        search.is_far(found.figure()) && (effort.is_thorough || begins_with_known())
    };
    let is_hasty = effort.is_at_once || patience.is_some();
    // What there is at once is an answer of its own, and what comes of a search is no fuller.
    let at_once = ((is_hasty || effort.starts > 0) && near.is_none() && patterns.count() == 1)
        .then(|| search.at_once())
        .flatten();
    let is_answer = at_once.as_ref().is_some_and(|found| !may_be_nearer(found));
    let ends_at_once = || effort.is_at_once || patience.is_some_and(|of| !(of.go_on)());
    if let Some(found) = at_once.as_ref().filter(|_| is_answer && is_hasty)
        && (patterns.is_good_enough(found.figure()) || ends_at_once())
    {
        return Ok((search.tables(found), Starts::None));
    }
    if may_be_first && near.is_none() {
        patterns.look_for_least(&space, &endpoints);
    }
    let impatient = patience.map(|patience| patience.is_over);
    let is_over_at_once = || is_answer && impatient.is_some_and(|is_over| is_over());
    let search = Search {
        is_over: &is_over_at_once,
        ..search
    };
    let begins_on_tree = near.is_some() && !effort.is_grid;
    let begins_with_first = near.is_none();
    // Of large fabrics the first start is often enough; others are searched on whatever it brings.
    let goes_on_anyway =
        begins_with_first && patience.is_none() && effort.starts > 0 && !takes_first;
    let first = match near {
        Some((known, _)) => on_grid.or_else(|| search.follow(known)),
        None if goes_on_anyway && (is_answer || at_once.is_none()) => None,
        None => search.first_start(at_once.as_ref()),
    };
    let is_enough = |found: &Found<'_>| match patience {
        None if effort.starts > 0 => search.is_enough_at_first(found.figure()),
        _ => patterns.is_good_enough(found.figure()) || !goes_on(),
    };
    let mut gathered: Vec<Known> = Vec::new();
    let nearer = first.as_ref().filter(|first| may_be_nearer(first));
    let nearer = nearer.and_then(|first| {
        gathered.extend(known.by_ref());
        search.nearer_than(first, &gathered)
    });
    // What is no answer at once, or not tried, has no name of its own.
    let mut by = if is_hasty && !is_answer || effort.is_at_once || goes_on_anyway {
        Starts::None
    } else {
        Starts::First
    };
    let mut answer = nearer.as_ref().or(first.as_ref());
    if let Some(at_once) = at_once.as_ref().filter(|_| is_answer) {
        let is_better = |found: &Found<'_>| found.figure() < at_once.figure();
        if is_over_at_once() || !answer.is_some_and(is_better) {
            (answer, by) = (Some(at_once), Starts::None);
        }
    }
    if let Some(found) = answer.filter(|found| !goes_on_anyway && is_enough(found)) {
        return Ok((search.tables(found), by));
    }
    patterns.look_for_least(&space, &endpoints);
    let effort = Effort {
        starts: effort.starts.max(search.least_starts()),
        ..effort
    };
    // Without a first answer one start is made, whatever the time.
    let has_answer = AtomicBool::new(first.is_some());
    let is_over =
        || has_answer.load(Ordering::Relaxed) && impatient.is_some_and(|is_over| is_over());
    let search = Search {
        effort,
        is_over: &is_over,
        ..search
    };
    // What there is if the search ends on the way or brings nothing better, and after how many starts.
    let mut kept = answer
        .filter(|_| begins_with_first || patience.is_some())
        .map(|found| (found.clone(), by));
    let mut begun = first.filter(|_| begins_with_first);
    let known = first_known.into_iter().chain(gathered).chain(known);
    let known: Vec<Known> = known.collect();
    let is_lean = search.is_lean();
    let mut followed: Vec<Found<'_>> = known
        .iter()
        .filter(|known| known.is_start && !is_lean)
        .filter_map(|known| search.follow(known))
        .collect();
    let mut races = Vec::new();
    if !is_lean {
        let on_one_lane = followed.extract_if(.., |found| found.ground.orders.lane_count() == 1);
        races.push(Race::new(&search, 1, on_one_lane.collect()));
    }
    let mut longer: Option<Vec<Race<'_, '_>>> = None;
    let mut starts = 0;
    // The same with any number of lanes.
    let is_settled = |race: &Race<'_, '_>| {
        race.is_good_enough() || effort.is_thorough && race.is_enough_at_first()
    };
    let (mut is_cut_short, mut looks) = (false, Looks::default());
    if effort.is_thorough
        && patterns.count() == 1
        && patience.is_none()
        && races.first().is_some_and(|race| !is_settled(race))
    {
        match begun
            .take()
            .or_else(|| search.first_start(at_once.as_ref()))
        {
            Some(found) if patterns.is_good_enough(found.figure()) => {
                races.push(Race::of(&search, found));
            }
            first => begun = first,
        }
    }
    if !races.iter().any(is_settled) {
        if !is_lean {
            races.extend(search.races_along_orders());
            let more = search.more_lanes().iter();
            races.extend(more.map(|&lanes| {
                let fits = |found: &mut Found<'_>| found.ground.orders.lane_count() <= lanes;
                Race::new(&search, lanes, followed.extract_if(.., fits).collect())
            }));
            if let Some(most) = races.last_mut() {
                most.begun = begun.take();
            }
        }
        let mut first = 0;
        let may_go_on = |starts: u64| {
            // A whole block may follow.
            let has_room = starts + STARTS_AT_ONCE <= MOST_STARTS.into();
            has_room && patience.is_some_and(|patience| (patience.go_on)())
        };
        while starts < effort.starts || may_go_on(starts) {
            let block = match (effort.is_thorough, patterns.has_rails()) {
                // One tells already which races are far behind.
                (true, false) if starts == 0 => 1,
                (true, false) => STARTS_AT_ONCE,
                (true, true) => STARTS_FOR_RAILS,
                (false, _) => 1,
            };
            let end = match effort.starts {
                least if starts < least => least.min(starts + block),
                _ => starts + block,
            };
            if is_lean && starts == 0 {
                let begun = begun
                    .take()
                    .or_else(|| search.first_start(at_once.as_ref()));
                races = search.lean_races(begun, &known);
            } else if effort.is_thorough || starts > 0 {
                let started = races[first..].par_iter_mut();
                started.for_each(|race| race.run(starts..end));
            } else {
                first = run_from_most(&mut races, &(starts..end));
            }
            // Whether longer routes are tried depends on starts without them alone: so more starts are never worse.
            if !is_lean && !races.iter().any(Race::is_good_enough) {
                let longer = longer.get_or_insert_with(|| {
                    let are_near = races.iter().any(Race::is_near);
                    search.races_around_full_channels(!are_near)
                });
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
            if patience.is_some() && starts >= effort.starts {
                // Those that never start are improved now, not in the end.
                races[..first].iter_mut().for_each(Race::improve);
                let all = races.iter().chain(longer.iter().flatten());
                let best = all.filter_map(|race| race.best.as_ref());
                let best = best.min_by_key(|found| found.figure());
                let before = kept.as_ref().map(|(found, _)| found.figure());
                let is_better = |best: &&Found<'_>| before.is_none_or(|kept| best.figure() <= kept);
                if let Some(best) = best.filter(|best| is_better(best) && !is_over()) {
                    kept = Some((best.clone(), Starts::Made(starts)));
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
            if is_lean && effort.is_automatic {
                let is_in_vain = looks.are_in_vain(races.iter().filter_map(Race::figure).min());
                is_cut_short = is_in_vain || races.iter().any(Race::is_near);
                if is_cut_short {
                    break;
                }
            }
        }
    }
    // How what there was first is made again, if nothing else is taken.
    let (mut found, starts, mut by) = match kept {
        Some((found, by @ (Starts::None | Starts::First))) if is_over() => {
            let near = known.first().filter(|_| begins_on_tree);
            let as_it_is = near.map(|known| search.on_all_lanes(known));
            let tables = as_it_is.unwrap_or_else(|| search.tables(&found));
            return Ok((tables, by));
        }
        Some((found, Starts::Made(starts))) if is_over() => (found, starts, None),
        _ => {
            let all = races.into_iter().chain(longer.into_iter().flatten());
            let found = all.filter_map(Race::into_best);
            let Some(found) = found.min_by_key(Found::figure) else {
                unreachable!("there are tables to start from, or one start at least");
            };
            match kept {
                Some((first, by @ (Starts::None | Starts::First)))
                    if first.figure() < found.figure() =>
                {
                    (first, starts, Some(by))
                }
                _ => (found, starts, None),
            }
        }
    };
    // What follows is short, and done whenever the search ended.
    let search = Search {
        is_over: &|| false,
        ..search
    };
    let is_settled = starts == 0 || search.is_good_enough(Some(&found));
    if by.is_none() && is_settled && effort.is_thorough && patterns.count() == 1 {
        found = search.even_out(found);
    }
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
            let by_levels = Race::of(&search, by_levels).into_best();
            if let Some(better) = by_levels.filter(|other| other.figure() < found.figure()) {
                (found, by) = (better, None);
            }
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
        Some((figure, known)) if figure < found.figure() => {
            by = None;
            known.tables.clone()
        }
        _ => search.tables(&found),
    };
    let made = by.unwrap_or(if patience.is_none() && !is_cut_short {
        Starts::All
    } else {
        Starts::Made(starts.max(1))
    });
    Ok((tables, made))
}
