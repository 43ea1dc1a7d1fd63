//! Traces of applications: what is read, what is replayed, what is refused.

use crate::network::run;
use std::path::Path;
use weft_fabric::HostId;
use weft_model::workload::program::{
    Action, Algorithms, Collective, Computing, Execution, Messaging, MessagingParameters, Program,
    Region, Tasks, TimeIndependentReader, Trace, TraceError, TraceFile, open_trace, read_goal,
};
use weft_testing::{refusals, table};

pub(crate) fn read(text: &str) -> Result<Trace, TraceError> {
    let mut reader = TimeIndependentReader::new(Computing::default());
    reader.read(text.as_bytes(), "run.ti")?;
    reader.finish()
}

fn tasks(text: &str, region: &str) -> Result<Tasks, TraceError> {
    let region: Region = region.parse().unwrap();
    Tasks::of_trace(read(text)?, &region, Algorithms::default())
}

fn placed(tasks: impl Into<Tasks>, parameters: &MessagingParameters) -> Program {
    let tasks = tasks.into();
    let hosts: Vec<HostId> = (0..tasks.rank_count()).map(HostId::from_index).collect();
    let messaging = Messaging::new(parameters, 1.0).unwrap();
    Program::new(tasks, messaging, &hosts, hosts.len()).unwrap()
}

fn replay(text: &str) -> Execution {
    run(&placed(
        tasks(text, "..").unwrap(),
        &MessagingParameters::default(),
    ))
    .0
}

pub(crate) fn refusal(text: &str) -> String {
    tasks(text, "..").unwrap_err().to_string()
}

#[test]
fn actions_are_what_the_lines_say() {
    let text = "0 init\n# a comment\n\n0 compute 1.5e3\n0 isend 1 7 3 0\n1 init\n\
                1 irecv 0 7 5 1\n1 wait 0 1 7 \n0 waitall 1\n0 bcast 4 1 1\n1 bcast 4 1 1\n\
                0 reduce 2 0 0 6 \n1 reduce 2 0 0 6\n0 finalize\n1 finalize\n";
    let trace = read(text).unwrap();
    let first: Vec<(u32, Action)> = trace.actions(0).collect();
    let collective = Action::Collective;
    let broadcast = collective(Collective::Broadcast { root: 1, bytes: 16 });
    let reduce = collective(Collective::Reduce {
        root: 0,
        bytes: 2,
        ns: 0.0,
    });
    assert_eq!(
        first,
        [
            (4, Action::Compute { ns: 1500.0 }),
            (
                5,
                Action::StartSend {
                    to: 1,
                    tag: 7,
                    bytes: 24
                }
            ),
            (9, Action::WaitAll),
            (10, broadcast),
            (12, reduce),
        ]
    );
}

#[test]
fn a_blocking_process_goes_on_when_its_message_is_there() {
    let execution = replay(
        "0 compute 100\n0 send 1 0 8 6\n0 recv 1 0 8 6\n\
         1 irecv 0 0 8 6\n1 compute 30\n1 wait 0 1 0\n1 send 0 0 8 6\n",
    );
    assert_eq!(execution.finish_cycle(1), Some(111));
    assert_eq!(execution.finish_cycle(0), Some(122));
}

#[test]
fn a_wait_for_nothing_is_no_wait_and_the_oldest_request_is_waited_for_first() {
    let execution = replay(
        "0 irecv 1 5 8 6\n0 irecv 1 5 8 6\n0 wait 1 0 9\n0 wait 1 0 5\n0 compute 1000\n\
         0 wait 1 0 5\n1 send 0 5 8 6\n1 compute 500\n1 send 0 5 8 6\n",
    );
    assert_eq!(execution.finish_cycle(0), Some(1011));
}

#[test]
fn both_parts_of_a_sendrecv_happen_at_once() {
    let execution = replay("0 sendRecv 8 1 8 1 6 6\n1 sendRecv 8 0 8 0 6 6\n");
    assert_eq!(execution.finish_cycle(0), Some(11));
    assert_eq!(execution.message_counts(), (2, 2));
}

#[test]
fn the_clock_is_taken_off_and_speed_makes_time_of_flops() {
    let computing = Computing {
        flops_per_s: 2e9,
        less_ns: 850.0,
    };
    let mut reader = TimeIndependentReader::new(computing);
    reader
        .read("0 compute 2000\n0 compute 1000\n".as_bytes(), "run.ti")
        .unwrap();
    let actions: Vec<Action> = reader.finish().unwrap().actions(0).map(|a| a.1).collect();
    let times = [Action::Compute { ns: 150.0 }, Action::Compute { ns: 0.0 }];
    assert_eq!(actions, times);
}

#[test]
fn operations_that_list_a_count_for_each_rank_are_what_the_lines_say() {
    // As SimGrid 3.32 writes them: three ranks, root 1, numbers of 8 bytes, then of 4.
    let text = "0 gatherv 3 0 0 0 1 0 0\n0 scatterv 0 0 0 3 1 0 0\n0 allgatherv 3 3 5 7 1 1\n\
                0 reducescatter 3 5 7 0 1\n0 alltoallv 9 1 2 3 9 1 4 7 1 1\n\
                1 gatherv 5 3 5 7 1 0 0\n1 scatterv 3 5 7 5 1 0 0\n1 allgatherv 5 3 5 7 1 1\n\
                1 reducescatter 3 5 7 0 1\n1 alltoallv 9 4 5 6 9 2 5 8 1 1\n\
                2 gatherv 7 0 0 0 1 0 0\n2 scatterv 0 0 0 7 1 0 0\n2 allgatherv 7 3 5 7 1 1\n\
                2 reducescatter 3 5 7 0 1\n2 alltoallv 9 7 8 9 9 3 6 9 1 1\n";
    let trace = read(text).unwrap();
    let of = |rank| trace.actions(rank).map(|action| action.1);
    let expected = |bytes, (scattered, gathered), (to, from): ([u64; 3], [u64; 3])| {
        let parts = vec![12, 20, 28];
        [
            Collective::GatherV {
                root: 1,
                bytes,
                parts: gathered,
            },
            Collective::ScatterV {
                root: 1,
                parts: scattered,
                bytes: Some(bytes),
            },
            Collective::AllGatherV {
                parts: parts.clone(),
                own: Some(bytes / 2),
            },
            Collective::ReduceScatter { parts, ns: 0.0 },
            Collective::AllToAllV {
                to: to.to_vec(),
                from: from.to_vec(),
            },
        ]
        .map(Action::Collective)
        .to_vec()
    };
    let (nothing, all) = ((vec![], vec![]), (vec![24, 40, 56], vec![24, 40, 56]));
    let found: Vec<Vec<Action>> = (0..3).map(|rank| of(rank).collect()).collect();
    let exchanged = [
        ([4, 8, 12], [4, 16, 28]),
        ([16, 20, 24], [8, 20, 32]),
        ([28, 32, 36], [12, 24, 36]),
    ];
    assert_eq!(found[0], expected(24, nothing.clone(), exchanged[0]));
    assert_eq!(found[1], expected(40, all, exchanged[1]));
    assert_eq!(found[2], expected(56, nothing, exchanged[2]));
    assert!(replay(text).is_finished());
}

#[test]
fn datatypes_may_be_missing_and_numbers_be_written_as_floats() {
    let text = "0 gatherv 2 2 1\n0 allgatherv 2 2 1\n0 reducescatter 2 1 1e3\n0 sleep 1e-6\n\
                0 send 1 0 1e6\n1 gatherv 1 2 1\n1 allgatherv 1 2 1\n1 reducescatter 2 1 1e3\n\
                1 recv 0 0 1e6\n";
    let computing = Computing {
        flops_per_s: 5e8,
        less_ns: 850.0,
    };
    let mut reader = TimeIndependentReader::new(computing);
    reader.read(text.as_bytes(), "run.ti").unwrap();
    let trace = reader.finish().unwrap();
    let found: Vec<Action> = trace.actions(0).map(|action| action.1).collect();
    let parts = vec![2, 1];
    let reduction = Collective::ReduceScatter {
        parts: parts.clone(),
        ns: 2000.0,
    };
    let expected = [
        Action::Collective(Collective::GatherV {
            root: 0,
            bytes: 2,
            parts: parts.clone(),
        }),
        Action::Collective(Collective::AllGatherV {
            parts,
            own: Some(2),
        }),
        Action::Collective(reduction),
        Action::Compute { ns: 1000.0 },
        Action::Send {
            to: 1,
            tag: 0,
            bytes: 1_000_000,
        },
    ];
    assert_eq!(found, expected);
}

#[test]
fn lengths_that_a_line_leaves_out_are_those_of_the_other_end() {
    // The root's data stay in place; ranks beside the root neither give nor know what the root gets.
    let trace =
        read("0 gather 0 5 0 1 1\n0 scatter 5 0 0 1 1\n1 gather 5 0 1 1\n1 scatter 0 5 0 1 1\n");
    let trace = trace.unwrap();
    let (root, bytes) = (0, 20);
    let both = [
        Action::Collective(Collective::Gather { root, bytes }),
        Action::Collective(Collective::Scatter { root, bytes }),
    ];
    for rank in 0..2 {
        let found: Vec<Action> = trace.actions(rank).map(|action| action.1).collect();
        assert_eq!(found, both);
    }
}

#[test]
fn lengths_and_times_beyond_reason_are_refused() {
    for [text, expected] in table(
        r"
        0 compute 1\n0 send 0 1 2147483649 0\n
            run.ti:2: found 2147483649 for the count of send, of 8 bytes each; expected no more than
            17179869184 bytes in all
        0 alltoallv 1 99999999999 1 1\n
            run.ti:1: found 99999999999 for the count of alltoallv, of 1 bytes each; expected no
            more than 17179869184 bytes in all
        0 compute 1e300\n
            run.ti:1: found “1e300” for the flops of compute; expected no more than take 1e13 ns, or
            a faster host traced (flops per second)
    ",
    ) {
        assert_eq!(refusal(&text), expected);
    }
    let goal = |line: &str| {
        let text = format!("num_ranks 1\nrank 0 {{\n{line}\n}}\n");
        read_goal(text.as_bytes(), "run.goal")
    };
    refusals! {
        goal("a: send 17179869185b to 0") =>
            "run.goal:3: a message of 17179869185 bytes; expected no more than 17179869184";
        goal("a: calc 10000000000001") =>
            "run.goal:3: computing for 10000000000001 ns; expected 0 to 1e13";
    }
}

#[test]
fn counts_are_doubles_where_init_has_an_argument() {
    let trace = read("0 init 1\n0 send 0 1 3\n0 recv 0 1 3\n0 finalize\n").unwrap();
    let send = trace.actions(0).next().unwrap().1;
    assert_eq!(
        send,
        Action::Send {
            to: 0,
            tag: 1,
            bytes: 24
        }
    );
}

#[test]
fn a_region_is_replayed_alone() {
    let text = "0 send 1 3 8 6\n0 barrier\n0 compute 9\n0 barrier\n0 compute 40\n0 reduce 1 0 0 6\n\
                1 recv 0 3 8 6\n1 barrier\n1 barrier\n1 compute 50\n1 reduce 1 0 0 6\n";
    let execution = |region| {
        let program = placed(
            tasks(text, region).unwrap(),
            &MessagingParameters::default(),
        );
        run(&program).0
    };
    let timed = execution("barrier:last..reduce");
    assert_eq!(
        (timed.finish_cycle(0), timed.finish_cycle(1)),
        (Some(40), Some(50))
    );
    assert_eq!(timed.message_counts(), (0, 0));
    let both = execution("barrier:1+barrier:1..reduce");
    assert_eq!(
        (both.finish_cycle(0), both.finish_cycle(1)),
        (Some(40), Some(50))
    );
}

#[test]
fn regions_that_are_not_there_are_refused() {
    let refuse = |region: &str| tasks("0 barrier\n0 compute 1\n", region);
    refusals! {
        refuse("barrier:2..") =>
            "run.ti:2: rank 0 ends before barrier number 2, where the region begins or ends";
        refuse("nothing..") =>
            "the region begins or ends at “nothing”, which no rank of the trace has; it has barrier, compute";
        refuse("barrier..compute") =>
            "the region holds no action of any rank; expected an end further on than the beginning";
    }
    assert!(refuse("barrier..").is_ok() && refuse("..compute").is_ok());
    let text = |region: &str| region.parse::<Region>().unwrap_err().to_string();
    assert!(text("barrier").starts_with("region “barrier”: found no “..”; expected BEGIN..END"));
    assert!(text("barrier:0..").contains("found “0” for the number of an occurrence"));
}

#[test]
fn lines_that_cannot_be_understood_have_their_place() {
    for [text, problem] in table(
        r"
        0 compute\n
            run.ti:1: compute ends before its flops; the line is cut short
        0 compute x\n
            run.ti:1: found “x” for the flops of compute; expected 0 or more
        \nzero compute 1\n
            run.ti:2: found “zero”, expected the number of a rank
        0\n
            run.ti:1: the line ends before its action; it is cut short
        0 send 1 2 3 -1\n
            run.ti:1: send counts datatype -1, whose size the trace does not tell; expected 0 to
            55
        0 send 1 2 -3 1\n
            run.ti:1: found -3 for the count of send; expected 0 or more
        0 irecv -333 9 1 0\n
            run.ti:1: irecv from any rank (-333): the trace does not tell whose message it was;
            expected a program without MPI_ANY_SOURCE
        0 recv 0 -444 1 0\n
            run.ti:1: recv with any tag (-444): the trace does not tell which message it was;
            expected a program without MPI_ANY_TAG
        1 compute 1\n
            the trace has no line of rank 0; expected all of ranks 0 to 1
        0 init\n0 compute 1\n
            run.ti:2: rank 0 ends here without finalize; the trace is cut short
        # cut at once\n0 init\n
            run.ti:2: rank 0 ends here without finalize; the trace is cut short
        0 finalize\n0 compute 1\n
            run.ti:2: rank 0 goes on after its finalize
        0 compute 1\n0 send 3 0 1 1\n
            run.ti:2: send names rank 3; the trace has ranks 0 to 0
        0 alltoallv 1 2 3\n
            run.ti:1: found 3 numbers after alltoallv; expected 4 for 1 ranks, and up to 2 more:
            datatypes
        0 gatherv 1\n
            run.ti:1: found 1 numbers after gatherv; expected 2 for 1 ranks, and up to 3 more: root
            and datatypes
        0 compute 2\n0 scatterv 1 x\n0 barrier\n
            run.ti:2: found “x” for the count of scatterv; expected a whole number
        0 send 0 1 2.5 1\n
            run.ti:1: found “2.5” for the count of send; expected a whole number
        ``
            the trace is empty
    ",
    ) {
        assert_eq!(refusal(&text), problem);
    }
    assert!(refusal("0 Bcast 3\n").starts_with(
        "run.ti:1: found action “Bcast”, which cannot be replayed; expected one of init, finalize"
    ));
}

#[test]
fn processes_that_do_not_fit_together_are_refused() {
    for [text, expected] in table(
        r"
        0 compute 1\n0 send 1 4 1 1\n0 send 1 4 1 1\n1 recv 0 4 1 1\n
            run.ti:3: message 2 of rank 0 to rank 1 with tag 4 is never received: rank 1 receives
            only 1 of them, rank 0 sends 2; the trace is cut short, or another one's
        0 compute 1\n1 recv 0 4 1 1\n
            run.ti:2: message 1 of rank 0 to rank 1 with tag 4 is never sent: rank 0 sends only 0 of
            them, rank 1 receives 1; the trace is cut short, or another one's
        0 barrier\n1 bcast 4 0 1\n
            run.ti:2: collective operation 1 of rank 1 is bcast of 16 bytes with root 0, that of
            rank 0 (line 1) barrier; expected the same of all ranks: the format has no communicators
            of some
        0 reducescatter 3 4 0 1\n1 reducescatter 3 5 0 1\n
            run.ti:2: reducescatter of rank 1 lists 20 bytes for rank 1, that of rank 0 (run.ti:1)
            16; expected the same of all ranks
        0 barrier\n0 barrier\n1 barrier\n
            run.ti:3: rank 1 ends before collective operation 2, barrier (rank 0, line 2); the trace
            is cut short
    ",
    ) {
        assert_eq!(refusal(&text), expected);
    }
}

#[test]
fn ranks_that_wait_for_each_other_are_named_with_their_lines() {
    let text = "0 recv 1 0 1 1\n0 send 1 0 1 1\n1 recv 0 0 1 1\n1 send 0 0 1 1\n";
    let execution = replay(text);
    let lines: Vec<(u32, u32)> = execution
        .blocked()
        .iter()
        .map(|b| (b.rank, b.task.line))
        .collect();
    assert_eq!(lines, [(0, 1), (1, 3)]);
}

#[test]
fn a_recorded_application_comes_to_its_end() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/is.S.16.ti.zst");
    let computing = Computing {
        less_ns: 850.0,
        ..Computing::default()
    };
    let TraceFile::TimeIndependent(trace) = open_trace(&path, computing).unwrap() else {
        unreachable!("it is a time-independent trace")
    };
    assert_eq!(trace.rank_count(), 16);
    let exchanges =
        |action: &Action| matches!(action, Action::Collective(Collective::AllToAllV { .. }));
    assert_eq!(trace.actions(0).filter(|a| exchanges(&a.1)).count(), 11);
    let bytes: u64 = (0..16)
        .flat_map(|rank| trace.actions(rank).filter(|a| exchanges(&a.1)).skip(1))
        .map(|(_, action)| match action {
            Action::Collective(Collective::AllToAllV { to, .. }) => to.iter().sum(),
            _ => 0,
        })
        .sum();
    assert_eq!(bytes, 2_621_440, "65,536 keys of 4 bytes, ten times");
    let region = "alltoallv+compute..reduce".parse().unwrap();
    let tasks = Tasks::of_trace(trace, &region, Algorithms::default()).unwrap();
    let (execution, _) = run(&placed(tasks, &MessagingParameters::default()));
    assert!(execution.is_finished());
    // Ten times: all reduce of 2,068 bytes (halving and doubling: 4 + 4 rounds), Bruck's 4 rounds,
    // and 15 messages of each rank.
    let messages = 10 * 16 * (8 + 4 + 15);
    assert_eq!(execution.message_counts(), (messages, messages));
}

#[test]
fn a_list_names_one_file_per_rank() {
    let folder = std::env::temp_dir().join(format!("weft-trace-list-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("list.txt"), "rank0.ti\nrank1.ti\n").unwrap();
    std::fs::write(folder.join("rank0.ti"), "0 send 1 0 1 1\n").unwrap();
    std::fs::write(folder.join("rank1.ti"), "1 recv 0 0 1 1\n").unwrap();
    let opened = open_trace(&folder.join("list.txt"), Computing::default());
    let missing = folder.join("list.txt.gone");
    let error = open_trace(&missing, Computing::default()).unwrap_err();
    std::fs::remove_dir_all(&folder).unwrap();
    let TraceFile::TimeIndependent(trace) = opened.unwrap() else {
        unreachable!("it is a time-independent trace")
    };
    assert!(trace.file(1).ends_with("rank1.ti"));
    assert!(
        error
            .to_string()
            .starts_with(&missing.display().to_string()),
        "{error}"
    );
}

#[test]
fn a_file_that_is_no_trace_is_named_with_what_was_expected() {
    let folder = std::env::temp_dir().join(format!("weft-no-trace-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let packed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/is.S.16.ti.zst");
    let packed = std::fs::read(packed).unwrap();
    let refusal = |content: &[u8]| {
        let path = folder.join("run.ti");
        std::fs::write(&path, content).unwrap();
        let error = open_trace(&path, Computing::default()).unwrap_err();
        error
            .to_string()
            .replace(&path.display().to_string(), "run.ti")
    };
    for (content, problem) in [
        (&b""[..], "run.ti: the trace is empty"),
        (
            b"1 compute 3\n",
            "run.ti: the trace has no line of rank 0; expected all of ranks 0 to 1",
        ),
        (
            b"\n{\n",
            "run.ti:2: found “{” (no such file or directory); expected a line of a trace, such as \
             0 send 1 7 2800, or the name of a file with such lines",
        ),
        (
            b"0 \xff\n",
            "run.ti:1: found bytes that are no text; expected a trace (time-independent or GOAL)",
        ),
        (
            &packed[..packed.len() / 2],
            "run.ti: what zstd packed is cut short, copy it again in full; expected a trace \
             (time-independent or GOAL)",
        ),
    ] {
        assert_eq!(refusal(content), problem);
    }
    let error = open_trace(&folder, Computing::default()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains(": is a directory; expected a trace (time-independent or GOAL)")
    );
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn lengths_are_counts_of_datatypes() {
    let sizes = [
        (0, 8),
        (6, 1),
        (14, 16),
        (23, 4),
        (26, 16),
        (32, 16),
        (40, 8),
        (43, 16),
        (49, 16),
        (54, 8),
        (55, 8),
    ];
    for (datatype, size) in sizes {
        let text = format!("0 send 1 7 3 {datatype}\n1 recv 0 7 3 {datatype}\n");
        let bytes = 3 * size;
        let sent = Action::Send {
            to: 1,
            tag: 7,
            bytes,
        };
        assert_eq!(
            read(&text).unwrap().actions(0).next(),
            Some((1, sent)),
            "{datatype}"
        );
    }
}

#[test]
fn goal_schedules_are_graphs() {
    let text = "num_ranks 2\n/* two\n ranks */ rank 0 {\n  b: send 8b to 1 tag 7 cpu 0\n  a: calc 40\n\
                b requires a\n}\nrank 1 {\n  l1: recv 8b from -1 tag -1\n  l2: calc 5 // beside it\n\
                l2 irequires l1\n}\n";
    let graph = read_goal(text.as_bytes(), "run.goal").unwrap();
    assert_eq!(graph.task_count(), 4);
    let (execution, _) = run(&placed(graph, &MessagingParameters::default()));
    assert_eq!(execution.finish_cycle(0), Some(40));
    assert_eq!(execution.finish_cycle(1), Some(51));
    assert_eq!(execution.account(1, 1_000).computing_cycles, 5);
}

#[test]
fn goal_schedules_that_make_no_sense_are_refused() {
    let refuse = |text: &str| {
        read_goal(text.as_bytes(), "run.goal")
            .unwrap_err()
            .to_string()
    };
    for [text, problem] in table(
        r"
        ``
            run.goal:0: the schedule is empty; expected num_ranks
        num_ranks 4000000000\n
            run.goal:1: found “num_ranks 4000000000”, expected num_ranks with 1 to 1048576
        rank 0 {\n}\n
            run.goal:1: found “rank 0 {”, expected num_ranks and the number of ranks
        num_ranks 1\nrank 1 {\n}\n
            run.goal:2: found “rank 1 {”, expected a rank from 0 to 0
        num_ranks 1\nrank 0 {\n
            run.goal:2: rank 0 is not closed by }; the schedule is cut short
        num_ranks 1\nrank 0 {\na: send 8 to 0\n}\n
            run.goal:3: found “send 8 to 0”, expected a size such as 8b, up to 17179869184b
        num_ranks 1\nrank 0 {\na: send 8b to -1\n}\n
            run.goal:3: found “send 8b to -1”, expected the number of a rank
        num_ranks 1\nrank 0 {\na: calc 1 cpu 256\n}\n
            run.goal:3: found “calc 1 cpu 256”, expected tag with a number (-1 in a recv: any), cpu
            and nic with 0 to 255, each once
        num_ranks 1\nrank 0 {\na: send 8b to 4\n}\n
            run.goal:3: rank 4 does not exist; the program has ranks 0 to 0
        num_ranks 1\nrank 0 {\na: calc 1\na requires b\n}\n
            run.goal:4: found label “b”, which rank 0 has not; expected one of its tasks
        num_ranks 1\nrank 0 {\nfirst: calc 1\nlast: calc 1\nlast requires frist\n}\n
            run.goal:5: found label “frist”, which rank 0 has not; expected one of its tasks; did you
            mean “first”?
        num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb requires a\n}\n
            run.goal:3: a task of rank 0 waits, through others, for itself; expected none that does:
            one of these waits is too many
    ",
    ) {
        assert_eq!(refuse(&text), problem);
    }
}

#[test]
fn packets_of_messages_are_counted_as_they_are_cut() {
    // Messages of 0, 1, 1024 and 1025 bytes, and one to the own rank, which makes none.
    let text = "0 send 1 1 0 6\n0 send 1 1 1 6\n0 send 1 1 1024 6\n0 send 1 1 1025 6\n\
                0 isend 0 1 5 6\n0 recv 0 1 5 6\n1 recv 0 1 0 6\n1 recv 0 1 1 6\n\
                1 recv 0 1 1024 6\n1 recv 0 1 1025 6\n";
    let counted = |packet_bytes| tasks(text, "..").unwrap().packet_count(packet_bytes);
    assert_eq!(counted(1024), 1 + 1 + 1 + 2);
    assert_eq!(counted(100), 1 + 1 + 11 + 11);
    // A barrier of four ranks by dissemination: each tells log2 4 others.
    let barrier = "0 barrier\n1 barrier\n2 barrier\n3 barrier\n";
    assert_eq!(tasks(barrier, "..").unwrap().packet_count(1024), 4 * 2);
}
