//! The verifier where packets choose on their way.
//!
//! A packet that waits needs one way that becomes free for sure. Where there is an escape that is its
//! lane, whatever else it is offered; what is ranked is then what packets may hold, on any lane, and the
//! escape they are offered there. Packets on the escape stay there, so no dependency leads from it over
//! other lanes back to it: the extended dependency graph has the direct ones alone. Without an escape
//! all that packets are offered is ranked, as for fixed routes.

mod intermediate_switch;
mod port_choices;

use crate::dependency_graph::DependencyGraph;
use crate::error::ProofError;
use crate::verdict::{Proof, RouteLoop, UnreachedPair, Verdict};
use crate::wiring::Wiring;
use weft_fabric::Fabric;
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
    ProofError::unless_choices_of(fabric, routes)?;
    let wiring = Wiring::new(fabric);
    let walked = match routes {
        AdaptiveRoutes::Tables(tables) => port_choices::walk(fabric, &wiring, tables),
        AdaptiveRoutes::TwoPhase(routes) => intermediate_switch::walk(fabric, &wiring, routes),
    };
    let lane_count = routes.lane_count();
    let verdict = Verdict::of(
        walked.unreached,
        walked.route_loop,
        &walked.graph,
        lane_count,
        |arcs| match routes {
            AdaptiveRoutes::Tables(tables) => {
                port_choices::witnesses(fabric, &wiring, tables, arcs)
            }
            AdaptiveRoutes::TwoPhase(routes) => {
                intermediate_switch::witnesses(fabric, routes, arcs)
            }
        },
    );
    let hosts = fabric.host_count() as u64;
    let switches = fabric.switches_with_hosts().count() as u64;
    Ok(Proof {
        verdict,
        host_pairs: hosts * hosts.saturating_sub(1),
        routes: switches * switches.saturating_sub(1),
        in_transit_stops: 0,
        dependencies: walked.graph.dependency_count(),
        lane_count,
        is_adaptive: true,
    })
}
