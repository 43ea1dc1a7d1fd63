//! Jobs beside one another, repeated, and with traffic beside them: what follows is worked out by hand.

use crate::network::{in_order, receive, run, send, task};
use weft_fabric::HostId;
use weft_model::workload::program::{
    Background, Execution, Messaging, MessagingParameters, Program, ProgramError, TaskGraph, Tasks,
    Work,
};
use weft_model::workload::{Arrivals, Destinations, Traffic, TrafficParameters, Workload};

fn messaging(parameters: &MessagingParameters) -> Messaging {
    Messaging::new(parameters, 1.0).unwrap()
}

fn plain() -> Messaging {
    messaging(&MessagingParameters::default())
}

fn on_hosts(tasks: Tasks, hosts: &[u32]) -> Program {
    let hosts: Vec<HostId> = hosts.iter().map(|&host| HostId::new(host)).collect();
    Program::new(tasks, plain(), &hosts, 4).unwrap()
}

#[test]
fn ranks_of_the_second_job_are_numbered_behind_those_of_the_first() {
    let one = in_order(&[&[send(1, 10)], &[receive(0)]]);
    let other = in_order(&[&[receive(1)], &[Work::Compute { ns: 3.0 }, send(0, 20)]]);
    let tasks = Tasks::of_jobs(vec![one.into(), Tasks::from(other).repeated(2)]);
    assert_eq!(tasks.rank_count(), 4);
    let messages: Vec<_> = tasks.messages().collect();
    assert_eq!(messages, [(0, 1, 10), (3, 2, 20), (3, 2, 20)]);
    let (execution, packets) = run(&on_hosts(tasks, &[0, 1, 2, 3]));
    assert!(execution.is_finished());
    let from_third: Vec<u64> = packets
        .iter()
        .filter(|packet| packet.2 == HostId::new(3))
        .map(|packet| packet.5)
        .collect();
    assert_eq!(from_third, [3, 6]);
}

#[test]
fn a_graph_begins_again_when_all_of_a_rank_is_over() {
    let mut graph = TaskGraph::new(1);
    graph.add(0, task(Work::Compute { ns: 5.0 }), &[]).unwrap();
    graph.add(0, task(Work::Compute { ns: 7.0 }), &[]).unwrap();
    graph.add(0, task(send(0, 1)), &[]).unwrap();
    let from_itself = Work::Receive {
        from: None,
        tag: None,
    };
    graph.add(0, task(from_itself), &[]).unwrap();
    let (execution, _) = run(&on_hosts(Tasks::from(graph).repeated(3), &[0]));
    assert_eq!(execution.finish_cycle(0), Some(3 * 12));
    assert_eq!(execution.message_counts(), (3, 3));
}

#[test]
fn a_rank_without_tasks_is_at_its_end_however_often() {
    let graph = in_order(&[&[Work::Compute { ns: 1.0 }], &[]]);
    let (execution, _) = run(&on_hosts(Tasks::from(graph).repeated(7), &[0, 1]));
    let ends = (execution.finish_cycle(0), execution.finish_cycle(1));
    assert_eq!(ends, (Some(7), Some(0)));
}

/// A message of 10 bytes every 100 cycles from each of two hosts to the other.
fn traffic() -> Traffic {
    let parameters = TrafficParameters::of_one_size(Arrivals::Constant, 10, 0.1, 7);
    Traffic::new(parameters, Destinations::uniform(2).unwrap()).unwrap()
}

#[test]
fn traffic_beside_jobs_leaves_when_it_would_by_itself() {
    let layer = messaging(&MessagingParameters {
        send_message_ns: 30.0,
        compute_scale: 0.25,
        ..MessagingParameters::default()
    });
    let job = in_order(&[&[Work::Compute { ns: 4_000.0 }]]);
    let background = Background::new(traffic(), layer).unwrap();
    let tasks = Tasks::of_jobs(vec![job.into(), background.into()]);
    let hosts: Vec<HostId> = [0, 0, 1, 0, 1].map(HostId::new).to_vec();
    let program = Program::new(tasks, layer, &hosts, 2).unwrap();
    assert!(!program.is_background(0) && program.is_background(1) && program.is_background(4));

    let mut execution = Execution::new(&program);
    let mut found: Vec<(u64, HostId)> = Vec::new();
    let mut cycle = 0;
    while !execution.is_finished() {
        for host in [0, 1].map(HostId::new) {
            let (mut packets, mut wakes) = (Vec::new(), Vec::new());
            execution.act(&program, host, cycle, &mut packets, &mut wakes);
            let generated = packets.into_iter().flatten();
            found.extend(generated.map(|packet| (packet.generation_cycle, packet.destination)));
        }
        cycle += 1;
    }
    assert_eq!(cycle, 1_001, "the job alone is waited for");
    let workload = Workload::Traffic(traffic());
    let mut expected: Vec<(u64, HostId)> = Vec::new();
    for host in [0, 1].map(HostId::new) {
        let mut stream = workload.stream(host);
        while let Some(packet) = workload.next_packet(&mut stream)
            && packet.generation_cycle + 30 <= 1_000
        {
            // The processor spends its overhead first.
            expected.push((packet.generation_cycle + 30, packet.destination));
        }
    }
    found.sort_unstable();
    expected.sort_unstable();
    assert!(expected.len() > 15);
    assert_eq!(found, expected);
}

/// To another host of its node a message takes no time of the processor here, and one over the network four times as
/// long as the traffic leaves between two: each leaves when it is generated all the same.
#[test]
fn traffic_inside_a_node_is_no_faster_than_it_says() {
    let layer = messaging(&MessagingParameters {
        send_message_ns: 400.0,
        inner_overhead: 0.0,
        compute_scale: 1.0,
        ..MessagingParameters::default()
    });
    let background = Background::new(traffic(), layer).unwrap();
    let hosts: Vec<HostId> = [0, 1, 0, 1].map(HostId::new).to_vec();
    let tasks = Tasks::from(background);
    let program = Program::new(tasks, layer, &hosts, 2).unwrap();
    let program = program.with_nodes(&[0, 0]).unwrap();
    let mut waited_ns = 0.0;
    let mut found = Vec::new();
    for (task, _) in program.tasks(0, 40) {
        match task.work {
            Work::Compute { ns } => waited_ns += ns,
            _ => found.push(waited_ns),
        }
    }
    let workload = Workload::Traffic(traffic());
    let mut stream = workload.stream(HostId::new(0));
    let next = || workload.next_packet(&mut stream);
    let generated = std::iter::from_fn(next).map(|packet| packet.generation_cycle as f64);
    let expected: Vec<f64> = generated.take(20).collect();
    assert_eq!(found, expected);
}

#[test]
fn traffic_beside_jobs_needs_time_to_wait_by() {
    let layer = messaging(&MessagingParameters {
        compute_scale: 0.0,
        ..MessagingParameters::default()
    });
    let refused = Background::new(traffic(), layer).unwrap_err();
    assert!(matches!(refused, ProgramError::NoClock));
}
