//! Segment-based routing: one turn forbidden in every segment of the network.

use super::{Algorithm, RouteFunction};
use crate::choose::place;
use crate::cycles::segment_turns;
use crate::error::RoutingError;
use crate::form::{Endpoints, Routes, SourceRoutes};
use crate::orient::routed_part;
use crate::parameters::{PER, Parameters, SEED};
use crate::paths::{PathSpace, TurnRule, candidates_or, shortest_simple};
use weft_fabric::Fabric;

/// Shortest routes by the turns that segments leave.
///
/// The network is parted into segments, each of which forbids one turn by itself, wherever it likes;
/// so no root gathers the traffic. Of the shortest routes that are left, up to 16 for each pair of
/// switches, those are taken over which the fullest channel carries least, as routes move one after the
/// other. Where every shortest one would meet a switch twice, longer ones are.
pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "segment_based",
    title: "segment-based routing",
    summary: "Parts the links into segments, forbids one turn in each, and takes shortest routes by \
              the turns left over the least loaded channels.",
    further: "Routes are the shortest of those left, not of all.",
    source: "Mejía, Flich, Duato, Reinemo, Skeie, “Segment-based routing: an efficient \
             fault-tolerant routing algorithm for meshes and tori”, IPDPS 2006; the balance is our own",
    parameters: &[PER, SEED],
    route: RouteFunction::Plain(route),
    ..Algorithm::DEFAULT
};

/// Paths that a pair of switches chooses from.
const MOST_PATHS: usize = 16;

fn route(fabric: &Fabric, parameters: &mut Parameters) -> Result<Routes, RoutingError> {
    routed_part(fabric)?;
    let endpoints = Endpoints::new(fabric, parameters.granularity(fabric));
    let seed = parameters.seed();
    let space = PathSpace::new(fabric, None, TurnRule::Free);
    let turns = segment_turns(&space);
    let longer = |from: u32, to: u32| shortest_simple(&turns, from, to);
    let pairs = candidates_or(&turns, &endpoints, [0, MOST_PATHS], seed, longer);
    let shares: Vec<Vec<f64>> = pairs
        .iter()
        .map(|pair| vec![1.0 / pair.paths.len() as f64; pair.paths.len()])
        .collect();
    let rows = place(&space, &endpoints, &pairs, &shares);
    Ok(SourceRoutes::from_rows(endpoints.granularity(), rows).into())
}
