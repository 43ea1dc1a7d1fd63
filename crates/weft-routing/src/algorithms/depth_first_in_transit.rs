//! Minimal routes cut by in-transit stops where the depth-first order forbids their turns.

use super::{Algorithm, Lanes, Length, Needs, PermittedTurns, RouteFunction, in_transit};
use crate::error::RoutingError;
use crate::form::Routes;
use crate::orient::routed_part;
use crate::parameters::{DEPTH_FIRST_ROOT, Parameters};
use weft_fabric::Fabric;

/// Any minimal route of a pair, cut by the depth-first orientation.
pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "dfs_itb",
    title: "up*/down* depth first with in-transit buffers",
    summary: "Takes any minimal route and cuts each of its down→up turns, by the order of a \
              depth-first search, by an in-transit stop at a host of the switch where it lies.",
    length: Length::UpToLegal,
    turns: PermittedTurns::ByDepthFirstSearch,
    needs: Needs::lanes(Lanes::One).stops(),
    further: in_transit::FURTHER,
    source: "Flich, López, Malumbres, Duato, “In-transit buffers: a mechanism to improve performance \
             of networks with source routing”, §III; orientation as of dfs",
    parameters: &in_transit::parameters_from(DEPTH_FIRST_ROOT),
    route: RouteFunction::Plain(route),
    ..Algorithm::DEFAULT
};

fn route(fabric: &Fabric, parameters: &mut Parameters) -> Result<Routes, RoutingError> {
    let part = routed_part(fabric)?;
    let orientation = parameters.depth_first_orientation(fabric, &part)?;
    in_transit::route_oriented(fabric, parameters, &orientation, false)
}
