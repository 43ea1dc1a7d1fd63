//! Timelines: states worked out by hand, and what holds for those of every program.

use crate::network::{LATENCY, run};
use weft_fabric::HostId;
use weft_model::workload::Execution;
use weft_model::workload::program::{
    Acknowledged, Activity, Algorithms, COLLECTIVES, Collective, Computing, Dependency, Messaging,
    MessagingParameters, Program, Region, Task, TaskGraph, Tasks, TimeIndependentReader, Timeline,
    TimelineLimits, Trace, Work,
};

/// Everything, as it was.
const WHOLE: TimelineLimits = TimelineLimits {
    resolution_cycles: 0,
    most_states: usize::MAX,
    least_message_bytes: 0,
    most_messages: usize::MAX,
};

fn program(tasks: impl Into<Tasks>, parameters: &MessagingParameters) -> Program {
    let tasks = tasks.into();
    let ranks = tasks.rank_count();
    let messaging = Messaging::new(parameters, 1.0).unwrap();
    let hosts: Vec<HostId> = (0..ranks).map(HostId::from_index).collect();
    Program::new(tasks, messaging, &hosts, ranks).unwrap()
}

/// Tasks of each rank, each with a line, after the end of the one before.
fn chain(ranks: &[&[Work]]) -> TaskGraph {
    let mut graph = TaskGraph::new(ranks.len());
    for (rank, works) in (0..).zip(ranks) {
        for (number, (line, &work)) in (0_u64..).zip((1..).zip(*works)) {
            let before = number.checked_sub(1).map(Dependency::end);
            let task = Task::new(work, line);
            graph.add(rank, task, before.as_slice()).unwrap();
        }
    }
    graph
}

fn collective(name: &str, ranks: u32, bytes: u64) -> Tasks {
    let operation = Collective::even(name, ranks, 0, bytes).unwrap();
    let trace = Trace::of_collectives(ranks, &[operation]);
    Tasks::of_trace(trace, &Region::default(), Algorithms::default()).unwrap()
}

fn recorded(text: &str) -> Tasks {
    let mut reader = TimeIndependentReader::new(Computing::default());
    reader.read(text.as_bytes(), "run.ti").unwrap();
    let trace = reader.finish().unwrap();
    Tasks::of_trace(trace, &Region::default(), Algorithms::default()).unwrap()
}

/// Runs a program, and keeps a timeline until its last rank is at its end.
fn kept(program: Program, limits: TimelineLimits) -> (Execution, u64, Timeline) {
    let program = program.with_timeline(Some(limits));
    let (execution, _) = run(&program);
    let ranks = (0..).take(program.rank_count());
    let ends: Option<Vec<u64>> = ranks.map(|rank| execution.finish_cycle(rank)).collect();
    let end = ends.unwrap().into_iter().max().unwrap();
    let timeline = execution.timeline(end).unwrap();
    (execution, end, timeline)
}

/// A state: whose, from when to when, what, and the line of its task.
type Told = (u32, u64, u64, Activity, Option<u32>);

fn told(timeline: &Timeline) -> Vec<Told> {
    let states = timeline.states.iter().map(|span| {
        let line = span.longest.task.map(|task| task.line);
        assert_eq!(span.state_count, 1);
        assert_eq!(span.longest_cycles, span.end_cycle - span.begin_cycle);
        let of_it = span.cycles[span.longest.activity as usize];
        assert_eq!(of_it, span.longest_cycles);
        let activity = span.longest.activity;
        (span.rank, span.begin_cycle, span.end_cycle, activity, line)
    });
    states.collect()
}

#[test]
fn states_follow_one_another_as_worked_out_by_hand() {
    let parameters = MessagingParameters {
        send_message_ns: 3.0,
        send_byte_ns: 0.5,
        receive_message_ns: 2.0,
        receive_byte_ns: 0.25,
        ..MessagingParameters::default()
    };
    let (tag, bytes) = (0, 8);
    let compute = Work::Compute { ns: 5.0 };
    let send = Work::Send { to: 1, tag, bytes };
    let receive = Work::Receive {
        from: Some(0),
        tag: Some(tag),
    };
    let graph = chain(&[&[compute, send], &[receive, compute]]);
    let (_, end, timeline) = kept(program(graph, &parameters), WHOLE);
    assert_eq!(end, 32);
    // 5 of computing, 3 + 8/2 of sending; noticed 11 later; 2 + 8/4 of receiving; 5.
    let expected: [Told; 6] = [
        (0, 0, 5, Activity::Computing, Some(1)),
        (0, 5, 12, Activity::Sending, Some(2)),
        (0, 12, 32, Activity::Finished, None),
        (1, 0, 23, Activity::WaitingPacket, Some(1)),
        (1, 23, 27, Activity::Receiving, Some(1)),
        (1, 27, 32, Activity::Computing, Some(2)),
    ];
    assert_eq!(told(&timeline), expected);
    let [message] = timeline.messages[..] else {
        panic!("one message, found {:?}", timeline.messages)
    };
    assert_eq!(
        (message.sent_cycle, message.there_cycle),
        (12, 12 + LATENCY + 1)
    );
    assert_eq!(
        (message.from, message.to, message.bytes, message.line),
        (0, 1, 8, 1)
    );
}

#[test]
fn a_process_waits_for_what_holds_up_its_next_action() {
    // Two receives are started; the first action waits for the second of them.
    let text = "0 irecv 2 9 8 6\n0 irecv 1 7 8 6\n0 compute 5\n0 wait 1 0 7\n0 wait 2 0 9\n\
                1 compute 2\n1 send 0 7 8 6\n2 compute 30\n2 send 0 9 8 6\n";
    let layer = MessagingParameters::default();
    let (_, end, timeline) = kept(program(recorded(text), &layer), WHOLE);
    assert_eq!(end, 30 + LATENCY + 1);
    let expected: [Told; 7] = [
        (0, 0, 5, Activity::Computing, Some(3)),
        (0, 5, 13, Activity::WaitingPacket, Some(2)),
        (0, 13, 41, Activity::WaitingPacket, Some(1)),
        (1, 0, 2, Activity::Computing, Some(6)),
        (1, 2, 41, Activity::Finished, None),
        (2, 0, 30, Activity::Computing, Some(8)),
        (2, 30, 41, Activity::Finished, None),
    ];
    assert_eq!(told(&timeline), expected);
}

#[test]
fn a_send_waits_for_its_call_and_a_join_for_the_first_that_is_missing() {
    let text = "0 send 1 7 100000 6\n1 compute 50\n1 recv 0 7 100000 6\n";
    let layer = MessagingParameters::default();
    let (_, end, timeline) = kept(program(recorded(text), &layer), WHOLE);
    // Called for in 50, which is noticed in 61; noticed whole 11 later.
    assert_eq!(end, 72);
    let expected: [Told; 4] = [
        (0, 0, 61, Activity::WaitingPacket, Some(1)),
        (0, 61, 72, Activity::Finished, None),
        (1, 0, 50, Activity::Computing, Some(2)),
        (1, 50, 72, Activity::WaitingPacket, Some(3)),
    ];
    assert_eq!(told(&timeline), expected);

    let text = "0 irecv 1 7 8 6\n0 irecv 2 7 8 6\n0 waitall\n\
                1 compute 20\n1 send 0 7 8 6\n2 compute 4\n2 send 0 7 8 6\n";
    let (_, end, timeline) = kept(program(recorded(text), &layer), WHOLE);
    assert_eq!(end, 31);
    let first = (0, 0, 31, Activity::WaitingPacket, Some(1));
    assert_eq!(told(&timeline)[0], first);
}

/// Messaging layers in which ranks do all that they can do.
fn layers() -> [MessagingParameters; 3] {
    let parameters = MessagingParameters {
        packet_bytes: 64,
        eager_bytes: 100,
        send_message_ns: 4.0,
        receive_message_ns: 3.0,
        control_ns: 2.0,
        ..MessagingParameters::default()
    };
    let acknowledged = MessagingParameters {
        acknowledged: Acknowledged::Waited,
        acknowledge_ns: 2.0,
        blocking: true,
        ..parameters
    };
    [MessagingParameters::default(), parameters, acknowledged]
}

/// Checks what holds of every timeline.
fn check(execution: &Execution, end: u64, ranks: u32, timeline: &Timeline) {
    let resolution = timeline.resolution_cycles;
    for rank in 0..ranks {
        let of_rank = timeline.states.iter().filter(|span| span.rank == rank);
        let spans: Vec<_> = of_rank.collect();
        let mut at = 0;
        let mut sums = [0; 6];
        for span in &spans {
            assert_eq!(
                span.begin_cycle, at,
                "rank {rank} has neither gaps nor overlaps"
            );
            assert!(span.end_cycle > at);
            assert_eq!(span.cycles.iter().sum::<u64>(), span.end_cycle - at);
            assert!(span.longest_cycles <= span.cycles[span.longest.activity as usize]);
            for (sum, cycles) in sums.iter_mut().zip(span.cycles) {
                *sum += cycles;
            }
            at = span.end_cycle;
        }
        assert_eq!(at, end);
        let account = execution.account(rank, end);
        let expected = [
            account.computing_cycles,
            account.sending_cycles,
            account.receiving_cycles,
            account.waiting_acknowledgement_cycles,
            account.waiting_packet_cycles,
            end - execution.finish_cycle(rank).unwrap(),
        ];
        assert_eq!(sums, expected, "rank {rank}");
        let is_short = |span: &weft_model::workload::program::StateSpan| {
            span.end_cycle - span.begin_cycle < resolution
        };
        for pair in spans.windows(2) {
            assert!(!(is_short(&pair[0]) && is_short(&pair[1])), "{pair:?}");
            let is_merged = pair[0].state_count > 1;
            assert!(
                !is_merged || pair[0].longest_cycles < resolution,
                "{pair:?}"
            );
        }
    }
}

#[test]
fn states_are_the_whole_time_of_every_rank_at_any_resolution() {
    for entry in COLLECTIVES {
        for (ranks, bytes) in [(2, 8), (3, 300), (8, 1000)] {
            for layer in layers() {
                let run_with = |limits| {
                    let tasks = collective(entry.name, ranks, bytes);
                    kept(program(tasks, &layer), limits)
                };
                let (execution, end, whole) = run_with(WHOLE);
                check(&execution, end, ranks, &whole);
                let (sent, _) = execution.message_counts();
                assert_eq!(whole.messages.len() as u64, sent);
                assert_eq!((whole.message_count, whole.one_in), (sent, 1));
                let states: u64 = whole.states.iter().map(|span| span.state_count).sum();
                assert_eq!(states, whole.states.len() as u64, "nothing is merged");
                for resolution_cycles in [1, 5, 40, u64::MAX] {
                    let limits = TimelineLimits {
                        resolution_cycles,
                        ..WHOLE
                    };
                    let (_, _, merged) = run_with(limits);
                    assert_eq!(merged.resolution_cycles, resolution_cycles);
                    check(&execution, end, ranks, &merged);
                    let count: u64 = merged.states.iter().map(|span| span.state_count).sum();
                    assert_eq!(count, states, "merged states are counted");
                }
                let most_states = 4 * ranks as usize;
                let limits = TimelineLimits {
                    most_states,
                    ..WHOLE
                };
                let (_, _, few) = run_with(limits);
                check(&execution, end, ranks, &few);
                // Besides, each rank has what is merged last and the state it ends in.
                assert!(few.states.len() <= most_states + 2 * ranks as usize);
            }
        }
    }
}

#[test]
fn messages_are_thinned_out_over_the_whole_run() {
    let (tag, count) = (0, 100);
    let send = |number: u64| Work::Send {
        to: 1,
        tag,
        bytes: 10 * number,
    };
    let compute = Work::Compute { ns: 7.0 };
    let sends: Vec<Work> = (0..count)
        .flat_map(|number| [send(number), compute])
        .collect();
    let receive = Work::Receive {
        from: Some(0),
        tag: Some(tag),
    };
    let receives = vec![receive; 100];
    let messages = |least_message_bytes, most_messages| {
        let limits = TimelineLimits {
            least_message_bytes,
            most_messages,
            ..WHOLE
        };
        let graph = chain(&[&sends, &receives]);
        kept(program(graph, &MessagingParameters::default()), limits).2
    };
    let numbers = |timeline: &Timeline| -> Vec<u64> {
        let of_messages = timeline.messages.iter();
        of_messages.map(|span| span.sent_cycle / 7).collect()
    };
    let all = messages(0, 100);
    assert_eq!(numbers(&all), (0..count).collect::<Vec<_>>());
    assert_eq!((all.message_count, all.one_in), (100, 1));
    let few = messages(0, 8);
    assert_eq!(numbers(&few), [0, 16, 32, 48, 64, 80, 96]);
    assert_eq!((few.message_count, few.one_in), (100, 16));
    let long = messages(900, 100);
    assert_eq!(numbers(&long), (90..100).collect::<Vec<_>>());
    assert_eq!((long.message_count, long.one_in), (10, 1));
}

#[test]
fn nothing_is_kept_where_it_is_not_asked_for() {
    let tasks = collective("barrier", 2, 0);
    let (execution, _) = run(&program(tasks, &MessagingParameters::default()));
    assert_eq!(execution.timeline(100), None);
}
