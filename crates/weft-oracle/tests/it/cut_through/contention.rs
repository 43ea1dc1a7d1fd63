//! Packets that want the same lane, buffer or link.

use super::{MODEL, NO_OUTPUT_BUFFER, TIMINGS, run, tables};
use std::num::NonZeroU32;
use weft_fabric::HostId;
use weft_model::CutThroughModel;
use weft_oracle::CutThroughOracle;
use weft_routing::Lane;
use weft_testing::by_hand::{fabric, times, workload};

#[test]
fn lanes_take_turns_on_a_link_packet_by_packet() {
    // Host 0 sends to host 1 on lane 0 and to host 2 on lane 1, through one switch; all are ready in 0.
    let fabric = fabric(&[0, 0, 0], &[]);
    let routes = tables(&fabric, |_, to| u8::from(to == 2)).into();
    let packets = [
        (0, 1, 0, 10),
        (0, 1, 0, 20),
        (0, 2, 0, 5),
        (0, 2, 0, 5),
        (0, 2, 0, 5),
    ];
    let mut delivered = run(&fabric, &routes, &MODEL, &TIMINGS, &packets, 1_000);
    delivered.sort();
    let injections: Vec<_> = times(&delivered).iter().map(|t| t.2).collect();
    // 0: ten flits; then lane 1: five; then lane 0: twenty; then lane 1 twice.
    assert_eq!(injections, [0, 15, 10, 35, 40]);
}

#[test]
fn requests_of_one_cycle_go_by_input_port_and_later_ones_behind() {
    // Hosts 0, 1, 2 at one switch send to host 3: one output, one lane.
    let fabric = fabric(&[0, 0, 0, 0], &[]);
    let routes = tables(&fabric, |_, _| 0).into();
    let packets = [(2, 3, 0, 10), (0, 3, 1, 10), (1, 3, 0, 10)];
    let workload = workload(&fabric, &packets);
    for (model, crossing) in [(MODEL, 1), (NO_OUTPUT_BUFFER, 0)] {
        let mut oracle =
            CutThroughOracle::new(&fabric, &routes, &model, &TIMINGS, &workload).unwrap();
        let mut delivered = Vec::new();
        oracle.advance(1_000, &mut delivered);
        // Heads arrive in 7, 7 and 8. Host 1's crosses from 12 to 21; the output is free in 22 and
        // host 2's, granted then, crosses from 27 on; host 0's in 42. The first flit arrives 7 later.
        let at = |crossed: u64| crossed + crossing + 9 + 7;
        let expected = [(1, 0, 0, at(12)), (2, 0, 0, at(27)), (0, 0, 1, at(42))];
        assert_eq!(times(&delivered), expected);
        let usage = oracle.lane_use(fabric.ejection_channel(HostId::new(3)), Lane::ZERO);
        assert_eq!(usage.longest_wait_cycles, 37 - 8);
    }
}

#[test]
fn a_packet_that_fits_the_output_buffer_passes_one_that_does_not() {
    // The output buffer to host 3 holds 30 flits. Host 0's 20 are granted in 7 and sent from 13 to 32;
    // host 1's 20 ask in 7 too and do not fit beside them until 33, host 2's 10, which ask in 8, do.
    let fabric = fabric(&[0, 0, 0, 0], &[]);
    let routes = tables(&fabric, |_, _| 0).into();
    let model = CutThroughModel {
        output_buffer_flits: NonZeroU32::new(30),
        ..MODEL
    };
    let packets = [(0, 3, 0, 20), (1, 3, 0, 20), (2, 3, 1, 10)];
    let delivered = run(&fabric, &routes, &model, &TIMINGS, &packets, 1_000);
    // Host 0's crosses from 12 to 31, so that the output is free in 32. Host 2's crosses from 37 to 46,
    // is sent from 38 to 47. Host 1's fits from 33 on but is granted in 47, when the output is free:
    // crosses from 52, is sent from 53 to 72.
    let expected = [(0, 0, 0, 32 + 7), (2, 0, 1, 47 + 7), (1, 0, 0, 72 + 7)];
    assert_eq!(times(&delivered), expected);
    // With room for both the order of the requests stands.
    let model = CutThroughModel {
        output_buffer_flits: NonZeroU32::new(40),
        ..MODEL
    };
    let delivered = run(&fabric, &routes, &model, &TIMINGS, &packets, 1_000);
    let order: Vec<_> = times(&delivered).iter().map(|t| t.0).collect();
    assert_eq!(order, [0, 1, 2]);
}

#[test]
fn packets_are_looked_up_while_those_before_them_leave_and_a_routing_delay_holds_them_up() {
    // Host 0 sends three packets to host 1 through one switch; their heads arrive in 7, 17 and 27.
    let fabric = fabric(&[0, 0], &[]);
    let routes = tables(&fabric, |_, _| 0).into();
    let packets = [(0, 1, 0, 10), (0, 1, 0, 10), (0, 1, 0, 10)];
    let deliveries = |lookup_delay_cycles, routing_delay_cycles| {
        let model = CutThroughModel {
            lookup_delay_cycles,
            routing_delay_cycles,
            ..MODEL
        };
        let delivered = run(&fabric, &routes, &model, &TIMINGS, &packets, 1_000);
        times(&delivered).iter().map(|t| t.3).collect::<Vec<_>>()
    };
    // A packet that crosses from t to t + 9 is sent from t + 1 to t + 10 and is there in t + 17.
    // They ask in 12, 22 and 32: each as the one before it has crossed.
    assert_eq!(deliveries(5, 0), [29, 39, 49]);
    // They ask in 37, 47 and 57, though the lookup takes three times as long as a packet.
    assert_eq!(deliveries(30, 0), [54, 64, 74]);
    // They ask in 7, 22 and 37, and cross five cycles later.
    assert_eq!(deliveries(0, 5), [29, 44, 59]);
    // They ask in 9, 22 and 35, and cross three cycles later.
    assert_eq!(deliveries(2, 3), [29, 42, 55]);
}

#[test]
fn lanes_do_not_hold_one_another_up_inside_a_switch() {
    // Host 1's packet on lane 1 crosses to the same output port at the same time as host 0's on lane 0.
    let fabric = fabric(&[0, 0, 0], &[]);
    let routes = tables(&fabric, |from, _| u8::from(from == 1)).into();
    let packets = [(0, 2, 0, 10), (1, 2, 0, 10)];
    let delivered = run(&fabric, &routes, &MODEL, &TIMINGS, &packets, 1_000);
    // Both are in their output buffers from 13 on; the link serves lane 0, then at once lane 1.
    assert_eq!(times(&delivered), [(0, 0, 0, 22 + 7), (1, 0, 0, 32 + 7)]);
}
