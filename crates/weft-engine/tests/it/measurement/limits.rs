//! Runs that must end though the network gives them no measurement: standing still, empty, as good
//! as idle, interrupted.

use super::replay::{HOPS, Replay, assert_ended, conditions, cycle, measure, record};
use std::ops::ControlFlow;
use weft_engine::Simulator;
use weft_engine::measurement::Reason;
use weft_engine::run::{Phase, RunError, RunParameterError, RunParameters, run};
use weft_model::PacketRecord;

/// A packet every `interval_cycles`, delivered 700 cycles after its generation.
fn regular(interval_cycles: f64) -> Replay<impl FnMut() -> Option<PacketRecord>> {
    let mut time = 0.0;
    Replay::new(move || {
        time += interval_cycles;
        Some(record(cycle(time), cycle(time) + 200, cycle(time) + 700))
    })
}

#[test]
fn a_network_frozen_in_its_warm_up_is_deadlocked() {
    let mut simulator = regular(100.0).frozen_from(30_000);
    let found = measure(&mut simulator, &conditions(16, 0.01));
    assert_ended(&found, Reason::Deadlocked, "");
    assert_eq!(found.waiting_cycle.len(), 2);
    let [first, second] = [&found.waiting_cycle[0], &found.waiting_cycle[1]];
    assert_eq!((first.wants, second.wants), (second.holds, first.holds));
    // Slices have 6,400 cycles; the first silent one is the sixth, after 4 packets in the fifth.
    assert_eq!(found.simulated_cycles, 6 * 6400);
    assert_eq!(found.delivered_packets, 292);
    assert_eq!(
        found.reason_text,
        "2 packets wait for one another in a cycle, found after 38400 cycles and 292 packets \
         delivered"
    );
    assert!(
        found.accepted_load_half_width.is_nan(),
        "nothing is accepted any more"
    );
    assert!(
        found.warm_up_ns.abs() < f64::EPSILON,
        "the figures are those of the whole run"
    );
}

#[test]
fn a_network_frozen_in_its_window_is_deadlocked() {
    let mut simulator = regular(100.0).frozen_from(200_000);
    let found = measure(&mut simulator, &conditions(16, 0.01));
    assert_ended(&found, Reason::Deadlocked, "");
    assert!(found.warm_up_ns > 0.0);
    assert!(
        found.simulated_cycles <= 200_000 + 2 * 6400,
        "{}",
        found.simulated_cycles
    );
}

#[test]
fn a_deadlock_in_a_network_that_still_delivers_is_found() {
    let mut simulator = regular(100.0).with_stuck_corner();
    let found = measure(&mut simulator, &conditions(16, 0.01));
    assert_ended(&found, Reason::Deadlocked, "");
    assert!(found.delivered_packets > 0);
    assert_eq!(found.simulated_cycles, 16 * 6400, "every 16 slices");
}

#[test]
fn latencies_have_no_interval_where_packets_are_lost_on_the_way() {
    // Half of the packets offered arrive, all after the same time.
    let found = measure(&mut regular(200.0), &conditions(16, 0.01));
    assert_ended(&found, Reason::Saturated, "");
    assert!(found.generation_latency_ns.mean_half_width.is_nan());
    assert!(found.network_latency_ns.mean_half_width.is_nan());
    assert!(found.network_latency_ns.mean > 0.0);
}

#[test]
fn an_empty_network_ends() {
    let mut simulator = Replay::new(|| None);
    let found = measure(&mut simulator, &conditions(16, 0.01));
    assert_ended(&found, Reason::Budget, "");
    // 64 × 400,000 packets at 0.01 a cycle, to the next slice.
    assert_eq!(
        found.reason_text,
        "no packet was delivered in 2560000000 cycles"
    );
    assert_eq!(found.delivered_packets, 0);
    assert!(found.accepted_load.abs() < f64::EPSILON);
    for latency in [found.generation_latency_ns, found.network_latency_ns] {
        assert_eq!(latency.count, 0);
        assert!(latency.mean.is_nan() && latency.p99.is_nan() && latency.max.is_nan());
    }
    assert!(found.mean_switches.is_nan());
    assert!(found.generation_histogram.counts.is_empty());
}

#[test]
fn a_network_that_holds_its_packets_without_a_deadlock_ends() {
    let mut simulator = Replay::new(|| Some(record(0, 0, u64::MAX)));
    let found = measure(&mut simulator, &conditions(16, 0.01));
    assert_ended(&found, Reason::Budget, "");
}

#[test]
fn a_workload_that_ends_is_no_endless_run() {
    let mut sent = 0;
    let mut simulator = Replay::new(move || {
        sent += 1;
        (sent <= 100).then(|| record(10, 20, 10_000 + sent))
    });
    let found = measure(&mut simulator, &conditions(16, 0.01));
    let begins = "all 2560000000 cycles allowed were simulated, 100 packets delivered;";
    assert_ended(&found, Reason::Budget, begins);
}

#[test]
fn a_very_light_load_is_measured() {
    // 16 hosts, one packet each in 1.6 billion cycles (10 s).
    let interval_cycles = 1e8;
    let mut simulator = regular(interval_cycles);
    let conditions = conditions(16, 1.0 / interval_cycles);
    let found = measure(&mut simulator, &conditions);
    assert_ended(&found, Reason::Steady, "");
    assert!((found.generation_latency_ns.mean - 700.0 * 6.25).abs() < 1e-9);
}

#[test]
fn the_lightest_load_ends_before_the_clock_does() {
    let mut simulator = regular(1e15);
    let found = measure(&mut simulator, &conditions(16, 1e-15));
    assert_ended(&found, Reason::Budget, "");
    assert_eq!(found.simulated_cycles, 1 << 42);
}

#[test]
fn an_interruption_gives_no_measurement() {
    for calls_allowed in [0, 3, 20] {
        let mut calls = 0;
        let result = run(
            &mut regular(100.0),
            None,
            &conditions(16, 0.01),
            &RunParameters::default(),
            &mut |_| {
                calls += 1;
                if calls > calls_allowed {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            },
        );
        assert_eq!(result, Err(RunError::Interrupted));
        assert_eq!(calls, calls_allowed + 1, "the first break ends the run");
    }
}

#[test]
fn progress_is_reported_often_and_goes_forward() {
    // 16,384 hosts at half of their links' rate.
    let packets_per_cycle = 16_384.0 * 0.5 / 1000.0;
    let mut reports = Vec::new();
    let conditions = conditions(16_384, packets_per_cycle);
    let mut simulator = regular(1.0 / packets_per_cycle);
    run(
        &mut simulator,
        None,
        &conditions,
        &RunParameters::default(),
        &mut |progress| {
            reports.push(progress);
            ControlFlow::Continue(())
        },
    )
    .unwrap();
    assert_eq!(reports[0].phase, Phase::WarmUp);
    assert_eq!(reports.last().unwrap().phase, Phase::Window);
    for pair in reports.windows(2) {
        assert!(pair[1].simulated_cycles > pair[0].simulated_cycles);
        assert!(pair[1].budget_share >= pair[0].budget_share && pair[1].budget_share <= 1.0);
        let hops = HOPS * (pair[1].delivered_packets - pair[0].delivered_packets);
        // Before any packet is seen, 16 hops are assumed for the 20 it takes.
        assert!(hops <= 65_000, "{hops} packet-hops between two reports");
    }
}

#[test]
fn parameters_out_of_range_are_refused_before_anything_is_simulated() {
    let parameters = RunParameters {
        precision_accepted: 2.0,
        ..RunParameters::default()
    };
    let mut simulator = regular(100.0);
    let result = run(
        &mut simulator,
        None,
        &conditions(16, 0.01),
        &parameters,
        &mut |_| unreachable!("nothing runs"),
    );
    let expected = RunParameterError::Precision {
        name: "precision_accepted",
        found: 2.0,
    };
    assert_eq!(result, Err(RunError::Parameter(expected)));
    assert_eq!(simulator.now(), 0);
}
