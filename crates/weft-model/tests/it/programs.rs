//! Programs on a network that brings every packet in a fixed number of cycles: what follows is
//! worked out by hand.

use crate::network::{LATENCY, in_order, receive, run, send, task};
use weft_fabric::HostId;
use weft_model::workload::program::{
    Account, Acknowledged, Announcements, Dependency, Execution, Messaging, MessagingParameters,
    Program, ProgramError, TaskGraph, Work,
};
use weft_registry::RegistryError;
use weft_testing::refusals;

/// Tasks of each rank, each after the end of the one before, on hosts of their own.
fn program(ranks: &[&[Work]], parameters: &MessagingParameters) -> Program {
    let messaging = Messaging::new(parameters, 1.0).unwrap();
    let hosts: Vec<HostId> = (0..ranks.len()).map(HostId::from_index).collect();
    Program::new(in_order(ranks), messaging, &hosts, ranks.len()).unwrap()
}

#[test]
fn overheads_and_latency_add_up() {
    let parameters = MessagingParameters {
        send_message_ns: 3.0,
        send_byte_ns: 0.5,
        receive_message_ns: 2.0,
        receive_byte_ns: 0.25,
        ..MessagingParameters::default()
    };
    let compute = Work::Compute { ns: 5.0 };
    let (execution, packets) = run(&program(
        &[&[compute, send(1, 8)], &[receive(0), compute]],
        &parameters,
    ));
    // 5 of computing, 3 + 8/2 of sending; delivered 10 later, noticed after that; 2 + 8/4; 5.
    let (sent, delivered) = (12, 22);
    assert_eq!(
        packets,
        [(delivered, HostId::new(1), HostId::new(0), 0, 8, sent)]
    );
    assert_eq!(execution.finish_cycle(0), Some(sent));
    assert_eq!(execution.finish_cycle(1), Some(delivered + 1 + 4 + 5));
    let account = |rank| execution.account(rank, 1_000);
    let first = Account {
        computing_cycles: 5,
        sending_cycles: 7,
        ..Account::default()
    };
    let second = Account {
        waiting_packet_cycles: 23,
        receiving_cycles: 4,
        computing_cycles: 5,
        ..Account::default()
    };
    assert_eq!((account(0), account(1)), (first, second));
    assert!(execution.is_finished());
}

#[test]
fn a_message_is_there_with_the_latest_of_its_packets_whichever_is_told_of_last() {
    let parameters = MessagingParameters {
        packet_bytes: 100,
        ..MessagingParameters::default()
    };
    let program = program(&[&[send(1, 150)], &[receive(0)]], &parameters);
    let [sender, receiver] = [0, 1].map(HostId::new);
    let mut execution = Execution::new(&program);
    for host in [sender, receiver] {
        execution.act(&program, host, 0, &mut Vec::new(), &mut Vec::new());
    }
    // The second is told of ahead of time, the first, which a failure could have broken, when it is there.
    let told = execution.deliver(&program, 50, receiver, (sender, 1));
    assert_eq!(told, None);
    let told = execution.deliver(&program, 30, receiver, (sender, 0));
    assert_eq!(told, Some(51));
}

#[test]
fn long_messages_are_split_and_empty_ones_are_packets() {
    let parameters = MessagingParameters {
        packet_bytes: 100,
        ..MessagingParameters::default()
    };
    let works = [send(1, 250), send(1, 0)];
    let (execution, packets) = run(&program(&[&works, &[receive(0), receive(0)]], &parameters));
    let sizes: Vec<(u32, u64)> = packets.iter().map(|p| (p.4, p.5)).collect();
    assert_eq!(sizes, [(100, 0), (100, 0), (50, 0), (0, 0)]);
    assert_eq!(execution.finish_cycle(1), Some(LATENCY + 1));
}

#[test]
fn with_acknowledgements_a_packet_waits_for_that_of_the_one_before() {
    let parameters = MessagingParameters {
        packet_bytes: 100,
        acknowledged: Acknowledged::Waited,
        acknowledgement_bytes: 4,
        acknowledge_ns: 3.0,
        next_packet_ns: 2.0,
        ..MessagingParameters::default()
    };
    let ranks: &[&[Work]] = &[&[send(1, 200), Work::Compute { ns: 5.0 }], &[receive(0)]];
    let (execution, packets) = run(&program(ranks, &parameters));
    // Noticed in 11, acknowledged in 14, that noticed in 25, the next in 27.
    let generated: Vec<(u32, u64)> = packets.iter().map(|p| (p.4, p.5)).collect();
    assert_eq!(generated, [(100, 0), (4, 14), (100, 27), (4, 27 + 14)]);
    assert_eq!(
        execution.finish_cycle(0),
        Some(5),
        "an eager send is over at once"
    );
    assert_eq!(execution.finish_cycle(1), Some(27 + 11));
}

#[test]
fn waiting_for_an_acknowledgement_is_told_from_waiting_for_a_packet() {
    let parameters = MessagingParameters {
        acknowledged: Acknowledged::Waited,
        ..MessagingParameters::default()
    };
    let ranks: &[&[Work]] = &[
        &[send(1, 8), receive(1)],
        &[receive(0), Work::Compute { ns: 50.0 }, send(0, 8)],
    ];
    let (execution, _) = run(&program(ranks, &parameters));
    // The acknowledgement is noticed in 22; the answer, sent in 11 + 50, in 72.
    let account = execution.account(0, 1_000);
    assert_eq!(account.waiting_acknowledgement_cycles, 22);
    assert_eq!(account.waiting_packet_cycles, 72 - 22);
}

#[test]
fn long_messages_are_announced_and_called_for() {
    let parameters = MessagingParameters {
        eager_bytes: 7,
        control_bytes: 2,
        ..MessagingParameters::default()
    };
    let ranks: &[&[Work]] = &[&[send(1, 8)], &[Work::Compute { ns: 30.0 }, receive(0)]];
    let (execution, packets) = run(&program(ranks, &parameters));
    // Announced in 0; called for when the receive is posted, in 30; sent in 41.
    let generated: Vec<(u32, u64)> = packets.iter().map(|p| (p.4, p.5)).collect();
    assert_eq!(generated, [(2, 0), (2, 30), (8, 41)]);
    assert_eq!(execution.finish_cycle(0), Some(41));
    assert_eq!(execution.finish_cycle(1), Some(52));
}

#[test]
fn what_is_announced_is_counted_with_its_wait_for_the_call() {
    let parameters = MessagingParameters {
        eager_bytes: 7,
        ..MessagingParameters::default()
    };
    // The first waits for its round trip; the second, announced in 22, for a receive posted in 100.
    let ranks: &[&[Work]] = &[
        &[send(1, 8), send(1, 9), send(1, 7)],
        &[
            receive(0),
            Work::Compute { ns: 67.0 },
            receive(0),
            receive(0),
        ],
    ];
    let (execution, _) = run(&program(ranks, &parameters));
    assert_eq!(execution.finish_cycle(0), Some(100 + 11));
    let expected = Announcements {
        announced_messages: 2,
        called_messages: 2,
        waiting_cycles: 22 + (111 - 22),
    };
    assert_eq!(execution.announcements(), expected);
    // Nobody calls for this one, and what goes to the own rank is not announced.
    let (execution, _) = run(&program(
        &[&[send(0, 8), receive(0), send(1, 8)], &[]],
        &parameters,
    ));
    let expected = Announcements {
        announced_messages: 1,
        ..Announcements::default()
    };
    assert_eq!(execution.announcements(), expected);
}

#[test]
fn calling_and_being_called_take_processor_time() {
    let parameters = MessagingParameters {
        eager_bytes: 7,
        control_bytes: 2,
        control_ns: 5.0,
        ..MessagingParameters::default()
    };
    let ranks: &[&[Work]] = &[
        &[send(1, 8), Work::Compute { ns: 3.0 }],
        &[Work::Compute { ns: 30.0 }, receive(0)],
    ];
    let (execution, packets) = run(&program(ranks, &parameters));
    // Announced in 0; the call takes from 30 to 35, and the answer from 46, when it is there, to 51.
    let generated: Vec<(u32, u64)> = packets.iter().map(|p| (p.4, p.5)).collect();
    assert_eq!(generated, [(2, 0), (2, 35), (8, 51)]);
    assert_eq!(execution.finish_cycle(0), Some(54));
    assert_eq!(execution.account(0, 100).sending_cycles, 5);
    assert_eq!(execution.account(1, 100).receiving_cycles, 5);
}

#[test]
fn a_message_to_the_own_rank_is_there_at_once() {
    let ranks: &[&[Work]] = &[&[send(0, 1 << 34), receive(0)]];
    let (execution, packets) = run(&program(ranks, &MessagingParameters::default()));
    assert_eq!(packets, []);
    assert_eq!(execution.finish_cycle(0), Some(0));
    assert_eq!(execution.message_counts(), (1, 1));
}

#[test]
fn a_task_that_waits_for_a_start_runs_beside_one_that_is_not_over() {
    let mut graph = TaskGraph::new(2);
    graph.add(0, task(receive(1)), &[]).unwrap();
    let compute = task(Work::Compute { ns: 4.0 });
    graph.add(0, compute, &[Dependency::start(0)]).unwrap();
    let both = [Dependency::end(0), Dependency::end(1)];
    graph.add(0, task(Work::Join), &both).unwrap();
    graph.add(1, task(send(0, 1)), &[]).unwrap();
    let messaging = Messaging::new(&MessagingParameters::default(), 1.0).unwrap();
    let hosts = [HostId::new(0), HostId::new(1)];
    let program = Program::new(graph, messaging, &hosts, 2).unwrap();
    let (execution, _) = run(&program);
    assert_eq!(execution.finish_cycle(0), Some(LATENCY + 1));
    assert_eq!(execution.account(0, 100).computing_cycles, 4);
}

#[test]
fn receives_take_messages_in_the_order_they_were_sent() {
    let tagged = |tag, bytes| Work::Send { to: 1, tag, bytes };
    let wanted = |tag| Work::Receive {
        from: None,
        tag: Some(tag),
    };
    let parameters = MessagingParameters {
        receive_byte_ns: 1.0,
        ..MessagingParameters::default()
    };
    let works: &[&[Work]] = &[
        &[tagged(7, 1), tagged(8, 20), tagged(7, 300)],
        &[
            wanted(8),
            wanted(7),
            Work::Receive {
                from: None,
                tag: None,
            },
        ],
    ];
    let (execution, _) = run(&program(works, &parameters));
    let account = execution.account(1, 5_000);
    assert_eq!(account.receiving_cycles, 321);
    assert_eq!(execution.unclaimed(), []);
}

#[test]
fn what_can_never_end_is_named() {
    let ranks: &[&[Work]] = &[&[receive(1), send(1, 1)], &[receive(0), send(0, 1)], &[]];
    let (execution, packets) = run(&program(ranks, &MessagingParameters::default()));
    assert!(packets.is_empty() && !execution.is_finished());
    let blocked: Vec<(u32, String)> = execution
        .blocked()
        .iter()
        .map(|blocked| (blocked.rank, blocked.task.work.to_string()))
        .collect();
    let texts = [
        "receiving from rank 1 (tag 0)",
        "receiving from rank 0 (tag 0)",
    ];
    assert_eq!(
        blocked,
        [(0, texts[0].to_owned()), (1, texts[1].to_owned())]
    );
}

#[test]
fn messages_that_nobody_receives_are_named() {
    let ranks: &[&[Work]] = &[&[send(1, 1)], &[]];
    let (execution, _) = run(&program(ranks, &MessagingParameters::default()));
    assert!(execution.is_finished());
    assert_eq!(execution.unclaimed(), [(0, 1, 0)]);
}

#[test]
fn messages_without_a_receive_are_told_in_the_order_they_were_sent() {
    // The second of four has its receive; another rank's last is still on its way when all are over.
    let tagged = |tag, bytes| Work::Send { to: 1, tag, bytes };
    let ranks: &[&[Work]] = &[
        &[tagged(3, 10), tagged(0, 20), tagged(3, 30), tagged(4, 40)],
        &[receive(0)],
        &[tagged(5, 50)],
    ];
    let (execution, _) = run(&program(ranks, &MessagingParameters::default()));
    assert!(execution.is_finished());
    let told: Vec<_> = execution
        .unmatched()
        .iter()
        .map(|found| (found.from, found.send, found.to, found.tag, found.bytes))
        .collect();
    assert_eq!(
        told,
        [
            (0, 0, 1, 3, 10),
            (0, 2, 1, 3, 30),
            (0, 3, 1, 4, 40),
            (2, 0, 1, 5, 50)
        ]
    );
}

#[test]
fn programs_that_fit_no_hosts_are_refused() {
    let refuse = |hosts: &[u32], host_count| {
        let messaging = Messaging::new(&MessagingParameters::default(), 1.0).unwrap();
        let hosts: Vec<HostId> = hosts.iter().map(|&host| HostId::new(host)).collect();
        Program::new(TaskGraph::new(2), messaging, &hosts, host_count)
    };
    refusals! {
        refuse(&[0], 4) =>
            "1 host is given for the 2 ranks of the program; expected one for each";
        refuse(&[0, 4], 4) => "rank 1 is placed on host 4; the fabric has hosts 0 to 3";
        refuse(&[0, 1], 4).and_then(|program| program.with_nodes(&[0, 0, 1])) =>
            "3 nodes are given for the 4 hosts of the fabric; expected one for each";
        refuse(&[0, 1], 4).and_then(|program| program.with_begins(vec![5])) =>
            "1 beginning is given for the 2 ranks of the program; expected one for each";
    }
}

#[test]
fn tasks_that_make_no_sense_are_refused() {
    let mut graph = TaskGraph::new(1);
    let mut refuse = |work, waits_for: &[Dependency]| graph.add(0, task(work), waits_for);
    refusals! {
        refuse(send(1, 1), &[]) => "rank 1 does not exist; the program has ranks 0 to 0";
        refuse(Work::Join, &[Dependency::end(0)]) =>
            "task 0 of rank 0 waits for task 0; expected an earlier one";
        refuse(Work::Compute { ns: -1.0 }, &[]) => "computing for -1 ns; expected 0 to 1e13";
    }
}

#[test]
fn parameters_are_set_by_name_and_checked() {
    let mut parameters = MessagingParameters::default();
    assert_eq!(parameters.set("packet_bytes", "1792"), Ok(()));
    assert_eq!(parameters.packet_bytes, 1792);
    assert_eq!(parameters.set("send_message_ns", "0.5"), Ok(()));
    refusals! {
        parameters.set("acknowledge_n", "1") =>
            "found parameter “acknowledge_n” for the messaging layer, expected one of its 27; \
             did you mean “acknowledge_ns”?";
        parameters.set("packet_bytes", "0.5") =>
            "found “0.5” for parameter packet_bytes of the messaging layer, expected a whole \
             number from 1 to 1048576 bytes";
    }
    assert!(parameters.set("bus_gbit_per_s", "0.0001").is_err());
    assert_eq!(parameters.set("bus_gbit_per_s", "0"), Ok(()));
    parameters.send_byte_ns = f64::NAN;
    let refused = Messaging::new(&parameters, 1.0).unwrap_err();
    assert!(matches!(
        refused,
        ProgramError::Messaging(RegistryError::InvalidValue {
            parameter: "send_byte_ns",
            ..
        })
    ));
}
