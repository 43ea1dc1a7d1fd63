//! Hosts with room for few messages, on a network that brings every packet in ten cycles: what is
//! refused, when it is sent again and in which order it is received, worked out by hand.

use crate::network::{Travelling, run};
use weft_fabric::HostId;
use weft_model::workload::Execution;
use weft_model::workload::program::{
    Acknowledged, Dependency, Messaging, MessagingParameters, Program, Task, TaskGraph, Work,
};

/// Room for one message; a refusal is on its way after 2 cycles, what was refused 30 after that came.
fn one() -> MessagingParameters {
    MessagingParameters {
        receive_messages: 1,
        resend_ns: 30.0,
        acknowledge_ns: 2.0,
        acknowledgement_bytes: 1,
        ..MessagingParameters::default()
    }
}

fn send(to: u32, bytes: u64) -> Work {
    Work::Send { to, tag: 0, bytes }
}

fn receive(from: impl Into<Option<u32>>) -> Work {
    let from = from.into();
    Work::Receive { from, tag: None }
}

fn compute(ns: f64) -> Work {
    Work::Compute { ns }
}

/// Runs tasks of each rank, each after the end of the one before.
fn played(ranks: &[Vec<Work>], parameters: &MessagingParameters) -> (Execution, Vec<Travelling>) {
    let mut graph = TaskGraph::new(ranks.len());
    for (rank, works) in (0..).zip(ranks) {
        let mut before: Option<Dependency> = None;
        for &work in works {
            let number = graph.add(rank, Task::new(work, 0), before.as_slice());
            before = Some(Dependency::end(number.unwrap()));
        }
    }
    let messaging = Messaging::new(parameters, 1.0).unwrap();
    let hosts: Vec<HostId> = (0..ranks.len()).map(HostId::from_index).collect();
    let (execution, travelled) = run(&Program::new(graph, messaging, &hosts, ranks.len()).unwrap());
    assert!(execution.is_finished());
    assert!(execution.unclaimed().is_empty());
    let (sent, received) = execution.message_counts();
    assert_eq!(sent, received, "each message is received once");
    (execution, travelled)
}

/// The cycles in which a rank generated its packets.
fn generated(travelled: &[Travelling], rank: u32) -> Vec<u64> {
    let of_rank = travelled.iter().filter(|packet| packet.2.number() == rank);
    of_rank.map(|packet| packet.5).collect()
}

#[test]
fn of_three_senders_to_a_host_with_room_for_one_two_send_again_until_there_is_room() {
    let parameters = MessagingParameters {
        receive_message_ns: 20.0,
        ..one()
    };
    let ranks = [
        vec![compute(100.0), receive(1), receive(2), receive(3)],
        vec![send(0, 8)],
        vec![send(0, 8)],
        vec![send(0, 8)],
    ];
    let (execution, travelled) = played(&ranks, &parameters);
    // Noticed in 11: rank 1 finds room, which is not free before 120. The others are refused in 13, which
    // they notice in 24, send again in 54 and are noticed in 65; again in 119, and in 173, when rank 2 finds
    // room, until 193. Rank 3, refused in 175, sends in 216 and is received from 227 on.
    assert_eq!(generated(&travelled, 1), [0]);
    assert_eq!(generated(&travelled, 2), [0, 54, 108, 162]);
    assert_eq!(generated(&travelled, 3), [0, 54, 108, 162, 216]);
    assert_eq!(
        generated(&travelled, 0),
        [13, 13, 67, 67, 121, 121, 175],
        "refusals alone, where nothing is acknowledged"
    );
    assert_eq!(execution.finish_cycle(0), Some(247));
}

#[test]
fn what_no_receive_asks_for_is_taken_by_a_processor_with_nothing_to_do() {
    let parameters = MessagingParameters {
        receive_message_ns: 20.0,
        ..one()
    };
    let ranks = [
        vec![receive(2), receive(1)],
        vec![send(0, 8)],
        vec![compute(5.0), send(0, 8)],
    ];
    let (execution, travelled) = played(&ranks, &parameters);
    // That of rank 1 waits for its receive in no room of the host, or rank 2 would be refused for ever.
    assert_eq!(travelled.len(), 2);
    assert_eq!(execution.finish_cycle(0), Some(16 + 20 + 20));
}

#[test]
fn what_was_sent_after_a_message_that_was_refused_is_refused_too() {
    let parameters = MessagingParameters {
        receive_byte_ns: 1.0,
        ..one()
    };
    let ranks = [
        vec![compute(12.0), receive(2), receive(2), receive(1)],
        vec![send(0, 5)],
        vec![send(0, 8), compute(20.0), send(0, 3)],
    ];
    let (execution, travelled) = played(&ranks, &parameters);
    // In 11 rank 1 finds the room and rank 2 none, in 31 there is room again. The 8 bytes, noticed in 65,
    // are received until 73, the 3 bytes from 85 on, those of rank 1 after them.
    assert_eq!(generated(&travelled, 2), [0, 20, 54, 74]);
    assert_eq!(generated(&travelled, 0), [13, 33]);
    assert_eq!(execution.finish_cycle(0), Some(85 + 3 + 5));
}

#[test]
fn a_refusal_stands_for_the_acknowledgement_and_the_send_is_not_over_with_it() {
    let parameters = MessagingParameters {
        acknowledged: Acknowledged::Waited,
        blocking: true,
        packet_bytes: 100,
        ..one()
    };
    let ranks = [
        vec![send(1, 8), send(1, 150)],
        vec![compute(70.0), receive(0), receive(0)],
    ];
    let (execution, travelled) = played(&ranks, &parameters);
    // The first is acknowledged in 13. The second: 100 bytes in 24, acknowledged in 37, 50 in 48, refused
    // in 61; both again, in 72 + 30 and 126, the latter noticed in 137.
    assert_eq!(generated(&travelled, 0), [0, 24, 48, 102, 126]);
    assert_eq!(generated(&travelled, 1), [13, 37, 61, 115, 139]);
    let ends = (execution.finish_cycle(0), execution.finish_cycle(1));
    assert_eq!(ends, (Some(150), Some(137)));
    let account = execution.account(0, 200);
    assert_eq!(account.waiting_acknowledgement_cycles, 150);
}

#[test]
fn announcements_are_refused_and_what_was_called_for_is_not() {
    let parameters = MessagingParameters {
        eager_bytes: 4,
        control_ns: 10.0,
        ..one()
    };
    let ranks = [
        vec![compute(20.0), receive(1), receive(2)],
        vec![send(0, 100)],
        vec![send(0, 100)],
    ];
    let (execution, travelled) = played(&ranks, &parameters);
    // Rank 1: announced in 0, called for in 30, answered in 41 + 10, there in 62. Rank 2: announced in 0 and
    // in 54, when there is room again, called for in 65 + 10, answered in 86 + 10, there in 107.
    assert_eq!(generated(&travelled, 0), [13, 30, 75]);
    assert_eq!(generated(&travelled, 1), [0, 51]);
    assert_eq!(generated(&travelled, 2), [0, 54, 96]);
    assert_eq!(execution.finish_cycle(0), Some(107));
}

#[test]
fn every_message_is_received_once_however_little_room_there_is_and_always_alike() {
    for acknowledged in [
        Acknowledged::No,
        Acknowledged::Waited,
        Acknowledged::Unwaited,
    ] {
        let of_room = |receive_messages| {
            let parameters = MessagingParameters {
                acknowledged,
                receive_messages,
                resend_ns: 7.0,
                eager_bytes: 20,
                receive_message_ns: 3.0,
                ..one()
            };
            let mut ranks = vec![vec![send(0, 9); 10]; 20];
            for (number, works) in (0_u16..).zip(&mut ranks) {
                works.insert(5, send(0, 30));
                works.insert(3, compute(f64::from(number)));
            }
            ranks[0] = vec![receive(None); 19 * 11];
            ranks[0].insert(50, compute(200.0));
            played(&ranks, &parameters)
        };
        let [(first, packets), (_, again)] = [of_room(1), of_room(1)];
        assert_eq!(first.message_counts(), (209, 209));
        assert_eq!(packets, again);
        let [(_, much), (_, any)] = [of_room(209), of_room(0)];
        assert_eq!(much, any, "with room for all it is as with any");
        assert!(
            packets.len() > any.len(),
            "with room for one some are refused"
        );
    }
}
