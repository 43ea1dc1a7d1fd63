//! Minimal routes cut by in-transit stops wherever their channels form a cycle.

use super::{
    Algorithm, Deadlock, Lanes, Length, Needs, PermittedTurns, RouteFunction, balanced, in_transit,
};
use crate::choose::selection::{Selection, select};
use crate::cycles::in_transit_stops::{StopHost, insert_stops};
use crate::cycles::stops_that_cut::cut;
use crate::error::RoutingError;
use crate::form::endpoints::Endpoints;
use crate::form::routes::Routes;
use crate::form::source_routes::{RouteRow, SourceRoutes};
use crate::linear_solver::LinearSolver;
use crate::orient::orientation::routed_part;
use crate::orient::turns::{SpanningTree, Turns};
use crate::parameters::{PER, Parameters, SEED, selection};
use crate::paths::path_space::{PathSpace, TurnRule};
use weft_fabric::Fabric;

const FURTHER: &str =
    "Routes are minimal but for those of cycles that meet at switches without hosts alone.";

const SOURCE: &str = "Flich, López, Malumbres, Duato, “In-transit buffers: a mechanism to improve \
                      performance of networks with source routing”, §II; which turns are cut is \
                      reconstructed";

/// Any minimal routes, cut.
pub(super) const MINIMAL: Algorithm = Algorithm {
    name: "minimal_itb",
    title: "minimal with in-transit buffers",
    summary: "Takes any minimal routes and cuts them by in-transit stops at the turns that fewest \
              routes make, until no cycle of channels is left.",
    deadlock: Deadlock::Free,
    length: Length::Any,
    turns: PermittedTurns::Other,
    needs: Needs::lanes(Lanes::One).stops(),
    further: FURTHER,
    improves: false,
    offers: &[],
    refuses: &[],
    source: SOURCE,
    parameters: &[
        selection("random"),
        in_transit::STOP_HOST,
        in_transit::HOSTLESS,
        PER,
        SEED,
    ],
    route: RouteFunction::Plain(route_minimal),
};

/// Routes of the linear program, cut.
pub(super) const BALANCED: Algorithm = Algorithm {
    name: "balanced_itb",
    title: "balanced by linear program with in-transit buffers",
    summary: "Takes the routes of balanced and cuts them by in-transit stops at the turns that \
              fewest routes make, until no cycle of channels is left.",
    deadlock: Deadlock::Free,
    length: Length::Any,
    turns: PermittedTurns::Other,
    needs: Needs::lanes(Lanes::One).stops(),
    further: FURTHER,
    improves: false,
    offers: &[],
    refuses: &[],
    source: SOURCE,
    parameters: &[in_transit::STOP_HOST, in_transit::HOSTLESS, PER, SEED],
    route: RouteFunction::Linear(route_balanced),
};

fn route_minimal(fabric: &Fabric, parameters: &mut Parameters) -> Result<Routes, RoutingError> {
    let part = routed_part(fabric)?;
    let endpoints = Endpoints::new(fabric, parameters.granularity(fabric));
    let chosen = parameters.choice("selection", &Selection::CHOICES);
    let space = PathSpace::new(fabric, None, TurnRule::Free);
    let tree = SpanningTree::of_part(fabric, &space, &part);
    let rows = select(&space, &endpoints, chosen, parameters.seed());
    cut_rows(
        fabric,
        parameters,
        &Turns::all(&space),
        &tree,
        &endpoints,
        rows,
    )
}

fn route_balanced(
    fabric: &Fabric,
    parameters: &mut Parameters,
    solver: &dyn LinearSolver,
) -> Result<Routes, RoutingError> {
    let part = routed_part(fabric)?;
    let endpoints = Endpoints::new(fabric, parameters.granularity(fabric));
    let space = PathSpace::new(fabric, None, TurnRule::Free);
    let tree = SpanningTree::of_part(fabric, &space, &part);
    let turns = Turns::all(&space);
    let rows = balanced::balance(&turns, &tree, &endpoints, parameters, solver)?;
    cut_rows(fabric, parameters, &turns, &tree, &endpoints, rows)
}

/// The routes with stops wherever a cycle is cut.
fn cut_rows(
    fabric: &Fabric,
    parameters: &Parameters,
    turns: &Turns<'_>,
    tree: &SpanningTree,
    endpoints: &Endpoints,
    rows: Vec<RouteRow>,
) -> Result<Routes, RoutingError> {
    let stop_host = parameters.choice("stop_host", &StopHost::CHOICES);
    let refuse = parameters.choice("hostless", &[("detour", false), ("refuse", true)]);
    let seed = parameters.seed();
    let cut = cut(fabric, turns, tree, endpoints, rows, refuse)?;
    let needs_stop = |held: u32, wanted: u32| !cut.uncut.permits(held, wanted);
    let space = turns.space();
    let rows = insert_stops(
        fabric, space, endpoints, &cut.rows, needs_stop, stop_host, seed,
    );
    Ok(SourceRoutes::from_rows(endpoints.granularity(), rows)?.into())
}
