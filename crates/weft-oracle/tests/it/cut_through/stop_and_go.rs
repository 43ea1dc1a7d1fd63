//! Stop & go: halts between flits, other lanes meanwhile, never more than a buffer holds.

use super::{MODEL, NO_OUTPUT_BUFFER, TIMINGS, tables, timings};
use weft_model::{ChannelTiming, CutThroughModel, FlowControl};
use weft_oracle::CutThroughOracle;
use weft_routing::Lane;
use weft_testing::by_hand::{fabric, times, workload};

fn stop_and_go(base: CutThroughModel, stop: u32, go: u32, delay: u32) -> CutThroughModel {
    CutThroughModel {
        flow_control: FlowControl::StopAndGo {
            stop_above_flits: stop,
            go_below_flits: go,
            control_delay_cycles: delay,
        },
        ..base
    }
}

#[test]
fn a_stop_halts_a_lane_and_the_other_goes_on() {
    // Hosts 0 and 1 send to host 2, host 0 also to host 3 on lane 1. Stop above 4 flits, go below 2.
    let fabric = fabric(&[0, 0, 0, 0], &[]);
    let routes = tables(&fabric, |_, to| u8::from(to == 3)).into();
    let model = stop_and_go(NO_OUTPUT_BUFFER, 4, 2, 0);
    let packets = [(1, 2, 0, 30), (0, 2, 1, 30), (0, 3, 2, 6)];
    let workload = workload(&fabric, &packets);
    let mut oracle = CutThroughOracle::new(&fabric, &routes, &model, &TIMINGS, &workload).unwrap();
    let mut delivered = Vec::new();
    oracle.advance(1_000, &mut delivered);
    // Host 0's long packet finds the output taken by host 1's and fills its buffer; the stop takes
    // effect while most of it is still to be sent.
    assert_eq!(times(&delivered).len(), 3);
    // Lane 1 takes the link while lane 0 is halted: its six flits are sent between two of lane 0.
    let short = delivered
        .iter()
        .find(|r| r.destination.number() == 3)
        .unwrap();
    let long = delivered
        .iter()
        .find(|r| r.source.number() == 0 && r.sequence == 0)
        .unwrap();
    assert!(short.injection_cycle > long.injection_cycle);
    assert!(short.delivery_cycle < long.delivery_cycle);
    let injection = fabric.injection_channel(weft_fabric::HostId::new(0));
    let usage = oracle.lane_use(injection, Lane::ZERO);
    assert_eq!(usage.busy_cycles, 30);
    assert!(usage.blocked_cycles > 0);
    // What follows the stop: 4 + 1 + 13 of a round trip at most.
    assert!(usage.max_occupancy_flits <= 18 && usage.max_occupancy_flits > 4);
}

#[test]
fn the_smallest_buffer_is_filled_and_never_overflows() {
    for (k, delay) in [(1, 0), (1, 5), (2, 0), (3, 4)] {
        let timing = ChannelTiming {
            cycles_per_flit: k,
            flight_cycles: 7,
        };
        let model = stop_and_go(MODEL, 6, 3, delay);
        let least = model.least_input_buffer_flits(timing);
        let cycles = u64::from(2 * 7 + delay - 1);
        assert_eq!(least, 7 + cycles.div_ceil(u64::from(k)));
        let model = CutThroughModel {
            input_buffer_flits: u32::try_from(least).unwrap(),
            ..model
        };
        // Two hosts send to a third: one of them is halted, its buffer fills. The oracle stops the test
        // when a buffer overflows.
        let fabric = fabric(&[0, 0, 0], &[]);
        let routes = tables(&fabric, |_, _| 0).into();
        let bytes = model.input_buffer_flits;
        let packets: Vec<_> = (0..8)
            .flat_map(|_| [(0, 2, 0, bytes), (1, 2, 0, bytes)])
            .collect();
        let workload = workload(&fabric, &packets);
        let timings = timings(&[k; 3]);
        let mut oracle =
            CutThroughOracle::new(&fabric, &routes, &model, &timings, &workload).unwrap();
        let mut delivered = Vec::new();
        oracle.advance(20_000, &mut delivered);
        assert_eq!(delivered.len(), packets.len());
        let held = (0..2).map(|host| {
            let injection = fabric.injection_channel(weft_fabric::HostId::new(host));
            oracle.lane_use(injection, Lane::ZERO).max_occupancy_flits
        });
        assert_eq!(
            held.max(),
            Some(model.input_buffer_flits),
            "{k} cycles a flit, delay {delay}"
        );
    }
}

#[test]
fn with_stop_at_one_flit_every_flit_is_acknowledged() {
    // Stop above 0, go below 1 (“Stop,Go=1”): a lone packet is halted though nothing is in its way.
    let fabric = fabric(&[0, 0], &[]);
    let routes = tables(&fabric, |_, _| 0).into();
    let model = stop_and_go(NO_OUTPUT_BUFFER, 0, 1, 0);
    let packets = [(0, 1, 0, 40)];
    let workload = workload(&fabric, &packets);
    let mut oracle = CutThroughOracle::new(&fabric, &routes, &model, &TIMINGS, &workload).unwrap();
    let mut delivered = Vec::new();
    oracle.advance(1_000, &mut delivered);
    // Flits 0 to 13 leave in 0 to 13: the stop of cycle 7 takes effect in 14. They arrive in 7 to 20 and
    // leave the switch from 12 on; the last, arrived in 20, leaves in 25, when the buffer is empty and the
    // go is emitted. It takes effect in 32: flits 14 to 39 leave in 32 to 57, arrive in 39 to 64, pass in
    // the cycle they arrive in, so that nothing stops them, and the last arrives at host 1 in 71.
    assert_eq!(times(&delivered), [(0, 0, 0, 71)]);
    let injection = fabric.injection_channel(weft_fabric::HostId::new(0));
    assert_eq!(
        oracle.lane_use(injection, Lane::ZERO).blocked_cycles,
        32 - 14
    );
}
