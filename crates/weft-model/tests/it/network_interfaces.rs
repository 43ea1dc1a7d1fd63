//! NICs between hosts and a network that brings every packet in ten cycles: how packets are written
//! or fetched, cross the bus and are acknowledged, worked out by hand.

use crate::network::run;
use weft_fabric::HostId;
use weft_model::workload::Execution;
use weft_model::workload::program::{
    Acknowledged, Messaging, MessagingParameters, Program, Task, TaskGraph, Work, transfers,
};

/// Packets of 100 bytes, fetched over a bus of a byte per cycle.
const PUSH: MessagingParameters = MessagingParameters {
    packet_bytes: 100,
    acknowledged: Acknowledged::Waited,
    acknowledgement_bytes: 0,
    acknowledge_ns: 0.0,
    next_packet_ns: 0.0,
    control_ns: 0.0,
    blocking: true,
    pio_bytes: 10,
    push_packet_ns: 7.0,
    bus_gbit_per_s: 8.0,
    eager_bytes: 1_000_000,
    control_bytes: 0,
    send_message_ns: 0.0,
    send_byte_ns: 0.0,
    receive_message_ns: 0.0,
    receive_byte_ns: 0.0,
    send_packet_ns: 0.0,
    receive_packet_ns: 0.0,
    reduce_byte_ns: 0.0,
    receive_messages: 0,
    resend_ns: 0.0,
    quantum_bytes: 0,
    control_first: false,
    inner_ns: 0.0,
    inner_overhead: 1.0,
    inner_gbit_per_s: 0.0,
    compute_scale: 1.0,
};

/// Runs a program; its packets as (source, payload, generation cycle), by generation.
fn packets(
    tasks: TaskGraph,
    parameters: &MessagingParameters,
) -> (Execution, Vec<(u32, u32, u64)>) {
    let ranks = tasks.rank_count();
    let hosts: Vec<HostId> = (0..ranks).map(HostId::from_index).collect();
    let messaging = Messaging::new(parameters, 1.0).unwrap();
    let program = Program::new(tasks, messaging, &hosts, ranks).unwrap();
    let (execution, travelled) = run(&program);
    let mut packets: Vec<_> = travelled
        .iter()
        .map(|&(_, _, source, _, bytes, generated)| (source.number(), bytes, generated))
        .collect();
    packets.sort_unstable_by_key(|&(source, _, generated)| (generated, source));
    (execution, packets)
}

#[test]
fn with_push_and_ack_wait_each_packet_crosses_both_buses_and_comes_back_as_an_acknowledgement() {
    let tasks = transfers(&[Some(1), None], 1, 150, true).unwrap();
    let (execution, packets) = packets(tasks, &PUSH);
    // Prepared until 7, across in 107; noticed in 118, stored in 218; acknowledgement noticed in 229.
    // The rest: prepared until 236, across in 286; noticed in 297, stored in 347.
    assert_eq!(
        packets,
        [(0, 100, 107), (1, 0, 218), (0, 50, 286), (1, 0, 347)]
    );
    assert_eq!(execution.finish_cycle(0), Some(358));
    assert_eq!(
        execution.account(0, 400).waiting_acknowledgement_cycles,
        358
    );
}

#[test]
fn with_no_ack_wait_the_next_packet_is_fetched_while_one_is_under_way() {
    let parameters = MessagingParameters {
        acknowledged: Acknowledged::Unwaited,
        ..PUSH
    };
    let tasks = transfers(&[Some(1), None], 1, 150, true).unwrap();
    let (execution, packets) = packets(tasks, &parameters);
    // The second, prepared from 107 to 114, is across in 164 and noticed in 175, but the receiver's bus
    // is taken until 218.
    assert_eq!(
        packets,
        [(0, 100, 107), (0, 50, 164), (1, 0, 218), (1, 0, 268)]
    );
    assert_eq!(execution.finish_cycle(0), Some(268 + 11));
}

#[test]
fn the_bus_serves_both_directions_by_turns_what_came_first() {
    let parameters = MessagingParameters {
        acknowledged: Acknowledged::No,
        push_packet_ns: 0.0,
        ..PUSH
    };
    let tasks = transfers(&[Some(1), Some(0)], 1, 300, true).unwrap();
    let (_, packets) = packets(tasks, &parameters);
    // Out until 100, out until 200 (nothing has come before 111); then one that came, and one out.
    let first: Vec<u64> = packets.iter().filter(|p| p.0 == 0).map(|p| p.2).collect();
    assert_eq!(first, [100, 200, 400]);
}

#[test]
fn short_messages_are_written_by_the_processor_and_cross_the_bus_of_their_receiver_alone() {
    let tasks = transfers(&[Some(1), None], 1, 10, true).unwrap();
    let (execution, packets) = packets(tasks, &PUSH);
    assert_eq!(packets, [(0, 10, 0), (1, 0, 11 + 10)]);
    assert_eq!(execution.finish_cycle(0), Some(21 + 11));
}

#[test]
fn without_a_bus_a_fetched_packet_takes_its_preparing_and_nothing_takes_time_at_its_receiver() {
    let parameters = MessagingParameters {
        bus_gbit_per_s: 0.0,
        ..PUSH
    };
    let tasks = transfers(&[Some(1), None], 1, 100, true).unwrap();
    let (execution, packets) = packets(tasks, &parameters);
    assert_eq!(packets, [(0, 100, 7), (1, 0, 18)]);
    assert_eq!(execution.finish_cycle(0), Some(29));
}

#[test]
fn a_blocking_send_is_over_when_it_is_acknowledged_and_another_with_its_overhead() {
    let ends = |blocking| {
        let parameters = MessagingParameters {
            blocking,
            send_message_ns: 3.0,
            bus_gbit_per_s: 0.0,
            ..PUSH
        };
        let tasks = transfers(&[Some(1), None], 2, 10, true).unwrap();
        let (execution, packets) = packets(tasks, &parameters);
        let sent: Vec<u64> = packets.iter().filter(|p| p.0 == 0).map(|p| p.2).collect();
        (execution.finish_cycle(0).unwrap(), sent)
    };
    // The second overhead begins when the first packet is acknowledged, or beside that.
    assert_eq!(ends(true), (25 + 3 + 22, vec![3, 28]));
    assert_eq!(ends(false), (6, vec![3, 25]));
}

#[test]
fn transfers_that_do_not_wait_follow_the_start_of_the_one_before() {
    let parameters = MessagingParameters {
        acknowledged: Acknowledged::Unwaited,
        bus_gbit_per_s: 0.0,
        ..PUSH
    };
    let sent = |waits| {
        let tasks = transfers(&[Some(1), None], 2, 10, waits).unwrap();
        let (_, packets) = packets(tasks, &parameters);
        packets.iter().filter(|p| p.0 == 0).map(|p| p.2).collect()
    };
    let waiting: Vec<u64> = sent(true);
    let not_waiting: Vec<u64> = sent(false);
    assert_eq!((waiting, not_waiting), (vec![0, 22], vec![0, 0]));
}

#[test]
fn a_send_to_the_own_rank_is_over_at_once_even_if_it_blocks() {
    let mut graph = TaskGraph::new(1);
    let work = Work::Send {
        to: 0,
        tag: 0,
        bytes: 500,
    };
    graph.add(0, Task::new(work, 0), &[]).unwrap();
    let (execution, packets) = packets(graph, &PUSH);
    assert_eq!((execution.finish_cycle(0), packets), (Some(0), vec![]));
}
