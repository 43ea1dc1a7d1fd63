//! Collective operations that ranks of a trace start and wait for later: they overlap with what comes after, take as
//! long as those that are waited for at once, and are refused where they make no sense.
//!
//! On the network every message takes `HOP` cycles of 1 ns.

use crate::network::{LATENCY, run};
use crate::traces::{read, refusal};
use weft_fabric::HostId;
use weft_model::workload::program::{
    Action, Algorithms, Collective, Execution, Messaging, MessagingParameters, Program, Region,
    Tasks, Work,
};
use weft_testing::table;

const HOP: u64 = LATENCY + 1;

fn program(text: &str, allreduce: &str, parameters: &MessagingParameters) -> Program {
    let mut algorithms = Algorithms::default();
    algorithms.choose("allreduce", allreduce).unwrap();
    let tasks = Tasks::of_trace(read(text).unwrap(), &Region::default(), algorithms).unwrap();
    let hosts: Vec<HostId> = (0..tasks.rank_count()).map(HostId::from_index).collect();
    let messaging = Messaging::new(parameters, 1.0).unwrap();
    Program::new(tasks, messaging, &hosts, hosts.len()).unwrap()
}

fn replay(text: &str) -> Execution {
    run(&program(text, "ring", &MessagingParameters::default())).0
}

/// The same lines for each rank.
fn each(ranks: usize, lines: &[&str]) -> String {
    let of = |rank| lines.iter().map(move |line| format!("{rank} {line}\n"));
    (0..ranks).flat_map(of).collect()
}

/// The end of the last rank, which all have.
fn end(execution: &Execution, ranks: u32) -> u64 {
    let ends = (0..ranks).map(|rank| execution.finish_cycle(rank).unwrap());
    ends.max().unwrap()
}

#[test]
fn an_operation_overlaps_with_computing_and_takes_the_longer_of_both_times() {
    for ranks in [2_u32, 3, 4, 8] {
        // A ring's allreduce: twice n − 1 hops.
        let alone = 2 * u64::from(ranks - 1) * HOP;
        for compute in [1, alone - 1, alone, alone + 1, 5000] {
            let lines = [
                "iallreduce 64 0 6",
                &format!("compute {compute}"),
                "wait 0 0 -4446",
                "compute 7",
            ];
            let execution = replay(&each(ranks as usize, &lines));
            assert_eq!(end(&execution, ranks), alone.max(compute) + 7);
        }
    }
}

#[test]
fn it_goes_on_at_a_rank_that_computes() {
    // Dissemination among four: two rounds. Rank 0 is busy until long after.
    let busy = "0 ibarrier\n0 compute 1000\n0 wait 0 0 -779\n".to_owned();
    let other = |rank: u32| format!("{rank} ibarrier\n{rank} waitall 1\n");
    let text = busy + &(1..4).map(other).collect::<String>();
    let execution = replay(&text);
    let ends: Vec<_> = (0..4).map(|rank| execution.finish_cycle(rank)).collect();
    let others = Some(2 * HOP);
    assert_eq!(ends, [Some(1000), others, others, others]);
}

#[test]
fn what_it_combines_and_sends_takes_a_processor_of_its_own() {
    let parameters = MessagingParameters {
        send_message_ns: 5.0,
        receive_message_ns: 3.0,
        reduce_byte_ns: 2.0,
        ..MessagingParameters::default()
    };
    let text = each(
        2,
        &["iallreduce 8 0 6", "compute 20", "waitall", "compute 1"],
    );
    let (execution, _) = run(&program(&text, "recursive_doubling", &parameters));
    // Sent, under way, received, combined: more than is computed meanwhile.
    let operation = 5 + HOP + 3 + 2 * 8;
    assert_eq!(end(&execution, 2), operation + 1);
    let text = each(
        2,
        &["iallreduce 8 0 6", "compute 200", "waitall", "compute 1"],
    );
    let (execution, _) = run(&program(&text, "recursive_doubling", &parameters));
    assert_eq!(end(&execution, 2), 201);
}

#[test]
fn several_go_on_beside_one_another_whatever_they_are_waited_for_in() {
    // Roots 0 and 1: one hop each, at the same time; one after the other they take two.
    let lines = [
        "ibcast 8 0 6",
        "ibcast 8 1 6",
        "ireduce 8 0 0 6",
        "iallgather 8 8 6 6",
        "wait 9 9 -557",
        "wait 0 0 -113",
        "wait 0 0 -3335",
        "wait 0 0 -3335",
    ];
    assert_eq!(end(&replay(&each(2, &lines)), 2), HOP);
    let blocking = each(2, &["bcast 8 0 6", "bcast 8 1 6"]);
    assert_eq!(end(&replay(&blocking), 2), 2 * HOP);
}

#[test]
fn messages_of_one_are_not_taken_for_those_of_another() {
    let text = each(
        2,
        &["igather 2000 2000 0 6 6", "igather 8 8 0 6 6", "waitall"],
    );
    let text = text + "0 recv 1 0 4 6\n1 send 0 0 4 6\n";
    let program = program(&text, "ring", &MessagingParameters::default());
    let tags: Vec<u32> = program
        .tasks(0, usize::MAX)
        .iter()
        .filter_map(|(task, _)| match task.work {
            Work::Receive { tag, .. } => tag,
            _ => None,
        })
        .collect();
    let [first, second, application] = tags[..] else {
        panic!("rank 0 receives {tags:?}")
    };
    assert_ne!(first, second);
    assert!(first.min(second) >= 1 << 31 && application == 0);
    assert!(run(&program).0.is_finished());
}

#[test]
fn every_one_sends_what_the_blocking_one_sends_and_takes_as_long() {
    for ranks in [1_usize, 2, 3, 5, 8] {
        let list = |bytes: u64| format!(" {bytes}").repeat(ranks);
        let operations = [
            "barrier".to_owned(),
            "bcast 100 0 6".to_owned(),
            "reduce 100 30 0 6".to_owned(),
            "allreduce 100 30 6".to_owned(),
            "scan 100 30 6".to_owned(),
            "exscan 100 0 6".to_owned(),
            "alltoall 40 40 6 6".to_owned(),
            "allgather 40 40 6 6".to_owned(),
            "gather 40 40 0 6 6".to_owned(),
            "scatter 40 40 0 6 6".to_owned(),
            format!("alltoallv 9{} 9{} 6 6", list(40), list(40)),
            format!("allgatherv 40{} 6 6", list(40)),
            format!("gatherv 40{} 0 6 6", list(40)),
            format!("scatterv{} 40 0 6 6", list(40)),
            format!("reducescatter{} 30 6", list(40)),
        ];
        for operation in &operations {
            let parameters = MessagingParameters {
                send_message_ns: 4.0,
                receive_message_ns: 2.0,
                ..MessagingParameters::default()
            };
            let cost = |text: String| {
                let program = program(&text, "automatic", &parameters);
                let (execution, packets) = run(&program);
                assert!(execution.is_finished(), "{operation}");
                let names = program.collectives();
                let name = names.keys().next().map_or("", |entry| entry.0);
                (
                    execution.message_counts(),
                    packets
                        .iter()
                        .map(|packet| u64::from(packet.4))
                        .sum::<u64>(),
                    end(&execution, u32::try_from(ranks).unwrap()),
                    name,
                )
            };
            let blocking = cost(each(ranks, &[operation]));
            let started = cost(each(ranks, &[&format!("i{operation}"), "waitall"]));
            assert_eq!(
                (blocking.0, blocking.1, blocking.2),
                (started.0, started.1, started.2)
            );
            if ranks > 1 {
                assert_eq!(started.3, format!("i{}", blocking.3));
            }
        }
    }
}

#[test]
fn lines_are_those_that_simgrid_writes() {
    // SimGrid 4.1's ends of a wait for one are those of no rank at rank 0, and of the rank before elsewhere.
    let text = "0 iscan 4 0 1\n1 iscan 4 0 1\n0 test -333 -333 -889\n1 testall\n1 testany\n1 testsome\n\
                0 wait -333 -333 -889\n1 wait 0 0 -889\n0 comm_split\n1 comm_dup\n0 comm_size 2\n";
    let trace = read(text).unwrap();
    let all: Vec<(u32, Action)> = trace.actions(1).collect();
    let tag = (1 << 31) + 889;
    let (bytes, ns) = (16, 0.0);
    let collective = Collective::AllReduce { bytes, ns };
    let wait = Action::Wait {
        from: 1,
        to: 1,
        tag,
    };
    let started = Action::StartCollective { tag, collective };
    assert_eq!(all, [(2, started), (8, wait)]);
    assert_eq!(trace.actions(0).last().unwrap().0, 7);
    assert_eq!(end(&replay(text), 2), 2 * HOP);
}

#[test]
fn a_wait_between_a_rank_and_itself_is_for_an_operation_unless_for_a_message() {
    let text = each(2, &["ibarrier", "wait 1 1 0", "compute 3"]);
    assert_eq!(end(&replay(&text), 2), HOP + 3);
    // Here it is for the message: there at once.
    let text = "0 ibarrier\n0 irecv 0 5 1 6\n0 send 0 5 1 6\n0 wait 0 0 5\n0 compute 3\n\
                1 compute 100\n1 ibarrier\n";
    let execution = replay(text);
    assert_eq!(end(&execution, 2), 100 + HOP);
    let blocked = each(
        1,
        &["irecv 0 5 1 6", "send 0 5 1 6", "wait 0 0 5", "compute 3"],
    );
    assert_eq!(replay(&blocked).finish_cycle(0), Some(3));
}

#[test]
fn what_nobody_waits_for_is_over_at_the_end() {
    let execution = replay(&each(2, &["iallreduce 64 0 6", "compute 1"]));
    assert!(execution.is_finished());
    assert_eq!(end(&execution, 2), 2 * HOP);
}

#[test]
fn what_nobody_waits_for_is_over_before_the_same_begins_again() {
    let text = each(2, &["iallreduce 64 0 6", "compute 1"]);
    let tasks = Tasks::of_trace(read(&text).unwrap(), &Region::default(), {
        let mut algorithms = Algorithms::default();
        algorithms.choose("allreduce", "ring").unwrap();
        algorithms
    });
    let hosts = [HostId::new(0), HostId::new(1)];
    let messaging = Messaging::new(&MessagingParameters::default(), 1.0).unwrap();
    let program = Program::new(tasks.unwrap().repeated(3), messaging, &hosts, 2).unwrap();
    assert_eq!(end(&run(&program).0, 2), 3 * 2 * HOP);
}

#[test]
fn mistakes_have_their_lines() {
    for [text, expected] in table(
        r"
        0 compute 1\n0 ibcast\n
            run.ti:2: ibcast ends before its count; the line is cut short
        0 iallreduce 4 x 1\n
            run.ti:1: found “x” for the flops of iallreduce; expected 0 or more
        0 ialltoallv 1 2 3\n
            run.ti:1: found 3 numbers after ialltoallv; expected 4 for 1 ranks, and up to 2 more:
            datatypes
        0 ireduce 4 0 7 1\n
            run.ti:1: ireduce names rank 7; the trace has ranks 0 to 0
        0 ibarrier\n0 wait 0 0 -12\n
            run.ti:2: found -12 for the tag of wait; expected 0 to 2147483647
        0 ibarrier\n0 wait 0 0\n
            run.ti:2: wait ends before its tag; the line is cut short
        0 iallreduce 4 0 1\n1 compute 1\n1 allreduce 4 0 1\n
            run.ti:3: collective operation 1 of rank 1 is allreduce of 16 bytes, that of rank 0
            (line 1) iallreduce of 16 bytes; expected the same of all ranks: the format has no
            communicators of some
        0 ibarrier\n0 ibcast 4 0 1\n1 ibarrier\n
            run.ti:3: rank 1 ends before collective operation 2, ibcast of 16 bytes with root 0
            (rank 0, line 2); the trace is cut short
        0 ireducescatter 3 4 0 1\n1 ireducescatter 3 5 0 1\n
            run.ti:2: ireducescatter of rank 1 lists 20 bytes for rank 1, that of rank 0 (run.ti:1)
            16; expected the same of all ranks
    ",
    ) {
        assert_eq!(refusal(&text), expected);
    }
    let unknown = refusal("0 iibarrier\n");
    assert!(unknown.starts_with("run.ti:1: found action “iibarrier”, which cannot be replayed"));
}
