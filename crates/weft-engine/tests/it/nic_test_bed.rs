//! The test bed of BOOST §6: two switches, three hosts, five switches traversed both ways, messages of
//! 1 byte to 4 KB from host memory to host memory and back.

use weft_engine::wormhole::{Engine, EngineError, ListedRoutes, idle_latency_cycles};
use weft_fabric::{Endpoint, Fabric, FabricBuilder, Host, HostId, Node, PortNumber, Switch};
use weft_model::WormholeModel;
use weft_model::hardware::Hardware;
use weft_model::workload::{PacketList, Workload};
use weft_routing::{PairGranularity, RouteRow, SourceRoutes};

/// Message sizes, as `gm_allsize` goes through them.
const SIZES: [u32; 13] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096];

const CYCLE_NS: f64 = 6.25;

/// Hosts 0 and 2 at the first switch, on ports 1 and 2, host 1 at the second, on port 1. Two cables
/// join the switches (ports 3 and 4 of the first, 2 and 3 of the second), and one leads from the second
/// back to itself (ports 4 and 5).
fn test_bed() -> Fabric {
    let mut builder = FabricBuilder::new("test bed");
    let switches = ["a", "b"].map(|name| builder.add_switch(Switch::new(name, 8)).unwrap());
    for (index, (switch, port)) in [(0, 1), (1, 1), (0, 2)].into_iter().enumerate() {
        let host = builder.add_host(Host::new(format!("host{index}"))).unwrap();
        let port = PortNumber::new(port);
        builder.attach_host(host, switches[switch], port).unwrap();
    }
    for ends in [
        [(0, 3), (1, 2)],
        [(0, 4), (1, 3)],
        [(1, 4), (1, 5)],
        [(0, 5), (0, 6)],
    ] {
        let [a, b] = ends.map(|(switch, port)| Endpoint {
            node: Node::Switch(switches[switch]),
            port: PortNumber::new(port),
        });
        builder.add_link(a, b, None).unwrap();
    }
    builder.build().unwrap()
}

/// From host 0 to host 2 over these ports, and back over five switches without a stop: a, b, b, a, a.
fn routes(fabric: &Fabric, there: &[u8]) -> SourceRoutes {
    let back: &[u8] = &[3, 4, 2, 5];
    let rows: Vec<RouteRow> = fabric
        .host_ids()
        .map(|source| {
            let mut row = RouteRow::default();
            for destination in fabric.host_ids() {
                let ports: &[u8] = match (source.number(), destination.number()) {
                    (0, 2) => there,
                    (2, 0) => back,
                    (0 | 2, 1) => &[3],
                    (1, 0 | 2) => &[2],
                    _ => &[],
                };
                row.push(ports.iter().map(|&port| PortNumber::new(port)));
            }
            row
        })
        .collect();
    SourceRoutes::from_rows(PairGranularity::Host, rows)
}

/// Five switches without a stop; and with one at host 1: a, b, (host 1), b, a, a.
const PLAIN: &[u8] = &[3, 4, 2, 5];
const WITH_STOP: &[u8] = &[3, 1, 2, 5];

fn model(changes: &[(&str, &str)]) -> WormholeModel {
    let change = |hardware: Hardware, &(name, value): &(&str, &str)| hardware.with(name, value);
    let hardware = changes
        .iter()
        .try_fold(Hardware::preset("myrinet").unwrap(), change);
    match hardware.unwrap() {
        Hardware::Wormhole(hardware) => hardware.wormhole().unwrap(),
        Hardware::CutThrough(_) => unreachable!("Myrinet is wormhole hardware"),
    }
}

/// Half of the time there and back, in ns, by size.
fn half_round_trips(changes: &[(&str, &str)], there: &[u8]) -> Vec<f64> {
    let fabric = test_bed();
    let routes = ListedRoutes::new(&fabric, routes(&fabric, there)).unwrap();
    let model = model(changes);
    let pair = [HostId::new(0), HostId::new(2)];
    let latency = |pair, size| {
        let cycles = idle_latency_cycles(&fabric, &routes, &model, pair, size);
        cycles.unwrap().unwrap()
    };
    let trip = |size| latency(pair, size) + latency([pair[1], pair[0]], size);
    SIZES
        .iter()
        .map(|&size| trip(size) as f64 * CYCLE_NS / 2.0)
        .collect()
}

const FIRMWARE: (&str, &str) = ("nic", "firmware");
const ORIGINAL: (&str, &str) = ("firmware", "original");

#[test]
fn the_modified_firmware_costs_a_normal_packet_125_ns_on_average_and_at_most_300() {
    let original = half_round_trips(&[FIRMWARE, ORIGINAL], PLAIN);
    let modified = half_round_trips(&[FIRMWARE], PLAIN);
    let costs: Vec<f64> = modified.iter().zip(&original).map(|(m, o)| m - o).collect();
    let mean = costs.iter().sum::<f64>() / costs.len() as f64;
    assert!(
        (115.0..=135.0).contains(&mean),
        "{mean} ns on average: {costs:?}"
    );
    assert!(
        costs.iter().all(|&cost| cost > 0.0 && cost <= 300.0),
        "{costs:?}"
    );
}

#[test]
fn a_stop_in_transit_costs_1_3_us_with_firmware() {
    let without = half_round_trips(&[FIRMWARE], PLAIN);
    let with = half_round_trips(&[FIRMWARE], WITH_STOP);
    for (size, (with, without)) in SIZES.iter().zip(with.iter().zip(&without)) {
        // One stop on the way there: half a round trip has half of it.
        let cost = 2.0 * (with - without);
        assert!(
            (1_250.0..=1_350.0).contains(&cost),
            "{size} bytes: {cost} ns"
        );
    }
}

#[test]
fn a_stop_in_transit_costs_475_ns_and_its_way_as_a_delay() {
    let without = half_round_trips(&[], PLAIN);
    let with = half_round_trips(&[], WITH_STOP);
    for (size, (with, without)) in SIZES.iter().zip(with.iter().zip(&without)) {
        // 76 cycles of delay; to the host and back instead of one cable, and one mark.
        let cost = 2.0 * (with - without) - 475.0;
        assert!(
            (0.0..=75.0).contains(&cost),
            "{size} bytes: {cost} ns more than 475"
        );
    }
}

#[test]
fn latency_grows_with_the_message_and_its_transfers() {
    let halves = half_round_trips(&[FIRMWARE], PLAIN);
    for pair in halves.windows(2) {
        assert!(pair[0] < pair[1], "{halves:?}");
    }
    // 4,095 bytes more are fetched, sent and stored.
    let more = halves[12] - halves[0];
    let expected = 4_095.0 * (7.5 + CYCLE_NS + 7.5);
    assert!(
        (more - expected).abs() < 300.0,
        "{more} ns, {expected} expected"
    );
}

#[test]
fn the_original_firmware_is_sent_no_packets_in_transit() {
    let fabric = test_bed();
    let routes = ListedRoutes::new(&fabric, routes(&fabric, WITH_STOP)).unwrap();
    let workload = Workload::Listed(PacketList::new(3, &[]).unwrap());
    let error = Engine::new(&fabric, &routes, &model(&[FIRMWARE, ORIGINAL]), &workload);
    assert_eq!(error.unwrap_err(), EngineError::NoInTransit);
}
