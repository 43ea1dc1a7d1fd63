//! The collective operations of NCCL: among 2 to 64 ranks the number of messages, their volume and the time on
//! a network without contention are those of the closed forms.
//!
//! On that network every message takes `HOP` cycles. A byte takes its sender's processor `GAP` cycles, which is
//! the bandwidth, and `COMBINE` cycles to be combined.

use crate::network::{LATENCY, run};
use weft_fabric::HostId;
use weft_model::workload::program::{
    Algorithms, Collective, Messaging, MessagingParameters, Program, ProgramError, Region, Tasks,
    Trace,
};

/// From sending to being there: what is delivered in a cycle is noticed in the next.
const HOP: u64 = LATENCY + 1;
const GAP: u64 = 2;
const COMBINE: u64 = 3;

/// Messages, bytes in all, and the last rank's end.
type Cost = (u64, u64, u64);

fn cost(operation: &str, ranks: u32, bytes: u64, algorithm: &str, gap: u64) -> Cost {
    let mut algorithms = Algorithms::default();
    algorithms.choose(operation, algorithm).unwrap();
    let collective = Collective::even(operation, ranks, ranks / 2, bytes).unwrap();
    let trace = Trace::of_collectives(ranks, &[collective]);
    let tasks = Tasks::of_trace(trace, &Region::default(), algorithms).unwrap();
    let hosts: Vec<HostId> = (0..ranks as usize).map(HostId::from_index).collect();
    let parameters = MessagingParameters {
        packet_bytes: 1 << 20,
        eager_bytes: 1 << 40,
        send_byte_ns: gap as f64,
        reduce_byte_ns: COMBINE as f64,
        ..MessagingParameters::default()
    };
    let messaging = Messaging::new(&parameters, 1.0).unwrap();
    let program = Program::new(tasks, messaging, &hosts, hosts.len()).unwrap();
    let (execution, packets) = run(&program);
    assert!(execution.is_finished(), "{operation} by {algorithm}");
    let (sent, received) = execution.message_counts();
    assert_eq!(sent, received);
    let ends = (0..ranks).map(|rank| execution.finish_cycle(rank).unwrap());
    let volume = packets.iter().map(|packet| u64::from(packet.4)).sum();
    (sent, volume, ends.max().unwrap())
}

fn log2_up(ranks: u32) -> u64 {
    u64::from(ranks.next_power_of_two().ilog2())
}

#[test]
fn rings_pass_every_part_on_and_combine_it_on_the_first_way_round() {
    for ranks in 2..=64_u32 {
        let (n, part) = (u64::from(ranks), 4);
        let step = HOP + GAP * part;
        let others = n - 1;
        let bytes = n * part;
        let reduced = (
            2 * n * others,
            2 * others * bytes,
            2 * others * step + others * COMBINE * part,
        );
        assert_eq!(cost("allreduce", ranks, bytes, "ring", GAP), reduced);
        let scattered = (n * others, others * bytes, others * (step + COMBINE * part));
        assert_eq!(cost("reducescatter", ranks, part, "ring", GAP), scattered);
        let gathered = (n * others, others * bytes, others * step);
        assert_eq!(cost("allgather", ranks, part, "ring", GAP), gathered);
        assert_eq!(cost("allgatherv", ranks, part, "ring", GAP), gathered);
    }
}

#[test]
fn chunks_of_a_ring_follow_one_another_and_slices_overlap() {
    for ranks in [2, 3, 7, 8, 64] {
        let others = u64::from(ranks - 1);
        let n = u64::from(ranks);
        let bytes = 8 * n;
        let of = |choice: &str| cost("allreduce", ranks, bytes, &format!("ring:{choice}"), 0);
        let volume = 2 * others * bytes;
        let messages = 2 * n * others;
        let combined = |piece: u64| others * COMBINE * piece;
        // Four chunks, one after another: each combined by itself.
        let time = 4 * (2 * others * HOP + combined(2));
        assert_eq!(of("chunk_bytes=2"), (4 * messages, volume, time));
        // Two slices of all of a part: the second travels while the first is combined.
        let time = 2 * others * HOP + others * COMBINE * 4 + COMBINE * 4;
        assert_eq!(of("slices=2,in_flight=2").0, 2 * messages);
        assert_eq!(of("slices=2,in_flight=2").1, volume);
        let found = of("slices=2,in_flight=2").2;
        assert!(
            found <= 2 * others * HOP + combined(8),
            "{ranks}: {found}, {time}"
        );
        // Two rings beside one another.
        let (sent, carried, found) = of("channels=2");
        assert_eq!((sent, carried), (2 * messages, volume));
        assert!(found <= 2 * others * HOP + combined(8));
        assert!(found >= 2 * others * HOP + combined(4));
    }
}

#[test]
fn trees_take_as_many_hops_up_and_down_as_their_depth() {
    for ranks in 2..=64_u32 {
        let n = u64::from(ranks);
        let bytes = 24;
        let hops = 2 * log2_up(ranks) * HOP;
        let of = |algorithm: &str| cost("allreduce", ranks, bytes, algorithm, 0);
        let volume = 2 * (n - 1) * bytes;
        for (algorithm, pieces) in [
            ("tree", 1),
            ("tree:channels=2,chunk_bytes=4", 6),
            ("double_tree", 2),
            ("double_tree:channels=4,chunk_bytes=3", 8),
        ] {
            let (messages, carried, end) = of(algorithm);
            let case = format!("{algorithm} of {ranks}");
            assert_eq!(
                (messages, carried),
                (2 * (n - 1) * pieces, volume),
                "{case}"
            );
            // Whatever is combined, at most what two children and each level bring.
            let combined = COMBINE * bytes * 2 * (log2_up(ranks) + 1);
            assert!(
                (hops..=hops + combined).contains(&end),
                "{case}: {end}, {hops} hops"
            );
        }
    }
    // One level after another, each with one child to combine.
    assert_eq!(
        cost("allreduce", 2, 24, "tree", GAP).2,
        2 * (HOP + GAP * 24) + COMBINE * 24
    );
}

#[test]
fn chains_are_pipelined() {
    for ranks in 2..=64_u32 {
        let (n, pieces, piece) = (u64::from(ranks), 6, 5);
        let algorithm = format!("chain:chunk_bytes={piece}");
        let time = (n - 1) * (HOP + GAP * piece) + (pieces - 1) * GAP * piece;
        let expected = ((n - 1) * pieces, (n - 1) * pieces * piece, time);
        let found = cost("bcast", ranks, pieces * piece, &algorithm, GAP);
        assert_eq!(found, expected, "{ranks}");
        // Without a gap pieces are there at once; what is combined makes them follow one another.
        let time = (n - 1) * (HOP + COMBINE * piece) + (pieces - 1) * COMBINE * piece;
        let found = cost("reduce", ranks, pieces * piece, &algorithm, 0);
        assert_eq!(found, (expected.0, expected.1, time), "{ranks}");
    }
}

#[test]
fn aggregated_trees_take_as_few_steps_as_messages_have_room_for() {
    for ranks in 2..=64_u32 {
        let (n, part) = (u64::from(ranks), 4);
        let all = ranks.next_power_of_two();
        let mut aggregate = all / 2;
        let mut algorithm = "pat:in_flight=1".to_owned();
        loop {
            let steps = match aggregate {
                1 => n - 1,
                _ => u64::from(aggregate.ilog2() + all / aggregate - 1),
            };
            let (messages, volume) = (n * steps, n * (n - 1) * part);
            let time = steps * HOP + (n - 1) * part * GAP;
            let case = format!("{algorithm} of {ranks}");
            let found = cost("allgather", ranks, part, &algorithm, GAP);
            assert_eq!(found, (messages, volume, time), "{case}");
            let time = time + (n - 1) * part * COMBINE;
            let found = cost("reducescatter", ranks, part, &algorithm, GAP);
            assert_eq!(found, (messages, volume, time), "{case}");
            if aggregate == 1 {
                break;
            }
            aggregate /= 2;
            algorithm = format!("pat:in_flight=1,aggregate={aggregate}");
        }
        // With room for several messages steps wait for what they pass on alone: with few ranks more than a
        // power of two nothing of the farthest goes on.
        let found = cost("allgather", ranks, 0, "pat", GAP);
        let hops = log2_up(ranks) - u64::from(4 * ranks <= 3 * all);
        let messages = n * log2_up(ranks);
        assert_eq!(found, (messages, 0, hops * HOP));
    }
}

#[test]
fn a_hierarchy_carries_a_share_of_the_data_between_nodes() {
    for (width, nodes) in [(2, 2), (2, 3), (4, 2), (8, 8), (3, 5), (8, 1)] {
        let ranks = width * nodes;
        let (p, m, n) = (u64::from(width), u64::from(nodes), u64::from(ranks));
        let share = 6;
        let bytes = share * n;
        let (inside, across) = (p - 1, m - 1);
        let in_node = bytes / p;
        let time = 2 * inside * (HOP + GAP * in_node)
            + inside * COMBINE * in_node
            + 2 * across * (HOP + GAP * share)
            + across * COMBINE * share;
        let messages = 2 * n * (inside + across);
        let volume = 2 * n * (inside * in_node + across * share);
        let algorithm = format!("hierarchical:per_node={width},in_flight=1,chunk_bytes=0");
        let found = cost("allreduce", ranks, bytes, &algorithm, GAP);
        assert_eq!(
            found,
            (messages, volume, time),
            "{width} in each of {nodes}"
        );
    }
}

#[test]
fn exchanges_by_node_have_one_partner_a_round() {
    for ranks in 2..=64_u32 {
        let n = u64::from(ranks);
        let per_node = if ranks.is_multiple_of(4) { 4 } else { 1 };
        for operation in ["alltoall", "alltoallv"] {
            let one = format!("by_node:in_flight=1,per_node={per_node}");
            let found = cost(operation, ranks, 7, &one, GAP);
            assert_eq!(
                found,
                (n * (n - 1), n * (n - 1) * 7, (n - 1) * (HOP + 7 * GAP))
            );
            let all = format!("by_node:in_flight=64,per_node={per_node}");
            let found = cost(operation, ranks, 7, &all, GAP);
            assert_eq!(found.2, HOP + (n - 1) * 7 * GAP);
        }
    }
}

#[test]
fn what_is_combined_takes_time_in_the_algorithms_of_mpi_too() {
    let bytes = 32;
    let ends = |operation: &str, algorithm: &str, ranks: u32| {
        cost(operation, ranks, bytes, algorithm, 0).2
    };
    // All of it in each of three rounds; halves, then nothing.
    assert_eq!(
        ends("allreduce", "recursive_doubling", 8),
        3 * (HOP + COMBINE * bytes)
    );
    let halves = COMBINE * bytes * 7 / 8;
    assert_eq!(
        ends("allreduce", "reduce_scatter_allgather", 8),
        6 * HOP + halves
    );
    assert_eq!(ends("reduce", "binomial", 8), 3 * (HOP + COMBINE * bytes));
    assert_eq!(ends("reduce", "reduce_scatter_gather", 8), 6 * HOP + halves);
    assert_eq!(
        ends("allreduce", "reduce_bcast", 8),
        6 * HOP + 3 * COMBINE * bytes
    );
    // Of a part for each: the own one, seven times; 4, 2 and 1 of them.
    assert_eq!(
        ends("reducescatter", "pairwise", 8),
        7 * (HOP + COMBINE * bytes)
    );
    assert_eq!(
        ends("reducescatter", "recursive_halving", 8),
        3 * HOP + 7 * COMBINE * bytes
    );
    // One beyond four is combined first, while others have begun; it gets the result before they do.
    assert_eq!(
        ends("allreduce", "recursive_doubling", 5),
        3 * HOP + 3 * COMBINE * bytes
    );
    for operation in ["bcast", "allgather", "alltoall", "gather", "scatter"] {
        assert_eq!(ends(operation, "automatic", 8) % HOP, 0, "{operation}");
    }
}

fn refused(operation: &str, algorithm: &str, ranks: u32) -> String {
    let mut algorithms = Algorithms::default();
    let chosen: Result<(), ProgramError> = algorithms.choose(operation, algorithm);
    chosen
        .and_then(|()| algorithms.check(ranks))
        .unwrap_err()
        .to_string()
}

#[test]
fn what_so_many_ranks_cannot_do_is_refused() {
    assert_eq!(
        refused("allreduce", "hierarchical:per_node=8", 12),
        "allreduce by hierarchical has 8 ranks a node, the program 12 ranks; expected a number of \
         ranks a node that divides them"
    );
    assert_eq!(
        refused("allreduce", "double_tree:channels=3", 8),
        "allreduce by double_tree has 3 channels; expected an even number, half of them for each tree"
    );
    assert_eq!(
        refused("allgather", "pat:aggregate=3", 8),
        "pat with aggregate=3; expected a power of two, or 0"
    );
    assert_eq!(
        refused("allgather", "pat:aggregate=16", 12),
        "pat with aggregate=16; expected a power of two up to 8 among 12 ranks, or 0 for the most"
    );
    assert!(refused("allreduce", "hierarchical", 8).contains("per_node"));
    assert!(refused("allreduce", "recursive_doubling:channels=2", 8).contains("channels"));
    assert!(refused("allreduce", "ring:channels=0", 8).contains("from 1 to 64"));
    assert!(refused("allreduce", "ring:chanels=2", 8).contains("channels"));
}

#[test]
fn an_algorithm_is_told_as_it_is_chosen() {
    let text = |operation: &str, algorithm: &str| {
        let mut algorithms = Algorithms::default();
        algorithms.choose(operation, algorithm).unwrap();
        let collective = Collective::even(operation, 8, 0, 1 << 20).unwrap();
        collective.algorithm(&algorithms, 8)
    };
    for (operation, algorithm) in [
        ("allreduce", "ring"),
        (
            "allreduce",
            "ring:channels=4,chunk_bytes=131072,slices=2,in_flight=8",
        ),
        ("allreduce", "double_tree"),
        ("allreduce", "hierarchical:per_node=4"),
        ("reducescatter", "pat:aggregate=2"),
        ("alltoall", "by_node:per_node=2"),
        ("bcast", "chain"),
    ] {
        assert_eq!(text(operation, algorithm), algorithm);
    }
    assert_eq!(
        text("allreduce", "ring:channels=1,in_flight=2"),
        "ring:in_flight=2"
    );
}
