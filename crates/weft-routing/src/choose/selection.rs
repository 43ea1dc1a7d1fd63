//! Which of the shortest paths of a pair becomes its route.

use crate::choose::{balanced_selection, least_loaded_selection};
use crate::form::{Endpoints, FindsRows, PackedRow, RouteRow, SourceRoutes};
use crate::paths::{MOST_TOGETHER, PathSpace, RandomPathSearch, RandomPaths, ShortestPaths, State};
use crate::random::stream;
use rayon::prelude::*;
use weft_fabric::Fabric;

/// Sources whose paths are drawn side by side.
const SIDE_BY_SIDE: usize = 2;

/// How one of the shortest paths of a pair is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// The path with the lowest port at the switch where paths part.
    First,
    /// Any path, each with the same probability; that differs from drawing each next hop, which
    /// favours paths with few siblings.
    Random,
    /// The path over the least loaded channels: starting from the first paths, pairs are visited
    /// in random order, twice, and each moves to the path whose most loaded channel carries least.
    LeastLoaded,
    /// The path left when, over and over, one of those over the busiest channel is taken away; the
    /// hosts of two switches share it.
    Balanced,
}

impl Selection {
    /// All values by name.
    pub(crate) const CHOICES: [(&str, Self); 4] = [
        ("first", Self::First),
        ("random", Self::Random),
        ("least_loaded", Self::LeastLoaded),
        ("balanced", Self::Balanced),
    ];
}

/// Chooses a shortest path for every pair of endpoints that needs one.
///
/// Shapes: a row per source, as output ports; pairs that need no way have no step.
/// Draws depend on the seed and the source alone; the number of threads does not matter.
/// Source: Uniform choice over paths and choice of the lowest port: Koibuchi, Watanabe, Otsuka, Amano,
/// "Performance evaluation of deterministic routings, multicasts, and topologies on RHiNET-2
/// cluster", §II.A. The choice of the least loaded is our own.
pub(crate) fn select(
    space: &PathSpace,
    endpoints: &Endpoints,
    selection: Selection,
    seed: u64,
) -> Vec<RouteRow> {
    if selection == Selection::Balanced {
        return balanced_selection::select(space, endpoints, seed);
    }
    let search = RandomPathSearch::new(space);
    let find = |sources: Vec<usize>| {
        let mut rows = Vec::with_capacity(sources.len());
        find(
            (space, &search),
            endpoints,
            selection,
            seed,
            &sources,
            |source, row| {
                rows.push((source, row));
            },
        );
        rows
    };
    let blocks = blocks(space, endpoints).into_par_iter();
    let mut found: Vec<(usize, RouteRow)> = blocks.flat_map_iter(find).collect();
    found.sort_unstable_by_key(|&(source, _)| source);
    let mut rows: Vec<RouteRow> = found.into_iter().map(|(_, row)| row).collect();
    if selection == Selection::LeastLoaded {
        least_loaded_selection::balance(space, endpoints, &mut rows, seed);
    }
    rows
}

/// The same as routes; where those of a source do not depend on those of others, they are found when they
/// are asked for.
pub(crate) fn select_routes(
    space: PathSpace,
    endpoints: Endpoints,
    selection: Selection,
    seed: u64,
) -> SourceRoutes {
    let (granularity, count) = (endpoints.granularity(), endpoints.count());
    match selection {
        Selection::First | Selection::Random => {
            let found_later = FoundLater {
                search: RandomPathSearch::new(&space),
                space,
                endpoints,
                selection,
                seed,
            };
            SourceRoutes::found_by(granularity, count, Box::new(found_later))
        }
        Selection::LeastLoaded | Selection::Balanced => {
            SourceRoutes::from_rows(granularity, select(&space, &endpoints, selection, seed))
        }
    }
}

/// All that the first or a random path of a pair depends on.
#[derive(Debug)]
struct FoundLater {
    space: PathSpace,
    search: RandomPathSearch,
    endpoints: Endpoints,
    selection: Selection,
    seed: u64,
}

impl FindsRows for FoundLater {
    fn blocks(&self) -> Vec<Vec<usize>> {
        blocks(&self.space, &self.endpoints)
    }

    fn find(&self, sources: &[usize], found: &mut dyn FnMut(usize, PackedRow)) {
        let Self {
            space,
            search,
            endpoints,
            selection,
            seed,
        } = self;
        find(
            (space, search),
            endpoints,
            *selection,
            *seed,
            sources,
            |source, row| found(source, PackedRow::from(&row)),
        );
    }

    fn lead_on(&self, fabric: &Fabric) -> bool {
        self.endpoints == Endpoints::new(fabric, self.endpoints.granularity())
            && self.space.is_of(fabric)
            && self.space.joins(&self.endpoints.source_switches())
    }
}

/// All sources in blocks: those of as many switches as are searched from at once, or of fewer where every
/// core would not have several blocks.
fn blocks(space: &PathSpace, endpoints: &Endpoints) -> Vec<Vec<usize>> {
    let mut of_switch: Vec<Vec<usize>> = vec![Vec::new(); space.switch_count()];
    for source in 0..endpoints.count() {
        of_switch[endpoints.switch(source) as usize].push(source);
    }
    let shares = 4 * rayon::current_num_threads();
    let together = (of_switch.len() / shares).clamp(1, MOST_TOGETHER);
    of_switch.chunks(together).map(<[_]>::concat).collect()
}

/// Finds the rows of some sources.
fn find(
    (space, search): (&PathSpace, &RandomPathSearch),
    endpoints: &Endpoints,
    selection: Selection,
    seed: u64,
    sources: &[usize],
    mut found: impl FnMut(usize, RouteRow),
) {
    let mut ordered = sources.to_vec();
    ordered.sort_unstable_by_key(|&source| (endpoints.switch(source), source));
    let is_one = |&one: &usize, &other: &usize| endpoints.switch(one) == endpoints.switch(other);
    let by_switch: Vec<&[usize]> = ordered.chunk_by(is_one).collect();
    for some in by_switch.chunks(MOST_TOGETHER) {
        let switches: Vec<u32> = some.iter().map(|of| endpoints.switch(of[0])).collect();
        if selection != Selection::Random {
            for (&switch, of_switch) in switches.iter().zip(some) {
                let paths = ShortestPaths::from(space, switch);
                for &source in *of_switch {
                    found(source, first_paths(space, endpoints, &paths, source));
                }
            }
            continue;
        }
        let mut draw = |all: &[RandomPaths]| {
            let each = all.iter().zip(some);
            let of: Vec<(&RandomPaths, usize)> = each
                .flat_map(|(paths, of_switch)| of_switch.iter().map(move |&source| (paths, source)))
                .collect();
            let (several, rest) = of.as_chunks::<SIDE_BY_SIDE>();
            for &sources in several {
                for (source, row) in drawn_paths(endpoints, seed, sources) {
                    found(source, row);
                }
            }
            for &source in rest {
                let [(source, row)] = drawn_paths(endpoints, seed, [source]);
                found(source, row);
            }
        };
        if space.prefers_fewest_stops() {
            let alone = |&switch: &u32| RandomPaths::of(space, &ShortestPaths::from(space, switch));
            draw(&switches.iter().map(alone).collect::<Vec<_>>());
        } else {
            search.paths_from(space, &switches, draw);
        }
    }
}

/// The first path from one source to every destination that needs one.
fn first_paths(
    space: &PathSpace,
    endpoints: &Endpoints,
    paths: &ShortestPaths,
    source: usize,
) -> RouteRow {
    let mut row = RouteRow::default();
    let mut path = Vec::new();
    for destination in 0..endpoints.count() {
        path.clear();
        if endpoints.need_route(source, destination) {
            paths.first_path_reversed(space, endpoints.switch(destination), &mut path);
        }
        row.push(path.iter().rev().map(|&edge| space.edge(edge).port));
    }
    row
}

/// A path drawn from each of some sources to every destination that needs one. No draw of a source depends
/// on another: that they are drawn side by side lets a processor look up a step of each at a time.
fn drawn_paths<const N: usize>(
    endpoints: &Endpoints,
    seed: u64,
    sources: [(&RandomPaths, usize); N],
) -> [(usize, RouteRow); N] {
    let mut randoms = sources.map(|(_, source)| stream(seed, "paths", source as u64));
    let mut rows = sources.map(|(_, source)| (source, RouteRow::default()));
    for destination in 0..endpoints.count() {
        let to = endpoints.switch(destination);
        let (mut at, mut left) = ([0; N], [0; N]);
        for (number, (source, row)) in rows.iter_mut().enumerate() {
            let paths = sources[number].0;
            let needs_route = endpoints.need_route(*source, destination);
            let end = needs_route.then(|| paths.draw_end(to, &mut randoms[number]));
            if let Some(end) = end.flatten() {
                (at[number], left[number]) = (end, paths.links_to(to));
            }
            row.push_room(left[number]);
        }
        let mut go_back = |number: usize, at: &mut State, place: usize| {
            let (paths, random) = (sources[number].0, &mut randoms[number]);
            if let Some((before, port)) = paths.draw_last(*at, random) {
                let steps = &mut rows[number].1.steps;
                let end = steps.len();
                steps[end - 1 - place] = port;
                *at = before;
            }
        };
        let together = left.iter().copied().min().unwrap_or(0);
        for place in 0..together {
            for (number, at) in at.iter_mut().enumerate() {
                go_back(number, at, place);
            }
        }
        for (number, at) in at.iter_mut().enumerate() {
            for place in together..left[number] {
                go_back(number, at, place);
            }
        }
    }
    rows
}
