//! The verifier where packets choose on their way.
//!
//! A packet that waits needs one way that becomes free for sure. Where there is an escape that is its
//! lane, whatever else it is offered; what is ranked is then what packets may hold, on any lane, and the
//! escape they are offered there. Packets on the escape stay there, so no dependency leads from it over
//! other lanes back to it: the extended dependency graph has the direct ones alone. Without an escape
//! all that packets are offered is ranked, as for fixed routes.

mod intermediate_switch;
mod port_choices;

use crate::certificate::Certificate;
use crate::dependency_graph::DependencyGraph;
use crate::error::ProofError;
use crate::shortest_cycle::shortest_cycle;
use crate::verdict::{Dependency, DependencyCycle, Proof, RouteLoop, UnreachedPair, Verdict};
use crate::verify::Arc;
use crate::wiring::Wiring;
use weft_fabric::{Fabric, SwitchId};
use weft_routing::AdaptiveRoutes;

/// What all ways of packets together come to.
struct Walked<'a> {
    graph: DependencyGraph<'a>,
    unreached: Vec<UnreachedPair>,
    route_loop: Option<RouteLoop>,
}

/// Verifies routes that leave packets a choice: that whatever they choose leads them to their
/// destination without going round, and that wherever they wait, a way is offered to them that becomes
/// free for sure.
///
/// The certificate ranks every lane of every channel; what packets may hold is ranked lower than the escape
/// they are offered there, without an escape lower than all they are offered. A cycle means that there
/// is no such order; whether packets do deadlock where no escape is, it does not tell.
///
/// # Errors
/// [`ProofError`] when the routes are not of this fabric.
///
/// # Complexity
/// Time O(S·C·P·L) for S switches, C channels, P ports a switch and L lanes, or in proportion to the steps
/// of all routes; and that of the search for a cycle where there is one.
///
/// # Source
/// Duato, "A necessary and sufficient condition for deadlock-free adaptive routing in wormhole networks",
/// IEEE TPDS 6(10), 1995; for cut-through IEEE TPDS 7(8), 1996.
pub fn verify_adaptive(fabric: &Fabric, routes: &AdaptiveRoutes) -> Result<Proof, ProofError> {
    check_made_for(fabric, routes)?;
    let wiring = Wiring::new(fabric);
    let walked = match routes {
        AdaptiveRoutes::Tables(tables) => port_choices::walk(fabric, &wiring, tables),
        AdaptiveRoutes::TwoPhase(routes) => intermediate_switch::walk(fabric, &wiring, routes),
    };
    let lane_count = routes.lane_count();
    let dependencies = walked.graph.dependency_count();
    let verdict = if !walked.unreached.is_empty() {
        Verdict::Unreachable(walked.unreached)
    } else if let Some(found) = walked.route_loop {
        Verdict::Loop(found)
    } else if let Some(certificate) = Certificate::of(&walked.graph, lane_count) {
        Verdict::DeadlockFree(certificate)
    } else {
        let arcs = cycle_of(&walked.graph);
        let dependencies: Vec<Dependency> = match routes {
            AdaptiveRoutes::Tables(tables) => {
                port_choices::witnesses(fabric, &wiring, tables, &arcs)
            }
            AdaptiveRoutes::TwoPhase(routes) => {
                intermediate_switch::witnesses(fabric, routes, &arcs)
            }
        };
        Verdict::Deadlock(DependencyCycle { dependencies })
    };
    let hosts = fabric.host_count() as u64;
    let switches = with_hosts(fabric).count() as u64;
    Ok(Proof {
        verdict,
        host_pairs: hosts * hosts.saturating_sub(1),
        routes: switches * switches.saturating_sub(1),
        in_transit_stops: 0,
        dependencies,
        lane_count,
        is_adaptive: true,
    })
}

/// Makes sure that routes are between as many switches as the fabric has.
pub(crate) fn check_made_for(fabric: &Fabric, routes: &AdaptiveRoutes) -> Result<(), ProofError> {
    let (found, expected) = (routes.switch_count(), fabric.switch_count());
    if found == expected {
        return Ok(());
    }
    Err(ProofError::AnotherFabric {
        fabric: fabric.name().to_owned(),
        what: "switches",
        found,
        expected,
    })
}

/// The switches that packets start from and lead to.
pub(crate) fn with_hosts(fabric: &Fabric) -> impl Iterator<Item = SwitchId> + '_ {
    let switches = fabric.switch_ids();
    switches.filter(|&switch| !fabric.hosts_of(switch).is_empty())
}

/// The dependencies of a shortest cycle.
fn cycle_of(graph: &DependencyGraph<'_>) -> Vec<Arc> {
    let cycle = shortest_cycle(graph).unwrap_or_default();
    let cycle: Vec<_> = cycle.iter().map(|&vertex| graph.channel(vertex)).collect();
    let following = cycle.iter().cycle().skip(1);
    cycle.iter().copied().zip(following.copied()).collect()
}
