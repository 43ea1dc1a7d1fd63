//! Processors that handle messages packet by packet, on a network that brings every packet in ten cycles,
//! worked out by hand.

use crate::network::{Travelling, in_order, receive, run, send, task};
use weft_fabric::HostId;
use weft_model::workload::Execution;
use weft_model::workload::program::{
    Acknowledged, Dependency, Messaging, MessagingParameters, Program, TaskGraph, Work,
};

/// A message of 250 bytes has packets of 100, 100 and 50: 18, 13 and 8 cycles to send; 12, 12 and 14 to
/// receive, of which the last has 7 of the message.
fn by_packet() -> MessagingParameters {
    MessagingParameters {
        packet_bytes: 100,
        send_message_ns: 5.0,
        send_packet_ns: 3.0,
        send_byte_ns: 0.1,
        receive_message_ns: 7.0,
        receive_packet_ns: 2.0,
        receive_byte_ns: 0.1,
        ..MessagingParameters::default()
    }
}

fn program(graph: TaskGraph, parameters: &MessagingParameters) -> Program {
    let messaging = Messaging::new(parameters, 1.0).unwrap();
    let hosts = [HostId::new(0), HostId::new(1)];
    Program::new(graph, messaging, &hosts, 2).unwrap()
}

fn one_message(parameters: &MessagingParameters) -> (Execution, Vec<Travelling>) {
    let graph = in_order(&[&[send(1, 250)], &[receive(0)]]);
    run(&program(graph, parameters))
}

/// The cycles in which the sender generated its packets.
fn generated(travelled: &[Travelling]) -> Vec<u64> {
    let of_sender = travelled.iter().filter(|packet| packet.2.number() == 0);
    of_sender.map(|packet| packet.5).collect()
}

#[test]
fn each_packet_leaves_when_the_processor_is_done_with_it() {
    let (execution, travelled) = one_message(&MessagingParameters {
        receive_packet_ns: 0.0,
        ..by_packet()
    });
    assert_eq!(generated(&travelled), [18, 18 + 13, 18 + 13 + 8]);
    assert_eq!(execution.finish_cycle(0), Some(39));
    // Its receiver takes it as a whole: 7 and 25 from 50 on.
    assert_eq!(execution.finish_cycle(1), Some(50 + 32));
}

#[test]
fn each_packet_is_taken_when_it_comes() {
    let (execution, _) = one_message(&by_packet());
    // Noticed in 29, 42 and 50: the last waits for the second, until 54.
    assert_eq!(execution.finish_cycle(1), Some(29 + 12 + 1 + 12 + 14));
    assert_eq!(execution.account(1, 1_000).receiving_cycles, 12 + 12 + 14);
    let (execution, travelled) = one_message(&MessagingParameters {
        send_packet_ns: 0.0,
        ..by_packet()
    });
    // Sent as a whole after 30 and noticed in 41: one after another.
    assert_eq!(generated(&travelled), [30, 30, 30]);
    assert_eq!(execution.finish_cycle(1), Some(41 + 12 + 12 + 14));
}

#[test]
fn packets_go_before_what_computes_and_waits_for_its_processor() {
    let mut graph = TaskGraph::new(2);
    graph.add(0, task(send(1, 250)), &[]).unwrap();
    let compute = task(Work::Compute { ns: 100.0 });
    graph.add(0, compute, &[Dependency::start(0)]).unwrap();
    graph.add(1, task(receive(0)), &[]).unwrap();
    let (execution, travelled) = run(&program(graph, &by_packet()));
    assert_eq!(generated(&travelled), [18, 31, 39]);
    assert_eq!(execution.finish_cycle(0), Some(39 + 100));
}

#[test]
fn the_next_is_prepared_while_an_acknowledgement_is_waited_for() {
    let (execution, travelled) = one_message(&MessagingParameters {
        acknowledged: Acknowledged::Waited,
        acknowledgement_bytes: 1,
        blocking: true,
        ..by_packet()
    });
    // Each is acknowledged 22 cycles after it left, and the others are ready long before.
    assert_eq!(generated(&travelled), [18, 40, 62]);
    assert_eq!(execution.finish_cycle(0), Some(84));
    let account = execution.account(0, 1_000);
    assert_eq!(account.sending_cycles, 39);
    assert_eq!(account.waiting_acknowledgement_cycles, 84 - 39);
}

#[test]
fn bytes_of_an_announced_message_are_handled_when_it_is_called_for() {
    let (execution, travelled) = one_message(&MessagingParameters {
        eager_bytes: 100,
        control_bytes: 8,
        control_ns: 4.0,
        ..by_packet()
    });
    // Announced in 8, noticed in 19 and called for in 23, noticed in 34: then 4 for the call and 13, 13 and 8.
    assert_eq!(generated(&travelled), [8, 51, 64, 72]);
    assert_eq!(execution.finish_cycle(0), Some(72));
    // Noticed in 62, 75 and 83.
    assert_eq!(execution.finish_cycle(1), Some(75 + 12 + 14));
}

#[test]
fn ranks_of_a_node_spend_a_share_of_the_overheads_and_have_no_packets() {
    let parameters = MessagingParameters {
        inner_overhead: 0.5,
        ..by_packet()
    };
    let graph = in_order(&[&[send(1, 250)], &[receive(0)]]);
    let program = program(graph, &parameters).with_nodes(&[3, 3]).unwrap();
    let (execution, travelled) = run(&program);
    assert!(travelled.is_empty());
    // Half of 5 and 25; there in the next cycle, and half of 7 and 25.
    assert_eq!(execution.finish_cycle(0), Some(15));
    assert_eq!(execution.finish_cycle(1), Some(16 + 16));
}
