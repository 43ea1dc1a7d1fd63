//! Plain walks over routes, and paths searched for plainly.

use weft_fabric::{Endpoint, Fabric, HostId, Node, PortNumber, SwitchId};
use weft_routing::{ForwardingTables, Lane, Orientation, PairGranularity, Routes, Routing};

/// What a packet meets on its way, step by step.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    /// Output ports between switches.
    pub ports: Vec<u8>,
    /// Switches in order, the source's and the destination's included.
    pub switches: Vec<SwitchId>,
    /// In-transit stops: place in `switches`, and the host.
    pub stops: Vec<(usize, HostId)>,
}

impl Walk {
    /// Links between switches.
    pub fn links(&self) -> usize {
        self.switches.len() - 1
    }

    /// Numbers of the switches.
    pub fn numbers(&self) -> Vec<u32> {
        self.switches.iter().map(|switch| switch.number()).collect()
    }

    /// Turns from down to up that no stop parts.
    pub fn forbidden_turns(&self, orientation: &Orientation) -> usize {
        let mut forbidden = 0;
        let mut went_down = false;
        for (place, ends) in self.switches.windows(2).enumerate() {
            let up = orientation.is_up(ends[0], ends[1]);
            went_down &= !self.stops.iter().any(|&(at, _)| at == place);
            forbidden += usize::from(up && went_down);
            went_down |= !up;
        }
        forbidden
    }
}

/// Walks a route; panics where it leaves the cables.
pub fn walk(fabric: &Fabric, routing: &Routing, source: HostId, destination: HostId) -> Walk {
    let mut walk = Walk {
        switches: vec![fabric.host_switch(source)],
        ..Walk::default()
    };
    for (port, _) in plain_steps(fabric, &routing.routes, source, destination) {
        let here = *walk.switches.last().unwrap();
        let channel = fabric
            .outgoing_at(here, port)
            .expect("a cable at every port taken");
        match fabric.target(channel).node {
            Node::Host(host) => walk.stops.push((walk.switches.len() - 1, host)),
            Node::Switch(next) => {
                walk.ports.push(port.number());
                walk.switches.push(next);
            }
        }
    }
    walk
}

/// Ports and lanes of a route, looked up on its own: not past the first port that is not wired, and
/// over tables not past as many steps as there are switches.
pub fn plain_steps(
    fabric: &Fabric,
    routes: &Routes,
    source: HostId,
    destination: HostId,
) -> Vec<(PortNumber, Lane)> {
    plain_way(fabric, routes, source, destination).0
}

/// The lanes of the channels from the source of a packet and to its destination.
pub fn plain_end_lanes(
    fabric: &Fabric,
    routes: &Routes,
    source: HostId,
    destination: HostId,
) -> [Lane; 2] {
    plain_way(fabric, routes, source, destination).1
}

fn plain_way(
    fabric: &Fabric,
    routes: &Routes,
    source: HostId,
    destination: HostId,
) -> (Vec<(PortNumber, Lane)>, [Lane; 2]) {
    let [from, to] = [source, destination].map(|host| match routes.granularity() {
        PairGranularity::Host => host.index(),
        PairGranularity::Switch => fabric.host_switch(host).index(),
    });
    let mut steps = Vec::new();
    let tables = match routes {
        Routes::Tables(tables) => tables,
        Routes::Source(listed) => {
            steps.extend(listed.steps_between(from, to).on_lanes());
            let ends = [steps.first(), steps.last()];
            let ends = ends.map(|step| step.map_or(Lane::ZERO, |step| step.1));
            return (steps, ends);
        }
    };
    let end = match tables.granularity() {
        PairGranularity::Host => Node::Host(destination),
        PairGranularity::Switch => Node::Switch(fabric.host_switch(destination)),
    };
    let mut here = fabric.host_switch(source);
    let mut lanes = PlainLanes::new(fabric, tables, source, tables.lane(from, to));
    let first = lanes.lane;
    while Node::Switch(here) != end && steps.len() < fabric.switch_count() {
        let address = tables.address(from, to);
        let entry = address.and_then(|address| tables.next_port(here, address));
        let port = entry.unwrap_or(PortNumber::new(0));
        let next = fabric
            .outgoing_at(here, port)
            .map(|channel| fabric.target(channel));
        if next.is_some_and(|next| next.node == end && matches!(end, Node::Host(_))) {
            break;
        }
        steps.push((port, lanes.take(here, port)));
        let Some(Endpoint {
            node: Node::Switch(switch),
            port,
        }) = next
        else {
            break;
        };
        here = switch;
        lanes.entered_by = port;
    }
    let last = lanes.take(here, fabric.host_port(destination));
    (steps, [first, last])
}

/// The lanes of a packet over tables: its service level's, or those that lane tables say.
struct PlainLanes<'a> {
    tables: &'a ForwardingTables,
    service_level: Lane,
    lane: Lane,
    entered_by: PortNumber,
}

impl<'a> PlainLanes<'a> {
    fn new(
        fabric: &Fabric,
        tables: &'a ForwardingTables,
        source: HostId,
        service_level: Lane,
    ) -> Self {
        let of_hosts = tables.lane_tables();
        let of_hosts = of_hosts.map(|lanes| lanes.host_lane(service_level.number()).unwrap());
        Self {
            tables,
            service_level,
            lane: of_hosts.unwrap_or(service_level),
            entered_by: fabric.host_port(source),
        }
    }

    /// The lane of the next channel, by a port of a switch.
    fn take(&mut self, at: SwitchId, port: PortNumber) -> Lane {
        if let Some(lanes) = self.tables.lane_tables() {
            let level = self.service_level.number();
            let next = lanes.lane(at, [self.entered_by, port], level, self.lane);
            self.lane = next.unwrap();
        }
        self.lane
    }
}

/// All ordered pairs of distinct hosts.
pub fn host_pairs(fabric: &Fabric) -> Vec<(HostId, HostId)> {
    let hosts: Vec<HostId> = fabric.host_ids().collect();
    hosts
        .iter()
        .flat_map(|&s| hosts.iter().map(move |&d| (s, d)))
        .filter(|(s, d)| s != d)
        .collect()
}

/// All paths of the given length between two switches, as port lists in ascending order.
pub fn all_paths(fabric: &Fabric, from: SwitchId, to: SwitchId, links: usize) -> Vec<Vec<u8>> {
    let remaining = weft_fabric::metrics::distances_from(fabric, to);
    let mut found = Vec::new();
    extend(fabric, from, &remaining, links, &mut Vec::new(), &mut found);
    found
}

fn extend(
    fabric: &Fabric,
    here: SwitchId,
    remaining: &[u32],
    links: usize,
    path: &mut Vec<u8>,
    found: &mut Vec<Vec<u8>>,
) {
    if remaining[here.index()] as usize > links {
        return;
    }
    if links == 0 {
        found.push(path.clone());
        return;
    }
    for hop in fabric.hops(here) {
        path.push(hop.port.number());
        extend(fabric, hop.switch, remaining, links - 1, path, found);
        path.pop();
    }
}

/// Turns from down to up on a path, which begins at `from` and is given by its ports.
pub fn turns_up(fabric: &Fabric, orientation: &Orientation, from: SwitchId, ports: &[u8]) -> usize {
    let (mut here, mut went_down, mut turns) = (from, false, 0);
    for &port in ports {
        let channel = fabric.outgoing_at(here, PortNumber::new(port)).unwrap();
        let next = fabric.target(channel).node.switch().unwrap();
        let up = orientation.is_up(here, next);
        turns += usize::from(up && went_down);
        went_down = !up;
        here = next;
    }
    turns
}

/// Length of the shortest legal path: up to some switch, then down, each by its own search.
pub fn legal_links(
    fabric: &Fabric,
    orientation: &Orientation,
    from: SwitchId,
    to: SwitchId,
) -> u32 {
    let (up_from, up_to) = (
        climb(fabric, orientation, from),
        climb(fabric, orientation, to),
    );
    up_from
        .iter()
        .zip(&up_to)
        .filter_map(|(a, b)| Some((*a)? + (*b)?))
        .min()
        .unwrap()
}

/// Fewest up channels from a switch to every other.
fn climb(fabric: &Fabric, orientation: &Orientation, from: SwitchId) -> Vec<Option<u32>> {
    let mut links = vec![None; fabric.switch_count()];
    links[from.index()] = Some(0);
    // The order is total, so as many rounds as switches reach everything there is.
    for _ in fabric.switch_ids() {
        for here in fabric.switch_ids() {
            for hop in fabric
                .hops(here)
                .iter()
                .filter(|hop| orientation.is_up(here, hop.switch))
            {
                let longer = links[here.index()].map(|links: u32| links + 1);
                let known = &mut links[hop.switch.index()];
                *known = [*known, longer].into_iter().flatten().min();
            }
        }
    }
    links
}
