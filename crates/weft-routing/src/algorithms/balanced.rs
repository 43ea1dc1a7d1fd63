//! Shortest routes balanced by a linear program, without any guarantee against deadlock.

use super::{Algorithm, Deadlock, Lanes, Length, Needs, PermittedTurns, RouteFunction};
use crate::choose::path_shares::spread;
use crate::choose::shares_to_paths::place;
use crate::error::RoutingError;
use crate::form::endpoints::Endpoints;
use crate::form::routes::Routes;
use crate::form::source_routes::{RouteRow, SourceRoutes};
use crate::linear_solver::LinearSolver;
use crate::orient::orientation::routed_part;
use crate::orient::turns::{SpanningTree, Turns};
use crate::parameters::{PER, Parameters, SEED};
use crate::paths::candidate_paths::candidates;
use crate::paths::path_space::{PathSpace, TurnRule};
use weft_fabric::Fabric;

/// Balanced shortest routes.
pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "balanced",
    title: "balanced by linear program",
    summary: "Spreads the traffic over shortest routes by a linear program, so that the most loaded \
              channel carries least, and rounds to one route per pair.",
    deadlock: Deadlock::PerFabric,
    length: Length::Shortest,
    turns: PermittedTurns::Other,
    needs: Needs::lanes(Lanes::One),
    further: "",
    improves: false,
    offers: &[],
    refuses: &[],
    source: "Flich, López, Malumbres, Duato, “In-transit buffers: a mechanism to improve performance \
             of networks with source routing”, §III (BALANCED); rounding is reconstructed",
    parameters: &[PER, SEED],
    route: RouteFunction::Linear(route),
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
    Ok(SourceRoutes::from_rows(endpoints.granularity(), rows)?.into())
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
