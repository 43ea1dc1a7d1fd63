//! DFSSSP: the trees of SSSP, their paths put on lanes until no lane's channels form a cycle.

use super::{Algorithm, DefaultSet, Lanes, Length, Needs, Offer, Refusal, RouteFunction};
use crate::choose::ShortestForest;
use crate::cycles::{Dependencies, TurnIndex};
use crate::error::RoutingError;
use crate::form::{Lane, Routes};
use crate::parameters::{LANES, Parameters};
use crate::progress::Progress;
use weft_fabric::{Fabric, narrow};

/// Deadlock-free single-source shortest-path routing.
///
/// All paths begin on the first lane. As long as its channels form a cycle, the paths that make its
/// rarest turn move to the next lane, all at once; and so on lane by lane. Lanes to spare then share
/// the paths of the fullest.
///
/// Paths are those of the hosts of a switch to a host, which make the same turns.
pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "dfsssp",
    title: "DFSSSP",
    summary: "Grows the trees of SSSP, then moves paths to further lanes, those of the rarest turn of \
              a cycle first, until no lane has a cycle.",
    length: Length::Shortest,
    needs: Needs::lanes(Lanes::PerFabric).tables(),
    further: "How many lanes that takes, only trying shows.",
    offers: &[
        Offer::new(DefaultSet::Audited, 40, "lanes=8"),
        Offer::new(DefaultSet::Advised, 30, "lanes={lanes}"),
    ],
    refuses: &[Refusal::Lanes],
    source: "Domke, Hoefler, Nagel, “Deadlock-free oblivious routing for arbitrary topologies”, IPDPS \
             2011",
    parameters: &[LANES],
    route: RouteFunction::Plain(route),
    ..Algorithm::DEFAULT
};

fn route(fabric: &Fabric, parameters: &mut Parameters) -> Result<Routes, RoutingError> {
    let forest = ShortestForest::new(fabric)?.grow_once(fabric, &parameters.progress);
    let layers = layers(&forest, forest.path_count()?, &parameters.progress);
    let needed = usize::from(layers.iter().copied().max().unwrap_or(0)) + 1;
    parameters.refuse_more_lanes(fabric, needed)?;
    let lanes = parameters.or_auto("lanes").unwrap_or(needed);
    let mut tables = forest.tables(fabric);
    forest.set_lanes(&mut tables, &share(layers, needed, lanes));
    Ok(tables.into())
}

/// The layer of every path, by [`ShortestForest`]'s numbers.
fn layers(forest: &ShortestForest, path_count: u32, progress: &Progress) -> Vec<u8> {
    let space = forest.space();
    let turns = forest.turns();
    let visit = |route: u32, each: &mut dyn FnMut(usize)| {
        let path = forest.path(route);
        for turn in path.windows(2) {
            each(turns.place(turn[0], turn[1]));
        }
    };
    let index = TurnIndex::new(turns.place_count(), path_count, visit);
    let mut layer_of = vec![0_u8; path_count as usize];
    for layer in 0..u8::MAX {
        progress.begin(0);
        let mut graph = Dependencies::new(space.edge_count());
        let members = (0..path_count).filter(|&p| layer_of[p as usize] == layer);
        let mut is_empty = true;
        for route in members {
            graph.add_route(&forest.path(route));
            is_empty = false;
        }
        if is_empty {
            break;
        }
        graph.cut_cycles(|graph, cycle| {
            let pairs = (0..cycle.len()).map(|at| [cycle[at], cycle[(at + 1) % cycle.len()]]);
            let Some([held, wanted]) = pairs.min_by_key(|pair| graph.uses(pair[0], pair[1])) else {
                return;
            };
            for &route in index.routes(turns.place(held, wanted)) {
                if layer_of[route as usize] == layer {
                    layer_of[route as usize] = layer + 1;
                    graph.remove_route(&forest.path(route));
                }
            }
        });
    }
    layer_of
}

/// The lanes of all paths: lanes to spare go, one by one, to the layer with most paths to a
/// lane, whose paths take its lanes in turn.
fn share(layers: Vec<u8>, count: usize, lanes: usize) -> Vec<Lane> {
    let mut paths = vec![0_usize; count];
    for &layer in &layers {
        paths[usize::from(layer)] += 1;
    }
    let mut lanes_of = vec![1_usize; count];
    for _ in count..lanes.min(paths.iter().sum()) {
        // Compared without division: paths of one times lanes of the other.
        let fuller = |&one: &usize, &other: &usize| {
            let here = paths[one] * lanes_of[other];
            here.cmp(&(paths[other] * lanes_of[one]))
                .then(other.cmp(&one))
        };
        if let Some(fullest) = (0..count).max_by(fuller) {
            lanes_of[fullest] += 1;
        }
    }
    let first: Vec<usize> = (0..count)
        .map(|layer| lanes_of[..layer].iter().sum())
        .collect();
    let mut turn = vec![0; count];
    let lane = |layer: u8| {
        let layer = usize::from(layer);
        let lane = first[layer] + turn[layer];
        turn[layer] = (turn[layer] + 1) % lanes_of[layer];
        Lane::new(narrow(lane, "the parameter, a byte, allows no more lanes"))
    };
    layers.into_iter().map(lane).collect()
}
