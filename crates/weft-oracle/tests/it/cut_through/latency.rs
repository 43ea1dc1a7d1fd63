//! Latency of unloaded routes, by formula and by hand.

use super::{MODEL, NO_OUTPUT_BUFFER, run, tables, timings};
use weft_fabric::{Fabric, HostId};
use weft_model::workload::{
    Arrivals, ChosenPattern, ShareOf, SizeShare, Traffic, TrafficParameters, Workload,
};
use weft_model::{ChannelTiming, ChannelTimings, CutThroughModel, PacketRecord};
use weft_oracle::CutThroughOracle;
use weft_testing::by_hand::{fabric, times};

/// A row of switches with a host at each end. Links: the two of the hosts, then the others in order.
fn row(switches: u32) -> Fabric {
    let links: Vec<_> = (1..switches).map(|switch| [switch - 1, switch]).collect();
    fabric(&[0, switches - 1], &links)
}

#[test]
fn an_unloaded_packet_takes_a_flight_per_channel_a_delay_per_switch_and_its_length() {
    for switches in 1..=5_u32 {
        let fabric = row(switches);
        let routes = tables(&fabric, |_, _| 1).into();
        for (bytes, k, flight, lookup, delay, crossbar) in [
            (1, 1, 1, 0, 0, 1),
            (32, 1, 25, 25, 0, 1),
            (32, 1, 25, 0, 25, 1),
            (100, 3, 4, 3, 6, 1),
            (17, 4, 9, 40, 2, 3),
        ] {
            let timings = ChannelTimings::Alike(ChannelTiming {
                cycles_per_flit: k,
                flight_cycles: flight,
            });
            for base in [MODEL, NO_OUTPUT_BUFFER] {
                let model = CutThroughModel {
                    lookup_delay_cycles: lookup,
                    routing_delay_cycles: delay,
                    crossbar_cycles_per_flit: crossbar,
                    ..base
                };
                let delivered = run(
                    &fabric,
                    &routes,
                    &model,
                    &timings,
                    &[(0, 1, 9, bytes)],
                    9_000,
                );
                // A flit is whole k − 1 cycles after it began to leave; then its flight.
                let channels = u64::from(switches + 1) * u64::from(k - 1 + flight);
                let crossing = if base == MODEL { crossbar } else { 0 };
                let inside = u64::from(switches) * u64::from(lookup + delay + crossing);
                let rest = u64::from(bytes - 1) * u64::from(k);
                assert_eq!(times(&delivered), [(0, 0, 9, 9 + channels + inside + rest)]);
                assert_eq!(u32::from(delivered[0].switches), switches);
            }
        }
    }
}

#[test]
fn a_packet_is_stored_whole_only_where_it_leaves_by_a_faster_channel() {
    // Links: host 0, host 1, switch to switch.
    let fabric = row(2);
    let routes = tables(&fabric, |_, _| 0).into();
    let deliveries = |cycles_per_flit: &[u32], model| {
        let timings = timings(cycles_per_flit);
        let delivered = run(&fabric, &routes, &model, &timings, &[(0, 1, 0, 10)], 9_000);
        delivered[0].delivery_cycle
    };
    // Slow to fast. Head at the first switch in 3 + 7 = 10; it crosses in 15, the last flit, arrived in
    // 10 + 9·4 = 46, in 46; sent from 47 to 56, the head arrives in 54. Crosses in 59, sent from 60 to
    // 69, the last arrives in 76.
    assert_eq!(deliveries(&[4, 1, 1], MODEL), 76);
    // Without output buffers it is sent from 46 on: the last flit has arrived. Then 53, 58 to 67, 74.
    assert_eq!(deliveries(&[4, 1, 1], NO_OUTPUT_BUFFER), 74);
    // Fast to slow. Head at 7, crosses in 12, sent from 13 on every 4 cycles, the head arrives in
    // 13 + 3 + 7 = 23, the last in 23 + 36 = 59. The head crosses in 28, the last flit in 59: the third
    // link is fast again, so that it is sent from 60 to 69 and arrives in 76.
    assert_eq!(deliveries(&[1, 1, 4], MODEL), 76);
    // The third link slow as well: the head crosses in 28, leaves in 29 and arrives in 39.
    assert_eq!(deliveries(&[1, 4, 4], MODEL), 39 + 36);
    // A routing delay longer than the rest of the packet takes to arrive does not change that.
    let slow_switch = CutThroughModel {
        routing_delay_cycles: 50,
        ..MODEL
    };
    // Crosses from 60 to 69, is sent from 70 on, the head arrives in 77; crosses in 127, leaves in 128.
    assert_eq!(deliveries(&[4, 1, 1], slow_switch), 128 + 9 + 7);
}

/// Mean and half width of the 95 % interval of the waits in the source queue, by twenty batches.
fn mean_wait(delivered: &[PacketRecord]) -> (f64, f64) {
    let waits: Vec<f64> = delivered
        .iter()
        .map(|record| (record.injection_cycle - record.generation_cycle) as f64)
        .collect();
    let batch = waits.len() / 20;
    let means: Vec<f64> = waits
        .chunks_exact(batch)
        .map(|waits| waits.iter().sum::<f64>() / batch as f64)
        .collect();
    let count = means.len() as f64;
    let mean = means.iter().sum::<f64>() / count;
    let variance = means.iter().map(|m| (m - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, 2.09 * (variance / count).sqrt())
}

#[test]
fn a_single_link_is_a_queue_with_constant_service() {
    // M/D/1: at load ρ the mean wait is ρ·S/(2·(1 − ρ)), S being the 64 cycles of a packet.
    let fabric = fabric(&[0, 0], &[]);
    let routes = tables(&fabric, |_, _| 0).into();
    for load in [0.3, 0.6, 0.8] {
        let pattern: ChosenPattern = "uniform".parse().unwrap();
        let parameters = TrafficParameters {
            arrivals: Arrivals::Poisson,
            sizes: vec![SizeShare {
                payload_bytes: 64,
                share: 1.0,
            }],
            share_of: ShareOf::Packets,
            load_bytes_per_cycle: load,
            seed: 7,
        };
        let destinations = pattern.destinations(&fabric, None).unwrap();
        let workload = Workload::Traffic(Traffic::new(parameters, destinations).unwrap());
        let model = CutThroughModel {
            input_buffer_flits: 1000,
            output_buffer_flits: None,
            ..MODEL
        };
        let mut oracle =
            CutThroughOracle::new(&fabric, &routes, &model, &super::TIMINGS, &workload).unwrap();
        let mut delivered = Vec::new();
        oracle.advance(1_500_000, &mut delivered);
        delivered.retain(|record| record.source == HostId::new(0));
        let (mean, half_width) = mean_wait(&delivered);
        let expected = load * 64.0 / (2.0 * (1.0 - load));
        // Generation is rounded down to whole cycles: half a cycle on average.
        let error = (mean - 0.5 - expected).abs();
        assert!(
            error <= half_width + 0.5,
            "load {load}: {mean} ± {half_width}, not {expected}"
        );
        assert!(
            half_width < 0.15 * expected,
            "load {load}: ± {half_width} says little"
        );
    }
}
