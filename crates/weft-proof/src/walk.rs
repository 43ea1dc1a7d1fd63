//! Walks every route and notes what it meets.

use crate::dependency_graph::DependencyGraph;
use crate::host_ends::{HostEnds, without_itself};
use crate::verdict::UnreachedPair;
use crate::wiring::Wiring;
use weft_fabric::{ChannelId, Fabric, HostId, Node, SwitchId};
use weft_routing::{DeadEnd, Lane, RouteHop, Routes, SharedRoute};

/// What all routes together come to.
#[derive(Debug)]
pub(crate) struct Walked<'a> {
    pub(crate) graph: DependencyGraph<'a>,
    pub(crate) unreached: Vec<UnreachedPair>,
    /// The route that meets a switch again after the fewest steps; the first of equal ones.
    pub(crate) shortest_loop: Option<FoundLoop<'a>>,
    pub(crate) host_pairs: u64,
    pub(crate) routes: u64,
    pub(crate) in_transit_stops: u64,
}

impl<'a> Walked<'a> {
    /// Before any route.
    pub(crate) fn nothing(fabric: &Fabric, wiring: &'a Wiring, routes: &Routes) -> Self {
        Self {
            graph: DependencyGraph::new(fabric, wiring, routes.lane_count()),
            unreached: Vec::new(),
            shortest_loop: None,
            host_pairs: 0,
            routes: 0,
            in_transit_stops: 0,
        }
    }

    /// Counts a route.
    #[inline]
    pub(crate) fn count(&mut self, route: &SharedRoute<'_>) {
        if !route.is_further() {
            self.host_pairs += route.host_pairs;
        }
        self.routes += 1;
    }
}

/// A route that meets a switch twice between in-transit stops.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FoundLoop<'a> {
    pub(crate) route: SharedRoute<'a>,
    pub(crate) destination: HostId,
    pub(crate) switch: SwitchId,
    /// Steps from one visit to the next.
    pub(crate) steps: u32,
}

/// Walks the routes of all pairs of distinct hosts in ascending order.
pub(crate) fn walk_all<'a>(
    fabric: &'a Fabric,
    wiring: &'a Wiring,
    routes: &'a Routes,
) -> Walked<'a> {
    walk_some(fabric, wiring, routes, |_| true)
}

/// Walks those routes that are asked for, in ascending order.
pub(crate) fn walk_some<'a>(
    fabric: &'a Fabric,
    wiring: &'a Wiring,
    routes: &'a Routes,
    is_asked: impl Fn(&SharedRoute<'_>) -> bool,
) -> Walked<'a> {
    let mut walker = Walker {
        fabric,
        wiring,
        found: Walked::nothing(fabric, wiring, routes),
        ends: HostEnds::new(fabric, wiring, routes.lane_count()),
        proved: Proved::new(fabric, routes),
        visits: vec![Visit::default(); fabric.switch_count()],
        segment: 0,
        step: 0,
    };
    for shared in routes.shared(fabric).filter(is_asked) {
        walker.walk(routes, shared);
    }
    walker.ends.finish(&mut walker.found.graph);
    walker.found
}

/// From where tables were seen to lead to an address, for walking each part of their ways once: from
/// one switch packets to one address go one way, whoever sent them.
struct Proved {
    addresses: usize,
    lanes: usize,
    /// Per switch, address and lane: a bit.
    words: Vec<u64>,
    /// The bits of the route at hand.
    path: Vec<usize>,
}

impl Proved {
    fn new(fabric: &Fabric, routes: &Routes) -> Self {
        let addresses = match routes {
            Routes::Source(_) => 0,
            Routes::Tables(tables) => tables.address_count(),
        };
        let lanes = usize::from(routes.lane_count());
        Self {
            addresses,
            lanes,
            words: vec![0; (fabric.switch_count() * addresses * lanes).div_ceil(64)],
            path: Vec::new(),
        }
    }

    /// Tells whether the way from a switch is known to arrive; if not, it belongs to the route at
    /// hand.
    fn goes_on(&mut self, switch: SwitchId, address: usize, lane: Lane) -> bool {
        let bit = (switch.index() * self.addresses + address) * self.lanes + lane.index();
        self.path.push(bit);
        self.words[bit / 64] >> (bit % 64) & 1 == 1
    }

    /// The route at hand has arrived.
    fn arrived(&mut self) {
        for bit in self.path.drain(..) {
            self.words[bit / 64] |= 1 << (bit % 64);
        }
    }
}

/// When a switch was last met.
#[derive(Clone, Copy, Default)]
struct Visit {
    segment: u64,
    step: u32,
}

struct Walker<'a> {
    fabric: &'a Fabric,
    wiring: &'a Wiring,
    found: Walked<'a>,
    ends: HostEnds<'a>,
    proved: Proved,
    /// Per switch: when it was last met.
    visits: Vec<Visit>,
    /// Segments walked so far; in-transit stops part a route into segments.
    segment: u64,
    /// Steps of the segment so far.
    step: u32,
}

impl<'a> Walker<'a> {
    fn walk(&mut self, routes: &Routes, shared: SharedRoute<'a>) {
        self.found.count(&shared);
        // The first pair stands for all.
        let (destination, shared) = &without_itself(shared);
        let (destination, pair) = (*destination, [shared.sources[0], *destination]);
        let end = self.fabric.host_switch(destination);
        let mut walk = routes.walk_shared(self.fabric, shared);
        // By lane tables packets to one address part by where they come from.
        let address = walk.address().filter(|_| routes.lane_tables().is_none());
        self.enter_segment(walk.switch());
        let mut lane = walk.lane().unwrap_or_default();
        // `None` while the packet is on the channel of its source.
        let mut held: Option<ChannelId> = None;
        let (mut circle, mut is_injected) = (false, false);
        for step in walk.by_ref() {
            let hop = match step.hop {
                Ok(hop) => hop,
                Err(dead_end) => {
                    let at = (step.switch, step.port);
                    let missed = UnreachedPair::by_dead_end(pair, at, dead_end);
                    return self.found.unreached.push(missed);
                }
            };
            if is_injected {
                // A host's channel has the lane of the next.
                (lane, is_injected) = (step.lane, false);
            }
            let graph = &mut self.found.graph;
            if let Some(held) = held {
                graph.add((held, lane), step.port, step.lane);
            } else {
                let way = (step.switch, step.port);
                let lanes = [lane, step.lane];
                self.ends.start(graph, shared.sources, way, lanes);
            }
            if let Some(address) = address
                && self.proved.goes_on(step.switch, address, step.lane)
            {
                return self.proved.arrived();
            }
            lane = step.lane;
            match hop {
                RouteHop::Channel(channel) => {
                    held = Some(channel);
                    if let Some(Node::Switch(next)) =
                        self.wiring.exit(step.switch, step.port).behind
                    {
                        circle |= self.meet(next, shared, destination);
                    }
                }
                RouteHop::InTransit(host) => {
                    self.found.in_transit_stops += 1;
                    held = Some(self.fabric.injection_channel(host));
                    is_injected = true;
                    self.enter_segment(step.switch);
                }
            }
        }
        if walk.switch() != end {
            // Tables that lead in a circle never end: that is told as a loop.
            if !(circle && matches!(routes, Routes::Tables(_))) {
                let missed = UnreachedPair::ending_at(pair, walk.switch());
                self.found.unreached.push(missed);
            }
            return;
        }
        self.proved.arrived();
        let port = self.fabric.host_port(destination);
        let Some(last_lane) = walk.ejection_lane(port) else {
            let service_level = walk.service_level();
            let dead_end = DeadEnd::NoLane { service_level };
            let missed = UnreachedPair::by_dead_end(pair, (end, port), dead_end);
            return self.found.unreached.push(missed);
        };
        let graph = &mut self.found.graph;
        if let Some(held) = held {
            let held = (held, lane);
            self.ends.end(graph, shared.destinations, held, last_lane);
        } else {
            let hosts = [shared.sources, shared.destinations];
            self.ends.join(graph, hosts, [lane, last_lane]);
        }
    }

    fn enter_segment(&mut self, at: SwitchId) {
        self.segment += 1;
        self.step = 0;
        self.proved.path.clear();
        self.visits[at.index()] = Visit {
            segment: self.segment,
            step: 0,
        };
    }

    /// Notes that the route meets a switch, and tells whether it has met it before.
    fn meet(&mut self, switch: SwitchId, route: &SharedRoute<'a>, destination: HostId) -> bool {
        self.step += 1;
        let before = self.visits[switch.index()];
        self.visits[switch.index()] = Visit {
            segment: self.segment,
            step: self.step,
        };
        if before.segment != self.segment {
            return false;
        }
        let steps = self.step - before.step;
        if self
            .found
            .shortest_loop
            .is_none_or(|found| steps < found.steps)
        {
            self.found.shortest_loop = Some(FoundLoop {
                route: *route,
                destination,
                switch,
                steps,
            });
        }
        true
    }
}
