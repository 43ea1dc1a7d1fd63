//! SSSP: shortest paths over the channels that carry least, one destination after the other.

use super::{Algorithm, Deadlock, Lanes, Length, Needs, RouteFunction};
use crate::choose::ShortestForest;
use crate::error::RoutingError;
use crate::form::Routes;
use crate::parameters::Parameters;
use weft_fabric::Fabric;

/// Single-source shortest-path routing.
///
/// Every channel has a weight, at first so large that more links are never better; the tree of one
/// host after the other is a shortest-path tree, and each channel grows heavier by the hosts and switches
/// whose way to it leads over it. Hosts come as [`hosts_as_manager`](crate::choose::hosts_as_manager) has
/// them, so the tables are those that `OpenSM` loads.
pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "sssp",
    title: "SSSP",
    summary: "Grows a shortest-path tree towards one host after the other, over the channels that \
              carry least so far.",
    deadlock: Deadlock::PerFabric,
    length: Length::Shortest,
    needs: Needs::lanes(Lanes::One).tables(),
    source: "Hoefler, Schneider, Lumsdaine, “Optimized routing for large-scale InfiniBand networks”, \
             HOTI 2009",
    is_blind_to_service: true,
    parameters: &[],
    route: RouteFunction::Plain(route),
    ..Algorithm::DEFAULT
};

fn route(fabric: &Fabric, parameters: &mut Parameters) -> Result<Routes, RoutingError> {
    Ok(ShortestForest::new(fabric)?
        .grow_once(fabric, &parameters.progress)
        .tables(fabric)
        .into())
}
