//! Figures of the cut-through engine that are known without a simulation.

use crate::support::fixtures::{Collector, cut_through_model, listed, traffic};
use weft_engine::Simulator;
use weft_engine::cut_through::{Engine, EngineError};
use weft_engine::measurement::Measurement;
use weft_engine::run::{Conditions, RunParameters, run};
use weft_fabric::{Fabric, SwitchId, generate};
use weft_model::cut_through::{CutThroughModel, FlowControl};
use weft_model::workload::{Arrivals, Destinations, Traffic, Workload};
use weft_model::{ChannelTiming, ChannelTimings};
use weft_routing::load::figures;
use weft_routing::{
    CheckedRoutes, Lane, PairGranularity, RouteRow, Routes, SourceRoutes, algorithms,
};

const STOP_AND_GO: FlowControl = FlowControl::StopAndGo {
    stop_above_flits: 20,
    go_below_flits: 10,
    control_delay_cycles: 0,
};

fn alike(cycles_per_flit: u32, flight_cycles: u32) -> ChannelTimings {
    ChannelTimings::Alike(ChannelTiming {
        cycles_per_flit,
        flight_cycles,
    })
}

/// With a routing delay of 25 cycles.
fn model(lanes: u8, buffer_flits: u32, output_buffer_flits: u32) -> CutThroughModel {
    cut_through_model(lanes, buffer_flits, output_buffer_flits, 25)
}

fn uniform(fabric: &Fabric, arrivals: Arrivals, payload_bytes: u32, load: f64) -> Traffic {
    let destinations = Destinations::uniform(fabric.host_count()).unwrap();
    traffic(destinations, arrivals, payload_bytes, load)
}

fn routes(fabric: &Fabric, spec: &str) -> Routes {
    algorithms::route_spec(fabric, spec).unwrap().routes
}

fn checked(fabric: &Fabric, routes: Routes) -> CheckedRoutes<Routes> {
    CheckedRoutes::new(fabric, routes).unwrap()
}

fn measured(
    fabric: &Fabric,
    routes: &Routes,
    model: &CutThroughModel,
    traffic: Traffic,
    max_packets: u64,
) -> Measurement {
    let conditions = Conditions::of(fabric, &traffic, 4.0, 1);
    let workload = Workload::Traffic(traffic);
    let routes = CheckedRoutes::new(fabric, routes).unwrap();
    let mut engine = Engine::new(fabric, &routes, model, &alike(1, 25), &workload).unwrap();
    let parameters = RunParameters {
        max_packets: Some(max_packets),
        ..RunParameters::default()
    };
    let mut go_on = |_| std::ops::ControlFlow::Continue(());
    run(
        &mut engine,
        Some(&workload),
        &conditions,
        &parameters,
        &mut go_on,
    )
    .unwrap()
}

#[test]
fn an_unloaded_packet_takes_the_time_of_the_formula() {
    let fabric = generate::mesh(5, 1, 1).unwrap();
    let routes = checked(&fabric, routes(&fabric, "updown"));
    for flow_control in [FlowControl::Credits, STOP_AND_GO] {
        for output_flits in [0, 200] {
            for (cycles_per_flit, flight, flits) in [(1, 25, 32), (1, 1, 1), (3, 7, 100)] {
                let mut model = model(1, 200, output_flits);
                model.flow_control = flow_control;
                let workload = listed(&fabric, &[(0, 4)], flits);
                let timings = alike(cycles_per_flit, flight);
                let mut engine =
                    Engine::new(&fabric, &routes, &model, &timings, &workload).unwrap();
                let mut collector = Collector::default();
                engine.advance(100_000, &mut collector);
                // Each switch takes the routing delay, and a flit's time where it has output buffers;
                // each channel its flight and a flit's time, less one; the last flit is behind.
                let (k, flight) = (u64::from(cycles_per_flit), u64::from(flight));
                let switch = 25 + u64::from(output_flits > 0);
                let channel = k - 1 + flight;
                let expected = 5 * switch + 6 * channel + u64::from(flits - 1) * k;
                assert_eq!(
                    collector.delivered[0].delivery_cycle, expected,
                    "{flow_control:?}, {output_flits} flits of output buffer, {timings:?}"
                );
            }
        }
    }
}

/// Routes around a ring, always in the same sense, on lane 0.
fn around(fabric: &Fabric) -> Routes {
    let count = fabric.switch_count();
    let row = |source: usize| {
        let mut row = RouteRow::default();
        for destination in 0..count {
            let links = (destination + count - source) % count;
            row.push((0..links).map(|link| {
                let here = SwitchId::from_index((source + link) % count);
                let next = SwitchId::from_index((source + link + 1) % count);
                let hops = fabric.hops(here);
                let hop = hops.iter().find(|hop| hop.switch == next).unwrap();
                fabric.source(hop.channel).port
            }));
        }
        row
    };
    let rows: Vec<RouteRow> = (0..count).map(row).collect();
    SourceRoutes::from_rows(PairGranularity::Switch, rows).into()
}

#[test]
fn packets_that_wait_for_one_another_around_a_ring_are_named_with_their_lanes() {
    let fabric = generate::ring(4, 1).unwrap();
    let routes = checked(&fabric, around(&fabric));
    // Every host sends to the one before it, three links away; a buffer holds one packet.
    let packets: Vec<(usize, usize)> = (0..40).map(|n| (n % 4, (n + 3) % 4)).collect();
    let workload = listed(&fabric, &packets, 32);
    for flow_control in [FlowControl::Credits, STOP_AND_GO] {
        for output_flits in [0, 32] {
            let mut model = model(2, 71, output_flits);
            model.flow_control = flow_control;
            if flow_control == FlowControl::Credits {
                model.input_buffer_flits = 32;
            }
            let timings = alike(1, 25);
            let mut engine = Engine::new(&fabric, &routes, &model, &timings, &workload).unwrap();
            assert_eq!(engine.waiting_cycle(), None);
            let mut collector = Collector::default();
            engine.advance(100_000, &mut collector);
            assert!(
                collector.delivered.len() < packets.len(),
                "{flow_control:?}"
            );
            let cycle = engine.waiting_cycle().unwrap();
            assert_eq!(cycle.len(), 4, "{cycle:?}");
            for (packet, next) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
                assert_eq!(packet.wants, next.holds);
                assert!(fabric.is_switch_channel(packet.holds));
                let lanes = (packet.holds_lane, packet.wants_lane);
                assert_eq!(lanes, (Lane::ZERO, Lane::ZERO));
                let before = (packet.source.index() + 3) % 4;
                assert_eq!(packet.destination.index(), before);
            }
        }
    }
}

#[test]
fn a_second_lane_where_the_ring_closes_keeps_it_going() {
    let fabric = generate::ring(4, 1).unwrap();
    let routes = checked(&fabric, routes(&fabric, "dimension_order"));
    assert_eq!(routes.routes().lane_count(), 2);
    let packets: Vec<(usize, usize)> = (0..40).map(|n| (n % 4, (n + 2) % 4)).collect();
    let workload = listed(&fabric, &packets, 32);
    let mut engine = Engine::new(
        &fabric,
        &routes,
        &model(2, 32, 32),
        &alike(1, 25),
        &workload,
    )
    .unwrap();
    let mut collector = Collector::default();
    engine.advance(100_000, &mut collector);
    assert_eq!(collector.delivered.len(), packets.len());
    assert_eq!(engine.counters().packets_alive, 0);
}

#[test]
fn a_host_that_sends_at_random_waits_like_a_queue_with_one_server() {
    // M/D/1 (Pollaczek–Khinchine): ρ / 2(1 − ρ) times of a packet on the link.
    const FLITS: u32 = 320;
    let fabric = generate::mesh(2, 1, 1).unwrap();
    let routes = checked(&fabric, routes(&fabric, "updown"));
    for load in [0.3, 0.6] {
        let traffic = uniform(&fabric, Arrivals::Poisson, FLITS, load);
        let workload = Workload::Traffic(traffic);
        let model = model(1, 1000, 1000);
        let mut engine = Engine::new(&fabric, &routes, &model, &alike(1, 25), &workload).unwrap();
        let mut collector = Collector::default();
        engine.advance(200_000_000, &mut collector);
        let waits = collector
            .delivered
            .iter()
            .map(|record| record.injection_cycle - record.generation_cycle);
        let mean = waits.sum::<u64>() as f64 / collector.delivered.len() as f64;
        let expected = f64::from(FLITS) * load / (2.0 * (1.0 - load));
        assert!(
            (mean / expected - 1.0).abs() < 0.02,
            "{mean} instead of {expected}"
        );
    }
}

#[test]
fn no_routing_accepts_more_than_its_busiest_channel_carries() {
    let regular = generate::irregular(&generate::IrregularParameters {
        switches: 16,
        ..generate::IrregularParameters::default()
    });
    for fabric in [regular.unwrap(), generate::torus(4, 4, 4).unwrap()] {
        for spec in ["updown", "multi_tree", "lash", "down_preferred"] {
            let routing = algorithms::route_spec(&fabric, spec).unwrap();
            let bound = figures(&fabric, &routing).saturation_bound;
            let traffic = uniform(&fabric, Arrivals::Constant, 32, 1.0);
            let model = model(routing.routes.lane_count(), 1024, 1024);
            let found = measured(&fabric, &routing.routes, &model, traffic, 40_000);
            // Uniform traffic is drawn, so that the busiest channel is a little more or less busy.
            assert!(
                found.accepted_load <= 1.03 * bound,
                "{spec}: {} of {bound}",
                found.accepted_load
            );
            assert!(found.accepted_load > 0.2 * bound, "{spec}");
        }
    }
}

#[test]
fn lanes_buffers_and_hosts_are_measured_one_by_one() {
    let fabric = generate::torus(4, 4, 2).unwrap();
    let routes = routes(&fabric, "dimension_order");
    let traffic = uniform(&fabric, Arrivals::Poisson, 32, 0.3);
    let found = measured(&fabric, &routes, &model(2, 128, 128), traffic, 60_000);
    assert_eq!(found.lane_count(), 2);
    let lanes = found.lane_utilization.chunks(2);
    assert_eq!(lanes.len(), fabric.channel_count());
    for (lanes, &channel) in lanes.zip(&found.channel_utilization) {
        assert!((lanes[0] + lanes[1] - channel).abs() < 1e-5);
    }
    assert!(
        found
            .lane_blocked
            .iter()
            .all(|&blocked| (0.0..=1.0).contains(&blocked))
    );
    assert!(found.buffer_max_bytes.iter().all(|&bytes| bytes <= 128));
    let of_buffers = found.buffer_mean_bytes.iter().zip(&found.buffer_max_bytes);
    assert!(
        of_buffers
            .clone()
            .all(|(&mean, &most)| f64::from(mean) <= f64::from(most))
    );
    assert!(of_buffers.clone().any(|(&mean, _)| mean > 0.0));
    let accepted: f32 = found.host_accepted_load.iter().sum();
    let expected = found.accepted_load * fabric.host_count() as f64;
    assert!((f64::from(accepted) / expected - 1.0).abs() < 1e-3);
}

#[test]
fn what_does_not_fit_is_refused_with_what_would() {
    let fabric = generate::ring(5, 1).unwrap();
    let routes = checked(&fabric, routes(&fabric, "dimension_order"));
    let workload = listed(&fabric, &[(0, 1)], 32);
    let timings = alike(1, 25);
    let refusal = |fabric: &Fabric, model, workload: &Workload| -> EngineError {
        Engine::new(fabric, &routes, &model, &timings, workload).unwrap_err()
    };
    assert_eq!(
        refusal(&fabric, model(1, 128, 128), &workload).to_string(),
        "the routes use 2 virtual lanes, but channels of the hardware have 1; give the hardware more, \
         or choose a routing with fewer"
    );
    let text = refusal(&fabric, model(2, 16, 128), &workload).to_string();
    assert!(
        text.contains("has 32 flits, more than the 16 an input buffer holds"),
        "{text}"
    );
    let other = generate::ring(6, 1).unwrap();
    let text = refusal(&other, model(2, 128, 128), &listed(&other, &[(0, 1)], 32)).to_string();
    assert!(
        text.contains("but the fabric has 6; route this fabric"),
        "{text}"
    );
}

#[test]
fn as_many_threads_are_taken_as_have_enough_to_do_with_credits_alone() {
    let tree = generate::k_ary_n_tree(4, 3).unwrap();
    let threads = |load, flow_control| {
        let traffic = uniform(&tree, Arrivals::Constant, 8, load);
        let workload = Workload::Traffic(traffic);
        let routes = checked(&tree, routes(&tree, "d_mod_k"));
        let model = CutThroughModel {
            flow_control,
            ..model(2, 100, 100)
        };
        let hardware = (&model, &alike(1, 25));
        let engine = Engine::on_threads(&tree, &routes, hardware, &workload, 8).unwrap();
        engine.thread_count()
    };
    let credits = FlowControl::Credits;
    assert_eq!(threads(0.0005, credits), 1);
    assert!((2..=8).contains(&threads(0.5, credits)));
    assert_eq!(threads(0.5, STOP_AND_GO), 1);
}
