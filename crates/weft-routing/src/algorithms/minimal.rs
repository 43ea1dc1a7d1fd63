//! Shortest routes without any guarantee against deadlock.

use super::{
    Algorithm, Deadlock, DefaultSet, Lanes, Length, Needs, Offer, PermittedTurns, RouteFunction,
};
use crate::choose::selection::{Selection, select};
use crate::error::RoutingError;
use crate::form::endpoints::Endpoints;
use crate::form::routes::Routes;
use crate::form::source_routes::SourceRoutes;
use crate::orient::orientation::routed_part;
use crate::parameters::{PER, Parameters, SEED, selection};
use crate::paths::path_space::{PathSpace, TurnRule};
use weft_fabric::Fabric;

/// Shortest routes.
pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "minimal",
    title: "minimal",
    summary: "Takes a shortest route, whatever its turns.",
    deadlock: Deadlock::PerFabric,
    length: Length::Shortest,
    turns: PermittedTurns::Other,
    needs: Needs::lanes(Lanes::One),
    further: "",
    improves: false,
    offers: &[
        Offer::new(DefaultSet::Compared, 50, ""),
        Offer::new(DefaultSet::ComparedOnLanes, 30, ""),
    ],
    refuses: &[],
    source: "Flich, López, Malumbres, Duato, “Boosting the performance of Myrinet networks”, IEEE \
             TPDS, 2002, §5.3 (option -shortest-path of simple_routes)",
    parameters: &[selection("random"), PER, SEED],
    route: RouteFunction::Plain(route),
};

fn route(fabric: &Fabric, parameters: &mut Parameters) -> Result<Routes, RoutingError> {
    routed_part(fabric)?;
    let endpoints = Endpoints::new(fabric, parameters.granularity(fabric));
    let chosen = parameters.choice("selection", &Selection::CHOICES);
    let space = PathSpace::new(fabric, None, TurnRule::Free);
    let rows = select(&space, &endpoints, chosen, parameters.seed());
    Ok(SourceRoutes::from_rows(endpoints.granularity(), rows)?.into())
}
