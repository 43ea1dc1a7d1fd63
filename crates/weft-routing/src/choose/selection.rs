//! Which of the shortest paths of a pair becomes its route.

use crate::choose::{balanced_selection, least_loaded_selection};
use crate::form::{Endpoints, PackedRow, RouteRow, SourceRoutes};
use crate::paths::{PathSpace, ShortestPaths, random_path_reversed};
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
    let row = |source| paths_from(space, endpoints, selection, seed, source);
    let mut rows: Vec<RouteRow> = (0..endpoints.count()).into_par_iter().map(row).collect();
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
            let row =
                |source| PackedRow::from(&paths_from(space, endpoints, selection, seed, source));
            let rows = (0..endpoints.count()).into_par_iter().map(row);
            SourceRoutes::from_packed(granularity, rows.collect())
        }
        Selection::LeastLoaded | Selection::Balanced => {
            SourceRoutes::from_rows(granularity, select(space, endpoints, selection, seed))
        }
    }
}

/// A path from one source to every destination that needs one, first or drawn.
fn paths_from(
    space: &PathSpace,
    endpoints: &Endpoints,
    selection: Selection,
    seed: u64,
    source: usize,
) -> RouteRow {
    let paths = ShortestPaths::from(space, endpoints.switch(source));
    let mut row = RouteRow::default();
    let mut path = Vec::new();
    let mut draws = (selection == Selection::Random)
        .then(|| (paths.counts(space), stream(seed, "paths", source as u64)));
    for destination in 0..endpoints.count() {
        path.clear();
        if endpoints.need_route(source, destination) {
            let to = endpoints.switch(destination);
            match &mut draws {
                None => paths.first_path_reversed(space, to, &mut path),
                Some((counts, random)) => {
                    random_path_reversed(space, &paths, counts, to, random, &mut path);
                }
            }
        }
        row.push(path.iter().rev().map(|&edge| space.edge(edge).port));
    }
    row
}
