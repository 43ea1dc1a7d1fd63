//! Ranks that send and receive by several adapters: what follows is worked out by hand, and for operations the closed
//! forms among 2 to 64 ranks.

use crate::network::{LATENCY, Travelling, in_order, receive, run, send, task};
use weft_fabric::HostId;
use weft_model::workload::program::{
    Algorithms, Collective, Dependency, Execution, Messaging, MessagingParameters, Program,
    ProgramError, Region, Task, TaskGraph, Tasks, Trace, Work, read_goal, write_goal,
};

/// Cycles of a message by the adapter that a rank is on, and by another: it is handed over in the cycle after, and so
/// it is told.
const HOP: u64 = LATENCY + 1;
const FAR_HOP: u64 = HOP + 2;

fn host(number: u32) -> HostId {
    HostId::new(number)
}

/// Ranks on every so many hosts, which are their adapters.
fn program(tasks: impl Into<Tasks>, adapters: u32, parameters: &MessagingParameters) -> Program {
    let tasks = tasks.into();
    let ranks = u32::try_from(tasks.rank_count()).unwrap();
    let of_rank = |rank: u32| (0..adapters).map(move |nic| host(rank * adapters + nic));
    let all: Vec<Vec<HostId>> = (0..ranks).map(|rank| of_rank(rank).collect()).collect();
    let first: Vec<HostId> = all.iter().map(|hosts| hosts[0]).collect();
    let messaging = Messaging::new(parameters, 1.0).unwrap();
    let program = Program::new(tasks, messaging, &first, (ranks * adapters) as usize).unwrap();
    program.with_adapters(&all).unwrap()
}

/// A message of rank 0 to rank 1 by a queue pair.
fn one_message(nic: u8, bytes: u64) -> TaskGraph {
    let mut graph = TaskGraph::new(2);
    let sent = Task {
        nic,
        ..task(send(1, bytes))
    };
    graph.add(0, sent, &[]).unwrap();
    graph.add(1, task(receive(0)), &[]).unwrap();
    graph
}

/// Source, destination and generation of packets.
fn ways(packets: &[Travelling]) -> Vec<(u32, u32, u64)> {
    let way = |packet: &Travelling| (packet.2.number(), packet.1.number(), packet.5);
    packets.iter().map(way).collect()
}

#[test]
fn a_message_takes_the_adapters_that_its_send_names() {
    for (nic, from, to, ends) in [
        (0, 0, 3, [0, HOP]),
        (1, 1, 4, [0, FAR_HOP]),
        (2, 2, 5, [0, FAR_HOP]),
        // Beyond the last it begins again.
        (3, 0, 3, [0, HOP]),
        (5, 2, 5, [0, FAR_HOP]),
    ] {
        let (execution, packets) = run(&program(
            one_message(nic, 70),
            3,
            &MessagingParameters::default(),
        ));
        let begun = u64::from(from > 0);
        assert_eq!(ways(&packets), [(from, to, begun)], "nic {nic}");
        let found = [0, 1].map(|rank| execution.finish_cycle(rank).unwrap());
        assert_eq!(found, ends, "nic {nic}");
    }
}

#[test]
fn announcement_call_and_message_take_the_same_adapters() {
    let parameters = MessagingParameters {
        eager_bytes: 10,
        control_bytes: 4,
        ..MessagingParameters::default()
    };
    let (execution, packets) = run(&program(one_message(1, 70), 2, &parameters));
    let [call, data] = [FAR_HOP, 2 * FAR_HOP];
    assert_eq!(
        ways(&packets),
        [(1, 3, 1), (3, 1, call + 1), (1, 3, data + 1)]
    );
    assert_eq!(execution.finish_cycle(1), Some(3 * FAR_HOP));
    // It knows in the cycle after that its message was sent.
    assert_eq!(execution.finish_cycle(0), Some(data + 2));
}

#[test]
fn messages_by_two_adapters_are_seen_in_the_order_they_were_sent() {
    let mut graph = TaskGraph::new(2);
    for nic in [1, 0] {
        let work = send(1, u64::from(nic));
        graph.add(0, Task { nic, ..task(work) }, &[]).unwrap();
    }
    graph.add(1, task(receive(0)), &[]).unwrap();
    let first = Dependency::end(0);
    graph.add(1, task(receive(0)), &[first]).unwrap();
    let (execution, packets) = run(&program(graph, 2, &MessagingParameters::default()));
    // The second is there first, and waits for the first.
    assert_eq!(ways(&packets), [(0, 2, 0), (1, 3, 1)]);
    assert_eq!(execution.finish_cycle(1), Some(FAR_HOP));
}

/// An operation of ranks with so many adapters each, and for each of these packets, bytes and the last delivery.
fn by_adapter(
    operation: &str,
    (ranks, adapters): (u32, u32),
    bytes: u64,
    algorithm: &str,
) -> (Execution, Vec<(u64, u64, u64)>) {
    let mut algorithms = Algorithms::default();
    algorithms.choose(operation, algorithm).unwrap();
    let collective = Collective::even(operation, ranks, 0, bytes).unwrap();
    let trace = Trace::of_collectives(ranks, &[collective]);
    let tasks = Tasks::of_trace(trace, &Region::default(), algorithms).unwrap();
    let parameters = MessagingParameters {
        packet_bytes: 1 << 20,
        eager_bytes: 1 << 40,
        ..MessagingParameters::default()
    };
    let (execution, packets) = run(&program(tasks, adapters, &parameters));
    assert!(execution.is_finished());
    let mut found = vec![(0, 0, 0); adapters as usize];
    for packet in packets {
        let [from, to] = [packet.2, packet.1].map(|host| host.number() % adapters);
        assert_eq!(from, to, "what leaves on a rail stays on it");
        let rail = &mut found[from as usize];
        *rail = (
            rail.0 + 1,
            rail.1 + u64::from(packet.4),
            rail.2.max(packet.0),
        );
    }
    (execution, found)
}

fn last_end(execution: &Execution, ranks: u32) -> u64 {
    let ends = (0..ranks).map(|rank| execution.finish_cycle(rank).unwrap());
    ends.max().unwrap()
}

#[test]
fn channels_take_an_adapter_each() {
    for ranks in 2..=64_u32 {
        let adapters = 2 + ranks % 3;
        let n = u64::from(ranks);
        let share = 5 * n;
        let bytes = u64::from(adapters) * share;
        let algorithm = format!("ring:channels={adapters}");
        for (operation, rounds, of_rank) in [
            ("allreduce", 2 * (n - 1), bytes),
            ("allgather", n - 1, bytes / n),
            ("reducescatter", n - 1, bytes / n),
        ] {
            let many = (ranks, adapters);
            let (execution, rails) = by_adapter(operation, many, of_rank, &algorithm);
            let last = |hop: u64| (rounds - 1) * hop + LATENCY;
            for (rail, found) in (0..).zip(rails) {
                let told = (found.0, found.1);
                let expected = (n * rounds, n * rounds * share / n);
                assert_eq!(told, expected, "{operation} of {ranks} by {adapters}");
                if rail > 0 {
                    assert_eq!(found.2, last(FAR_HOP) + 1, "{operation} of {ranks}");
                } else {
                    // At times it waits to be seen behind what was sent by another before it.
                    assert!((last(HOP)..=last(FAR_HOP)).contains(&found.2));
                }
            }
            assert_eq!(last_end(&execution, ranks), rounds * FAR_HOP);
        }
    }
}

#[test]
fn trees_and_aggregated_trees_take_an_adapter_a_channel() {
    for ranks in 2..=64_u32 {
        let n = u64::from(ranks);
        let (_, rails) = by_adapter("allreduce", (ranks, 2), 840, "double_tree:channels=4");
        let expected = 2 * 2 * (n - 1);
        let found = rails.iter().map(|rail| (rail.0, rail.1));
        let each = (expected, expected * 210);
        assert_eq!(found.collect::<Vec<_>>(), [each, each], "{ranks} ranks");
        let (_, rails) = by_adapter("allgather", (ranks, 3), 30, "pat:channels=3,aggregate=1");
        let found = rails.iter().map(|rail| (rail.0, rail.1));
        let each = (n * (n - 1), n * (n - 1) * 10);
        assert_eq!(found.collect::<Vec<_>>(), [each; 3], "{ranks} ranks");
    }
}

#[test]
fn exchanges_take_adapters_by_the_distance_of_ranks() {
    for ranks in 2..=64_u32 {
        for algorithm in ["at_once", "in_order", "scattered", "pairwise", "by_node"] {
            let adapters = 3;
            let (_, rails) = by_adapter("alltoall", (ranks, adapters), 7, algorithm);
            for (rail, found) in (0..).zip(rails) {
                let distances = (1..ranks).filter(|distance| distance % adapters == rail);
                let messages = u64::from(ranks) * distances.count() as u64;
                let found = (found.0, found.1);
                assert_eq!(found, (messages, 7 * messages), "{algorithm} of {ranks}");
            }
        }
    }
}

#[test]
fn one_adapter_of_each_is_as_none_named() {
    let works = &[&[send(1, 5)][..], &[receive(0)]];
    let parameters = MessagingParameters::default();
    let (execution, packets) = run(&program(in_order(works), 1, &parameters));
    assert_eq!(ways(&packets), [(0, 1, 0)]);
    assert_eq!(last_end(&execution, 2), HOP);
}

#[test]
fn adapters_that_do_not_fit_are_refused() {
    let graph = || in_order(&[&[send(1, 5)], &[receive(0)]]);
    let messaging = |parameters: &MessagingParameters| Messaging::new(parameters, 1.0).unwrap();
    let with = |adapters: &[&[u32]], parameters: &MessagingParameters| {
        let hosts = [host(0), host(2)];
        let program = Program::new(graph(), messaging(parameters), &hosts, 4).unwrap();
        let of_rank = |hosts: &&[u32]| hosts.iter().map(|&number| host(number)).collect();
        let adapters: Vec<Vec<HostId>> = adapters.iter().map(of_rank).collect();
        program.with_adapters(&adapters).map(|_| ())
    };
    let plain = MessagingParameters::default();
    assert_eq!(with(&[&[0, 1], &[2]], &plain), Ok(()));
    assert_eq!(
        with(&[&[0, 1]], &plain),
        Err(ProgramError::AdapterCount { found: 1, ranks: 2 })
    );
    assert_eq!(
        with(&[&[1, 0], &[2]], &plain),
        Err(ProgramError::OtherFirstAdapter { rank: 0 })
    );
    let (rank, last) = (1, 3);
    assert_eq!(
        with(&[&[0], &[2, 4]], &plain),
        Err(ProgramError::UnknownHost {
            rank,
            host: 4,
            last
        })
    );
    assert_eq!(
        with(&[&[0, 1], &[2, 1]], &plain),
        Err(ProgramError::SharedAdapter {
            rank: 1,
            owner: 0,
            host: 1
        })
    );
    assert_eq!(
        with(&[&[0, 1, 1], &[2]], &plain),
        Err(ProgramError::SharedAdapter {
            rank: 0,
            owner: 0,
            host: 1
        })
    );
    let room = MessagingParameters {
        receive_messages: 2,
        ..plain
    };
    assert_eq!(
        with(&[&[0, 1], &[2, 3]], &room),
        Err(ProgramError::RoomByAdapters { found: 2 })
    );
}

#[test]
fn operations_of_groups_keep_their_channels_apart() {
    let (ranks, adapters) = (6, 2);
    let mut algorithms = Algorithms::default();
    algorithms.choose("allreduce", "ring:channels=2").unwrap();
    let mut graph = TaskGraph::new(ranks as usize);
    // Two groups at once, then all of the ranks the other way round.
    for group in [&[0, 2, 4][..], &[5, 3, 1], &[5, 4, 3, 2, 1, 0]] {
        let count = u32::try_from(group.len()).unwrap();
        let collective = Collective::even("allreduce", count, 0, 240).unwrap();
        let waits = |&rank: &u32| {
            let is_last = group.len() > 3;
            // What a rank did ends with its last task.
            let last = graph.tasks(rank).count() as u64;
            Vec::from_iter(is_last.then(|| Dependency::end(last - 1)))
        };
        let waits: Vec<Vec<Dependency>> = group.iter().map(waits).collect();
        let ends = graph.add_collective(&collective, &algorithms, (group, 0), &waits);
        assert_eq!(ends.unwrap().len(), group.len());
    }
    let parameters = MessagingParameters::default();
    let (execution, packets) = run(&program(graph, adapters, &parameters));
    // Rounds of three, then of six, by the adapter that is a cycle away.
    assert_eq!(last_end(&execution, ranks), (4 + 10) * FAR_HOP);
    for rail in 0..adapters {
        let mine = |packet: &&Travelling| packet.2.number() % adapters == rail;
        let bytes = packets.iter().filter(mine).map(|packet| packet.4);
        assert_eq!(bytes.sum::<u32>(), 2 * 2 * 2 * 120 + 2 * 5 * 120);
    }
}

#[test]
fn groups_that_cannot_be_are_refused() {
    let add = |group: &[u32], algorithm: &str| {
        let mut algorithms = Algorithms::default();
        algorithms.choose("allgather", algorithm).unwrap();
        let count = u32::try_from(group.len()).unwrap();
        let collective = Collective::even("allgather", count, 0, 8).unwrap();
        let waits = vec![Vec::new(); group.len()];
        let mut graph = TaskGraph::new(4);
        graph.add_collective(&collective, &algorithms, (group, 0), &waits)
    };
    // A receive and a send, which are waited for, and the end.
    assert_eq!(add(&[3, 1], "ring").unwrap(), [3, 3]);
    let (found, rank_count) = (4, 4);
    assert_eq!(
        add(&[0, 4], "ring"),
        Err(ProgramError::UnknownRank { found, rank_count })
    );
    let found = 1;
    assert_eq!(
        add(&[1, 0, 1], "ring"),
        Err(ProgramError::RepeatedRank { found })
    );
    assert!(matches!(
        add(&[0, 1, 2], "recursive_doubling"),
        Err(ProgramError::UnusableAlgorithm { ranks: 3, .. })
    ));
}

#[test]
fn receives_of_operations_are_written_as_long_as_their_messages() {
    let algorithms = Algorithms::default();
    let collective = Collective::even("bcast", 3, 0, 70).unwrap();
    let mut graph = TaskGraph::new(3);
    let added = graph.add_collective(&collective, &algorithms, (&[2, 0, 1], 0), &vec![vec![]; 3]);
    added.unwrap();
    // One that takes any message has room for any.
    graph.add(1, task(send(0, 9)), &[]).unwrap();
    let (from, tag) = (None, Some(0));
    graph
        .add(0, task(Work::Receive { from, tag }), &[])
        .unwrap();
    let text = |graph: &TaskGraph| {
        let mut text = Vec::new();
        write_goal(graph, &mut text).unwrap();
        String::from_utf8(text).unwrap()
    };
    let rooms = |text: &str| {
        let receives = text.lines().filter_map(|line| line.split_once(": recv "));
        let rooms = receives.map(|(_, rest)| rest.split_once('b').unwrap().0.to_owned());
        rooms.collect::<Vec<_>>()
    };
    assert_eq!(rooms(&text(&graph)), ["17179869184", "17179869184", "70"]);
    let mut alone = TaskGraph::new(3);
    let added = alone.add_collective(&collective, &algorithms, (&[2, 0, 1], 0), &vec![vec![]; 3]);
    added.unwrap();
    let written = text(&alone);
    assert_eq!(rooms(&written), ["70", "70"]);
    let read = read_goal(written.as_bytes(), "run.goal").unwrap();
    let found = [alone, read].map(|graph| {
        let program = program(graph, 1, &MessagingParameters::default());
        ways(&run(&program).1)
    });
    assert_eq!(found[0], found[1]);
}
