//! Latency of unloaded routes, by formula and by hand.

use weft_fabric::HostId;
use weft_model::{Overflow, PoolUse, WormholeModel};
use weft_oracle::Oracle;
use weft_testing::by_hand::{MYRINET, alike, fabric, routing, run, times, workload};

/// A row of `switches` switches with a host at each end. Port 1 leads to the host at the ends, port
/// 2 of the first and of every inner switch to the next one.
fn row(switches: u32) -> (weft_fabric::Fabric, Vec<u8>) {
    let links: Vec<_> = (1..switches).map(|switch| [switch - 1, switch]).collect();
    // Inner switches have their two links on ports 1 and 2; the first has its host on port 1.
    (
        fabric(&[0, switches - 1], &links),
        vec![2; switches as usize - 1],
    )
}

#[test]
fn an_unloaded_packet_takes_a_flight_per_channel_a_delay_per_switch_and_its_length() {
    for switches in 1..=9_u32 {
        for payload_bytes in [1, 32, 512, 1024] {
            for (flight_cycles, routing_delay_cycles) in [(8, 24), (1, 1), (12, 2), (3, 30), (5, 0)]
            {
                let model = WormholeModel {
                    channels: alike(flight_cycles),
                    routing_delay_cycles,
                    ..MYRINET
                };
                let (fabric, route) = row(switches);
                let routing = routing(&fabric, &[((0, 1), &route)]);
                let delivered = run(
                    &fabric,
                    &routing,
                    &model,
                    &[(0, 1, 17, payload_bytes)],
                    17 + 5_000,
                );
                let length = u64::from(switches + 2 + payload_bytes + 1);
                // A switch strips a flit, so the next can follow one cycle later at the earliest.
                let delay = u64::from(routing_delay_cycles.max(1));
                let (flight, switches) = (u64::from(flight_cycles), u64::from(switches));
                let expected = flight + (flight + delay) * switches + (length - switches - 1);
                assert_eq!(
                    times(&delivered),
                    [(0, 0, 17, 17 + expected)],
                    "{switches} switches"
                );
                assert_eq!(u64::from(delivered[0].switches), switches);
                assert_eq!(delivered[0].in_transit_stops, 0);
            }
        }
    }
}

/// Cables of 2^28 cycles, 17 of them: more than 32 bits count. What lies between flits is passed over.
#[test]
fn pauses_take_no_longer_than_their_beginning_and_count_in_full() {
    let flight_cycles = 1 << 28;
    let model = WormholeModel {
        channels: alike(flight_cycles),
        buffer_flits: 1 << 30,
        ..MYRINET
    };
    let (fabric, route) = row(16);
    let routing = routing(&fabric, &[((0, 1), &route)]);
    let workload = workload(&fabric, &[(0, 1, 17, 32)]);
    let mut oracle = Oracle::new(&fabric, &routing, &model, &workload).unwrap();
    oracle.pass_over_pauses();
    let mut delivered = Vec::new();
    oracle.advance(1 << 33, &mut delivered);
    let expected = 17 * u64::from(flight_cycles) + 16 * 24 + (51 - 16 - 1);
    assert_eq!(times(&delivered), [(0, 0, 17, 17 + expected)]);
    assert!(expected > u64::from(u32::MAX));
    assert_eq!(oracle.now(), 1 << 33);
    let injection = fabric.injection_channel(HostId::new(0));
    assert_eq!(oracle.channel_use(injection).busy_cycles, 51);
}

/// Three switches in a row with one host each, and the route from host 0 to host 2 with a stop at
/// host 1: port 2 of switch 0; port 1 (host 1), then port 3 of switch 1.
fn row_with_stop() -> (weft_fabric::Fabric, weft_routing::SourceRoutes) {
    let fabric = fabric(&[0, 1, 2], &[[0, 1], [1, 2]]);
    let routing = routing(&fabric, &[((0, 2), &[2, 1, 3])]);
    (fabric, routing)
}

#[test]
fn the_pool_holds_what_arrived_and_was_not_sent() {
    // 517 flits behind the mark arrive from 73 on and leave from 148 on, each after 75 cycles.
    let (fabric, routing) = row_with_stop();
    let workload = workload(&fabric, &[(0, 2, 0, 512)]);
    let mut oracle = Oracle::new(&fabric, &routing, &MYRINET, &workload).unwrap();
    let mut delivered = Vec::new();
    oracle.advance(148, &mut delivered);
    let at_148 = PoolUse {
        occupancy_flit_cycles: 75 * 76 / 2,
        max_flits: 75,
        packets: 1,
        overflows: 0,
    };
    assert_eq!(oracle.pool_use(HostId::new(1)), at_148);
    oracle.advance(2_000, &mut delivered);
    let expected = PoolUse {
        occupancy_flit_cycles: 517 * 75,
        ..at_148
    };
    assert_eq!(oracle.pool_use(HostId::new(1)), expected);
    assert_eq!(oracle.pool_use(HostId::new(0)), PoolUse::default());
    oracle.reset_use();
    assert_eq!(oracle.pool_use(HostId::new(1)), PoolUse::default());
}

#[test]
fn a_dropped_packet_is_sent_again_by_its_source() {
    // The scenario of this name says why at these cycles.
    let fabric = fabric(&[0, 1, 2, 0], &[[0, 1], [1, 2]]);
    let routing = routing(&fabric, &[((0, 2), &[3, 1, 3]), ((3, 2), &[3, 1, 3])]);
    let overflow = Overflow::Drop;
    let model = WormholeModel {
        pool_flits: 37,
        overflow,
        ..MYRINET
    };
    let packets = [(0, 2, 0, 32), (3, 2, 0, 32)];
    let workload = workload(&fabric, &packets);
    let mut oracle = Oracle::new(&fabric, &routing, &model, &workload).unwrap();
    let mut delivered = Vec::new();
    oracle.advance(3_000, &mut delivered);
    assert_eq!(times(&delivered), [(0, 0, 0, 254), (3, 0, 635, 889)]);
    assert_eq!(delivered[1].generation_cycle, 0);
    let pool = oracle.pool_use(HostId::new(1));
    assert_eq!((pool.packets, pool.overflows, pool.max_flits), (2, 1, 37));
    assert_eq!(oracle.packets_under_way(), 0);
}
