//! Min-hop: a port with the fewest links, of several the one used for fewest destinations.

use super::{Algorithm, Deadlock, DefaultSet, Lanes, Length, Needs, Offer, RouteFunction};
use crate::choose::hosts_as_manager;
use crate::error::RoutingError;
use crate::form::{ForwardingTables, PairGranularity, Routes};
use crate::orient::routed_part;
use crate::parameters::Parameters;
use crate::paths::{NextHops, PathSpace, TurnRule};
use weft_fabric::{Fabric, SwitchId};

/// Shortest paths as a subnet manager takes them by default.
///
/// Every switch looks at its own ports alone: of those with the fewest links to a host it takes the one
/// that it uses for fewest hosts so far, of equal ones the lowest. Hosts come as
/// [`hosts_as_manager`] has them: hosts of one switch one after the other spread evenly over the ports that
/// lead there, and so over the channels down to it.
pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "min_hop",
    title: "min-hop",
    summary: "Takes at every switch, of the ports with the fewest links to a host, the one used for \
              fewest hosts so far.",
    deadlock: Deadlock::PerFabric,
    length: Length::Shortest,
    needs: Needs::lanes(Lanes::One).tables(),
    offers: &[
        Offer::new(DefaultSet::Audited, 30, ""),
        Offer::new(DefaultSet::Advised, 20, ""),
    ],
    source: "OpenSM, doc/current-routing.txt, “Min Hop Algorithm”",
    is_blind_to_service: true,
    parameters: &[],
    route: RouteFunction::Plain(route),
    ..Algorithm::DEFAULT
};

fn route(fabric: &Fabric, _: &mut Parameters) -> Result<Routes, RoutingError> {
    routed_part(fabric)?;
    let space = PathSpace::new(fabric, None, TurnRule::Free);
    let nearer = |to: SwitchId| NextHops::to(&space, to.number());
    Ok(least_used_ports(fabric, &space, nearer).into())
}

/// Tables in which every switch takes, of its ways to a host's switch, the one it uses for fewest hosts so
/// far; `ways_to` is asked once for every switch with hosts.
pub(super) fn least_used_ports(
    fabric: &Fabric,
    space: &PathSpace,
    mut ways_to: impl FnMut(SwitchId) -> NextHops,
) -> ForwardingTables {
    let mut tables = ForwardingTables::with_one_address(fabric, PairGranularity::Host);
    // Per edge: hosts that its switch uses it for.
    let mut uses = vec![0_u32; space.edge_count()];
    let mut known: Option<(SwitchId, NextHops)> = None;
    for host in hosts_as_manager(fabric) {
        let to = fabric.host_switch(host);
        let nearer = match known.take() {
            Some(entry) if entry.0 == to => entry.1,
            _ => ways_to(to),
        };
        for (at, ways) in nearer.iter() {
            if let Some(way) = ways.iter().min_by_key(|way| uses[way.edge as usize]) {
                uses[way.edge as usize] += 1;
                let port = space.edge(way.edge).port;
                tables.set_next_port(SwitchId::new(at), host.index(), port);
            }
        }
        known = Some((to, nearer));
    }
    tables
}
