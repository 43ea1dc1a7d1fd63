//! Collective operations: each algorithm, among any number of ranks, does what the operation promises,
//! with the messages and bytes that its description says.

#![expect(clippy::unwrap_used, reason = "a test may stop at what cannot happen")]

mod network;

use network::{LATENCY, run};
use std::fmt::Write;
use weft_fabric::HostId;
use weft_model::workload::program::{
    Algorithms, COLLECTIVES, Collective, Computing, Execution, Messaging, MessagingParameters,
    Program, Region, Tasks, TimeIndependentReader, Trace,
};

/// Longer than any operation here takes.
const LATE: u64 = 10_000;

fn algorithms(operation: &str, algorithm: &str) -> Algorithms {
    let mut algorithms = Algorithms::default();
    if COLLECTIVES.iter().any(|entry| entry.name == operation) {
        algorithms.choose(operation, algorithm).unwrap();
    }
    algorithms
}

fn execute(trace: Trace, algorithms: Algorithms) -> (Execution, u64) {
    let ranks = trace.rank_count();
    let tasks = Tasks::of_trace(trace, &Region::default(), algorithms).unwrap();
    let hosts: Vec<HostId> = (0..ranks).map(HostId::from_index).collect();
    let parameters = MessagingParameters {
        packet_bytes: 1 << 20,
        eager_bytes: 1 << 40,
        ..MessagingParameters::default()
    };
    let messaging = Messaging::new(&parameters, 1.0).unwrap();
    let program = Program::new(tasks, messaging, &hosts, ranks).unwrap();
    let (execution, packets) = run(&program);
    assert!(execution.is_finished());
    let (sent, received) = execution.message_counts();
    assert_eq!(sent, received);
    (
        execution,
        packets.iter().map(|packet| u64::from(packet.4)).sum(),
    )
}

fn plain(operation: &Collective, ranks: u32, algorithm: &str) -> (Execution, u64) {
    let trace = Trace::of_collectives(ranks, std::slice::from_ref(operation));
    execute(trace, algorithms(operation.name(), algorithm))
}

/// The operation as a line of a trace, after one rank was late.
fn with_one_late(line: &str, ranks: u32, late: u32, algorithms: Algorithms) -> Execution {
    let mut text = String::new();
    for rank in 0..ranks {
        if rank == late {
            writeln!(text, "{rank} compute {LATE}").unwrap();
        }
        writeln!(text, "{rank} {line}").unwrap();
    }
    let mut reader = TimeIndependentReader::new(Computing::default());
    reader.read(text.as_bytes(), "late.ti").unwrap();
    execute(reader.finish().unwrap(), algorithms).0
}

fn choices(operation: &str) -> Vec<&'static str> {
    let entry = COLLECTIVES.iter().find(|entry| entry.name == operation);
    entry.map_or(vec!["automatic"], |entry| entry.algorithms.to_vec())
}

#[test]
fn nobody_ends_an_operation_of_all_before_all_have_begun() {
    for ranks in 2..=17 {
        let counts = vec!["3"; ranks as usize].join(" ");
        let exchange = format!("alltoallv 3 {counts} 3 {counts} 6 6");
        for (operation, lines) in [
            ("barrier", vec!["barrier"]),
            ("allreduce", vec!["allreduce 8 0 6", "allreduce 100000 0 6"]),
            (
                "allgather",
                vec!["allgather 8 8 6 6", "allgather 600000 1 6 6"],
            ),
            (
                "alltoall",
                vec![
                    "alltoall 8 8 6 6",
                    "alltoall 1000 1 6 6",
                    "alltoall 99999 1 6 6",
                ],
            ),
            ("alltoallv", vec![exchange.as_str()]),
        ] {
            for algorithm in choices(operation) {
                for line in &lines {
                    let late = ranks / 2;
                    let chosen = algorithms(operation, algorithm);
                    let execution = with_one_late(line, ranks, late, chosen);
                    for rank in 0..ranks {
                        let finish = execution.finish_cycle(rank).unwrap();
                        let case = format!("rank {rank} of {ranks}, {algorithm}, {line}");
                        assert!(finish >= LATE, "{case}: {finish}");
                    }
                }
            }
        }
    }
}

#[test]
fn nobody_has_what_the_root_gives_before_it_does_and_the_root_has_it_when_all_gave() {
    for ranks in 2..=17 {
        for (operation, root) in [("bcast", ranks - 1), ("scatter", 1), ("bcast", 0)] {
            for bytes in [8, 20_000] {
                for algorithm in choices(operation) {
                    let line = match operation {
                        "bcast" => format!("bcast {bytes} {root} 6"),
                        _ => format!("scatter {bytes} {bytes} {root} 6 6"),
                    };
                    let chosen = algorithms(operation, algorithm);
                    let execution = with_one_late(&line, ranks, root, chosen);
                    let is_late = |rank| execution.finish_cycle(rank).unwrap() >= LATE;
                    assert!((0..ranks).all(is_late), "{line} of {ranks}, {algorithm}");
                }
            }
        }
        for (operation, root) in [("reduce", ranks - 1), ("gather", 1), ("reduce", 0)] {
            for bytes in [8, 20_000] {
                for algorithm in choices(operation) {
                    let line = match operation {
                        "reduce" => format!("reduce {bytes} 0 {root} 6"),
                        _ => format!("gather {bytes} {bytes} {root} 6 6"),
                    };
                    for late in 0..ranks {
                        let chosen = algorithms(operation, algorithm);
                        let execution = with_one_late(&line, ranks, late, chosen);
                        let finish = execution.finish_cycle(root).unwrap();
                        assert!(
                            finish >= LATE,
                            "{line} of {ranks}, {late} late, {algorithm}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn messages_and_bytes_are_as_published() {
    let all_reduce = Collective::AllReduce {
        bytes: 4096,
        ns: 0.0,
    };
    let gather = Collective::AllGather { bytes: 100 };
    let exchange = Collective::AllToAll { bytes: 100 };
    let broadcast = Collective::Broadcast {
        root: 3,
        bytes: 16_384,
    };
    for (operation, algorithm, messages, bytes, rounds) in [
        // n log2 n messages of everything; twice (n − 1)/n of everything for each.
        (&all_reduce, "recursive_doubling", 16 * 4, 16 * 4 * 4096, 4),
        (
            &all_reduce,
            "reduce_scatter_allgather",
            16 * 8,
            2 * 15 * 4096,
            8,
        ),
        (&all_reduce, "ring", 16 * 30, 2 * 15 * 4096, 30),
        (&all_reduce, "automatic", 16 * 8, 2 * 15 * 4096, 8),
        (&Collective::Barrier, "dissemination", 16 * 4, 0, 4),
        (&Collective::Barrier, "gather_release", 30, 0, 8),
        // Each gets the others' 100 bytes.
        (&gather, "ring", 16 * 15, 16 * 1500, 15),
        (&gather, "recursive_doubling", 16 * 4, 16 * 1500, 4),
        (&gather, "bruck", 16 * 4, 16 * 1500, 4),
        // Half of everything in each of four rounds.
        (&exchange, "bruck", 16 * 4, 16 * 4 * 800, 4),
        (&exchange, "at_once", 16 * 15, 16 * 1500, 1),
        (&exchange, "pairwise", 16 * 15, 16 * 1500, 15),
        (&exchange, "automatic", 16 * 4, 16 * 4 * 800, 4),
        (&broadcast, "binomial", 15, 15 * 16_384, 4),
        // The tree brings half, a quarter …; the ring all but one part to each.
        (
            &broadcast,
            "scatter_allgather",
            15 + 240,
            4 * 8 * 1024 + 240 * 1024,
            19,
        ),
    ] {
        let (execution, found) = plain(operation, 16, algorithm);
        let case = format!("{operation}, {algorithm}");
        assert_eq!(execution.message_counts().0, messages, "{case}");
        assert_eq!(found, bytes, "{case}");
        let last = (0..16)
            .filter_map(|rank| execution.finish_cycle(rank))
            .max();
        assert_eq!(last, Some(rounds * (LATENCY + 1)), "{case}");
    }
}

#[test]
fn algorithms_are_chosen_by_name() {
    let mut algorithms = Algorithms::default();
    let refused = |error: Result<(), _>| match error {
        Err(error) => format!("{error}"),
        Ok(()) => String::new(),
    };
    let unknown: Result<(), weft_model::workload::program::ProgramError> =
        algorithms.choose("gather", "ring");
    assert_eq!(
        refused(unknown),
        "found collective operation “gather”; expected one of barrier, bcast, reduce, allreduce, \
         allgather, alltoall, alltoallv"
    );
    assert_eq!(
        refused(algorithms.choose("alltoallv", "bruck")),
        "alltoallv has no algorithm “bruck”; expected one of automatic, at_once, pairwise"
    );
}
