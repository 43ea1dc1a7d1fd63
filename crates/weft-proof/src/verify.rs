//! The verifier.

use crate::certificate::Certificate;
use crate::error::ProofError;
use crate::shortest_cycle::Arc;
use crate::sweep::sweep;
use crate::verdict::{Dependency, Proof, RestsOn, RouteLoop, Verdict};
use crate::walk::{FoundLoop, walk_all, walk_some};
use crate::wiring::Wiring;
use weft_fabric::{Fabric, Node};
use weft_routing::{RouteHop, RouteWalk, Routes};

/// Verifies the routes of all pairs of distinct hosts: that each leads to its destination,
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
pub fn verify(fabric: &Fabric, routes: &Routes) -> Result<Proof, ProofError> {
    ProofError::unless_routes_of(fabric, routes)?;
    let wiring = Wiring::new(fabric);
    let walked = sweep(fabric, &wiring, routes);
    let walked = walked.unwrap_or_else(|| walk_all(fabric, &wiring, routes));
    let lane_count = routes.lane_count();
    let verdict = Verdict::of(
        walked.unreached,
        walked
            .shortest_loop
            .map(|found| name_loop(fabric, routes, found)),
        &walked.graph,
        lane_count,
        |arcs| first_routes(fabric, routes, arcs),
    );
    Ok(Proof {
        verdict,
        host_pairs: walked.host_pairs,
        routes: walked.routes,
        in_transit_stops: walked.in_transit_stops,
        dependencies: walked.graph.dependency_count(),
        lane_count,
        is_adaptive: false,
        rests_on: RestsOn::EveryWay,
    })
}

/// Tells whether the routes between compute ends alone, of routes that may be of service ends too, all lead to
/// their destination without a loop, and no packets on them can wait for one another in a cycle.
///
/// Where that is so and [`verify`] finds a cycle, each takes a route from or to a service end.
///
/// # Errors
/// [`ProofError`] when the routes are not of this fabric.
pub fn is_free_between_compute_ends(fabric: &Fabric, routes: &Routes) -> Result<bool, ProofError> {
    ProofError::unless_routes_of(fabric, routes)?;
    let wiring = Wiring::new(fabric);
    let walked = walk_some(fabric, &wiring, routes, |shared| shared.compute_pairs > 0);
    Ok(walked.unreached.is_empty()
        && walked.shortest_loop.is_none()
        && Certificate::of(&walked.graph, routes.lane_count()).is_some())
}

/// Tells of a loop which way its route goes, up to where it meets its switch again.
pub(crate) fn name_loop(fabric: &Fabric, routes: &Routes, found: FoundLoop<'_>) -> RouteLoop {
    let mut nodes = route_nodes(fabric, routes.walk_shared(fabric, &found.route));
    let met = Node::Switch(found.switch);
    let mut last_visit = None;
    for (place, &node) in nodes.iter().enumerate() {
        if node == met {
            if last_visit.is_some_and(|before: usize| before + found.steps as usize == place) {
                nodes.truncate(place + 1);
                break;
            }
            last_visit = Some(place);
        }
    }
    RouteLoop {
        source: found.route.sources[0],
        destination: found.destination,
        switch: found.switch,
        nodes,
    }
}

/// The first route that creates each of some dependencies between switches, with its first pair of hosts.
/// The graph does not hold them: for a large fabric they would take most of its memory.
pub(crate) fn first_routes(fabric: &Fabric, routes: &Routes, arcs: &[Arc]) -> Vec<Dependency> {
    let mut found = vec![None; arcs.len()];
    for shared in routes.shared(fabric) {
        let mut held = None;
        for step in routes.walk_shared(fabric, &shared) {
            let wanted = match step.hop {
                Ok(RouteHop::Channel(channel)) => Some((channel, step.lane)),
                Ok(RouteHop::InTransit(_)) | Err(_) => None,
            };
            if let (Some(held), Some(wanted)) = (held, wanted)
                && let Some(place) = arcs.iter().position(|&arc| arc == (held, wanted))
                && found[place].is_none()
            {
                let source = shared.sources[0];
                let mut others = shared.destinations.iter().filter(|&&host| host != source);
                found[place] = others.next().map(|&destination| {
                    let nodes = route_nodes(fabric, routes.walk_shared(fabric, &shared));
                    Dependency::of(arcs[place], [source, destination], nodes)
                });
            }
            held = wanted;
        }
        if found.iter().all(Option::is_some) {
            break;
        }
    }
    found.into_iter().flatten().collect()
}

/// The switches of a route and the hosts it stops at.
fn route_nodes(fabric: &Fabric, walk: RouteWalk<'_>) -> Vec<Node> {
    let mut nodes = vec![Node::Switch(walk.switch())];
    for step in walk {
        match step.hop {
            Ok(RouteHop::Channel(channel)) => nodes.push(fabric.target(channel).node),
            Ok(RouteHop::InTransit(host)) => {
                nodes.extend([Node::Host(host), Node::Switch(step.switch)]);
            }
            Err(_) => {}
        }
    }
    nodes
}
