//! Operations among nodes whose ranks have an adapter each: number and volume of messages inside nodes and between
//! them are those of the closed forms, as is the time on a network without contention; nothing goes from one rail
//! to another over the network.
//!
//! A message between nodes takes `HOP` cycles, one inside a node leaves after `GAP` cycles a byte and is there
//! `INNER` later.

use crate::network::{LATENCY, Travelling, run};
use weft_fabric::HostId;
use weft_model::workload::program::{
    Algorithms, Collective, Messaging, MessagingParameters, Program, Region, Tasks, Trace,
};

const HOP: u64 = LATENCY + 1;
const GAP: u64 = 2;
const INNER: u64 = 7;

/// What an operation costs.
#[derive(Debug, PartialEq)]
struct Cost {
    /// Messages inside nodes, and between them.
    inside: u64,
    between: u64,
    /// Bytes between nodes.
    volume: u64,
    /// The last rank's end.
    end: u64,
}

fn ran(
    operation: &str,
    (width, nodes): (u32, u32),
    bytes: u64,
    algorithm: &str,
) -> (Cost, Vec<Travelling>) {
    let mut algorithms = Algorithms::default();
    algorithms.choose(operation, algorithm).unwrap();
    let ranks = width * nodes;
    let collective = Collective::even(operation, ranks, 0, bytes).unwrap();
    of_trace(
        Trace::of_collectives(ranks, &[collective]),
        width,
        &algorithms,
    )
}

fn of_trace(trace: Trace, width: u32, algorithms: &Algorithms) -> (Cost, Vec<Travelling>) {
    let ranks = u32::try_from(trace.rank_count()).unwrap();
    let tasks = Tasks::of_trace(trace, &Region::default(), *algorithms).unwrap();
    let hosts: Vec<HostId> = (0..ranks as usize).map(HostId::from_index).collect();
    let parameters = MessagingParameters {
        packet_bytes: 1 << 20,
        eager_bytes: 1 << 40,
        inner_ns: INNER as f64,
        inner_gbit_per_s: 8.0 / GAP as f64,
        ..MessagingParameters::default()
    };
    let messaging = Messaging::new(&parameters, 1.0).unwrap();
    let numbers: Vec<u32> = (0..ranks).map(|rank| rank / width).collect();
    let program = Program::new(tasks, messaging, &hosts, hosts.len()).unwrap();
    let (execution, packets) = run(&program.with_nodes(&numbers).unwrap());
    assert!(execution.is_finished(), "{algorithms:?}");
    let (sent, received) = execution.message_counts();
    assert_eq!(sent, received);
    let between = packets.len() as u64;
    let ends = (0..ranks).map(|rank| execution.finish_cycle(rank).unwrap());
    let cost = Cost {
        inside: sent - between,
        between,
        volume: packets.iter().map(|packet| u64::from(packet.4)).sum(),
        end: ends.max().unwrap(),
    };
    (cost, packets)
}

fn cost(operation: &str, nodes: (u32, u32), bytes: u64, algorithm: &str) -> Cost {
    ran(operation, nodes, bytes, algorithm).0
}

/// Nodes of several widths, and how many: 2 to 64 ranks.
fn all_nodes() -> impl Iterator<Item = (u32, u32)> {
    let counts = |width: u32| [1, 2, 3, 5, 64 / width].map(|nodes| (width, nodes));
    (2..=8).flat_map(counts)
}

#[test]
fn an_exchange_goes_over_the_rank_on_the_receivers_rail() {
    for (width, nodes) in all_nodes() {
        let (w, m, n) = (u64::from(width), u64::from(nodes), u64::from(width * nodes));
        let bytes = 3;
        let algorithm = format!("pxn:per_node={width},in_flight=4096");
        // Inside, each gives the others of its node their own parts and, for each other node, those on their
        // rails, one after another; what the last of these brings goes on.
        let last = m * (w - 1) * bytes * GAP + INNER;
        let expected = Cost {
            inside: n * m * (w - 1),
            between: n * (m - 1),
            volume: n * (n - w) * bytes,
            end: if m > 1 { last + HOP } else { last },
        };
        for operation in ["alltoall", "alltoallv"] {
            let found = cost(operation, (width, nodes), bytes, &algorithm);
            assert_eq!(found, expected, "{operation}, {width} in each of {nodes}");
        }
    }
}

#[test]
fn a_rank_passes_on_what_others_of_its_node_have() {
    // Ranks 0, 1 | 2, 3 | 4, 5: rank 3 gets 10 bytes of rank 0 by rank 1, which has 4 more for it, and rank 4 gets 6 of
    // rank 3 by rank 2, which has none for it; rank 5 gets 2 of its neighbour.
    let mut lengths = vec![vec![0; 6]; 6];
    for (from, to, bytes) in [(0, 3, 10), (1, 3, 4), (3, 4, 6), (4, 5, 2)] {
        lengths[from][to] = bytes;
    }
    let exchange = |algorithm: &str| {
        let mut algorithms = Algorithms::default();
        algorithms.choose("alltoallv", algorithm).unwrap();
        of_trace(Trace::of_exchange(&lengths).unwrap(), 2, &algorithms)
    };
    let (found, packets) = exchange("pxn:per_node=2,in_flight=64");
    let expected = Cost {
        inside: 3,
        between: 2,
        volume: 10 + 4 + 6,
        end: 10 * GAP + INNER + HOP,
    };
    assert_eq!(found, expected);
    let ends = |(_, to, from, _, bytes, _): &Travelling| (from.number(), to.number(), *bytes);
    let mut told: Vec<_> = packets.iter().map(ends).collect();
    told.sort_unstable();
    assert_eq!(told, [(1, 3, 14), (2, 4, 6)]);
    let (each, _) = exchange("pxn:per_node=2,in_flight=64,aggregate=1");
    assert_eq!((each.inside, each.between, each.volume), (3, 3, 20));
}

#[test]
fn parts_go_on_as_many_together_as_is_said() {
    for (width, nodes) in [(2, 2), (4, 3), (8, 8), (6, 2)] {
        let (w, m, n) = (u64::from(width), u64::from(nodes), u64::from(width * nodes));
        for together in [1, 2, 3, 8] {
            let algorithm = format!("pxn:per_node={width},aggregate={together},in_flight=4096");
            let found = cost("alltoall", (width, nodes), 5, &algorithm);
            let expected = Cost {
                inside: n * m * (w - 1),
                between: n * (m - 1) * w.div_ceil(together),
                volume: n * (n - w) * 5,
                end: m * (w - 1) * 5 * GAP + INNER + HOP,
            };
            assert_eq!(found, expected, "{together} of {width} in each of {nodes}");
        }
    }
}

#[test]
fn nothing_of_it_goes_from_rail_to_rail() {
    for (operation, algorithm) in [
        ("alltoall", "pxn:per_node=4"),
        ("allreduce", "ring:channels=4,per_node=4,pxn=1"),
        ("reducescatter", "ring:channels=4,per_node=4,pxn=1"),
        ("allgather", "ring:channels=3,per_node=4,pxn=1"),
        ("allreduce", "hierarchical:per_node=4"),
    ] {
        let (_, packets) = ran(operation, (4, 4), 64, algorithm);
        assert!(!packets.is_empty());
        for (_, to, from, ..) in packets {
            assert_eq!(
                to.number() % 4,
                from.number() % 4,
                "{operation} by {algorithm}"
            );
        }
    }
    // Two nodes with one exchange in flight come to their end as well.
    let one = cost("alltoall", (4, 4), 64, "pxn:per_node=4,in_flight=1");
    let many = cost("alltoall", (4, 4), 64, "pxn:per_node=4,in_flight=64");
    assert_eq!(
        (one.inside, one.between, one.volume),
        (many.inside, many.between, many.volume)
    );
    assert!(one.end > many.end);
}

#[test]
fn every_channel_of_a_ring_has_a_rail_and_one_more_message_a_node() {
    for (width, nodes) in all_nodes() {
        let (w, m, n) = (u64::from(width), u64::from(nodes), u64::from(width * nodes));
        for (operation, rounds) in [
            ("allgather", n - 1),
            ("reducescatter", n - 1),
            ("allreduce", 2 * (n - 1)),
        ] {
            let algorithm = format!("ring:channels={w},per_node={w},pxn=1,in_flight=4096");
            let found = cost(operation, (width, nodes), 0, &algorithm);
            let (crossing, passed) = if m > 1 { (m, m) } else { (0, 0) };
            let all = w * rounds * (n + passed);
            // Of so many steps round the ring, one after another, every w-th goes from node to node.
            let crossings = if m > 1 { rounds.div_ceil(w) } else { 0 };
            let expected = Cost {
                inside: all - w * rounds * crossing,
                between: w * rounds * crossing,
                volume: 0,
                end: rounds * INNER + crossings * HOP,
            };
            assert_eq!(found, expected, "{operation}, {width} in each of {nodes}");
        }
    }
}

#[test]
fn a_ring_of_two_nodes_of_two_takes_the_time_worked_out_by_hand() {
    // Ranks 0, 1 | 2, 3 with a part of 4 bytes each: 0 → 1 → (0) → 2 → 3 → (2) → 0. The part of rank 0 is at 1 after 8 to
    // leave and 7 more, leaves for rank 0 by 15 + 8 and is there 7 later; at 2 after a hop, at 3 after 15 more. The part
    // of rank 1 is the latest: it crosses twice.
    let found = cost("allgather", (2, 2), 4, "ring:per_node=2,pxn=1,in_flight=8");
    let inside = 4 * GAP + INNER;
    // From 1: given back to 0, over to 2, on to 3, given back to 2, over to 0.
    let latest = 3 * inside + 2 * HOP;
    assert_eq!(found.end, latest);
    assert_eq!((found.inside, found.between, found.volume), (12, 6, 24));
}

#[test]
fn what_nodes_cannot_do_is_refused() {
    let refused = |algorithm: &str| {
        let mut algorithms = Algorithms::default();
        let chosen = algorithms.choose("alltoall", algorithm);
        chosen
            .and_then(|()| algorithms.check(12))
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        refused("pxn:per_node=8"),
        "alltoall by pxn has 8 ranks a node, the program 12 ranks; expected a number of ranks a \
         node that divides them"
    );
    assert!(refused("pxn").contains("per_node"));
    let mut algorithms = Algorithms::default();
    let two = algorithms.choose("allreduce", "ring:pxn=2").unwrap_err();
    assert!(two.to_string().contains("pxn"), "{two}");
}
