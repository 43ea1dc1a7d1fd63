//! Adaptive UPDN: every port on a shortest way up and then down, as the managers of adaptive switches load it.

use super::{Algorithm, Deadlock, DefaultSet, Offer, RouteFunction, updn};
use crate::error::RoutingError;
use crate::form::{AdaptiveRoutes, GroupMaker, LidState};
use crate::parameters::{LIDS, OPENSM_ROOT, Parameters, SEED};
use weft_fabric::{Fabric, SwitchId};

/// UPDN with a choice.
///
/// At every switch packets may take any port with the fewest links up and then down to their destination; those that
/// may not choose take the one of `updn`. What deadlocks there may deadlock here.
pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "ar_updn",
    title: "adaptive UPDN",
    summary: "Lets a packet take, at every switch, any of the ports with the fewest links up and then down to its \
              host; those that may not choose take the port of updn.",
    deadlock: Deadlock::PerFabric,
    further: "As updn it is refused where some pair of compute ends has no such route.",
    source: "NVIDIA, MLNX_OFED and UFM documentation, “Adaptive Routing”: the engine of this name; ways as OpenSM's \
             osm_ucast_updn.c counts them",
    parameters: &[OPENSM_ROOT, SEED, LIDS],
    offers: &[Offer::new(DefaultSet::Adaptive, 10, "")],
    route: RouteFunction::Adaptive(route),
    ..updn::ALGORITHM
};

fn route(fabric: &Fabric, parameters: &mut Parameters) -> Result<AdaptiveRoutes, RoutingError> {
    let state: LidState = parameters.lid_state();
    let mut groups = GroupMaker::new(fabric);
    let tables = updn::tables(fabric, parameters, |space, to, ways| {
        for (at, ways) in ways.iter() {
            let ports = ways.iter().map(|way| space.edge(way.edge).port);
            groups.set(SwitchId::new(at), to, ports.collect());
        }
    })?;
    Ok(AdaptiveRoutes::Groups(
        groups.around(fabric, &tables, state),
    ))
}
