//! up*/down* by a depth-first order of the switches.

use super::{Algorithm, Length, PermittedTurns, RouteFunction, updown};
use crate::error::RoutingError;
use crate::form::Routes;
use crate::orient::routed_part;
use crate::parameters::{DEPTH_FIRST_ROOT, PER, Parameters, SEED, selection};
use weft_fabric::Fabric;

/// Shortest legal routes by the depth-first orientation.
pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "dfs",
    title: "up*/down* depth first",
    summary: "Orients every link toward the end that a depth-first search visits earlier and takes a \
              shortest route that never turns from a down channel to an up channel.",
    length: Length::ShortestLegal,
    turns: PermittedTurns::ByDepthFirstSearch,
    further: "Routes are mostly shorter than those of updown on irregular fabrics. Time O(S·(S + \
              E)) for S switches and E links.",
    source: "Sancho, Robles, Duato, “A new methodology to compute deadlock-free routing tables for \
             irregular networks”, CANPC 2000; the order of visits is reconstructed from published \
             distances",
    parameters: &[DEPTH_FIRST_ROOT, selection("random"), PER, SEED],
    route: RouteFunction::Plain(route),
    ..Algorithm::DEFAULT
};

fn route(fabric: &Fabric, parameters: &mut Parameters) -> Result<Routes, RoutingError> {
    let part = routed_part(fabric)?;
    let orientation = parameters.depth_first_orientation(fabric, &part)?;
    updown::route_oriented(fabric, parameters, &orientation)
}
