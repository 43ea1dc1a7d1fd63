//! Min-hop: a port with the fewest links, of several the one used for fewest destinations.

use super::{Algorithm, RouteFunction};
use crate::error::RoutingError;
use crate::orientation::routed_part;
use crate::parameters::Parameters;
use crate::path_space::{PathSpace, TurnRule};
use crate::routes::{PairGranularity, Routes};
use crate::shortest::ShortestPaths;
use crate::tables::ForwardingTables;
use weft_fabric::{Fabric, SwitchId};

/// Shortest paths as a subnet manager takes them by default.
///
/// Every switch looks at its own ports alone: of those with the fewest links to a host it takes the one
/// that it uses for fewest hosts so far, of equal ones the lowest. Hosts come by ascending numbers.
pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "min_hop",
    title: "min-hop",
    summary: "Takes at every switch, of the ports with the fewest links to a host, the one used for \
              fewest hosts so far.",
    guarantees: "Every pair is joined by a shortest route, and tables hold them; packets may deadlock \
                 wherever links form a cycle, which the proof shows.",
    refuses: &[],
    source: "OpenSM, doc/current-routing.txt, “Min Hop Algorithm”",
    parameters: &[],
    route: RouteFunction::Plain(route),
};

fn route(fabric: &Fabric, _: &mut Parameters) -> Result<Routes, RoutingError> {
    let part = routed_part(fabric)?;
    let space = PathSpace::new(fabric, None, TurnRule::Free);
    let addresses = vec![1; fabric.host_count()];
    let granularity = PairGranularity::Host;
    let mut tables = ForwardingTables::new(granularity, fabric.switch_count(), &addresses);
    // Per edge: hosts that its switch uses it for.
    let mut uses = vec![0_u32; space.edge_count()];
    let mut known: Option<(SwitchId, Vec<Option<u16>>)> = None;
    for host in fabric.host_ids() {
        let to = fabric.host_switch(host);
        let links = match known.take() {
            Some(entry) if entry.0 == to => entry.1,
            _ => {
                // Links lead both ways.
                let found = ShortestPaths::from(&space, to.number()).into_distances();
                let all = (0..).take(space.switch_count());
                all.map(|at| found.links_to(&space, at)).collect()
            }
        };
        for &at in part.iter().filter(|&&at| at != to) {
            let nearer = |&edge: &u32| links[space.edge(edge).to as usize] < links[at.index()];
            let ways = space.edge_ids(at.number()).filter(nearer);
            if let Some(edge) = ways.min_by_key(|&edge| (uses[edge as usize], edge)) {
                uses[edge as usize] += 1;
                tables.set_next_port(at, host.index(), space.edge(edge).port);
            }
        }
        tables.set_next_port(to, host.index(), fabric.host_port(host));
        known = Some((to, links));
    }
    Ok(tables.into())
}
