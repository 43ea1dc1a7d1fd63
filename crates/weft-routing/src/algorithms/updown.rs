//! up*/down*: shortest routes that never turn from down to up.

use super::{Algorithm, DefaultSet, Length, Offer, PermittedTurns, RouteFunction};
use crate::choose::{Selection, select};
use crate::error::RoutingError;
use crate::form::{Endpoints, Routes, SourceRoutes};
use crate::orient::{Orientation, routed_part};
use crate::parameters::{PER, Parameters, ROOT, SEED, selection};
use crate::paths::{PathSpace, TurnRule};
use weft_fabric::Fabric;

/// Shortest legal routes.
pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "updown",
    title: "up*/down*",
    summary: "Orients every link toward a root and takes a shortest route that never turns from a \
              down channel to an up channel.",
    length: Length::ShortestLegal,
    turns: PermittedTurns::ByRoot,
    offers: &[
        Offer::new(DefaultSet::Compared, 10, ""),
        Offer::new(DefaultSet::ComparedOnLanes, 10, ""),
    ],
    source: "Schroeder et al., “Autonet”, IEEE JSAC 9(8), 1991; choice among paths: Koibuchi, \
             Watanabe, Otsuka, Amano, “Performance evaluation of deterministic routings, \
             multicasts, and topologies on RHiNET-2 cluster”, §II.A",
    parameters: &[ROOT, selection("random"), PER, SEED],
    route: RouteFunction::Plain(route),
    ..Algorithm::DEFAULT
};

fn route(fabric: &Fabric, parameters: &mut Parameters) -> Result<Routes, RoutingError> {
    let part = routed_part(fabric)?;
    let orientation = parameters.orientation(fabric, &part)?;
    route_oriented(fabric, parameters, &orientation)
}

/// Takes shortest legal routes by any orientation.
pub(super) fn route_oriented(
    fabric: &Fabric,
    parameters: &mut Parameters,
    orientation: &Orientation,
) -> Result<Routes, RoutingError> {
    let endpoints = Endpoints::new(fabric, parameters.granularity(fabric));
    let chosen = parameters.choice("selection", &Selection::CHOICES);
    let space = PathSpace::new(fabric, Some(orientation), TurnRule::Forbidden);
    let rows = select(&space, &endpoints, chosen, parameters.seed());
    Ok(SourceRoutes::from_rows(endpoints.granularity(), rows)?.into())
}
