//! Collective operations: each algorithm, among any number of ranks, does what the operation promises,
//! with the messages and bytes that its description says.

use crate::network::{LATENCY, Travelling, run};
use crate::traces::read;
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
    algorithms.choose(operation, algorithm).unwrap();
    algorithms
}

fn execute(trace: Trace, algorithms: &Algorithms) -> (Execution, u64) {
    let (execution, packets) = travelled(trace, algorithms);
    let bytes = packets.iter().map(|packet| u64::from(packet.4)).sum();
    (execution, bytes)
}

fn travelled(trace: Trace, algorithms: &Algorithms) -> (Execution, Vec<Travelling>) {
    let ranks = trace.rank_count();
    let tasks = Tasks::of_trace(trace, &Region::default(), *algorithms).unwrap();
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
    (execution, packets)
}

fn plain(operation: &Collective, ranks: u32, algorithm: &str) -> (Execution, u64) {
    let trace = Trace::of_collectives(ranks, std::slice::from_ref(operation));
    execute(trace, &algorithms(operation.name(), algorithm))
}

/// The operation as a line of a trace, after one rank was late.
fn with_one_late(line: &str, ranks: u32, late: u32, algorithms: &Algorithms) -> Execution {
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

/// A count for each rank, most of them different and some 0: who counts them in a datatype of unknown
/// size (-1) has room for any.
fn counts(ranks: u32) -> String {
    let counts: Vec<String> = (0..ranks).map(|rank| (rank * 7 % 5).to_string()).collect();
    counts.join(" ")
}

/// The algorithms of an operation that so many ranks can do.
fn choices(operation: &str, ranks: u32) -> Vec<String> {
    let entry = COLLECTIVES.iter().find(|entry| entry.name == operation);
    let text = |name: &&str| match *name {
        name @ ("hierarchical" | "pxn") => {
            let width = (2..=ranks).find(|&width| ranks.is_multiple_of(width));
            format!("{name}:per_node={}", width.unwrap())
        }
        name => name.to_owned(),
    };
    let can_do = |name: &String| algorithms(operation, name).check(ranks).is_ok();
    let names = entry.unwrap().algorithms.iter();
    names.map(text).filter(can_do).collect()
}

#[test]
fn nobody_ends_an_operation_of_all_before_all_have_begun() {
    for ranks in 2..=17 {
        let counts = counts(ranks);
        // Those that have nothing for one another do not wait for one another.
        let something = counts.replace('0', "5");
        let exchange = format!("alltoallv 3 {something} 3 {something} 6 -1");
        let gather = format!("allgatherv 0 {counts} 6 6");
        let long_gather = format!("allgatherv 0 {counts} 23 23");
        let reduction = format!("reducescatter {counts} 0 6");
        for (operation, lines) in [
            ("barrier", vec!["barrier"]),
            ("allreduce", vec!["allreduce 8 0 6", "allreduce 100000 0 6"]),
            (
                "allgather",
                vec!["allgather 8 8 6 6", "allgather 600000 600000 6 6"],
            ),
            (
                "alltoall",
                vec![
                    "alltoall 8 8 6 6",
                    "alltoall 1000 1000 6 6",
                    "alltoall 99999 99999 6 6",
                ],
            ),
            ("alltoallv", vec![exchange.as_str()]),
            ("allgatherv", vec![gather.as_str(), long_gather.as_str()]),
            ("reducescatter", vec![reduction.as_str()]),
        ] {
            for algorithm in choices(operation, ranks) {
                for line in &lines {
                    let late = ranks / 2;
                    let chosen = algorithms(operation, &algorithm);
                    let execution = with_one_late(line, ranks, late, &chosen);
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
fn a_scattered_exchange_has_thirty_two_at_a_time() {
    // 32, the own rank counted, 32 and 6: three rounds, in which messages are there one latency later.
    for (ranks, rounds) in [(2, 1), (32, 1), (33, 2), (64, 2), (65, 3), (70, 3)] {
        for operation in [
            Collective::AllToAll { bytes: 100 },
            Collective::even("alltoallv", ranks, 0, 100).unwrap(),
        ] {
            let (execution, found) = plain(&operation, ranks, "scattered");
            let messages = u64::from(ranks * (ranks - 1));
            assert_eq!(execution.message_counts(), (messages, messages));
            assert_eq!(found, 100 * messages);
            let last = (0..ranks)
                .filter_map(|rank| execution.finish_cycle(rank))
                .max();
            assert_eq!(
                last,
                Some(rounds * (LATENCY + 1)),
                "{operation}, {ranks} ranks"
            );
        }
    }
}

#[test]
fn ranks_that_have_nothing_for_one_another_exchange_nothing() {
    // 0 gives 1 eight bytes, 2 gives 0 one; whether sizes of what is received are told or not.
    for datatypes in ["6 6", "6 -1"] {
        let lines = [
            format!("0 alltoallv 9 0 8 0 9 0 0 1 {datatypes}"),
            format!("1 alltoallv 9 0 0 0 9 8 0 0 {datatypes}"),
            format!("2 alltoallv 9 1 0 0 9 0 0 0 {datatypes}"),
        ];
        let trace = read(&lines.join("\n")).unwrap();
        let sent = |name| {
            let chosen = algorithms("alltoallv", name);
            let tasks = Tasks::of_trace(trace.clone(), &Region::default(), chosen);
            tasks.unwrap().packet_count(64)
        };
        assert_eq!(sent("automatic"), 2, "{datatypes}");
        assert_eq!(sent("at_once"), 2, "{datatypes}");
        // In rounds each has its partner, as in MPICH.
        assert_eq!(sent("pairwise"), 6, "{datatypes}");
    }
}

#[test]
fn an_exchange_of_nothing_takes_nothing_of_however_many() {
    let ranks = 500;
    let zeros = " 0".repeat(2 * ranks + 2);
    let mut lines = String::new();
    for rank in 0..ranks {
        writeln!(lines, "{rank} alltoallv{zeros}").unwrap();
    }
    let trace = read(&lines).unwrap();
    let tasks = Tasks::of_trace(trace, &Region::default(), Algorithms::default()).unwrap();
    assert_eq!(tasks.packet_count(64), 0);
}

#[test]
fn nobody_has_what_the_root_gives_before_it_does_and_the_root_has_it_when_all_gave() {
    for ranks in 2..=17 {
        for (operation, root) in [
            ("bcast", ranks - 1),
            ("scatter", 1),
            ("scatterv", 1),
            ("bcast", 0),
        ] {
            for bytes in [8, 20_000] {
                for algorithm in choices(operation, ranks) {
                    let line = match operation {
                        "bcast" => format!("bcast {bytes} {root} 6"),
                        "scatterv" => format!("scatterv {} {bytes} {root} 6 -1", counts(ranks)),
                        _ => format!("scatter {bytes} {bytes} {root} 6 6"),
                    };
                    let chosen = algorithms(operation, &algorithm);
                    let execution = with_one_late(&line, ranks, root, &chosen);
                    let is_late = |rank| execution.finish_cycle(rank).unwrap() >= LATE;
                    assert!((0..ranks).all(is_late), "{line} of {ranks}, {algorithm}");
                }
            }
        }
        for (operation, root) in [
            ("reduce", ranks - 1),
            ("gather", 1),
            ("gatherv", 1),
            ("reduce", 0),
        ] {
            for bytes in [8, 20_000] {
                for algorithm in choices(operation, ranks) {
                    let line = match operation {
                        "reduce" => format!("reduce {bytes} 0 {root} 6"),
                        "gatherv" => format!("gatherv {bytes} {} {root} 6 -1", counts(ranks)),
                        _ => format!("gather {bytes} {bytes} {root} 6 6"),
                    };
                    for late in 0..ranks {
                        let chosen = algorithms(operation, &algorithm);
                        let execution = with_one_late(&line, ranks, late, &chosen);
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
        (&exchange, "in_order", 16 * 15, 16 * 1500, 1),
        (&exchange, "scattered", 16 * 15, 16 * 1500, 1),
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
fn an_exchange_in_order_sends_to_the_first_rank_first() {
    let sent_to = |line: &str, algorithm: &str| {
        let mut text = String::new();
        for rank in 0..4 {
            writeln!(text, "{rank} {line}").unwrap();
        }
        let mut reader = TimeIndependentReader::new(Computing::default());
        reader.read(text.as_bytes(), "order.ti").unwrap();
        let (operation, _) = line.split_once(' ').unwrap();
        let chosen = algorithms(operation, algorithm);
        let (_, mut packets) = travelled(reader.finish().unwrap(), &chosen);
        packets.retain(|packet| packet.2.number() == 2);
        packets.sort_unstable_by_key(|packet| packet.3);
        let to: Vec<u32> = packets.iter().map(|packet| packet.1.number()).collect();
        to
    };
    for line in ["alltoall 8 8 6 6", "alltoallv 4 1 1 1 1 4 1 1 1 1 6 6"] {
        assert_eq!(sent_to(line, "in_order"), [0, 1, 3]);
        assert_eq!(sent_to(line, "at_once"), [3, 0, 1]);
    }
}

#[test]
fn each_rank_may_have_another_length() {
    // 0, 1, … 15 hundred bytes: 12,000 in all.
    let parts: Vec<u64> = (0..16).map(|rank| 100 * rank).collect();
    let gather = Collective::AllGatherV {
        parts: parts.clone(),
        own: None,
    };
    let reduction = Collective::ReduceScatter {
        parts: parts.clone(),
        ns: 0.0,
    };
    let give = Collective::ScatterV {
        root: 15,
        parts: parts.clone(),
        bytes: None,
    };
    let bring = Collective::GatherV {
        root: 15,
        bytes: 100,
        parts: Vec::new(),
    };
    for (operation, algorithm, messages, bytes, rounds) in [
        // All but the own part comes to everybody, whatever the way.
        (&gather, "ring", 16 * 15, 15 * 12_000, 15),
        (&gather, "recursive_doubling", 16 * 4, 15 * 12_000, 4),
        (&gather, "bruck", 16 * 4, 15 * 12_000, 4),
        (&gather, "automatic", 16 * 4, 15 * 12_000, 4),
        // All but the own part leaves everybody.
        (&reduction, "pairwise", 16 * 15, 15 * 12_000, 15),
        (&reduction, "recursive_halving", 16 * 4, 15 * 12_000, 4),
        (&reduction, "automatic", 16 * 4, 15 * 12_000, 4),
        // All but the root's own, at once.
        (&give, "linear", 15, 10_500, 1),
        (&bring, "automatic", 15, 1_500, 1),
    ] {
        let (execution, found) = plain(operation, 16, algorithm);
        let case = format!("{operation}, {algorithm}");
        assert_eq!(execution.message_counts().0, messages, "{case}");
        assert_eq!(found, bytes, "{case}");
        let ends = (0..16).filter_map(|rank| execution.finish_cycle(rank));
        assert_eq!(ends.max(), Some(rounds * (LATENCY + 1)), "{case}");
    }
}

#[test]
fn ranks_beyond_a_power_of_two_take_part_in_a_reduction_through_others() {
    let reduction = Collective::ReduceScatter {
        parts: vec![1, 2, 3, 4, 5, 6],
        ns: 0.0,
    };
    let (execution, bytes) = plain(&reduction, 6, "recursive_halving");
    // Ranks 0 and 2 give all 21 bytes to 1 and 3. Of the four left, with parts of 3, 7, 5 and 6,
    // two give 11 and two 10, then 7, 3, 6 and 5; at last 1 and 3 bytes go back.
    assert_eq!(execution.message_counts().0, 2 + 4 + 4 + 2);
    assert_eq!(bytes, 2 * 21 + 2 * 11 + 2 * 10 + 7 + 3 + 6 + 5 + 1 + 3);
    // What 4 and 5 give to 1 and 3 is there when these begin.
    let ends = (0..6).filter_map(|rank| execution.finish_cycle(rank));
    assert_eq!(ends.max(), Some(3 * (LATENCY + 1)));
}

#[test]
fn gathers_and_scatters_are_trees_or_not() {
    for (operation, algorithm, bytes, rounds) in [
        // Four rounds of a tree; half of everything travels in one of them.
        ("gather", "binomial", 4 * 8 * 10, 4),
        ("scatter", "automatic", 4 * 8 * 10, 4),
        ("gather", "linear", 15 * 10, 1),
        ("scatter", "linear", 15 * 10, 1),
    ] {
        let collective = Collective::even(operation, 16, 3, 10).unwrap();
        let (execution, found) = plain(&collective, 16, algorithm);
        assert_eq!(execution.message_counts().0, 15, "{operation}, {algorithm}");
        assert_eq!(found, bytes, "{operation}, {algorithm}");
        let ends = (0..16).filter_map(|rank| execution.finish_cycle(rank));
        assert_eq!(ends.max(), Some(rounds * (LATENCY + 1)), "{operation}");
    }
}

#[test]
fn every_operation_has_a_name_and_algorithms() {
    for name in COLLECTIVES.iter().map(|entry| entry.name) {
        let collective = Collective::even(name, 5, 2, 1000).unwrap();
        assert_eq!(collective.name(), name);
        for algorithm in choices(name, 5) {
            plain(&collective, 5, &algorithm);
        }
    }
    assert_eq!(Collective::even("ibcast", 5, 2, 1000), None);
}

#[test]
fn algorithms_are_chosen_by_name() {
    let mut algorithms = Algorithms::default();
    let refused = |error: Result<(), _>| match error {
        Err(error) => format!("{error}"),
        Ok(()) => String::new(),
    };
    let unknown: Result<(), weft_model::workload::program::ProgramError> =
        algorithms.choose("ibcast", "ring");
    assert_eq!(
        refused(unknown),
        "found collective operation “ibcast”; expected one of barrier, bcast, reduce, allreduce, \
         allgather, allgatherv, alltoall, alltoallv, gather, gatherv, scatter, scatterv, \
         reducescatter"
    );
    assert_eq!(
        refused(algorithms.choose("alltoallv", "bruck")),
        "alltoallv has no algorithm “bruck”; expected one of automatic, scattered, at_once, \
         in_order, pairwise, by_node, pxn"
    );
}
