//! The verifier.

use crate::certificate::Certificate;
use crate::dependency_graph::DependencyGraph;
use crate::error::ProofError;
use crate::shortest_cycle::shortest_cycle;
use crate::verdict::{Dependency, DependencyCycle, Proof, RouteLoop, Verdict};
use crate::walk::{FoundLoop, walk_all};
use crate::wiring::Wiring;
use weft_fabric::{ChannelId, Fabric, HostId, Node};
use weft_routing::{Lane, RouteHop, RouteWalk, Routes, SharedRoute};

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
    check_made_for(fabric, routes)?;
    let wiring = Wiring::new(fabric);
    let walked = walk_all(fabric, &wiring, routes);
    let lane_count = routes.lane_count();
    let verdict = if !walked.unreached.is_empty() {
        Verdict::Unreachable(walked.unreached)
    } else if let Some(found) = walked.shortest_loop {
        Verdict::Loop(name_loop(fabric, routes, found))
    } else if let Some(certificate) = Certificate::of(&walked.graph, lane_count) {
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
        lane_count,
        is_adaptive: false,
    })
}

/// Makes sure that routes are between as many endpoints as the fabric has.
pub(crate) fn check_made_for(fabric: &Fabric, routes: &Routes) -> Result<(), ProofError> {
    let expected = routes.granularity().endpoint_count(fabric);
    if routes.endpoint_count() == expected {
        return Ok(());
    }
    Err(ProofError::AnotherFabric {
        fabric: fabric.name().to_owned(),
        what: routes.granularity().endpoints_word(),
        found: routes.endpoint_count(),
        expected,
    })
}

/// Tells of a loop which way its route goes.
pub(crate) fn name_loop(fabric: &Fabric, routes: &Routes, found: FoundLoop<'_>) -> RouteLoop {
    RouteLoop {
        source: found.route.sources[0],
        destination: found.destination,
        switch: found.switch,
        nodes: nodes_until_met_again(fabric, routes, found),
    }
}

/// Adds to a shortest cycle the first routes that create its dependencies.
pub(crate) fn name_cycle(
    fabric: &Fabric,
    routes: &Routes,
    graph: &DependencyGraph<'_>,
) -> DependencyCycle {
    let cycle = shortest_cycle(graph).unwrap_or_default();
    let cycle: Vec<_> = cycle.iter().map(|&vertex| graph.channel(vertex)).collect();
    let following = cycle.iter().cycle().skip(1);
    let arcs: Vec<_> = cycle.iter().copied().zip(following.copied()).collect();
    let witnesses = first_routes(fabric, routes, &arcs);
    let dependency = |(&(held, wanted), (route, destination)): (&Arc, &Witness<'_>)| {
        let walk = routes.walk_shared(fabric, route);
        Dependency {
            held: held.0,
            held_lane: held.1,
            wanted: wanted.0,
            wanted_lane: wanted.1,
            source: route.sources[0],
            destination: *destination,
            nodes: route_nodes(fabric, walk),
        }
    };
    DependencyCycle {
        dependencies: arcs.iter().zip(&witnesses).map(dependency).collect(),
    }
}

/// A dependency: a channel with its lane, and the next.
pub(crate) type Arc = ((ChannelId, Lane), (ChannelId, Lane));

/// A route, with the first host it leads its first source to.
type Witness<'a> = (SharedRoute<'a>, HostId);

/// The first route that creates each of some dependencies between switches.
/// The graph does not hold them: for a large fabric they would take most of its memory.
fn first_routes<'a>(fabric: &'a Fabric, routes: &'a Routes, arcs: &[Arc]) -> Vec<Witness<'a>> {
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
            {
                let source = shared.sources[0];
                let other = shared.destinations.iter().find(|&&host| host != source);
                found[place] = found[place].or(other.map(|&destination| (shared, destination)));
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

/// The nodes of a route up to where it meets the switch of a loop again.
fn nodes_until_met_again(fabric: &Fabric, routes: &Routes, found: FoundLoop<'_>) -> Vec<Node> {
    let walk = routes.walk_shared(fabric, &found.route);
    let mut nodes = route_nodes(fabric, walk);
    let met = Node::Switch(found.switch);
    let mut last_visit = None;
    for (place, &node) in nodes.iter().enumerate() {
        if node == met {
            if last_visit.is_some_and(|before: usize| before + found.steps() == place) {
                nodes.truncate(place + 1);
                break;
            }
            last_visit = Some(place);
        }
    }
    nodes
}
