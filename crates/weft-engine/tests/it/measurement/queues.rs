//! Queues with one server, whose mean times are known.

use super::replay::{
    CYCLE_NS, Replay, assert_ended, conditions, cycle, exponential, measure_with, record,
};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng;
use weft_engine::measurement::{Measurement, Reason};
use weft_engine::run::{Conditions, RunParameters};
use weft_fabric::ChannelId;
use weft_model::PacketRecord;

/// Mean service time in cycles; long, so that rounding to cycles does not matter.
const SERVICE_CYCLES: f64 = 100_000.0;

#[derive(Clone, Copy)]
enum Times {
    Constant,
    Exponential,
}

impl Times {
    fn draw(self, random: &mut Pcg64Mcg, mean: f64) -> f64 {
        match self {
            Self::Constant => mean,
            Self::Exponential => exponential(random, mean),
        }
    }
}

/// A server offered `load` times what it can serve.
fn server(
    arrivals: Times,
    service: Times,
    load: f64,
    seed: u64,
) -> Replay<impl FnMut() -> Option<PacketRecord>> {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let (mut arrival, mut free) = (0.0, 0.0_f64);
    Replay::new(move || {
        arrival += arrivals.draw(&mut random, SERVICE_CYCLES / load);
        let start = free.max(arrival);
        free = start + service.draw(&mut random, SERVICE_CYCLES);
        Some(record(cycle(arrival), cycle(start), cycle(free)))
    })
}

fn by_default(arrivals: Times, service: Times, load: f64, seed: u64) -> Measurement {
    measured(arrivals, service, load, seed, &RunParameters::default())
}

fn measured(
    arrivals: Times,
    service: Times,
    load: f64,
    seed: u64,
    parameters: &RunParameters,
) -> Measurement {
    let conditions = conditions(1, load / SERVICE_CYCLES);
    let mut server = server(arrivals, service, load, seed);
    measure_with(&mut server, &conditions, parameters)
}

/// Counts the runs, of 200 seeds, whose interval holds the true mean latency and the true
/// traffic: (latency, traffic). Nearly every run must end as steady: some figures have a trend by
/// chance, one in a hundred each.
///
/// Of 200 nominal intervals (0.95), fewer than 178 hit with a probability of 0.0002.
fn hits(service: Times, load: f64, mean_wait: f64) -> (usize, usize) {
    let latency_ns = (1.0 + mean_wait) * SERVICE_CYCLES * CYCLE_NS;
    let (mut hits, mut steady) = ((0, 0), 0);
    for seed in 0..200 {
        let found = by_default(Times::Exponential, service, load, seed);
        if found.reason != Reason::Steady {
            continue;
        }
        steady += 1;
        let latency = found.generation_latency_ns;
        assert!(latency.mean_half_width <= 0.05 * latency.mean);
        assert!(found.accepted_load_half_width <= 0.01 * found.accepted_load);
        hits.0 += usize::from((latency.mean - latency_ns).abs() <= latency.mean_half_width);
        let traffic_error = (found.accepted_load - found.offered_load).abs();
        hits.1 += usize::from(traffic_error <= found.accepted_load_half_width);
    }
    assert!(steady >= 196, "{steady} of 200");
    hits
}

#[test]
fn waiting_for_exponential_service_is_as_the_formula_has_it() {
    // M/M/1: ρ / (1 − ρ) service times.
    let (latency, traffic) = hits(Times::Exponential, 0.5, 1.0);
    assert!(
        latency >= 178 && traffic >= 178,
        "{latency} and {traffic} of 200"
    );
}

#[test]
fn waiting_for_constant_service_is_as_the_formula_has_it() {
    // M/D/1 (Pollaczek–Khinchine): ρ / 2(1 − ρ) service times.
    let (latency, traffic) = hits(Times::Constant, 0.6, 0.75);
    assert!(
        latency >= 178 && traffic >= 178,
        "{latency} and {traffic} of 200"
    );
}

/// The server is the host's own link: a packet takes as long there as the server takes for it.
fn on_a_link(load: f64, seed: u64) -> Measurement {
    let found = conditions(1, load / SERVICE_CYCLES);
    let link_bytes_per_cycle = found.mean_payload_bytes / SERVICE_CYCLES;
    let conditions = Conditions {
        link_bytes_per_cycle,
        full_load_bytes_per_cycle: link_bytes_per_cycle,
        offered_load: load,
        ..found
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share"
    )]
    let of_10_000 = (10_000.0 * load).round() as u64;
    let server = server(Times::Exponential, Times::Constant, load, seed);
    let mut server = server.with_a_busy(ChannelId::new(0), of_10_000);
    measure_with(&mut server, &conditions, &RunParameters::default())
}

#[test]
fn intervals_near_saturation_hold_the_mean_as_often_as_they_say() {
    // M/D/1: at 0.9 packets wait for 4.5 service times.
    let latency_ns = 5.5 * SERVICE_CYCLES * CYCLE_NS;
    let (mut given, mut held) = (0, 0);
    for seed in 0..200 {
        let latency = on_a_link(0.9, seed).generation_latency_ns;
        given += usize::from(!latency.mean_half_width.is_nan());
        held += usize::from((latency.mean - latency_ns).abs() <= latency.mean_half_width);
    }
    // Of 190 nominal intervals fewer than 169 hold with a probability of 0.0002.
    assert!(given >= 190, "{given} of 200 have an interval");
    assert!(held >= 169, "{held} of {given}");
}

#[test]
fn a_window_that_has_not_seen_the_queue_change_has_no_interval_and_says_what_would_do() {
    // At 0.998 the queue takes 2/0.002² = 500,000 service times to change.
    for seed in 0..20 {
        let found = on_a_link(0.998, seed);
        assert_ended(&found, Reason::Budget, "all 400000 packets allowed");
        assert!(found.generation_latency_ns.mean_half_width.is_nan());
        assert!(found.network_latency_ns.mean_half_width.is_nan());
        let said = "queues change too slowly for the latencies to be known from a window of";
        assert!(found.reason_text.contains(said), "{}", found.reason_text);
    }
}

#[test]
fn latencies_have_no_interval_where_one_channel_of_four_never_rests() {
    let conditions = conditions(1, 0.5 / SERVICE_CYCLES);
    let server = || server(Times::Exponential, Times::Constant, 0.5, 1);
    let found = measure_with(&mut server(), &conditions, &RunParameters::default());
    assert_ended(&found, Reason::Steady, "");
    let mut restless = server().with_a_restless(ChannelId::new(2));
    let found = measure_with(&mut restless, &conditions, &RunParameters::default());
    assert_ended(&found, Reason::Budget, "");
    assert!(found.network_latency_ns.mean_half_width.is_nan());
    let said = "a channel was busy all the time, so that its queue has no steady length";
    assert!(found.reason_text.contains(said), "{}", found.reason_text);
}

#[test]
fn an_overloaded_server_is_saturated_at_its_service_rate() {
    // One payload of 1,000 bytes per 100,000 cycles.
    let service_load = 0.01;
    let mut hits = 0;
    for seed in 0..200 {
        let found = by_default(Times::Constant, Times::Exponential, 1.5, seed);
        assert_ended(&found, Reason::Saturated, "");
        assert!(
            found.generation_latency_ns.mean_half_width.is_nan(),
            "it grows with the run"
        );
        assert!(found.generation_latency_ns.mean > found.network_latency_ns.mean);
        // Services are independent, so that many short batches tell how much it accepts.
        assert!(
            !found.reason_text.contains("long batches"),
            "{}",
            found.reason_text
        );
        assert!(
            found.delivered_packets < 300_000,
            "{} packets",
            found.delivered_packets
        );
        let error = (found.accepted_load - service_load).abs();
        hits += usize::from(error <= found.accepted_load_half_width);
    }
    // Same bound as in `hits`.
    assert!(hits >= 178, "{hits} of 200");
}

#[test]
fn saturation_is_said_only_where_the_interval_excludes_95_percent() {
    // It accepts 94.3 %: so near the limit that many packets are needed to tell.
    let mut saturated = 0;
    for seed in 0..50 {
        let parameters = RunParameters {
            precision_accepted: 0.1,
            ..RunParameters::default()
        };
        let found = measured(Times::Constant, Times::Exponential, 1.06, seed, &parameters);
        if found.reason == Reason::Saturated {
            saturated += 1;
            let at_most = found.accepted_load + found.accepted_load_half_width;
            assert!(at_most < 0.95 * found.offered_load, "{}", found.reason_text);
        }
    }
    assert!(saturated > 0);
}

#[test]
fn a_spent_budget_still_tells_a_saturated_server() {
    let parameters = RunParameters {
        precision_accepted: 1e-6,
        max_packets: Some(4_000),
        ..RunParameters::default()
    };
    let found = measured(Times::Constant, Times::Exponential, 1.5, 1, &parameters);
    assert_ended(&found, Reason::Saturated, "");
    let found = measured(Times::Constant, Times::Exponential, 0.5, 1, &parameters);
    assert_ended(&found, Reason::Budget, "");
}

#[test]
fn a_budget_of_few_latencies_tells_a_saturated_network_from_one_that_carries_all() {
    // Behind the server packets travel for 500 of its services, so that the second half of the budget
    // holds four latencies of the network.
    let ended = |load: f64| {
        let mut random = Pcg64Mcg::seed_from_u64(1);
        let (mut arrival, mut free) = (0.0, 0.0_f64);
        let mut replay = Replay::new(move || {
            arrival += Times::Exponential.draw(&mut random, SERVICE_CYCLES / load);
            let start = free.max(arrival);
            free = start + SERVICE_CYCLES;
            let end = free + 500.0 * SERVICE_CYCLES;
            Some(record(cycle(arrival), cycle(start), cycle(end)))
        });
        let parameters = RunParameters {
            max_packets: Some(4_000),
            ..RunParameters::default()
        };
        let conditions = conditions(1, load / SERVICE_CYCLES);
        measure_with(&mut replay, &conditions, &parameters).reason
    };
    assert_eq!(ended(1.5), Reason::Saturated);
    assert_eq!(ended(0.5), Reason::Budget);
}

#[test]
fn the_reason_names_its_numbers() {
    let found = by_default(Times::Constant, Times::Constant, 2.0, 1);
    let begins = "the network accepts 50.0 % ±0.0 % of the traffic offered, less than 95 %, over";
    assert_ended(&found, Reason::Saturated, begins);
}

#[test]
fn a_server_just_overloaded_is_never_called_steady() {
    // It accepts 97 %, and its queue grows without end.
    for seed in 0..20 {
        let found = by_default(Times::Constant, Times::Constant, 1.03, seed);
        assert_ended(&found, Reason::Budget, "");
        assert!(found.generation_latency_ns.mean_half_width.is_nan());
    }
}

#[test]
fn a_heavily_loaded_server_exhausts_its_budget_and_says_what_it_reached() {
    let parameters = RunParameters {
        max_packets: Some(20_000),
        ..RunParameters::default()
    };
    let found = measured(Times::Exponential, Times::Exponential, 0.95, 1, &parameters);
    let begins = "all 20000 packets allowed were delivered; accepted traffic, ";
    assert_ended(&found, Reason::Budget, begins);
    assert!(
        found.delivered_packets <= 20_000 + 20_000 / 32,
        "{}",
        found.delivered_packets
    );
}

#[test]
fn a_small_budget_is_enough_for_what_is_precise_by_then() {
    // Less than the 50,000 packets a window has by default.
    let parameters = RunParameters {
        max_packets: Some(1000),
        ..RunParameters::default()
    };
    let of = |load| measured(Times::Constant, Times::Constant, load, 1, &parameters);
    let (light, overloaded) = (of(0.5), of(1.5));
    assert_ended(&light, Reason::Steady, "");
    assert_ended(&overloaded, Reason::Saturated, "");
    for found in [light, overloaded] {
        assert!(
            found.delivered_packets <= 1000,
            "{}",
            found.delivered_packets
        );
    }
}

#[test]
fn tighter_precision_takes_more_packets() {
    let of = |precision_latency| {
        let parameters = RunParameters {
            precision_latency,
            max_packets: Some(4_000_000),
            ..RunParameters::default()
        };
        measured(Times::Exponential, Times::Exponential, 0.5, 3, &parameters)
    };
    let (loose, tight) = (of(0.1), of(0.005));
    assert_eq!(
        (loose.reason, tight.reason),
        (Reason::Steady, Reason::Steady)
    );
    // Twenty times the precision is 400 times the packets, where precision is what ended both; the loose
    // one took more than it needed.
    assert!(tight.delivered_packets > 4 * loose.delivered_packets);
    let latency = tight.generation_latency_ns;
    assert!(latency.mean_half_width <= 0.005 * latency.mean);
}
