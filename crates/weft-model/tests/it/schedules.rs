//! Schedules in GOAL's two forms: processors and queue pairs that they name, and what is refused.

use crate::network::{LATENCY, run};
use weft_fabric::HostId;
use weft_model::workload::program::{
    Account, Dependency, Execution, Messaging, MessagingParameters, Moment, Program, Task,
    TaskGraph, Work, read_binary_goal, read_goal,
};

fn goal(text: &str) -> TaskGraph {
    read_goal(text.as_bytes(), "run.goal").unwrap()
}

fn replay(graph: TaskGraph, parameters: &MessagingParameters) -> (Program, Execution) {
    let hosts: Vec<HostId> = (0..graph.rank_count()).map(HostId::from_index).collect();
    let messaging = Messaging::new(parameters, 1.0).unwrap();
    let program = Program::new(graph, messaging, &hosts, hosts.len()).unwrap();
    let (execution, _) = run(&program);
    (program, execution)
}

/// Overheads of 10 ns to send, 7 to receive and 3 to call.
fn costly() -> MessagingParameters {
    MessagingParameters {
        send_message_ns: 10.0,
        receive_message_ns: 7.0,
        control_ns: 3.0,
        eager_bytes: 100,
        ..MessagingParameters::default()
    }
}

fn total(account: &Account) -> u64 {
    account.computing_cycles
        + account.sending_cycles
        + account.receiving_cycles
        + account.waiting_acknowledgement_cycles
        + account.waiting_packet_cycles
}

#[test]
fn tasks_of_one_processor_follow_one_another_and_those_of_two_go_side_by_side() {
    let end = |second: u8| {
        let text = format!("num_ranks 1\nrank 0 {{\ncalc 50\ncalc 30 cpu {second}\n}}\n");
        let (_, execution) = replay(goal(&text), &MessagingParameters::default());
        assert!(execution.is_finished());
        let account = execution.account(0, 1_000);
        assert_eq!(total(&account), account.computing_cycles);
        (execution.finish_cycle(0).unwrap(), account.computing_cycles)
    };
    assert_eq!(end(0), (80, 80));
    assert_eq!(end(1), (50, 50));
    assert_eq!(end(255), (50, 50));
}

#[test]
fn messages_take_the_processors_of_their_tasks() {
    // One processor of either rank computes meanwhile; the message has those that are free.
    let text = "num_ranks 2\nrank 0{\n calc 500\n send 8b to 1 cpu 1\n}\n\
                rank 1 {\n calc 500\n recv 8b from 0 cpu 2\n}\n";
    let (_, execution) = replay(goal(text), &costly());
    assert_eq!(execution.finish_cycle(0), Some(500));
    assert_eq!(execution.finish_cycle(1), Some(500));
    assert_eq!(execution.account(1, 500).computing_cycles, 500);
    assert_eq!(execution.account(1, 500).receiving_cycles, 0);
    // With the same processor for both, they wait for it.
    let text = text.replace(" cpu 1", "").replace(" cpu 2", "");
    let (_, execution) = replay(goal(&text), &costly());
    assert_eq!(execution.finish_cycle(0), Some(510));
    assert_eq!(
        execution.finish_cycle(1),
        Some(510 + LATENCY + 1 + 7),
        "noticed in the cycle after its delivery"
    );

    // A message that is announced is called for, and sent, by processors that nothing else holds up.
    let text = "num_ranks 2\nrank 0 {\n calc 500\n send 200b to 1 cpu 1\n}\n\
                rank 1 {\n calc 500\n recv 200b from 0 cpu 1\n}\n";
    let (_, execution) = replay(goal(text), &costly());
    let called = 10 + LATENCY + 1 + 3;
    let sent = called + LATENCY + 1 + 3;
    assert_eq!(execution.finish_cycle(0), Some(500));
    assert_eq!(execution.finish_cycle(1), Some(500));
    assert_eq!(execution.announcements().waiting_cycles, sent - 10);
}

#[test]
fn every_moment_of_a_rank_counts_once_as_what_comes_first() {
    // Rank 1 computes from 0 to 20 while its second processor takes a message from 21 to 28.
    let text = "num_ranks 2\nrank 0 {\n send 8b to 1\n}\n\
                rank 1 {\n calc 20\n recv 8b from 0 cpu 1\n}\n";
    let (_, execution) = replay(goal(text), &costly());
    let account = execution.account(1, 1_000);
    let there = 10 + LATENCY + 1;
    assert_eq!(account.computing_cycles, 20);
    assert_eq!(account.waiting_packet_cycles, there - 20);
    assert_eq!(account.receiving_cycles, 7);
    assert_eq!(Some(total(&account)), execution.finish_cycle(1));
    // A longer one hides the message.
    let text = text.replace("calc 20", "calc 25");
    let (_, execution) = replay(goal(&text), &costly());
    let account = execution.account(1, 1_000);
    assert_eq!(
        (account.computing_cycles, account.receiving_cycles),
        (25, 3)
    );
    assert_eq!(Some(total(&account)), execution.finish_cycle(1));
}

#[test]
fn statements_may_stand_closer_and_without_labels() {
    let text = "num_ranks 2\nrank 0{\nlate requires a\na:send 8b to 1 nic 3 cpu 2\nlate : calc 4\n\
                recv 9b from 1\n}\nrank 1 {\n}\n";
    let graph = goal(text);
    let tasks: Vec<_> = graph.tasks(0).collect();
    assert_eq!(tasks.len(), 3);
    let (send, _, _) = &tasks[0];
    assert_eq!((send.cpu, send.nic, send.line), (2, 3, 4));
    assert_eq!(tasks[1].2, [Dependency::end(0)]);
    assert_eq!(tasks[2].1, Some(9), "a receive tells its room");
    assert_eq!(graph.task(0, 1).map(|task| task.line), Some(5));
    assert_eq!(graph.task(0, 3), None);
    assert_eq!(graph.task(1, 0), None);
}

#[test]
fn lines_end_behind_statements_alone() {
    let text = "num_ranks 3 rank 0 { a: send 8 b to 1\nb: calc 4 }rank 1 {recv 8b from 0\n}\n/* idle */ rank 2 { } //\n";
    let graph = goal(text);
    let lines = |rank| {
        graph
            .tasks(rank)
            .map(|(task, ..)| task.line)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        [lines(0), lines(1), lines(2)],
        [vec![1, 2], vec![2], vec![]]
    );
    let send = Work::Send {
        to: 1,
        tag: 0,
        bytes: 8,
    };
    assert_eq!(graph.task(0, 0).map(|task| task.work), Some(send));
}

#[test]
fn a_schedule_that_is_refused_names_a_task_of_the_circle_not_one_before_it() {
    let text = "num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\nc: calc 1\na requires c\nb requires c\n\
                c irequires b\n}\n";
    let refused = read_goal(text.as_bytes(), "run.goal").unwrap_err();
    assert_eq!(
        refused.to_string(),
        "run.goal:4: a task of rank 0 waits, through others, for itself; expected none that does: one of these \
         waits is too many"
    );
}

#[test]
fn tasks_are_kept_as_they_are_added() {
    let mut graph = TaskGraph::new(3);
    let works = [
        Work::Compute { ns: 0.0 },
        Work::Compute { ns: 0.5 },
        Work::Compute { ns: 1e13 },
        Work::Compute {
            ns: f64::from_bits(1),
        },
        Work::Send {
            to: 2,
            tag: u32::MAX,
            bytes: 1 << 34,
        },
        Work::Receive {
            from: Some(0),
            tag: Some(u32::MAX),
        },
        Work::Receive {
            from: None,
            tag: None,
        },
        Work::Join,
    ];
    let mut added = Vec::new();
    for number in 0..1_000_u64 {
        let work = works[usize::try_from(number * 7 % 8).unwrap()];
        let mut task = crate::network::task(work);
        task.line = u32::try_from((number * number) % 977).unwrap();
        task.cpu = u8::try_from(number % 5).unwrap();
        task.nic = u8::try_from(number / 200).unwrap();
        let waits_for: Vec<Dependency> = (0..number % 4)
            .map(|back| {
                let task = number.saturating_sub(1 + back * back * 40);
                if back == 1 {
                    Dependency::start(task)
                } else {
                    Dependency::end(task)
                }
            })
            .collect();
        let waits_for = if number == 0 { Vec::new() } else { waits_for };
        let room = matches!(work, Work::Receive { .. }).then_some(number);
        assert_eq!(graph.add_with_room(1, task, room, &waits_for), Ok(number));
        added.push((task, room, waits_for));
    }
    assert_eq!(graph.tasks(1).collect::<Vec<_>>(), added);
    for (number, (task, ..)) in added.iter().enumerate() {
        assert_eq!(graph.task(1, number), Some(*task));
    }
    assert_eq!(graph.task(1, added.len()), None);
    assert_eq!(graph.task_count(), added.len());
}

/// A task of a binary schedule: what it does (1 send, 2 recv, 3 calc), rank, size, tag, processor, NIC.
type Record = (u8, u32, u64, u32, u8, u8);

/// A wait of a binary schedule: who waits, for whom, for what.
type Edge = (u32, u32, Moment);

/// The file that `txt2bin` makes of schedules.
fn binary(most: [u8; 2], ranks: &[(&[Record], &[Edge])]) -> Vec<u8> {
    let mut parts = Vec::new();
    for (records, edges) in ranks {
        let awaited = |task: u32| edges.iter().filter(|edge| edge.0 == task).count();
        let number = |count: usize| u32::try_from(count).unwrap().to_le_bytes();
        let free: Vec<u32> = (0..)
            .take(records.len())
            .filter(|&task| awaited(task) == 0)
            .collect();
        let mut part = Vec::new();
        part.extend(number(records.len()));
        part.extend(number(free.len()));
        part.extend(free.iter().flat_map(|place| place.to_le_bytes()));
        let mut appendix = Vec::new();
        for (task, &(kind, peer, size, tag, cpu, nic)) in (0..).zip(*records) {
            part.extend(number(awaited(task)));
            part.push(kind);
            part.extend(peer.to_le_bytes());
            part.extend(size.to_le_bytes());
            part.extend(tag.to_le_bytes());
            part.extend([cpu, nic]);
            for moment in [Moment::End, Moment::Start] {
                let waiting = edges
                    .iter()
                    .filter(|edge| (edge.1, edge.2) == (task, moment));
                let waiting: Vec<u32> = waiting.map(|edge| edge.0).collect();
                part.extend(number(waiting.len()));
                part.extend(number(appendix.len() / 4));
                appendix.extend(waiting.iter().flat_map(|place| place.to_le_bytes()));
            }
        }
        part.extend(appendix);
        parts.push(part);
    }
    let mut file = 4223_u64.to_le_bytes().to_vec();
    file.extend(u32::try_from(ranks.len()).unwrap().to_le_bytes());
    file.extend(most);
    let mut at = 6 + 16 * ranks.len() as u64;
    for part in &parts {
        file.extend(at.to_le_bytes());
        at += part.len() as u64;
        file.extend(at.to_le_bytes());
    }
    file.extend(parts.concat());
    file
}

/// Two ranks with three tasks and one, as a file and as text.
fn two() -> (Vec<u8>, &'static str) {
    let first: &[Record] = &[(3, 0, 40, 0, 0, 0), (1, 1, 8, 7, 1, 2), (3, 0, 5, 0, 0, 0)];
    let edges: &[Edge] = &[
        (1, 0, Moment::End),
        (2, 1, Moment::Start),
        (2, 0, Moment::End),
    ];
    let second: &[Record] = &[(2, u32::MAX, 8, u32::MAX, 0, 0)];
    let text = "num_ranks 2\nrank 0 {\na: calc 40\nb: send 8b to 1 tag 7 cpu 1 nic 2\nc: calc 5\n\
                b requires a\nc requires a\nc irequires b\n}\nrank 1 {\nrecv 8b from -1 tag -1\n}\n";
    (binary([1, 2], &[(first, edges), (second, &[])]), text)
}

/// A task without its line, the room of a receive, and what it waits for.
type Told = (Task, Option<u64>, Vec<Dependency>);

fn works(graph: &TaskGraph) -> Vec<Vec<Told>> {
    let of = |rank| {
        let tasks = graph.tasks(rank);
        let each = tasks.map(|(task, room, waits)| (Task { line: 0, ..task }, room, waits));
        each.collect()
    };
    (0..).take(graph.rank_count()).map(of).collect()
}

#[test]
fn both_forms_say_the_same() {
    let (file, text) = two();
    let read = read_binary_goal(file.as_slice(), "run.bin").unwrap();
    let mut expected = works(&goal(text));
    // The two forms list what a task waits for in different orders.
    expected[0][2].2 = vec![Dependency::end(0), Dependency::start(1)];
    assert_eq!(works(&read), expected);
    // Its places are records.
    let lines: Vec<u32> = read.tasks(0).map(|(task, ..)| task.line).collect();
    assert_eq!(lines, [1, 2, 3]);
    assert_eq!(read.file(1), "run.bin");

    // A task may wait for later ones.
    let calc: Record = (3, 0, 1, 0, 0, 0);
    let later: &[Edge] = &[(0, 1, Moment::End)];
    let file = binary([0, 0], &[(&[calc, calc], later)]);
    let read = read_binary_goal(file.as_slice(), "run.bin").unwrap();
    assert_eq!(works(&read)[0][1].2, [Dependency::end(0)]);
}

#[test]
fn broken_binary_schedules_are_refused_with_their_record() {
    let refuse = |file: &[u8]| read_binary_goal(file, "run.bin").unwrap_err().to_string();
    let (file, _) = two();
    for length in 0..file.len() {
        let problem = refuse(&file[..length]);
        assert_eq!(
            problem,
            "run.bin: the file ends within its schedule; it is cut short"
        );
    }
    let with = |at: usize, byte: u8| {
        let mut file = file.clone();
        file[at] = byte;
        refuse(&file)
    };
    let begin = 8 + 6 + 32;
    let task = |number: usize| begin + 8 + 4 + 39 * number;
    let spent = 2342_u64.to_le_bytes();
    let mut destroyed = file.clone();
    destroyed[..8].copy_from_slice(&spent);
    let mut longer = file.clone();
    longer.push(0);
    let record = |record: u32| format!("run.bin:{record}: record {record} of rank 0: ");
    for (found, expected) in [
        (
            refuse(&destroyed),
            "run.bin: the schedule was destroyed by LogGOPSim --save-mem; expected one that txt2bin made anew"
                .to_owned(),
        ),
        (
            refuse(&longer),
            "run.bin: found bytes behind the last rank, 1; expected none".to_owned(),
        ),
        (
            with(8, 0),
            "run.bin: found 0 ranks, expected 1 to 1048576".to_owned(),
        ),
        (
            with(14, 39),
            "run.bin: rank 0 is said to be at bytes 39 to 179 behind the first 8, expected it to begin at 38: ranks \
             stand one after another as txt2bin writes them"
                .to_owned(),
        ),
        (
            with(begin, 2),
            "run.bin: rank 0: found 2 tasks, 1 of them free, in 141 bytes, expected 90 or, 4 bytes each, more"
                .to_owned(),
        ),
        (
            with(task(0) + 27, 1),
            record(1) + "those that wait for it begin at 1, expected 0",
        ),
        (
            with(begin + 8, 1),
            "run.bin: rank 0: found 1 tasks listed as free, expected the 1 that wait for nothing".to_owned(),
        ),
        (
            with(task(1), 2),
            record(2) + "it waits for 2 tasks, and 1 tell that it waits for them; expected as many",
        ),
        (
            with(task(1) + 4, 9),
            record(2) + "found operation 9, expected 1 (send), 2 (recv) or 3 (calc)",
        ),
        (
            with(task(1) + 5, 2),
            "run.bin:2: rank 2 does not exist; the program has ranks 0 to 1".to_owned(),
        ),
        (
            with(task(1) + 21, 2),
            record(2) + "cpu 2 and nic 2, expected at most 1 and 2, as the file begins",
        ),
        (
            with(task(3), 7),
            record(1) + "task 7 waits for it, expected one from 0 to 2",
        ),
    ] {
        assert_eq!(found, expected);
    }
}
