//! Several ranks on a host, several hosts in a node, ranks that begin later: what follows is worked out by hand.

use crate::network::{LATENCY, in_order, receive, run, send};
use weft_fabric::HostId;
use weft_model::workload::program::{
    Account, Acknowledged, Messaging, MessagingParameters, Program, Work,
};

/// Ranks on hosts by their numbers.
fn program(ranks: &[&[Work]], hosts: &[u32], parameters: &MessagingParameters) -> Program {
    let messaging = Messaging::new(parameters, 1.0).unwrap();
    let hosts: Vec<HostId> = hosts.iter().map(|&host| HostId::new(host)).collect();
    Program::new(in_order(ranks), messaging, &hosts, 4).unwrap()
}

/// A byte in two cycles between ranks of a node, and 7 cycles more.
fn inner() -> MessagingParameters {
    MessagingParameters {
        inner_ns: 7.0,
        inner_gbit_per_s: 4.0,
        ..MessagingParameters::default()
    }
}

#[test]
fn ranks_of_a_host_share_its_nic_in_the_order_of_their_sends() {
    let parameters = MessagingParameters {
        packet_bytes: 100,
        acknowledged: Acknowledged::Waited,
        acknowledgement_bytes: 4,
        ..MessagingParameters::default()
    };
    let late = Work::Compute { ns: 1.0 };
    let ranks: &[&[Work]] = &[
        &[late, send(2, 70)],
        &[send(2, 150)],
        &[receive(1), receive(0)],
    ];
    let (execution, packets) = run(&program(ranks, &[0, 0, 1], &parameters));
    let of_data = packets.iter().filter(|packet| packet.4 != 4);
    let generated: Vec<(u64, u32, u64)> = of_data.map(|p| (p.3, p.4, p.5)).collect();
    // Each waits for the acknowledgement of the one before, whichever rank that was of.
    let turn = 2 * (LATENCY + 1);
    assert_eq!(generated, [(0, 100, 0), (1, 50, turn), (2, 70, 2 * turn)]);
    // A rank waits for acknowledgements as long as its host does.
    let waiting = execution.account(0, 1_000);
    assert_eq!(
        (waiting.computing_cycles, execution.finish_cycle(0)),
        (1, Some(1))
    );
}

#[test]
fn messages_inside_a_node_leave_one_after_another_and_pass_the_network() {
    let ranks: &[&[Work]] = &[
        &[send(1, 10), send(2, 4)],
        &[receive(0)],
        &[receive(0), send(0, 0)],
    ];
    let (execution, packets) = run(&program(ranks, &[3, 3, 3], &inner()));
    assert!(packets.is_empty());
    // 10 bytes have left after 20 cycles; the send of the 4 bytes begins then and takes 8.
    assert_eq!(execution.finish_cycle(1), Some(20 + 7));
    assert_eq!(execution.finish_cycle(0), Some(28));
    assert_eq!(execution.finish_cycle(2), Some(28 + 7));
    assert_eq!(execution.message_counts(), (3, 2));
}

#[test]
fn what_takes_no_time_inside_a_node_is_there_in_the_next_cycle() {
    let parameters = MessagingParameters {
        eager_bytes: 10,
        ..MessagingParameters::default()
    };
    let ranks: &[&[Work]] = &[&[send(1, 1 << 30)], &[receive(0)]];
    let (execution, packets) = run(&program(ranks, &[0, 0], &parameters));
    assert!(packets.is_empty(), "it is not announced either");
    let ends = (execution.finish_cycle(0), execution.finish_cycle(1));
    assert_eq!(ends, (Some(0), Some(1)));
}

#[test]
fn hosts_of_one_node_reach_each_other_past_the_network() {
    let ranks: &[&[Work]] = &[&[send(1, 3), send(2, 3)], &[receive(0)], &[receive(0)]];
    let program = program(ranks, &[0, 1, 2], &inner());
    let (execution, packets) = run(&program.with_nodes(&[5, 5, 6, 7]).unwrap());
    assert_eq!(packets.len(), 1);
    assert_eq!(execution.finish_cycle(1), Some(6 + 7));
    assert_eq!(execution.finish_cycle(2), Some(6 + LATENCY + 1));
}

#[test]
fn messages_that_come_together_are_seen_by_the_number_of_their_senders() {
    let from_any = Work::Receive {
        from: None,
        tag: Some(0),
    };
    let ranks: &[&[Work]] = &[
        &[send(2, 0)],
        &[send(2, 0)],
        &[
            Work::Compute { ns: 50.0 },
            from_any,
            send(0, 0),
            receive(1),
            send(0, 0),
        ],
    ];
    let (execution, _) = run(&program(ranks, &[1, 1, 1], &inner()));
    assert_eq!(
        execution.finish_cycle(2),
        Some(50),
        "the first is that of rank 0"
    );
}

#[test]
fn a_rank_has_no_time_before_it_begins() {
    let ranks: &[&[Work]] = &[&[Work::Compute { ns: 5.0 }, send(1, 1)], &[receive(0)]];
    let program = program(ranks, &[0, 1], &MessagingParameters::default());
    let (execution, packets) = run(&program.with_begins(vec![100, 40]).unwrap());
    assert_eq!(packets[0].5, 105);
    assert_eq!(execution.finish_cycle(0), Some(105));
    let received = 105 + LATENCY + 1;
    assert_eq!(execution.finish_cycle(1), Some(received));
    let computing = Account {
        computing_cycles: 5,
        ..Account::default()
    };
    let waiting = Account {
        waiting_packet_cycles: received - 40,
        ..Account::default()
    };
    let accounts = (execution.account(0, 1_000), execution.account(1, 1_000));
    assert_eq!(accounts, (computing, waiting));
}
