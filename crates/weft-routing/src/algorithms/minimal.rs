//! Shortest routes without any guarantee against deadlock.

use super::{Algorithm, Deadlock, DefaultSet, Length, Offer, RouteFunction};
use crate::choose::{Selection, select_routes};
use crate::error::RoutingError;
use crate::form::{Endpoints, Routes};
use crate::orient::routed_part;
use crate::parameters::{PER_OF_DRAWN_LATER, Parameters, SEED, selection};
use crate::paths::{PathSpace, TurnRule};
use weft_fabric::Fabric;

pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "minimal",
    title: "minimal",
    summary: "Takes a shortest route, whatever its turns.",
    deadlock: Deadlock::PerFabric,
    length: Length::Shortest,
    offers: &[Offer::new(DefaultSet::Compared, 50, "")],
    source: "Flich, López, Malumbres, Duato, “Boosting the performance of Myrinet networks”, IEEE \
             TPDS, 2002, §5.3 (option -shortest-path of simple_routes)",
    parameters: &[selection("random"), PER_OF_DRAWN_LATER, SEED],
    route: RouteFunction::Plain(route),
    ..Algorithm::DEFAULT
};

fn route(fabric: &Fabric, parameters: &mut Parameters) -> Result<Routes, RoutingError> {
    routed_part(fabric)?;
    let chosen = parameters.choice("selection", &Selection::CHOICES);
    let granularity = parameters.granularity_of_later(chosen, fabric);
    let endpoints = Endpoints::new(fabric, granularity);
    let space = PathSpace::new(fabric, None, TurnRule::Free);
    Ok(select_routes(space, endpoints, chosen, parameters.seed()).into())
}
