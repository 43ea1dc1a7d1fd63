//! Transients: the window opens after them.

use super::replay::{
    CYCLE_NS, Replay, assert_ended, conditions, cycle, measure, measure_with, record, uniform,
};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng;
use weft_engine::measurement::{Measurement, Reason};
use weft_engine::run::RunParameters;
use weft_model::PacketRecord;

/// Cycles between two packets.
const INTERVAL_CYCLES: f64 = 100.0;

/// Network latency when everything has settled, in cycles.
const SETTLED_CYCLES: f64 = 5000.0;

/// Noise of a latency: less than an interval, so that packets stay in order.
const NOISE_CYCLES: f64 = 90.0;

/// Measures a network whose latency starts at `first_cycles` and settles exponentially with
/// `time_constant_cycles`.
fn settling(first_cycles: f64, time_constant_cycles: f64, seed: u64) -> Measurement {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let mut time = 0.0;
    let mut simulator = Replay::new(move || {
        time += INTERVAL_CYCLES;
        let away = (first_cycles - SETTLED_CYCLES) * (-time / time_constant_cycles).exp();
        let noise = NOISE_CYCLES * (uniform(&mut random) - 0.5);
        let delivery = cycle(time + SETTLED_CYCLES + away + noise);
        Some(record(cycle(time), cycle(time), delivery))
    });
    let conditions = conditions(16, 1.0 / INTERVAL_CYCLES);
    measure(&mut simulator, &conditions)
}

#[test]
fn an_exponential_transient_is_left_out() {
    let time_constant_cycles = 200_000.0;
    for seed in 0..50 {
        let found = settling(20_000.0, time_constant_cycles, seed);
        assert_ended(&found, Reason::Steady, "");
        // Half of the standard deviation of a slice's mean (64 packets: 3.2 cycles) is what is
        // left of 15,000 cycles after nine time constants; at least as much again must follow.
        let constants = found.warm_up_ns / CYCLE_NS / time_constant_cycles;
        assert!(
            (9.0..40.0).contains(&constants),
            "seed {seed}: {constants} time constants"
        );
        let error = found.network_latency_ns.mean / CYCLE_NS - SETTLED_CYCLES;
        assert!(error.abs() < 5.0, "seed {seed}: off by {error} cycles");
    }
}

#[test]
fn a_network_that_is_settled_from_the_start_wastes_little() {
    let found: Vec<_> = (0..50)
        .map(|seed| settling(SETTLED_CYCLES, 1.0, seed))
        .collect();
    for measurement in &found {
        assert_ended(measurement, Reason::Steady, "");
    }
    // Ten slices of 64 packets are looked at first, and 50,000 packets measured, looked at again after a
    // quarter more.
    let packets = |m: &Measurement| m.simulated_cycles as f64 / INTERVAL_CYCLES;
    let mean = found.iter().map(packets).sum::<f64>() / 50.0;
    assert!(
        mean > 62_500.0,
        "{mean} packets: one look would do with 50,000"
    );
    assert!(mean < 1.1 * 63_140.0, "{mean} packets on average");
}

#[test]
fn the_warm_up_is_long_enough_for_the_network_to_turn_over() {
    let latency_cycles = 200_000.0;
    let mut time = 0.0;
    let mut simulator = Replay::new(move || {
        time += INTERVAL_CYCLES;
        let delivery = cycle(time + latency_cycles);
        Some(record(cycle(time), cycle(time), delivery))
    });
    let conditions = conditions(16, 1.0 / INTERVAL_CYCLES);
    let found = measure(&mut simulator, &conditions);
    assert_ended(&found, Reason::Steady, "");
    // Ten latencies, and the spacing of the looks (a quarter) on top.
    let latencies = found.warm_up_ns / CYCLE_NS / latency_cycles;
    assert!((10.0..13.0).contains(&latencies), "{latencies} latencies");
    let window = found.window_ns / CYCLE_NS / latency_cycles;
    assert!(window >= 10.0, "{window} latencies");
}

/// Every other packet waits 40,000 cycles longer: waits change in 20,000² / 1,000 = 400,000 cycles, of which
/// five have to pass, ten times as much as ten mean latencies.
#[test]
fn the_warm_up_is_long_enough_for_waits_to_have_changed() {
    let mut packets = 0;
    let mut simulator = Replay::new(move || {
        packets += 1;
        let delivery = 50_000 + 100 * packets;
        let injection = delivery - if packets % 2 == 0 { 1_000 } else { 41_000 };
        Some(PacketRecord {
            in_transit_stops: 0,
            overtaken_by: 0,
            ..record(injection, injection, delivery)
        })
    });
    let parameters = RunParameters {
        max_packets: Some(100_000),
        ..RunParameters::default()
    };
    let conditions = conditions(16, 1.0 / INTERVAL_CYCLES);
    let found = measure_with(&mut simulator, &conditions, &parameters);
    let changes = found.warm_up_ns / CYCLE_NS / 400_000.0;
    assert!((5.0..6.5).contains(&changes), "{changes} changes");
}

#[test]
fn a_latency_that_never_settles_uses_up_the_budget() {
    let mut time = 0.0;
    let mut simulator = Replay::new(move || {
        time += INTERVAL_CYCLES;
        Some(record(cycle(time), cycle(time), cycle(2.0 * time)))
    });
    let conditions = conditions(16, 1.0 / INTERVAL_CYCLES);
    let parameters = RunParameters {
        max_packets: Some(20_000),
        ..RunParameters::default()
    };
    let found = measure_with(&mut simulator, &conditions, &parameters);
    assert_ended(&found, Reason::Budget, "");
    let expected = "the warm-up had not ended after half of that";
    assert!(
        found.reason_text.ends_with(expected),
        "{}",
        found.reason_text
    );
    assert!(found.network_latency_ns.mean_half_width.is_nan());
    // Packet n is delivered at 200·n cycles, the 10,000th at two million.
    let warm_up_cycles = found.warm_up_ns / CYCLE_NS;
    assert!(
        (2_000_000.0..2_100_000.0).contains(&warm_up_cycles),
        "{warm_up_cycles}"
    );
}
