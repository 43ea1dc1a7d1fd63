//! The verifier.

use crate::certificate::Certificate;
use crate::cycle::shortest_cycle;
use crate::dependency_graph::DependencyGraph;
use crate::error::ProofError;
use crate::verdict::{Dependency, DependencyCycle, Proof, RouteLoop, Verdict};
use crate::walk::walk_all;
use crate::wiring::Wiring;
use weft_fabric::{Fabric, HostId, Node};
use weft_routing::{PairGranularity, RouteHop, SourceRoutes};

/// This verifies the routes of all pairs of distinct hosts: that each leads to its destination,
/// that none meets a switch twice between in-transit stops, and that no packets can wait for one
/// another in a cycle.
///
/// Every channel takes part, those from and to hosts included. A stop in transit parts a route:
/// the host takes the packet in whole, so the channels behind it are free again before the channels
/// beyond it are wanted; that hosts always do is what the verdict rests on.
///
/// # Errors
/// [`ProofError`] when the routes are not of this fabric.
///
/// # Complexity
/// Time in proportion to the steps of all routes, and that of the search for a cycle where there
/// is one.
///
/// # Source
/// Dally, Seitz, "Deadlock-free message routing in multiprocessor interconnection networks", IEEE
/// Trans. Computers C-36(5), 1987.
pub fn verify(fabric: &Fabric, routes: &SourceRoutes) -> Result<Proof, ProofError> {
    let (what, expected) = match routes.granularity() {
        PairGranularity::Switch => ("switches", fabric.switch_count()),
        PairGranularity::Host => ("hosts", fabric.host_count()),
    };
    if routes.endpoint_count() != expected {
        return Err(ProofError::AnotherFabric {
            fabric: fabric.name().to_owned(),
            what,
            found: routes.endpoint_count(),
            expected,
        });
    }
    let wiring = Wiring::new(fabric);
    let walked = walk_all(fabric, &wiring, routes);
    let verdict = if !walked.unreached.is_empty() {
        Verdict::Unreachable(walked.unreached)
    } else if let Some(((source, destination), switch)) = walked.first_loop {
        Verdict::Loop(RouteLoop {
            source,
            destination,
            switch,
            nodes: route_nodes(fabric, routes, source, destination),
        })
    } else if let Some(certificate) = Certificate::of(&walked.graph) {
        Verdict::DeadlockFree(certificate)
    } else {
        Verdict::Deadlock(name_cycle(fabric, routes, &walked.graph))
    };
    Ok(Proof {
        verdict,
        host_pairs: walked.host_pairs,
        routes: walked.routes,
        in_transit_stops: walked.in_transit_stops,
        dependencies: walked.graph.dependency_count(),
    })
}

/// This adds to a shortest cycle the routes that create its dependencies.
fn name_cycle(
    fabric: &Fabric,
    routes: &SourceRoutes,
    graph: &DependencyGraph<'_>,
) -> DependencyCycle {
    let cycle = shortest_cycle(graph).unwrap_or_default();
    let mut dependencies = Vec::with_capacity(cycle.len());
    for (&held, &wanted) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
        let route = graph.wanted(held).find(|&(channel, _)| channel == wanted);
        if let Some((_, (source, destination))) = route {
            dependencies.push(Dependency {
                held,
                wanted,
                source,
                destination,
                nodes: route_nodes(fabric, routes, source, destination),
            });
        }
    }
    DependencyCycle { dependencies }
}

/// These are the switches of a route and the hosts it stops at.
fn route_nodes(
    fabric: &Fabric,
    routes: &SourceRoutes,
    source: HostId,
    destination: HostId,
) -> Vec<Node> {
    let start = fabric.host_switch(source);
    let mut here = Node::Switch(start);
    let mut nodes = vec![here];
    let steps = routes.steps(fabric, source, destination);
    for hop in SourceRoutes::resolve(fabric, start, steps).flatten() {
        match hop {
            RouteHop::Channel(channel) => here = fabric.target(channel).node,
            RouteHop::InTransit(host) => nodes.push(Node::Host(host)),
        }
        nodes.push(here);
    }
    nodes
}
