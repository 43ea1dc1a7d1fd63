//! Every figure of a measurement, on a network where each is known exactly.

use super::replay::{
    CYCLE_NS, HOPS, PAYLOAD_BYTES, Replay, assert_ended, conditions, measure, record,
};
use crate::support::fixtures::Collector;
use weft_engine::Simulator;
use weft_engine::measurement::{Measurement, Reason};
use weft_engine::run::Conditions;

/// Sixteen hosts that send a packet each in 1,600 cycles, one after the other; latencies from
/// generation run through 501, 502 … 600 cycles, those from injection are 400.
fn simulator() -> impl Simulator {
    let mut index = 0;
    Replay::new(move || {
        index += 1;
        let delivery = 1000 + 100 * index;
        Some(record(
            delivery - 501 - index % 100,
            delivery - 400,
            delivery,
        ))
    })
}

const OFFERED: f64 = 0.01;

fn measured_with(conditions: &Conditions) -> Measurement {
    measure(&mut simulator(), conditions)
}

fn measured() -> Measurement {
    measured_with(&conditions(16, OFFERED))
}

#[track_caller]
fn assert_close(found: f64, expected: f64) {
    assert!(
        (found / expected - 1.0).abs() < 1e-9,
        "found {found}, expected {expected}"
    );
}

#[test]
fn traffic_is_a_share_of_the_link_rate_and_a_rate_per_switch() {
    let found = measured();
    assert_ended(&found, Reason::Steady, "");
    // 1,000 bytes in 100 cycles over 16 hosts, or over 2 switches and 625 ns.
    assert_close(found.offered_load, 10.0 / 16.0);
    assert_close(found.accepted_load, 10.0 / 16.0);
    assert_close(found.offered_bytes_per_ns_per_switch, 1000.0 / 625.0 / 2.0);
    assert_close(found.accepted_bytes_per_ns_per_switch, 1000.0 / 625.0 / 2.0);
    assert!(found.accepted_load_half_width < 1e-12);
}

/// The same traffic on links that carry a flit of eight bytes a cycle: an eighth of what they carry. What
/// is counted in flits has eight bytes for each.
#[test]
fn a_flit_of_eight_bytes_is_eight_bytes_and_one_of_a_link() {
    let of_bytes = measured();
    let of_flits = measured_with(&Conditions {
        flit_bytes: 8,
        link_bytes_per_cycle: 8.0,
        full_load_bytes_per_cycle: 8.0,
        offered_load: 10.0 / 128.0,
        ..conditions(16, OFFERED)
    });
    assert_close(of_flits.offered_load, 10.0 / 128.0);
    assert_close(of_flits.accepted_load, 10.0 / 128.0);
    for (found, expected) in [
        (
            of_flits.offered_bytes_per_ns_per_switch,
            of_bytes.offered_bytes_per_ns_per_switch,
        ),
        (
            of_flits.accepted_bytes_per_ns_per_switch,
            of_bytes.accepted_bytes_per_ns_per_switch,
        ),
    ] {
        assert_close(found, expected);
    }
    assert_eq!(of_flits.pool_mean_bytes, [24.0; 16]);
    assert_eq!(of_flits.pool_max_bytes, [24; 16]);
    // All of it comes from the first host.
    let of_first = [&of_flits, &of_bytes].map(|found| f64::from(found.host_accepted_load[0]));
    assert!((of_first[0] / 1.25 - 1.0).abs() < 1e-3, "{of_first:?}");
    assert!((of_first[1] / 10.0 - 1.0).abs() < 1e-3, "{of_first:?}");
    assert_eq!(of_flits.host_accepted_load[1..], [0.0; 15]);
}

#[test]
fn latencies_are_those_of_the_packets() {
    let found = measured();
    let network = found.network_latency_ns;
    assert!(network.mean_half_width < 1e-9 * network.mean);
    assert!(found.generation_latency_ns.mean_half_width > 1e-9 * network.mean);
    for exact in [network.mean, network.max] {
        assert_close(exact, 400.0 * CYCLE_NS);
    }
    for close in [network.p50, network.p95, network.p99] {
        assert!((close / (400.0 * CYCLE_NS) - 1.0).abs() < 0.004, "{close}");
    }
    let generation = found.generation_latency_ns;
    assert!(
        (generation.mean / (550.5 * CYCLE_NS) - 1.0).abs() < 0.005,
        "{}",
        generation.mean
    );
    assert_close(generation.max, 600.0 * CYCLE_NS);
    for (percentile, cycles) in [(generation.p50, 550.5), (generation.p99, 599.0)] {
        assert!(
            (percentile / (cycles * CYCLE_NS) - 1.0).abs() < 0.01,
            "{percentile}"
        );
    }
    assert_eq!(
        (generation.count, network.count),
        (found.delivered_packets, found.delivered_packets)
    );
}

#[test]
fn the_histogram_holds_every_packet_of_the_window() {
    let found = measured();
    let bins = &found.generation_histogram;
    assert_eq!(bins.counts.iter().sum::<u64>(), found.delivered_packets);
    assert_eq!(bins.counts.len(), bins.lower_edges_ns.len());
    assert!(bins.lower_edges_ns.is_sorted());
    assert!(bins.lower_edges_ns[0] <= 501.0 * CYCLE_NS);
    assert!(bins.counts[0] > 0 && bins.counts[bins.counts.len() - 1] > 0);
}

#[test]
fn use_is_a_share_of_the_window() {
    let found = measured();
    assert!(found.warm_up_ns > 0.0, "the counters were started anew");
    assert_eq!(found.channel_utilization, [0.25; 4]);
    assert_eq!(found.channel_blocked, [0.125; 4]);
    assert_close(found.longest_wait_ns, 40.0 * CYCLE_NS);
    assert_eq!(found.pool_mean_bytes, [3.0; 16]);
    assert_eq!(found.pool_max_bytes, [3; 16]);
    assert_eq!(found.pool_overflows, 16);
    let lost = (
        found.dropped_packets,
        found.damaged_packets,
        found.timed_out_packets,
    );
    let packets = found.delivered_packets;
    assert_eq!(lost, (3 * packets, 2 * packets, packets));
    assert_close(found.mean_switches, 3.0);
    assert_close(found.mean_in_transit_stops, 1.0);
}

#[test]
fn costs_are_those_of_the_whole_run() {
    let found = measured();
    let cycles = (found.warm_up_ns + found.window_ns) / CYCLE_NS;
    assert_close(found.simulated_cycles as f64, cycles);
    let packets = (found.simulated_cycles - 1000 - 1) / 100;
    assert_eq!(found.packet_hops, HOPS * packets);
    assert_eq!(found.events, 3 * HOPS * packets);
    assert_eq!(found.flit_hops, HOPS * u64::from(PAYLOAD_BYTES) * packets);
    assert_close(
        found.delivered_packets as f64,
        found.window_ns / CYCLE_NS / 100.0,
    );
}

#[test]
fn a_simulator_that_has_run_before_is_measured_from_where_it_is() {
    let fresh = measured();
    let mut simulator = simulator();
    simulator.advance(1_000_000, &mut Collector::default());
    let later = measure(&mut simulator, &conditions(16, OFFERED));
    assert_eq!(later.simulated_cycles, fresh.simulated_cycles);
    assert_close(later.warm_up_ns, fresh.warm_up_ns);
    // Eleven packets more: the pipe was full from the start.
    assert_eq!(later.packet_hops, fresh.packet_hops + 11 * HOPS);
}

#[test]
fn the_same_run_gives_the_same_measurement() {
    // As text, since a figure that is none is not equal to itself.
    let told = || format!("{:?}", measured());
    assert_eq!(told(), told());
}

#[test]
fn a_clock_half_as_fast_doubles_every_time_and_halves_every_rate() {
    let fast = measured();
    let slow = measured_with(&Conditions {
        cycle_ns: 2.0 * CYCLE_NS,
        ..conditions(16, OFFERED)
    });
    assert_close(
        slow.generation_latency_ns.mean,
        2.0 * fast.generation_latency_ns.mean,
    );
    assert_close(
        slow.network_latency_ns.p99,
        2.0 * fast.network_latency_ns.p99,
    );
    assert_close(slow.window_ns, 2.0 * fast.window_ns);
    assert_close(
        slow.accepted_bytes_per_ns_per_switch,
        fast.accepted_bytes_per_ns_per_switch / 2.0,
    );
    assert_close(slow.accepted_load, fast.accepted_load);
    assert_eq!(slow.channel_utilization, fast.channel_utilization);
}
