//! Minimal routes cut by in-transit stops wherever their channels form a cycle.

use super::{Algorithm, Lanes, Needs, RouteFunction, balanced, in_transit};
use crate::choose::{Selection, select};
use crate::cycles::{StopHost, cut, insert_stops};
use crate::error::RoutingError;
use crate::form::{Endpoints, RouteRow, Routes, SourceRoutes};
use crate::orient::routed_part;
use crate::parameters::{PER, PER_OF_DRAWN, Parameters, SEED, selection};
use crate::paths::{PathSpace, SpanningTree, TurnRule, Turns};
use weft_fabric::Fabric;

pub(super) const MINIMAL: Algorithm = Algorithm {
    name: "minimal_itb",
    title: "minimal with in-transit buffers",
    summary: "Takes any minimal routes and cuts them by in-transit stops at the turns that fewest \
              routes make, until no cycle of channels is left.",
    needs: Needs::lanes(Lanes::One).stops(),
    further: "Routes are minimal but for those of cycles that meet at switches without hosts alone.",
    source: "Flich, López, Malumbres, Duato, “In-transit buffers: a mechanism to improve performance of \
             networks with source routing”, §II; which turns are cut is reconstructed",
    parameters: &[
        selection("random"),
        in_transit::STOP_HOST,
        in_transit::HOSTLESS,
        PER_OF_DRAWN,
        SEED,
    ],
    route: RouteFunction::Plain(|fabric, parameters| {
        let chosen = parameters.choice("selection", &Selection::CHOICES);
        let endpoints = Endpoints::new(fabric, parameters.granularity_of(chosen, fabric));
        route(fabric, parameters, &endpoints, |turns, _, parameters| {
            Ok(select(turns.space(), &endpoints, chosen, parameters.seed()))
        })
    }),
    ..Algorithm::DEFAULT
};

pub(super) const BALANCED: Algorithm = Algorithm {
    name: "balanced_itb",
    title: "balanced by linear program with in-transit buffers",
    summary: "Takes the routes of balanced and cuts them by in-transit stops at the turns that \
              fewest routes make, until no cycle of channels is left.",
    parameters: &[in_transit::STOP_HOST, in_transit::HOSTLESS, PER, SEED],
    route: RouteFunction::Linear(|fabric, parameters, solver| {
        let endpoints = Endpoints::new(fabric, parameters.granularity(fabric));
        route(fabric, parameters, &endpoints, |turns, tree, parameters| {
            balanced::balance(turns, tree, &endpoints, parameters, solver)
        })
    }),
    ..MINIMAL
};

/// Takes rows of shortest routes, with stops wherever a cycle is cut.
fn route(
    fabric: &Fabric,
    parameters: &mut Parameters,
    endpoints: &Endpoints,
    rows: impl FnOnce(&Turns<'_>, &SpanningTree, &Parameters) -> Result<Vec<RouteRow>, RoutingError>,
) -> Result<Routes, RoutingError> {
    let part = routed_part(fabric)?;
    let space = PathSpace::new(fabric, None, TurnRule::Free);
    let tree = SpanningTree::of_part(fabric, &space, &part);
    let turns = Turns::all(&space);
    let rows = rows(&turns, &tree, parameters)?;
    let stop_host = parameters.choice("stop_host", &StopHost::CHOICES);
    let refuse = parameters.choice("hostless", &[("detour", false), ("refuse", true)]);
    let seed = parameters.seed();
    let cut = cut(fabric, &turns, &tree, endpoints, rows, refuse)?;
    let needs_stop = |held: u32, wanted: u32| !cut.uncut.permits(held, wanted);
    let rows = insert_stops(
        fabric, &space, endpoints, &cut.rows, needs_stop, stop_host, seed,
    );
    Ok(SourceRoutes::from_rows(endpoints.granularity(), rows).into())
}
