//! Jobs beside one another, repeated, and with traffic beside them: what follows is worked out by hand.

use crate::network::{LATENCY, in_order, receive, run, send, task};
use weft_fabric::HostId;
use weft_model::workload::program::{
    Background, Execution, Messaging, MessagingParameters, Program, TaskGraph, Tasks, Work,
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
    let background = Background::new(traffic());
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

/// The cycles in which hosts have packets to send and their payload, of traffic alone through a messaging layer. They come
/// after [`LATENCY`], or never.
fn sent_packets(layer: Messaging, is_lost: bool, cycles: u64) -> Vec<(u64, HostId, u32)> {
    let tasks = Tasks::from(Background::new(traffic()));
    let hosts: Vec<HostId> = [0, 1, 0, 1].map(HostId::new).to_vec();
    let program = Program::new(tasks, layer, &hosts, 2).unwrap();
    let mut execution = Execution::new(&program);
    let mut found: Vec<(u64, HostId, u32)> = Vec::new();
    for cycle in 0..cycles {
        for host in [0, 1].map(HostId::new) {
            let (mut packets, mut wakes) = (Vec::new(), Vec::new());
            execution.act(&program, host, cycle, &mut packets, &mut wakes);
            let packets = packets.into_iter().flatten();
            found.extend(packets.map(|packet| (cycle, host, packet.payload_bytes)));
        }
        let mut numbers = [0; 2];
        for &(sent, from, _) in &found {
            let number = numbers[from.index()];
            numbers[from.index()] += 1;
            if !is_lost && sent + LATENCY == cycle {
                let to = HostId::new(1 - from.number());
                execution.deliver(&program, cycle, to, (from, number));
            }
        }
    }
    found
}

/// The cycles in which a host sends packets of so many bytes.
fn sent_cycles(sent: &[(u64, HostId, u32)], host: HostId, bytes: u32) -> Vec<u64> {
    let own = sent.iter().filter(|sent| (sent.1, sent.2) == (host, bytes));
    own.map(|sent| sent.0).collect()
}

/// The cycles in which a host's traffic generates something.
fn generated_cycles(host: HostId, before: u64) -> Vec<u64> {
    let workload = Workload::Traffic(traffic());
    let mut stream = workload.stream(host);
    let next = || workload.next_packet(&mut stream);
    let generated = std::iter::from_fn(next).map(|packet| packet.generation_cycle);
    generated.take_while(|&cycle| cycle < before).collect()
}

/// Each message is announced when it is generated, a cycle of the processor later.
fn announced() -> Messaging {
    messaging(&MessagingParameters {
        eager_bytes: 5,
        control_bytes: 3,
        send_packet_ns: 1.0,
        send_byte_ns: 40.0,
        compute_scale: 0.0,
        ..MessagingParameters::default()
    })
}

#[test]
fn a_message_that_nobody_calls_for_holds_up_no_other() {
    let host = HostId::new(0);
    let sent = sent_packets(announced(), true, 1_000);
    let generated = generated_cycles(host, 999);
    let expected: Vec<u64> = generated.iter().map(|cycle| cycle + 1).collect();
    assert!(expected.len() > 8);
    assert_eq!(sent_cycles(&sent, host, 3), expected);
}

/// A message takes its processor for 401 cycles once it is called for, and another is generated all 100.
#[test]
fn what_is_called_for_goes_on_before_the_time_of_the_next_message() {
    let host = HostId::new(0);
    let sent = sent_packets(announced(), false, 1_000);
    let first = generated_cycles(host, 999)[0];
    // Announced, called for by a processor after a flight, heard of by this one after another; then its bytes. The
    // next is announced when that is over.
    let whole = 1 + 2 * (LATENCY + 1) + 401;
    let found = &sent_cycles(&sent, host, 10)[..2];
    assert_eq!(found, [first + whole, first + 2 * whole]);
}

/// A message takes the processor four times as long as there is between two: one follows the other at once.
#[test]
fn traffic_leaves_as_soon_as_the_processor_can() {
    let layer = messaging(&MessagingParameters {
        send_message_ns: 400.0,
        ..MessagingParameters::default()
    });
    let host = HostId::new(1);
    let sent = sent_packets(layer, true, 2_000);
    let first = generated_cycles(host, 2_000)[0];
    let expected: Vec<u64> = (first + 400..2_000).step_by(400).collect();
    assert_eq!(sent_cycles(&sent, host, 10), expected);
}
