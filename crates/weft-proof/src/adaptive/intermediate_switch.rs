//! Routes in two phases: each route is walked once and counts in both, and at an intermediate switch
//! every end of a first phase meets every beginning of a second.

use super::Walked;
use crate::dependency_graph::DependencyGraph;
use crate::shortest_cycle::Arc;
use crate::verdict::{Dependency, RouteLoop, UnreachedPair};
use crate::wiring::Wiring;
use weft_fabric::{ChannelId, Fabric, Node, PortNumber, SwitchId};
use weft_routing::{DeadEnd, Lane, TwoPhaseRoutes};

/// Walks all routes in both phases.
pub(super) fn walk<'a>(
    fabric: &'a Fabric,
    wiring: &'a Wiring,
    routes: &TwoPhaseRoutes,
) -> Walked<'a> {
    let mut walked = Walked {
        graph: DependencyGraph::new(fabric, wiring, routes.lane_count()),
        unreached: Vec::new(),
        route_loop: None,
    };
    let lanes = || (0..routes.lane_count()).map(Lane::new);
    let mut ends: Vec<Vec<(ChannelId, Lane)>> = vec![Vec::new(); fabric.switch_count()];
    let mut beginnings: Vec<Vec<(PortNumber, Lane)>> = vec![Vec::new(); fabric.switch_count()];
    for from in fabric.switches_with_hosts() {
        let injections = || {
            let hosts = fabric.hosts_of(from).iter();
            let channels = hosts.map(|&host| fabric.injection_channel(host));
            channels.flat_map(|channel| lanes().map(move |lane| (channel, lane)))
        };
        for held in injections() {
            for &host in fabric.hosts_of(from) {
                if held.0 != fabric.injection_channel(host) {
                    walked.graph.add(held, fabric.host_port(host), held.1);
                }
            }
        }
        for to in fabric.switches_with_hosts().filter(|&to| to != from) {
            let Some(channels) = walked.follow(fabric, wiring, routes, [from, to]) else {
                continue;
            };
            for phase in [0, 1] {
                let step = |number| routes.step([from, to], phase, number);
                let mut held = None;
                for (number, &channel) in channels.iter().enumerate() {
                    let Some((port, lane)) = step(number) else {
                        unreachable!("there are as many steps as channels");
                    };
                    if let Some(held) = held {
                        walked.graph.add(held, port, lane);
                    } else {
                        for held in injections() {
                            walked.graph.add(held, port, lane);
                        }
                        if phase == 1 {
                            beginnings[from.index()].push((port, lane));
                        }
                    }
                    held = Some((channel, lane));
                }
                let Some(held) = held else { continue };
                if phase == 0 {
                    ends[to.index()].push(held);
                    continue;
                }
                for &host in fabric.hosts_of(to) {
                    walked.graph.add(held, fabric.host_port(host), held.1);
                }
            }
        }
    }
    for (ends, beginnings) in ends.iter_mut().zip(&mut beginnings) {
        ends.sort_unstable();
        ends.dedup();
        beginnings.sort_unstable();
        beginnings.dedup();
        for &held in ends.iter() {
            for &(port, lane) in beginnings.iter() {
                walked.graph.add(held, port, lane);
            }
        }
    }
    walked
}

impl Walked<'_> {
    /// The channels of a route; `None` where it does not lead to its end, which is noted.
    fn follow(
        &mut self,
        fabric: &Fabric,
        wiring: &Wiring,
        routes: &TwoPhaseRoutes,
        [from, to]: [SwitchId; 2],
    ) -> Option<Vec<ChannelId>> {
        let [source, destination] = [from, to].map(|switch| fabric.hosts_of(switch)[0]);
        let mut here = from;
        let (mut channels, mut met) = (Vec::new(), vec![from]);
        for port in routes.routes().steps_between(from.index(), to.index()) {
            let exit = wiring.exit(here, port);
            let dead_end = match exit.behind {
                Some(Node::Switch(next)) => {
                    here = next;
                    channels.push(exit.channel);
                    if met.contains(&next) && self.route_loop.is_none() {
                        let nodes = met.iter().chain([&next]);
                        self.route_loop = Some(RouteLoop {
                            source,
                            destination,
                            switch: next,
                            nodes: nodes.map(|&switch| Node::Switch(switch)).collect(),
                        });
                    }
                    met.push(next);
                    continue;
                }
                None => DeadEnd::NoCable,
                Some(Node::Host(host)) => DeadEnd::OtherHost(host),
            };
            let pair = [source, destination];
            let missed = UnreachedPair::by_dead_end(pair, (here, port), dead_end);
            self.unreached.push(missed);
            return None;
        }
        if here != to {
            let missed = UnreachedPair::ending_at([source, destination], here);
            self.unreached.push(missed);
            return None;
        }
        Some(channels)
    }
}

/// The first routes that create dependencies between switches. No cycle leaves its phase, so
/// each lies on one route.
pub(super) fn witnesses(fabric: &Fabric, routes: &TwoPhaseRoutes, arcs: &[Arc]) -> Vec<Dependency> {
    let dependency = |&(held, wanted): &Arc| {
        let pairs = fabric
            .switches_with_hosts()
            .flat_map(|from| fabric.switches_with_hosts().map(move |to| [from, to]));
        for [from, to] in pairs {
            for phase in [0, 1] {
                let (mut here, mut last, mut is_it) = (from, None, false);
                let mut nodes = vec![Node::Switch(from)];
                let steps =
                    (0..routes.links([from, to])).map_while(|n| routes.step([from, to], phase, n));
                for (port, lane) in steps {
                    let Some(channel) = fabric.outgoing_at(here, port) else {
                        break;
                    };
                    is_it |= last == Some(held) && (channel, lane) == wanted;
                    last = Some((channel, lane));
                    nodes.push(fabric.target(channel).node);
                    if let Node::Switch(next) = fabric.target(channel).node {
                        here = next;
                    }
                }
                if is_it {
                    let pair = [from, to].map(|switch| fabric.hosts_of(switch)[0]);
                    return Some(Dependency::of((held, wanted), pair, nodes));
                }
            }
        }
        None
    };
    arcs.iter().filter_map(dependency).collect()
}
