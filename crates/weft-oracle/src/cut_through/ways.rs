//! What routes tell a packet, read from them as they stand: the outputs it takes, one after another.

use super::addresses::Addresses;
use super::tables::Header;
use std::collections::BTreeMap;
use weft_fabric::{Fabric, HostId, Node, PortNumber, SwitchId, narrow};
use weft_routing::{
    ForwardingTables, Lane, LaneKey, PairGranularity, Routes, SourceRoutes, TwoPhaseRoutes,
};

/// An output of a switch, and the lane of the channel from there.
pub(super) type Output = (PortNumber, Lane);

/// The outputs that a packet takes, switch by switch; the last is its destination's.
pub(super) type Way = Vec<Output>;

/// What a packet knows of its way.
#[derive(Clone, Debug)]
pub(super) enum Course {
    /// All of it.
    Known(Way),
    /// Tables tell at every switch what it may take.
    Open,
    /// Tables that may change tell at every switch what it takes.
    Led(Header),
    /// It will go straight to its destination or by way of this switch.
    Undecided(SwitchId),
}

/// The lane at a place among those of a channel.
pub(super) fn lane_at(place: usize) -> Lane {
    Lane::new(narrow(place, "a channel has at most 16 lanes"))
}

/// The ways of packets that have no choice.
#[derive(Debug)]
pub(super) struct FixedWays<'a> {
    routes: &'a Routes,
    /// The turn of a source's next packet to an endpoint, where it is not 0.
    turns: BTreeMap<(HostId, usize), u8>,
    addresses: Addresses,
}

impl<'a> FixedWays<'a> {
    pub(super) fn new(routes: &'a Routes, addresses: Addresses) -> Self {
        Self {
            routes,
            turns: BTreeMap::new(),
            addresses,
        }
    }

    /// The way of a source's next packet to a destination, and the lane of the channel into the
    /// network.
    pub(super) fn next_way(
        &mut self,
        fabric: &Fabric,
        source: HostId,
        destination: HostId,
    ) -> (Lane, Way) {
        let pair = [source, destination].map(|host| match self.routes.granularity() {
            PairGranularity::Host => host.index(),
            PairGranularity::Switch => fabric.host_switch(host).index(),
        });
        let next = self.turns.entry((source, pair[1])).or_default();
        let turn = *next;
        *next = (turn + 1) % self.routes.turns();
        match self.routes {
            Routes::Source(routes) => listed(routes, fabric, destination, pair, turn),
            Routes::Tables(tables) => {
                let hosts = [source, destination];
                let address = self.addresses.next((0, tables), hosts, pair);
                looked_up((tables, address), fabric, hosts, pair, turn)
            }
        }
    }
}

/// The way of a source route: every turn has lanes of its own, and the channels of both hosts have
/// those of the steps next to them.
fn listed(
    routes: &SourceRoutes,
    fabric: &Fabric,
    destination: HostId,
    [from, to]: [usize; 2],
    turn: u8,
) -> (Lane, Way) {
    let first_of_turn = turn * (routes.lane_count() / routes.turns());
    let steps = routes.steps_between(from, to).on_lanes();
    let mut way: Way = steps
        .map(|(port, lane)| (port, Lane::new(lane.number() + first_of_turn)))
        .collect();
    let on_one_switch = Lane::new(first_of_turn);
    let first = way.first().map_or(on_one_switch, |output| output.1);
    let last = way.last().map_or(on_one_switch, |output| output.1);
    way.push((fabric.host_port(destination), last));
    (first, way)
}

/// The way of tables to an address: each switch knows a port for it, and a lane for its service
/// level or for the lane it comes on.
fn looked_up(
    (tables, address): (&ForwardingTables, Option<usize>),
    fabric: &Fabric,
    [source, destination]: [HostId; 2],
    [from, to]: [usize; 2],
    turn: u8,
) -> (Lane, Way) {
    let level = tables.lane(from, to).number() + turn * tables.lanes_per_turn();
    let lane_tables = tables.lane_tables();
    let first = match lane_tables {
        None => Some(Lane::new(level)),
        Some(lanes) => lanes.host()[usize::from(level)],
    };
    let first = found(first, "a lane for the service level at a host");
    let mut way = Way::new();
    let (mut switch, mut came_by) = (fabric.host_switch(source), fabric.host_port(source));
    let mut lane = first;
    while way.len() <= fabric.switch_count() {
        let port = if switch == fabric.host_switch(destination) {
            fabric.host_port(destination)
        } else {
            let entry = address.and_then(|address| tables.next_port(switch, address));
            found(entry, "an entry for the destination")
        };
        if let Some(lanes) = lane_tables {
            let row = lanes.row(switch, [came_by, port]);
            let next = match lanes.key() {
                LaneKey::ServiceLevel => row[usize::from(level)],
                LaneKey::IncomingLane => row[lane.index()],
            };
            lane = found(next, "a lane for the packet at a switch");
        }
        way.push((port, lane));
        let channel = found(fabric.outgoing_at(switch, port), "a cable at the port");
        let end = fabric.target(channel);
        match end.node {
            Node::Host(_) => return (first, way),
            Node::Switch(next) => (switch, came_by) = (next, end.port),
        }
    }
    unreachable!("the tables lead to destinations")
}

/// The way in two phases, the second on lanes after those of the first, of a packet that comes from
/// its host on a lane.
pub(super) fn in_two_phases(
    routes: &TwoPhaseRoutes,
    [from, by_way_of, to]: [SwitchId; 3],
    host_lane: Lane,
    host_port: PortNumber,
) -> Way {
    let routes = routes.routes();
    let lanes = routes.lane_count();
    let phases = [(from, by_way_of, 0), (by_way_of, to, lanes)];
    let mut way = Way::new();
    for (start, end, first_lane) in phases {
        let [start, end] = [start, end].map(SwitchId::index);
        for (port, lane) in routes.steps_between(start, end).on_lanes() {
            way.push((port, Lane::new(lane.number() + first_lane)));
        }
    }
    let last = way.last().map_or(host_lane, |output| output.1);
    way.push((host_port, last));
    way
}

/// What routes that lead to their destinations hold.
pub(super) fn found<T>(held: Option<T>, what: &str) -> T {
    held.unwrap_or_else(|| panic!("the routes lack {what}"))
}
