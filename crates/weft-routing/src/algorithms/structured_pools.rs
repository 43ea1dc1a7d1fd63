//! Structured pools: a lane for each link of the way.

use super::{Algorithm, Lanes, Length, Needs, Refusal, RouteFunction};
use crate::choose::{Selection, select};
use crate::error::RoutingError;
use crate::form::{Endpoints, Lane, RouteRow, Routes, SourceRoutes};
use crate::orient::routed_part;
use crate::parameters::{LANES, PER_OF_DRAWN, Parameters, SEED, selection};
use crate::paths::{PathSpace, TurnRule};
use weft_fabric::Fabric;

/// Shortest routes whose packets rise by a lane with every link.
///
/// A packet that waits holds a lower lane than the one it waits for, so no packets wait in a circle.
/// The paper's pools include one for packets that have not left yet; here only channels between
/// switches have lanes to rise on, so as many lanes suffice as the longest route has links. Low lanes
/// carry more than high ones.
///
/// # Complexity
/// That of the choice among shortest paths.
pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "structured_pools",
    title: "structured channel pools",
    summary: "Takes any shortest route, its first link on lane 0, the next on lane 1, and so on.",
    length: Length::Shortest,
    needs: Needs::lanes(Lanes::PerFabric),
    further: "It takes as many lanes as the longest route has links.",
    refuses: &[Refusal::Lanes],
    source: "Merlin, Schweitzer, “Deadlock avoidance in store-and-forward networks”, IEEE Trans. \
             Communications, 1980; as channel pools: Koibuchi, Watanabe, Otsuka, Amano, “Performance \
             evaluation of deterministic routings, multicasts, and topologies on RHiNET-2 cluster”, \
             §II.A",
    parameters: &[LANES, selection("random"), PER_OF_DRAWN, SEED],
    route: RouteFunction::Plain(route),
    ..Algorithm::DEFAULT
};

fn route(fabric: &Fabric, parameters: &mut Parameters) -> Result<Routes, RoutingError> {
    routed_part(fabric)?;
    let chosen = parameters.choice("selection", &Selection::CHOICES);
    let granularity = parameters.granularity_of(chosen, fabric);
    let endpoints = Endpoints::new(fabric, granularity);
    let space = PathSpace::new(fabric, None, TurnRule::Free);
    let rows = select(&space, &endpoints, chosen, parameters.seed());
    let longest = rows.iter().flat_map(|row| &row.lengths).max();
    parameters.refuse_more_lanes(fabric, longest.map_or(1, |&links| links.into()))?;
    // Each step is on the lane above that of the step before.
    let lanes = (0..=u8::MAX).map(Lane::new);
    let rising = |row: &RouteRow| {
        let routes = row.routes();
        RouteRow::on_lanes(routes.map(|path| path.iter().copied().zip(lanes.clone())))
    };
    let rows = rows.iter().map(rising);
    Ok(SourceRoutes::from_rows(endpoints.granularity(), rows.collect()).into())
}
