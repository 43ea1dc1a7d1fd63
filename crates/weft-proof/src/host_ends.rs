//! Where routes leave hosts and arrive at them.

use crate::dependency_graph::DependencyGraph;
use crate::wiring::Wiring;
use weft_fabric::{ChannelId, Fabric, HostId, PortNumber, SwitchId};
use weft_routing::{Lane, SharedRoute};

/// The dependencies at both ends of routes: at once where a host has the route for itself, and noted by
/// switch where hosts share it, so that they are added once for all routes.
#[derive(Clone, Debug)]
pub(crate) struct HostEnds<'a> {
    fabric: &'a Fabric,
    wiring: &'a Wiring,
    lanes: usize,
    /// Per port of a switch and lane: whether a route shared by the switch's hosts starts there.
    starts: Vec<bool>,
    /// Per channel and lane: whether a route shared by the hosts of the switch it leads to ends there.
    ends: Vec<bool>,
}

impl<'a> HostEnds<'a> {
    pub(crate) fn new(fabric: &'a Fabric, wiring: &'a Wiring, lanes: u8) -> Self {
        let lanes = usize::from(lanes);
        Self {
            fabric,
            wiring,
            lanes,
            starts: vec![false; wiring.place_count() * lanes],
            ends: vec![false; fabric.channel_count() * lanes],
        }
    }

    /// A route of some hosts of a switch begins by a port; packets have a lane before it and one behind.
    #[inline]
    pub(crate) fn start(
        &mut self,
        graph: &mut DependencyGraph<'_>,
        sources: &[HostId],
        (at, port): (SwitchId, PortNumber),
        [lane, next_lane]: [Lane; 2],
    ) {
        if let [source] = sources {
            let injection = self.fabric.injection_channel(*source);
            graph.add((injection, lane), port, next_lane);
        } else {
            let place = self.wiring.place(at, port);
            self.starts[place * self.lanes + next_lane.index()] = true;
        }
    }

    /// A route to some hosts of a switch ends behind a channel between switches.
    #[inline]
    pub(crate) fn end(
        &mut self,
        graph: &mut DependencyGraph<'_>,
        destinations: &[HostId],
        (held, lane): (ChannelId, Lane),
        last_lane: Lane,
    ) {
        if let [destination] = destinations {
            let port = self.fabric.host_port(*destination);
            graph.add((held, lane), port, last_lane);
        } else {
            // Lanes differ where lane tables are, and there each host has routes of its own.
            self.ends[held.index() * self.lanes + lane.index()] = true;
        }
    }

    /// Hosts of one switch send to each other.
    pub(crate) fn join(
        &self,
        graph: &mut DependencyGraph<'_>,
        [sources, destinations]: [&[HostId]; 2],
        [lane, last_lane]: [Lane; 2],
    ) {
        for &source in sources {
            for &destination in destinations.iter().filter(|&&host| host != source) {
                let injection = self.fabric.injection_channel(source);
                let port = self.fabric.host_port(destination);
                graph.add((injection, lane), port, last_lane);
            }
        }
    }

    /// Takes in the ends of other routes.
    pub(crate) fn take_in(&mut self, other: Self) {
        let flags = [
            (&mut self.starts, other.starts),
            (&mut self.ends, other.ends),
        ];
        for (own, others) in flags {
            for (own, other) in own.iter_mut().zip(others) {
                *own |= other;
            }
        }
    }

    /// Adds the dependencies of hosts that share routes.
    pub(crate) fn finish(self, graph: &mut DependencyGraph<'_>) {
        graph.add_hosts(self.fabric, &self.starts, &self.ends);
    }
}

/// A destination that is not the first source, and the route without sources that send to nobody else.
#[inline]
pub(crate) fn without_itself(route: SharedRoute<'_>) -> (HostId, SharedRoute<'_>) {
    let first = route.sources[0];
    let mut others = route.destinations.iter().filter(|&&host| host != first);
    if let Some(&destination) = others.next() {
        return (destination, route);
    }
    let sources = &route.sources[1..];
    (first, SharedRoute { sources, ..route })
}
