//! Small networks wired and routed by hand, and what happens in them.

mod expected;
mod losses;
mod policies;
mod rates;
#[doc(hidden)]
pub mod scenarios;

pub use expected::{Expected, Scenario};

use std::collections::BTreeMap;
use weft_fabric::{Fabric, FabricBuilder, Host, HostId, Node, PortNumber, Switch, SwitchId};
use weft_model::workload::{Packet, PacketList, Workload};
use weft_model::{
    Arbitration, ChannelTiming, ChannelTimings, NicModel, Overflow, PacketRecord, WormholeModel,
};
use weft_oracle::Oracle;
use weft_routing::{PairGranularity, RouteRow, SourceRoutes};

/// Myrinet: flight 8, routing delay 24, stop above 56, go below 40, three flits around the payload.
pub const MYRINET: WormholeModel = WormholeModel {
    channels: alike(8),
    buffer_flits: 80,
    stop_above_flits: 56,
    go_below_flits: 40,
    routing_delay_cycles: 24,
    type_flits: 2,
    crc_flits: 1,
    arbitration: Arbitration::RoundRobin,
    nic: NicModel::Delays {
        in_transit_cycles: 76,
    },
    pool_flits: 524_288,
    overflow: Overflow::HostMemory { delay_cycles: 320 },
    timeout_cycles: None,
    bit_error_rate: 0.0,
    retransmit_after_cycles: 500,
    local_equal_at_packets: 8,
};

/// Channels that carry a flit a cycle and are all equally long.
pub const fn alike(flight_cycles: u32) -> ChannelTimings {
    ChannelTimings::Alike(ChannelTiming {
        cycles_per_flit: 1,
        flight_cycles,
    })
}

/// Channels of links with these cycles per flit and of flight, in the order of the links: first those
/// of hosts, then those between switches.
pub fn by_link(timings: &[(u32, u32)]) -> ChannelTimings {
    let timing = |&(cycles_per_flit, flight_cycles): &(u32, u32)| ChannelTiming {
        cycles_per_flit,
        flight_cycles,
    };
    ChannelTimings::ByLink(timings.iter().map(timing).collect())
}

/// A fabric whose hosts hang on the given switches (host 0 on the first of `host_switches`, and so
/// on) and whose switches are joined by `links`. Ports are numbered from 1 in this order: at every
/// switch first its hosts, then its links.
pub fn fabric(host_switches: &[u32], links: &[[u32; 2]]) -> Fabric {
    let mut builder = FabricBuilder::new("by hand");
    let ends = host_switches.iter().chain(links.as_flattened());
    for number in 0..=*ends.max().unwrap() {
        let name = format!("sw{number}");
        builder.add_switch(Switch::new(name, 32)).unwrap();
    }
    let mut next_port = BTreeMap::new();
    let mut end = |switch: u32| {
        let port = next_port.entry(switch).or_insert(0);
        *port += 1;
        Node::Switch(SwitchId::new(switch)).at(*port)
    };
    for (index, &switch) in host_switches.iter().enumerate() {
        let host = builder.add_host(Host::new(format!("host{index}"))).unwrap();
        builder
            .attach_host(host, SwitchId::new(switch), end(switch).port)
            .unwrap();
    }
    for &[first, second] in links {
        let (first, second) = (end(first), end(second));
        builder.add_link(first, second, None).unwrap();
    }
    builder.build().unwrap()
}

/// Routes per pair of hosts: the ports taken for the pairs named, a shortest way for the others.
pub fn routing(fabric: &Fabric, routes: &[((u32, u32), &[u8])]) -> SourceRoutes {
    let mut rows = Vec::new();
    for source in fabric.host_ids() {
        let mut row = RouteRow::default();
        for destination in fabric.host_ids() {
            let pair = (source.number(), destination.number());
            match routes.iter().find(|route| route.0 == pair) {
                Some((_, ports)) => row.push(ports.iter().map(|&port| PortNumber::new(port))),
                None => row.push(shortest(fabric, source, destination)),
            }
        }
        rows.push(row);
    }
    SourceRoutes::from_rows(PairGranularity::Host, rows)
}

fn shortest(fabric: &Fabric, source: HostId, destination: HostId) -> Vec<PortNumber> {
    let mut routes = vec![(fabric.host_switch(source), Vec::new())];
    for next in 0.. {
        let (here, ports) = routes[next].clone();
        if here == fabric.host_switch(destination) {
            return ports;
        }
        for hop in fabric.hops(here) {
            if routes.iter().all(|(reached, _)| *reached != hop.switch) {
                routes.push((hop.switch, [&ports[..], &[hop.port]].concat()));
            }
        }
    }
    unreachable!("the fabric is in one part")
}

/// A packet: source, destination, generation cycle, payload in bytes.
pub type Listed = (u32, u32, u64, u32);

/// A workload of these packets.
pub fn workload(fabric: &Fabric, packets: &[Listed]) -> Workload {
    let packet = |&(source, destination, generation_cycle, payload_bytes): &Listed| {
        let destination = HostId::new(destination);
        (
            HostId::new(source),
            Packet {
                generation_cycle,
                destination,
                payload_bytes,
                is_control: false,
                is_urgent: false,
                queue_pair: 0,
            },
        )
    };
    let packets: Vec<_> = packets.iter().map(packet).collect();
    Workload::Listed(PacketList::new(fabric.host_count(), &packets).unwrap())
}

/// Everything delivered before `until_cycle`.
pub fn run(
    fabric: &Fabric,
    routing: &SourceRoutes,
    model: &WormholeModel,
    packets: &[Listed],
    until_cycle: u64,
) -> Vec<PacketRecord> {
    let workload = workload(fabric, packets);
    let mut oracle = Oracle::new(fabric, routing, model, &workload).unwrap();
    let mut delivered = Vec::new();
    oracle.advance(until_cycle, &mut delivered);
    delivered
}

/// Source, sequence number, injection and delivery cycle of each packet.
pub fn times(delivered: &[PacketRecord]) -> Vec<(u32, u64, u64, u64)> {
    let times = |r: &PacketRecord| {
        (
            r.source.number(),
            r.sequence,
            r.injection_cycle,
            r.delivery_cycle,
        )
    };
    delivered.iter().map(times).collect()
}
