//! Credits: what is free, taken and returning makes up the buffer, always.

use super::{MODEL, NO_OUTPUT_BUFFER, TIMINGS, run, tables, timings};
use std::num::NonZeroU32;
use weft_model::{CutThroughModel, LaneUse};
use weft_oracle::CutThroughOracle;
use weft_routing::Lane;
use weft_testing::by_hand::{fabric, times, workload};

#[test]
fn room_comes_back_a_flight_after_the_last_flit_has_crossed() {
    // One switch, two hosts; the input buffer holds one packet of 10 flits. The first is sent from 0 to
    // 9, its head arrives in 7, its flits cross from 12 to 21; the room is released in 22, the credit
    // arrives in 29: the second is sent then, the third in 58.
    let fabric = fabric(&[0, 0], &[]);
    let routes = tables(&fabric, |_, _| 0).into();
    let model = CutThroughModel {
        input_buffer_flits: 10,
        ..MODEL
    };
    let packets = [(0, 1, 0, 10), (0, 1, 0, 10), (0, 1, 0, 10)];
    let delivered = run(&fabric, &routes, &model, &TIMINGS, &packets, 1_000);
    // Sent again from 13 on, the last flit arrives 9 + 7 later.
    let expected = [(0, 0, 0, 29), (0, 1, 29, 58), (0, 2, 58, 87)];
    assert_eq!(times(&delivered), expected);

    // Room for two: the second follows at once, the third waits for the first's credit.
    let model = CutThroughModel {
        input_buffer_flits: 20,
        ..MODEL
    };
    let delivered = run(&fabric, &routes, &model, &TIMINGS, &packets, 1_000);
    let injections: Vec<_> = times(&delivered).iter().map(|t| t.2).collect();
    assert_eq!(injections, [0, 10, 29]);

    // Without output buffers the last flit leaves in 12 + 9 as well, for the link itself is free.
    let model = CutThroughModel {
        input_buffer_flits: 10,
        ..NO_OUTPUT_BUFFER
    };
    let delivered = run(&fabric, &routes, &model, &TIMINGS, &packets, 1_000);
    assert_eq!(
        times(&delivered),
        [(0, 0, 0, 28), (0, 1, 29, 57), (0, 2, 58, 86)]
    );
}

#[test]
fn blocked_and_busy_cycles_and_what_a_buffer_holds_are_counted() {
    let fabric = fabric(&[0, 0], &[]);
    let routes = tables(&fabric, |_, _| 0).into();
    let model = CutThroughModel {
        input_buffer_flits: 10,
        ..MODEL
    };
    let workload = workload(&fabric, &[(0, 1, 0, 10), (0, 1, 0, 10)]);
    let mut oracle = CutThroughOracle::new(&fabric, &routes, &model, &TIMINGS, &workload).unwrap();
    oracle.advance(200, &mut Vec::new());
    let injection = fabric.injection_channel(weft_fabric::HostId::new(0));
    // The second is in front from 10 on, when the first has left, and is sent in 29. The buffer holds
    // a packet from 7 to 21 and from 36 to 50.
    let expected = LaneUse {
        busy_cycles: 20,
        blocked_cycles: 19,
        longest_wait_cycles: 0,
        occupancy_flit_cycles: 2 * 15 * 10,
        max_occupancy_flits: 10,
    };
    assert_eq!(oracle.lane_use(injection, Lane::ZERO), expected);
    assert_eq!(oracle.lane_use(injection, Lane::new(1)), LaneUse::default());
    assert_eq!((oracle.flit_hops(), oracle.packet_hops()), (40, 4));
    oracle.reset_use();
    assert_eq!(oracle.lane_use(injection, Lane::ZERO), LaneUse::default());
}

#[test]
fn no_room_is_lost_or_made() {
    // A ring of four switches under more traffic than it carries, lanes and sizes mixed.
    let fabric = fabric(&[0, 0, 1, 1, 2, 3], &[[0, 1], [1, 2], [2, 3], [3, 0]]);
    let routes = tables(&fabric, |from, to| u8::from((from + to) % 2 == 1)).into();
    let mut packets = Vec::new();
    for turn in 0..60_u32 {
        for source in 0..6 {
            let destination = (source + 1 + (turn * 7 + source * 3) % 5) % 6;
            packets.push((
                source,
                destination,
                u64::from(turn),
                1 + (turn * 13 + source) % 20,
            ));
        }
    }
    let workload = workload(&fabric, &packets);
    for (output, k) in [
        (None, [1; 10]),
        (NonZeroU32::new(25), [1, 1, 2, 1, 1, 3, 1, 2, 1, 1]),
    ] {
        let model = CutThroughModel {
            input_buffer_flits: 30,
            output_buffer_flits: output,
            ..MODEL
        };
        let timings = timings(&k);
        let mut oracle =
            CutThroughOracle::new(&fabric, &routes, &model, &timings, &workload).unwrap();
        let mut delivered = Vec::new();
        let mut most_taken = 0;
        while delivered.len() < packets.len() {
            oracle.advance(oracle.now() + 1, &mut delivered);
            assert!(
                oracle.now() < 100_000,
                "{} packets are stuck",
                oracle.packets_under_way()
            );
            for channel in fabric
                .channel_ids()
                .filter(|&c| fabric.is_switch_channel(c))
            {
                for lane in [Lane::ZERO, Lane::new(1)] {
                    let room = oracle.room(channel, lane);
                    assert_eq!(room.free + room.taken + room.returning, 30, "{room:?}");
                    assert!(room.held <= room.taken, "{room:?}");
                    most_taken = most_taken.max(room.taken);
                }
            }
        }
        assert!(most_taken > 20, "buffers are in need: {most_taken}");
        assert_eq!(oracle.packets_under_way(), 0);
    }
}
