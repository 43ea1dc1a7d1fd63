//! smart-routing: balanced routes over a set of turns without a cycle, found by linear programs.

use super::{Algorithm, RouteFunction};
use crate::choose::{place, spread};
use crate::cycles::break_cycles;
use crate::error::RoutingError;
use crate::form::{Endpoints, Routes, SourceRoutes};
use crate::linear_solver::LinearSolver;
use crate::orient::routed_part;
use crate::parameters::{PER, Parameters, SEED};
use crate::paths::{PathSpace, SpanningTree, TurnRule, Turns, candidates};
use weft_fabric::Fabric;
use weft_registry::{Kind, Spec};

/// Routes that are balanced and free of deadlock at once.
///
/// What is published: all possible paths are considered; cycles of channels are broken one by one
/// by removing dependencies under a heuristic cost, while a linear program balances; no spanning tree
/// decides. Paths of any length cannot be meant on fabrics of interest, as their number explodes, so
/// cycles are broken among shortest paths; the turns left then admit `slack` links more. A tree that
/// keeps its turns makes sure that every pair stays joined, and decides nothing else.
pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "smart",
    title: "smart-routing",
    summary: "Breaks the cycles of channels by forbidding turns that cost least, balancing by linear \
              programs meanwhile, and takes for every pair one of the routes that the turns left permit, \
              so that the most loaded channel carries least.",
    further: "Routes may be longer than the shortest.",
    source: "Cherkasova, Kotov, Rokicki, “Fibre channel fabrics: evaluation and design”, HICSS 1996; \
             reconstructed from what Flich, López, Malumbres, Duato, “In-transit buffers: a \
             mechanism to improve performance of networks with source routing”, §I, report of it",
    parameters: &[
        Spec::of("slack", Kind::Choice(&["0", "1", "2", "3", "4"]), "2")
            .says("Links that a route may be longer than the shortest one by the turns permitted."),
        PER,
        SEED,
    ],
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
    let slack = parameters.parsed("slack");
    let seed = parameters.seed();
    let space = PathSpace::new(fabric, None, TurnRule::Free);
    let tree = SpanningTree::of_part(fabric, &space, &part);
    let all = Turns::all(&space);
    let shortest = candidates(&all, &tree, &endpoints, 0, seed);
    let turns = break_cycles(&all, &tree, shortest, solver)?;
    let pairs = candidates(&turns, &tree, &endpoints, slack, seed);
    let shares = spread(space.edge_count(), &pairs, solver)?;
    let rows = place(&space, &endpoints, &pairs, &shares);
    Ok(SourceRoutes::from_rows(endpoints.granularity(), rows).into())
}
