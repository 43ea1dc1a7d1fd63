//! Which of the shortest paths of a pair becomes its route.

use crate::choose::{balanced_selection, least_loaded_selection};
use crate::form::{Endpoints, FindsRows, PackedRow, RouteRow, SourceRoutes};
use crate::paths::{MOST_TOGETHER, PathSpace, RandomPaths, ShortestPaths, random_paths_from};
use crate::random::stream;
use rayon::prelude::*;
use weft_fabric::Fabric;

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
    let find = |sources: Vec<usize>| {
        let mut rows = Vec::with_capacity(sources.len());
        find(
            space,
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
            endpoints,
            selection,
            seed,
        } = self;
        find(
            space,
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
    space: &PathSpace,
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
        let all: Vec<RandomPaths> = if space.prefers_fewest_stops() {
            let alone = |&switch: &u32| RandomPaths::of(space, &ShortestPaths::from(space, switch));
            switches.iter().map(alone).collect()
        } else {
            random_paths_from(space, &switches)
        };
        for (paths, of_switch) in all.iter().zip(some) {
            for &source in *of_switch {
                found(source, drawn_paths(endpoints, paths, seed, source));
            }
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
