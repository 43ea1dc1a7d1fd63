//! Shortest routes balanced by a linear program, without any guarantee against deadlock.

use super::{Algorithm, Deadlock, Length, RouteFunction};
use crate::choose::{place, spread};
use crate::error::RoutingError;
use crate::form::{Endpoints, RouteRow, Routes, SourceRoutes};
use crate::linear_solver::LinearSolver;
use crate::orient::routed_part;
use crate::parameters::{PER, Parameters, SEED};
use crate::paths::{PathSpace, SpanningTree, TurnRule, Turns, candidates};
use weft_fabric::Fabric;

pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "balanced",
    title: "balanced by linear program",
    summary: "Spreads the traffic over shortest routes by a linear program, so that the most loaded \
              channel carries least, and rounds to one route per pair.",
    deadlock: Deadlock::PerFabric,
    length: Length::Shortest,
    source: "Flich, López, Malumbres, Duato, “In-transit buffers: a mechanism to improve performance \
             of networks with source routing”, §III (BALANCED); rounding is reconstructed",
    parameters: &[PER, SEED],
    route: RouteFunction::Linear(route),
    ..Algorithm::DEFAULT
};

fn route(
    fabric: &Fabric,
    parameters: &mut Parameters,
    solver: &dyn LinearSolver,
) -> Result<Routes, RoutingError> {
    let part = routed_part(fabric)?;
    let endpoints = Endpoints::new(fabric, parameters.granularity(fabric));
    let space = PathSpace::new(fabric, None, TurnRule::Free);
    let tree = SpanningTree::of_part(fabric, &space, &part);
    let rows = balance(&Turns::all(&space), &tree, &endpoints, parameters, solver)?;
    Ok(SourceRoutes::from_rows(endpoints.granularity(), rows).into())
}

/// Balanced shortest routes, a row per source.
pub(super) fn balance(
    turns: &Turns<'_>,
    tree: &SpanningTree,
    endpoints: &Endpoints,
    parameters: &Parameters,
    solver: &dyn LinearSolver,
) -> Result<Vec<RouteRow>, RoutingError> {
    let pairs = candidates(turns, tree, endpoints, 0, parameters.seed());
    let shares = spread(turns.space().edge_count(), &pairs, solver)?;
    Ok(place(turns.space(), endpoints, &pairs, &shares))
}
