//! Which of the shortest paths of a pair becomes its route.

use crate::choose::{balanced_selection, least_loaded_selection};
use crate::form::{Endpoints, PackedRow, RouteRow, SourceRoutes};
use crate::paths::{MOST_TOGETHER, PathSpace, RandomPaths, ShortestPaths, random_paths_from};
use crate::random::stream;
use rayon::prelude::*;

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
    let mut rows = rows(space, endpoints, selection, seed, |row| row);
    if selection == Selection::LeastLoaded {
        least_loaded_selection::balance(space, endpoints, &mut rows, seed);
    }
    rows
}

/// The same as routes, each row packed when it is found where no later one changes it.
pub(crate) fn select_routes(
    space: &PathSpace,
    endpoints: &Endpoints,
    selection: Selection,
    seed: u64,
) -> SourceRoutes {
    let granularity = endpoints.granularity();
    match selection {
        Selection::First | Selection::Random => {
            let rows = rows(space, endpoints, selection, seed, |row| {
                PackedRow::from(&row)
            });
            SourceRoutes::from_packed(granularity, rows)
        }
        Selection::LeastLoaded | Selection::Balanced => {
            SourceRoutes::from_rows(granularity, select(space, endpoints, selection, seed))
        }
    }
}

/// A row per source, packed as told as soon as it is found.
fn rows<R: Send>(
    space: &PathSpace,
    endpoints: &Endpoints,
    selection: Selection,
    seed: u64,
    pack: impl Fn(RouteRow) -> R + Sync,
) -> Vec<R> {
    let mut of_switch: Vec<Vec<usize>> = vec![Vec::new(); space.switch_count()];
    for source in 0..endpoints.count() {
        of_switch[endpoints.switch(source) as usize].push(source);
    }
    let switches: Vec<u32> = (0..).take(space.switch_count()).collect();
    // As many at once as leave every core several shares.
    let shares = 4 * rayon::current_num_threads();
    let together = (switches.len() / shares).clamp(1, MOST_TOGETHER);
    let rows_from = |some: &[u32]| -> Vec<(usize, R)> {
        let sources = |switch: u32| of_switch[switch as usize].iter().copied();
        let mut found = Vec::new();
        if selection != Selection::Random {
            for &switch in some {
                let paths = ShortestPaths::from(space, switch);
                found.extend(
                    sources(switch).map(|source| {
                        (source, pack(first_paths(space, endpoints, &paths, source)))
                    }),
                );
            }
            return found;
        }
        let all: Vec<RandomPaths> = if space.prefers_fewest_stops() {
            let alone = |&switch: &u32| RandomPaths::of(space, &ShortestPaths::from(space, switch));
            some.iter().map(alone).collect()
        } else {
            random_paths_from(space, some)
        };
        for (&switch, paths) in some.iter().zip(&all) {
            found.extend(
                sources(switch)
                    .map(|source| (source, pack(drawn_paths(endpoints, paths, seed, source)))),
            );
        }
        found
    };
    let mut found: Vec<(usize, R)> = switches
        .par_chunks(together)
        .flat_map_iter(rows_from)
        .collect();
    found.sort_unstable_by_key(|&(source, _)| source);
    found.into_iter().map(|(_, row)| row).collect()
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

/// A path drawn from one source to every destination that needs one.
fn drawn_paths(endpoints: &Endpoints, paths: &RandomPaths, seed: u64, source: usize) -> RouteRow {
    let mut random = stream(seed, "paths", source as u64);
    let mut row = RouteRow::default();
    for destination in 0..endpoints.count() {
        if endpoints.need_route(source, destination) {
            let to = endpoints.switch(destination);
            let steps = row.push_room(paths.links_to(to));
            let mut before = steps.iter_mut().rev();
            paths.draw_reversed(to, &mut random, |_, port| {
                if let Some(step) = before.next() {
                    *step = port;
                }
            });
        } else {
            row.push([]);
        }
    }
    row
}
