//! Packets that meet: flow control and its bound, deadlock, stretches of time.

use weft_fabric::{ChannelId, HostId};
use weft_model::{ChannelTiming, ChannelTimings, ChannelUse, WormholeModel};
use weft_oracle::Oracle;
use weft_testing::by_hand::{Listed, MYRINET, fabric, routing, run, times, workload};

#[test]
fn a_stopped_packet_counts_as_blocked_and_fills_its_buffer_to_the_bound() {
    // As in the scenario of the go: stopped from 72 to 197.
    let fabric = fabric(&[0, 0, 0], &[]);
    let routing = routing(&fabric, &[]);
    let workload = workload(&fabric, &[(0, 2, 0, 100), (1, 2, 0, 100)]);
    let mut oracle = Oracle::new(&fabric, &routing, &MYRINET, &workload).unwrap();
    let injection = fabric.injection_channel(HostId::new(1));
    let mut delivered = Vec::new();
    let mut most = 0;
    for cycle in 1..400 {
        oracle.advance(cycle, &mut delivered);
        most = most.max(oracle.buffered_flits(injection));
    }
    assert_eq!(times(&delivered), [(0, 0, 0, 142), (1, 0, 0, 269)]);
    assert_eq!(most, 72, "stop + 2·flight");
    let expected = ChannelUse {
        busy_cycles: 104,
        blocked_cycles: 126,
        longest_wait_cycles: 0,
    };
    assert_eq!(oracle.channel_use(injection), expected);
    let ejection = oracle.channel_use(fabric.ejection_channel(HostId::new(2)));
    assert_eq!(
        ejection,
        ChannelUse {
            busy_cycles: 206,
            blocked_cycles: 0,
            longest_wait_cycles: 135 - 8,
        }
    );
    assert_eq!(
        (oracle.flit_hops(), oracle.packet_hops()),
        (2 * 104 + 206, 4)
    );
}

#[test]
fn buffers_fill_to_the_bound_and_never_beyond() {
    // The bound: the stop threshold, the flit that exceeds it, and those of a round trip.
    for (cycles_per_flit, flight_cycles, stop_above_flits, go_below_flits, bound) in [
        (1, 1, 1, 1, 1 + 1 + 1),
        (1, 8, 56, 40, 56 + 1 + 15),
        (1, 5, 2, 2, 2 + 1 + 9),
        (1, 12, 3, 1, 3 + 1 + 23),
        (1, 3, 30, 1, 30 + 1 + 5),
        (1, 7, 10, 10, 10 + 1 + 13),
        // Of 2 · (k − 1 + flight) − 1 cycles every k-th brings a flit.
        (2, 8, 56, 40, 56 + 1 + 17 / 2),
        (3, 1, 5, 5, 5 + 1 + 5 / 3),
        (5, 40, 7, 2, 7 + 1 + 87 / 5),
    ] {
        let buffer_flits = bound;
        let model = WormholeModel {
            channels: ChannelTimings::Alike(ChannelTiming {
                cycles_per_flit,
                flight_cycles,
            }),
            stop_above_flits,
            go_below_flits,
            buffer_flits,
            ..MYRINET
        };
        let fabric = fabric(&[0, 0, 0], &[]);
        let routing = routing(&fabric, &[]);
        let packets: Vec<Listed> = (0..20)
            .flat_map(|_| [(0, 2, 0, 150), (1, 2, 0, 150)])
            .collect();
        let workload = workload(&fabric, &packets);
        let mut oracle = Oracle::new(&fabric, &routing, &model, &workload).unwrap();
        let (mut most, mut delivered) = (0, Vec::new());
        for cycle in 1..60_000 {
            oracle.advance(cycle, &mut delivered);
            let buffers = [0, 1]
                .map(HostId::new)
                .map(|host| fabric.injection_channel(host));
            most = most.max(buffers.map(|buffer| oracle.buffered_flits(buffer))[1]);
        }
        assert_eq!(delivered.len(), 40);
        assert_eq!(
            most, bound as usize,
            "{cycles_per_flit} cycles per flit, flight {flight_cycles}, stop above {stop_above_flits}"
        );
        let too_small = WormholeModel {
            buffer_flits: bound - 1,
            ..model
        };
        assert!(Oracle::new(&fabric, &routing, &too_small, &workload).is_err());
    }
}

#[test]
fn a_saturated_link_carries_a_packet_per_length_and_routing_delay() {
    // 512 bytes in 539 cycles, 95 % of the link; the scenario of the two packets says why.
    let fabric = fabric(&[0, 0], &[]);
    let routing = routing(&fabric, &[]);
    let delivered = run(
        &fabric,
        &routing,
        &MYRINET,
        &vec![(0, 1, 0, 512); 50],
        30_000,
    );
    assert_eq!(delivered.len(), 50);
    for pair in delivered.windows(2) {
        assert_eq!(pair[1].delivery_cycle - pair[0].delivery_cycle, 539);
    }
}

#[test]
fn three_long_packets_around_a_ring_hold_one_another_for_ever() {
    // Switches 0, 1, 2 in a ring, every packet two links clockwise: each gets its first link and
    // waits for the next. Port 1 is the host; switch 0 has 0–1 on port 2; switch 1 has 0–1 on 2 and
    // 1–2 on 3; switch 2 has 1–2 on 2 and 2–0 on 3.
    let fabric = fabric(&[0, 1, 2], &[[0, 1], [1, 2], [2, 0]]);
    let clockwise: [((u32, u32), &[u8]); 3] =
        [((0, 2), &[2, 3]), ((1, 0), &[3, 3]), ((2, 1), &[3, 2])];
    let routing = routing(&fabric, &clockwise);
    let workload = workload(&fabric, &[(0, 2, 0, 512), (1, 0, 0, 512), (2, 1, 0, 512)]);
    let mut oracle = Oracle::new(&fabric, &routing, &MYRINET, &workload).unwrap();
    let mut delivered = Vec::new();
    oracle.advance(100_000, &mut delivered);
    assert_eq!(delivered, []);
    let mut channel = ChannelId::new(6);
    let mut waiting = Vec::new();
    for _ in 0..3 {
        let front = oracle.front_at(channel).unwrap();
        assert!(!front.is_granted);
        waiting.push(front.source.number());
        channel = front.output;
    }
    assert_eq!(
        (waiting, channel),
        (vec![0, 1, 2], ChannelId::new(6)),
        "the wait closes"
    );
}

#[test]
fn advancing_in_stretches_changes_nothing() {
    let fabric = fabric(&[0, 0, 1, 1], &[[0, 1]]);
    let routing = routing(
        &fabric,
        &[
            ((0, 2), &[3]),
            ((1, 3), &[3]),
            ((2, 0), &[3]),
            ((3, 1), &[3]),
            ((3, 0), &[3]),
        ],
    );
    let packets = [
        (0, 2, 3, 50),
        (1, 3, 3, 700),
        (2, 0, 9, 1),
        (3, 1, 9, 90),
        (3, 0, 9, 5),
    ];
    let at_once = run(&fabric, &routing, &MYRINET, &packets, 4_000);
    let workload = workload(&fabric, &packets);
    let mut oracle = Oracle::new(&fabric, &routing, &MYRINET, &workload).unwrap();
    let mut delivered = Vec::new();
    for end in (0..=4_000).step_by(7).chain([4_000]) {
        oracle.advance(end, &mut delivered);
        assert_eq!(oracle.now(), end);
    }
    assert_eq!(delivered, at_once);
    assert_eq!(delivered.len(), 5);
}
