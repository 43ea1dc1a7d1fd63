//! Queue pairs of hosts: who sends when, by hand, in engines and oracles.

use crate::support::fixtures::{Collector, cut_through_model};
use weft_engine::{Simulator, cut_through, wormhole};
use weft_fabric::{Fabric, HostId, generate};
use weft_model::hardware::Hardware;
use weft_model::workload::Workload;
use weft_model::workload::program::{
    Algorithms, Collective, Dependency, Messaging, MessagingParameters, Program, Region, Task,
    TaskGraph, Tasks, Trace, Work,
};
use weft_model::{ChannelTiming, ChannelTimings, PacketRecord};
use weft_oracle::{CutThroughOracle, Oracle};
use weft_routing::{CheckedRoutes, Routes, algorithms};

/// Packets of 100 bytes, sent unannounced, packet by packet in turn; a cycle a byte.
fn messaging() -> MessagingParameters {
    MessagingParameters {
        packet_bytes: 100,
        quantum_bytes: 1,
        ..MessagingParameters::default()
    }
}

/// Cycles of a channel's flight.
const FLIGHT: u64 = 5;

/// From the first flit of a packet of so many to its delivery, over one switch that takes no time.
const fn alone(flits: u64) -> u64 {
    2 * FLIGHT + flits - 1
}

/// What rank 0 does, one thing after another; messages are waited for by nobody.
fn works_of_first(works: &[Work]) -> TaskGraph {
    let mut graph = TaskGraph::new(4);
    let mut before: Option<Dependency> = None;
    for &work in works {
        let task = Task::new(work, 0);
        let number = graph.add(0, task, before.as_slice()).unwrap();
        before = Some(Dependency::end(number));
    }
    graph
}

fn send(to: u32, bytes: u64) -> Work {
    Work::Send { to, tag: 0, bytes }
}

fn compute(cycles: u32) -> Work {
    Work::Compute {
        ns: f64::from(cycles),
    }
}

fn workload(tasks: impl Into<Tasks>, parameters: &MessagingParameters) -> Workload {
    let messaging = Messaging::new(parameters, 1.0).unwrap();
    let hosts: Vec<HostId> = (0..4).map(HostId::from_index).collect();
    Workload::Program(Program::new(tasks, messaging, &hosts, 4).unwrap())
}

/// Four hosts at one switch.
fn star() -> Fabric {
    generate::mesh(1, 1, 4).unwrap()
}

fn routes(fabric: &Fabric) -> Routes {
    algorithms::route_spec(fabric, "updown").unwrap().routes
}

/// The packets of a program on cut-through hardware, as engine and oracle deliver them.
fn delivered(tasks: impl Into<Tasks>, parameters: &MessagingParameters) -> Vec<PacketRecord> {
    let (fabric, workload) = (star(), workload(tasks, parameters));
    let routes = routes(&fabric);
    let checked = CheckedRoutes::new(&fabric, &routes).unwrap();
    let model = cut_through_model(1, 1_000_000, 0, 0);
    let timings = ChannelTimings::Alike(ChannelTiming {
        cycles_per_flit: 1,
        flight_cycles: 5,
    });
    let mut found = Collector::default();
    let mut engine =
        cut_through::Engine::new(&fabric, &checked, &model, &timings, &workload).unwrap();
    engine.advance(5_000, &mut found);
    let mut expected = Vec::new();
    let mut oracle = CutThroughOracle::new(&fabric, &routes, &model, &timings, &workload).unwrap();
    oracle.advance(5_000, &mut expected);
    let order = |record: &PacketRecord| (record.delivery_cycle, record.destination);
    found.delivered.sort_by_key(order);
    expected.sort_by_key(order);
    assert_eq!(found.delivered, expected);
    expected
}

/// Where packets go and when they begin to leave rank 0, in that order.
fn injections(records: &[PacketRecord]) -> Vec<(u32, u64)> {
    let from_first = records.iter().filter(|record| record.source.number() == 0);
    let mut injections: Vec<_> = from_first
        .map(|record| (record.destination.number(), record.injection_cycle))
        .collect();
    injections.sort_by_key(|&(_, cycle)| cycle);
    injections
}

#[test]
fn a_short_message_waits_for_one_packet_of_a_long_one() {
    // 8 bytes to another host, 250 cycles after 3,000 bytes were handed to the NIC.
    let works = [send(1, 3_000), compute(250), send(2, 8)];
    let found = delivered(works_of_first(&works), &messaging());
    let short = found
        .iter()
        .find(|record| record.payload_bytes == 8)
        .unwrap();
    assert_eq!(short.injection_cycle, 300);
    assert_eq!(short.delivery_cycle, 300 + alone(8));
    // The long one is held up by nothing else.
    let last = found.iter().map(|record| record.delivery_cycle).max();
    assert_eq!(last, Some(2_900 + 8 + alone(100)));

    // With one queue for all messages it waits for all of the long one.
    let one_queue = MessagingParameters {
        quantum_bytes: 0,
        ..messaging()
    };
    let found = delivered(works_of_first(&works), &one_queue);
    let short = found
        .iter()
        .find(|record| record.payload_bytes == 8)
        .unwrap();
    assert_eq!(short.delivery_cycle, 3_000 + alone(8));
}

#[test]
fn queue_pairs_take_turns_packet_by_packet() {
    let works = [send(1, 300), send(2, 200), send(3, 250)];
    let found = delivered(works_of_first(&works), &messaging());
    let turns = [
        (1, 0),
        (2, 100),
        (3, 200),
        (1, 300),
        (2, 400),
        (3, 500),
        (1, 600),
        (3, 700),
    ];
    assert_eq!(injections(&found), turns);
}

#[test]
fn queue_pairs_take_turns_by_a_quantum_of_bytes() {
    let works = [send(1, 500), send(2, 250)];
    let quantum = MessagingParameters {
        quantum_bytes: 150,
        ..messaging()
    };
    let found = delivered(works_of_first(&works), &quantum);
    // Two packets are the first that reach 150 bytes.
    let turns = [
        (1, 0),
        (1, 100),
        (2, 200),
        (2, 300),
        (1, 400),
        (1, 500),
        (2, 600),
        (1, 650),
    ];
    assert_eq!(injections(&found), turns);
}

#[test]
fn messages_of_one_queue_pair_keep_their_order() {
    let works = [send(1, 250), send(1, 8), send(2, 100), send(1, 30)];
    let found = delivered(works_of_first(&works), &messaging());
    let lengths: Vec<_> = {
        let mut to_first: Vec<_> = found
            .iter()
            .filter(|record| record.destination.number() == 1)
            .collect();
        to_first.sort_by_key(|record| record.injection_cycle);
        to_first.iter().map(|record| record.payload_bytes).collect()
    };
    assert_eq!(lengths, [100, 100, 50, 8, 30]);
    let turns = [(1, 0), (2, 100), (1, 200), (1, 300), (1, 350), (1, 358)];
    assert_eq!(injections(&found), turns);
}

#[test]
fn control_goes_first_at_the_boundary_of_packets() {
    // Two messages of three packets each; an announcement of 32 bytes, of another message to the same host
    // as the first, comes while the second packet is sent.
    let parameters = MessagingParameters {
        eager_bytes: 400,
        ..messaging()
    };
    let works = [send(1, 300), send(2, 300), compute(150), send(1, 500)];
    let [in_turn, first] = [false, true].map(|control_first| {
        let parameters = MessagingParameters {
            control_first,
            ..parameters
        };
        injections(&delivered(works_of_first(&works), &parameters))
    });
    let turns = [
        (1, 0),
        (2, 100),
        (1, 200),
        (2, 300),
        (1, 400),
        (2, 500),
        (1, 600),
    ];
    assert_eq!(in_turn, turns);
    let turns = [
        (1, 0),
        (2, 100),
        (1, 200),
        (1, 232),
        (2, 332),
        (1, 432),
        (2, 532),
    ];
    assert_eq!(first, turns);
}

#[test]
fn a_message_without_bytes_is_control() {
    let parameters = MessagingParameters {
        control_first: true,
        ..messaging()
    };
    let works = [send(1, 300), send(2, 0)];
    let found = injections(&delivered(works_of_first(&works), &parameters));
    assert_eq!(found, [(2, 0), (1, 1), (1, 101), (1, 201)]);
}

#[test]
fn queue_pairs_take_turns_for_the_bus_too() {
    // Half a byte a cycle: the queue is in front of the bus, and packets come out of it one by one.
    let parameters = MessagingParameters {
        pio_bytes: 0,
        bus_gbit_per_s: 4.0,
        ..messaging()
    };
    let works = [send(1, 300), send(2, 200)];
    let found = injections(&delivered(works_of_first(&works), &parameters));
    assert_eq!(found, [(1, 200), (2, 400), (1, 600), (2, 800), (1, 1_000)]);
}

#[test]
fn nics_of_wormhole_hardware_have_queue_pairs_too() {
    let fabric = star();
    let workload = workload(works_of_first(&[send(1, 200), send(2, 8)]), &messaging());
    let held = routes(&fabric);
    let routes = held.to_source_routes(&fabric);
    let Hardware::Wormhole(hardware) = Hardware::preset("myrinet").unwrap() else {
        unreachable!("myrinet is wormhole hardware")
    };
    let (model, _) = hardware.wormhole_on(&fabric).unwrap();
    let mut expected = Vec::new();
    let mut oracle = Oracle::new(&fabric, &routes, &model, &workload).unwrap();
    oracle.advance(5_000, &mut expected);
    let listed = wormhole::ListedRoutes::new(&fabric, routes.clone()).unwrap();
    let mut engine = wormhole::Engine::new(&fabric, &listed, &model, &workload).unwrap();
    let mut found = Collector::default();
    engine.advance(5_000, &mut found);
    let order = |record: &PacketRecord| (record.delivery_cycle, record.destination);
    found.delivered.sort_by_key(order);
    expected.sort_by_key(order);
    assert_eq!(found.delivered, expected);
    // Four bytes beside the payload: the port, two of the type, the checksum.
    assert_eq!(injections(&expected), [(1, 0), (2, 104), (1, 116)]);
}

#[test]
fn a_longer_message_is_over_when_its_last_packet_leaves() {
    let parameters = MessagingParameters {
        eager_bytes: 200,
        ..messaging()
    };
    let mut tasks = works_of_first(&[send(2, 200), send(1, 300), send(3, 10)]);
    let work = Work::Receive {
        from: None,
        tag: None,
    };
    let receive = Task::new(work, 0);
    tasks.add(1, receive, &[]).unwrap();
    let found = delivered(tasks, &parameters);
    // The announcement of 32 bytes takes its turn between two packets; the call for it is noticed later than the
    // last of them has left.
    let announced = [(2, 0), (1, 100), (2, 132)];
    let call = 100 + 2 * (alone(32) + 1);
    assert!(call < 232, "{call}");
    let called_for = [(1, 232), (1, 332), (1, 432)];
    // The third message is sent when the last packet of the second has begun to leave.
    let third = [(3, 532)];
    assert_eq!(
        injections(&found),
        [&announced[..], &called_for, &third].concat()
    );
}

/// 16 hosts of today's InfiniBand in a tree: the end of an operation in ns, with the messaging layer of the
/// preset but for the length up to which nothing is announced.
fn end_ns(operation: &str, algorithm: &str, bytes: u64, eager_bytes: u64) -> f64 {
    let fabric = generate::k_ary_n_tree(4, 2).unwrap();
    let routes = algorithms::route_spec(&fabric, "d_mod_k").unwrap().routes;
    let checked = CheckedRoutes::new(&fabric, &routes).unwrap();
    let hardware = Hardware::preset("infiniband_hdr").unwrap();
    let Hardware::CutThrough(cut_through) = &hardware else {
        unreachable!("InfiniBand is cut-through hardware")
    };
    let setup = cut_through.cut_through_on(&fabric).unwrap();
    let mut algorithms = Algorithms::default();
    algorithms.choose(operation, algorithm).unwrap();
    let collective = Collective::even(operation, 16, 0, bytes).unwrap();
    let trace = Trace::of_collectives(16, &[collective]);
    let tasks = Tasks::of_trace(trace, &Region::default(), algorithms).unwrap();
    let parameters = MessagingParameters {
        eager_bytes,
        ..hardware.messaging()
    };
    let messaging = Messaging::new(&parameters, setup.cycle_ns).unwrap();
    let hosts: Vec<HostId> = fabric.host_ids().collect();
    let workload = Workload::Program(Program::new(tasks, messaging, &hosts, 16).unwrap());
    let (model, timings) = (&setup.model, &setup.channels);
    let mut engine =
        cut_through::Engine::new(&fabric, &checked, model, timings, &workload).unwrap();
    engine.advance(1 << 30, &mut Collector::default());
    let execution = engine.execution().unwrap();
    let ends = (0..16).map(|rank| execution.finish_cycle(rank).unwrap());
    ends.max().unwrap() as f64 * setup.cycle_ns
}

#[test]
fn announcing_parts_costs_a_ring_its_round_trips() {
    // 30 steps; neighbours are three switches apart at most, and announcement and call of 58 bytes pass four
    // cables of 10 m at 5 ns/m and three switches of 130 ns.
    let byte_ns = 8.0 / 200.0;
    let round_trips_ns = 30.0 * 2.0 * (4.0 * 50.0 + 3.0 * 130.0 + 58.0 * byte_ns);
    for part_bytes in [65_792, 1 << 20] {
        let bytes = 16 * part_bytes;
        let eager = end_ns("allreduce", "ring", bytes, 1 << 40);
        let cost = end_ns("allreduce", "ring", bytes, 65_536) - eager;
        assert!(
            (0.75 * round_trips_ns..1.05 * round_trips_ns).contains(&cost),
            "{part_bytes} bytes: {cost} ns for round trips of {round_trips_ns} ns"
        );
    }
}

#[test]
fn long_exchanges_cost_no_more_than_a_few_per_cent_where_parts_are_announced() {
    for (operation, algorithm, bytes, most) in [
        ("allreduce", "ring", 16 << 20, 1.04),
        ("allgather", "ring", 1 << 20, 1.04),
        ("alltoall", "pairwise", 1 << 20, 1.04),
        ("reducescatter", "pairwise", 1 << 20, 1.04),
        ("bcast", "scatter_allgather", 16 << 20, 1.04),
        // What is called for comes in any order, and meets in the network as uniform traffic does.
        ("alltoall", "at_once", 65_792, 1.3),
    ] {
        let eager = end_ns(operation, algorithm, bytes, 1 << 40);
        let announced = end_ns(operation, algorithm, bytes, 65_536);
        assert!(
            announced < most * eager,
            "{operation} by {algorithm}: {announced} ns, {eager} unannounced"
        );
    }
}

#[test]
fn messages_to_one_host_take_turns_where_sends_name_several_queue_pairs() {
    let parameters = MessagingParameters {
        eager_bytes: 10_000,
        ..messaging()
    };
    let found = |second: u8| {
        let mut graph = TaskGraph::new(4);
        for (nic, bytes) in [(0, 300), (second, 200)] {
            let work = Work::Send {
                to: 1,
                tag: nic.into(),
                bytes,
            };
            let task = Task {
                nic,
                ..Task::new(work, 0)
            };
            graph.add(0, task, &[]).unwrap();
        }
        for tag in [second.into(), 0] {
            let work = Work::Receive {
                from: Some(0),
                tag: Some(tag),
            };
            graph.add(1, Task::new(work, 0), &[]).unwrap();
        }
        let records = delivered(graph, &parameters);
        let mut sequences: Vec<(u64, u64)> = records
            .iter()
            .map(|record| (record.injection_cycle, record.sequence))
            .collect();
        sequences.sort_unstable();
        sequences
            .into_iter()
            .map(|(_, sequence)| sequence)
            .collect::<Vec<u64>>()
    };
    // Packets 0 to 2 are the first message's.
    assert_eq!(found(0), [0, 1, 2, 3, 4]);
    assert_eq!(found(1), [0, 3, 1, 4, 2]);
}
