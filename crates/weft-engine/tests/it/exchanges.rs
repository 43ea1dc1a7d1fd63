//! Exchanges of all with all that are sent at once, so that far more waits at each host than in other tests: engines and
//! oracles deliver the same.
//!
//! `WEFT_DIFFERENTIAL_CASES` and `WEFT_DIFFERENTIAL_SEED` as for engines and oracles.

use crate::support::coverage::Coverage;
use crate::support::fixtures::{Collector, cut_through_model};
use crate::support::random::Draws;
use crate::support::runner::run_cases;
use weft_engine::{Simulator, cut_through};
use weft_fabric::{Fabric, HostId, generate};
use weft_model::workload::Workload;
use weft_model::workload::program::{
    Dependency, Messaging, MessagingParameters, Program, Task, TaskGraph, Work,
};
use weft_model::{ChannelTiming, ChannelTimings, PacketRecord};
use weft_oracle::CutThroughOracle;
use weft_routing::{CheckedRoutes, algorithms};

const DEFAULT_CASES: u64 = 12;

/// What the ranks of an exchange post and send, all of it at once, and a wait for all: each some messages to each other.
fn exchange(draws: &mut Draws, ranks: u32) -> TaskGraph {
    let mut graph = TaskGraph::new(ranks as usize);
    let rounds = draws.between_u32(1, 2);
    let (is_mixed, is_shuffled, tags) =
        (draws.once_in(2), draws.once_in(3), draws.between_u32(1, 2));
    let pairs = *draws.choose(&[1, 1, 3]);
    let lengths: Vec<u64> = (0..draws.between(1, 3))
        .map(|_| draws.between(0, 500))
        .collect();
    for rank in 0..ranks {
        let mut works = Vec::new();
        for round in 0..rounds {
            for distance in 1..ranks {
                // The tag tells which receive is whose, in whatever order both are.
                let tag = round % tags;
                let from = Some((rank + ranks - distance) % ranks);
                let to = (rank + distance) % ranks;
                let bytes = lengths[(rank + to + round) as usize % lengths.len()];
                works.push(Work::Receive {
                    from,
                    tag: Some(tag),
                });
                works.push(Work::Send { to, tag, bytes });
            }
        }
        if !is_mixed {
            works.sort_by_key(|work| matches!(work, Work::Send { .. }));
        }
        if is_shuffled {
            draws.shuffle(&mut works);
        }
        let mut before: Option<Dependency> = None;
        let mut ends = Vec::new();
        for work in works {
            let mut task = Task::new(work, 0);
            if let Work::Send { to, .. } = work {
                task.nic = u8::try_from(to % pairs).unwrap();
            }
            let number = graph.add(rank, task, before.as_slice()).unwrap();
            before = Some(Dependency::start(number));
            ends.push(Dependency::end(number));
        }
        graph.add(rank, Task::new(Work::Join, 0), &ends).unwrap();
    }
    graph
}

/// More than these exchanges take.
const MOST_CYCLES: u64 = 200_000;

/// What engine and oracle are to agree on: packets, and the end of each rank.
type Outcome = (Vec<PacketRecord>, Vec<Option<u64>>);

fn outcomes(fabric: &Fabric, workload: &Workload) -> [Outcome; 2] {
    let routes = algorithms::route_spec(fabric, "updown").unwrap().routes;
    let checked = CheckedRoutes::new(fabric, &routes).unwrap();
    let model = cut_through_model(1, 4_000, 0, 0);
    let timings = ChannelTimings::Alike(ChannelTiming {
        cycles_per_flit: 1,
        flight_cycles: 5,
    });
    let ranks = || (0..).take(workload.program().unwrap().rank_count());
    let mut found = Collector::default();
    let mut engine =
        cut_through::Engine::new(fabric, &checked, &model, &timings, workload).unwrap();
    engine.advance(MOST_CYCLES, &mut found);
    let execution = engine.execution().unwrap();
    let found_ends: Vec<_> = ranks().map(|rank| execution.finish_cycle(rank)).collect();
    // The oracle goes through all cycles; nothing comes after the last of an exchange.
    let ends = found_ends.iter().map(|end| end.unwrap_or(MOST_CYCLES));
    let end = MOST_CYCLES.min(ends.max().unwrap() + 1_000);
    let mut expected = Vec::new();
    let mut oracle = CutThroughOracle::new(fabric, &routes, &model, &timings, workload).unwrap();
    oracle.advance(end, &mut expected);
    let expected_ends = ranks()
        .map(|rank| oracle.ranks().unwrap().finish_cycle(rank))
        .collect();
    [(found.delivered, found_ends), (expected, expected_ends)].map(|(mut packets, ends)| {
        packets.sort_by_key(|packet| (packet.delivery_cycle, packet.destination));
        (packets, ends)
    })
}

fn compare(seed: u64) -> Result<Coverage, String> {
    let mut draws = Draws::new(seed);
    let ranks = 2 * draws.between_u32(19, 25);
    let graph = exchange(&mut draws, ranks);
    let parameters = MessagingParameters {
        packet_bytes: *draws.choose(&[100, 400]),
        quantum_bytes: *draws.choose(&[1, 1, 250]),
        eager_bytes: *draws.choose(&[200, 1_000]),
        control_first: draws.once_in(2),
        send_message_ns: *draws.choose(&[0.0, 3.0]),
        receive_message_ns: *draws.choose(&[0.0, 40.0]),
        receive_messages: *draws.choose(&[0, 0, 0, 50]),
        resend_ns: 2_000.0,
        ..MessagingParameters::default()
    };
    let fabric = generate::mesh(1, 1, ranks).unwrap();
    let hosts: Vec<HostId> = fabric.host_ids().collect();
    let messaging = Messaging::new(&parameters, 1.0).unwrap();
    let host_count = fabric.host_count();
    let program = Program::new(graph, messaging, &hosts, host_count).unwrap();
    let workload = Workload::Program(program);
    let [found, expected] = outcomes(&fabric, &workload);
    let mut coverage = Coverage::of_case();
    coverage.count_if("finished", expected.1.iter().all(Option::is_some));
    coverage.count("packets", expected.0.len() as u64);
    if found == expected {
        return Ok(coverage);
    }
    let pairs = found.0.iter().zip(&expected.0);
    let first = pairs
        .into_iter()
        .find(|(found, expected)| found != expected);
    Err(format!(
        "case {seed}: {ranks} ranks, {parameters:?}: {} packets for {}, first other {first:?}",
        found.0.len(),
        expected.0.len()
    ))
}

#[test]
fn engine_and_oracle_agree_where_all_is_sent_at_once() {
    let (cases, coverage) = run_cases(DEFAULT_CASES, compare);
    if cases >= DEFAULT_CASES {
        coverage.assert_holds(&[("finished", 0.9), ("packets", 3_000.0)]);
    }
}
