//! Which of the shortest paths of a pair becomes its route.

use crate::choose::balanced_selection;
use crate::choose::least_loaded_selection;
use crate::form::endpoints::Endpoints;
use crate::form::source_routes::RouteRow;
use crate::paths::path_space::{PathSpace, State};
use crate::paths::shortest_paths::ShortestPaths;
use crate::random::stream;
use rand::{Rng, RngExt};
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
///
/// # Determinism
/// Draws depend on the seed and the source alone; the number of threads does not matter.
///
/// # Source
/// Uniform choice over paths and choice of the lowest port: Koibuchi, Watanabe, Otsuka, Amano,
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
    let row = |source: usize| {
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
    };
    let mut rows: Vec<RouteRow> = (0..endpoints.count()).into_par_iter().map(row).collect();
    if selection == Selection::LeastLoaded {
        least_loaded_selection::balance(space, endpoints, &mut rows, seed);
    }
    rows
}

/// Draws one of the shortest paths to a switch, each with the same probability, and writes
/// its edges, the last one first.
pub(crate) fn random_path_reversed(
    space: &PathSpace,
    paths: &ShortestPaths,
    counts: &[f64],
    to: u32,
    random: &mut impl Rng,
    path: &mut Vec<u32>,
) {
    let weigh = |s: State| counts[s as usize];
    let distances = paths.distances();
    let Some(mut at) = draw(distances.ends(space, to), |&s| weigh(s), random) else {
        return;
    };
    while let Some((before, edge)) = draw(
        distances.last_steps(space, at),
        |&(before, _)| weigh(before),
        random,
    ) {
        path.push(edge);
        at = before;
    }
}

/// Draws an item with a probability proportional to its weight; `None` of none.
pub(crate) fn draw<T>(
    mut items: impl Iterator<Item = T>,
    weight: impl Fn(&T) -> f64,
    random: &mut impl Rng,
) -> Option<T> {
    let mut chosen = items.next()?;
    let mut total = weight(&chosen);
    // Each item displaces those before it with the probability of its share among them; a single
    // item takes no draw.
    for item in items {
        let share = weight(&item);
        total += share;
        if random.random::<f64>() * total < share {
            chosen = item;
        }
    }
    Some(chosen)
}
