//! What packets that choose are good for: throughput beside fixed routes, where theory tells it.

use crate::support::fixtures::{Collector, cut_through_model, listed, traffic};
use weft_engine::Simulator;
use weft_engine::cut_through::Engine;
use weft_fabric::{Fabric, SwitchId, generate};
use weft_model::cut_through::CutThroughModel;
use weft_model::workload::{Arrivals, ChosenPattern, Workload};
use weft_model::{ChannelTiming, ChannelTimings};
use weft_routing::algorithms::{route_adaptive_spec, route_spec};
use weft_routing::{AnyRoutes, CheckedRoutes, Lane};

const TIMINGS: ChannelTimings = ChannelTimings::Alike(ChannelTiming {
    cycles_per_flit: 1,
    flight_cycles: 5,
});

/// Flits of a packet.
const FLITS: u32 = 16;

fn model(lanes: u8) -> CutThroughModel {
    cut_through_model(lanes, 8 * FLITS, 4 * FLITS, 5)
}

/// What hosts receive as a share of their link, when each sends as `offered` says.
fn accepted(fabric: &Fabric, spec: &str, pattern: &str, offered: f64) -> f64 {
    let (warm_up, end) = (10_000, 30_000);
    let fixed = route_spec(fabric, spec);
    let adaptive = route_adaptive_spec(fabric, spec);
    let routes: AnyRoutes<'_> = match (&fixed, &adaptive) {
        (Ok(routing), _) => (&routing.routes).into(),
        (_, Ok(routing)) => (&routing.routes).into(),
        (Err(error), Err(_)) => panic!("{spec}: {error}"),
    };
    let chosen: ChosenPattern = pattern.parse().unwrap();
    let destinations = chosen.destinations(fabric, None).unwrap();
    let traffic = traffic(destinations, Arrivals::Poisson, FLITS, offered);
    let workload = Workload::Traffic(traffic);
    let model = model(routes.lane_count());
    let routes = CheckedRoutes::new(fabric, routes).unwrap();
    let mut engine = Engine::new(fabric, &routes, &model, &TIMINGS, &workload).unwrap();
    engine.advance(warm_up, &mut Collector::default());
    let mut collector = Collector::default();
    engine.advance(end, &mut collector);
    assert_eq!(engine.waiting_cycle(), None);
    let flits = collector.delivered.len() as f64 * f64::from(FLITS);
    flits / (end - warm_up) as f64 / fabric.host_count() as f64
}

/// The most that hosts receive over several loads: beyond what they bear, rings carry less.
fn most_accepted(fabric: &Fabric, spec: &str, pattern: &str) -> f64 {
    let loads = [0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8].into_iter();
    loads
        .map(|load| accepted(fabric, spec, pattern, load))
        .fold(0.0, f64::max)
}

const TWO_PHASES: [&str; 3] = ["dimension_order", "valiant", "ugal"];

/// Around a ring of eight every host sends to the third on. Shortest ways all go one way round, three
/// links each: no more than a third of a link is left to a host. Two phases over random switches take
/// four links of both ways, which leaves a half. Under uniform traffic shortest ways spread by
/// themselves, over 16/7 links, and two phases take nearly double. What goes by what it meets gains
/// some of the one and keeps most of the other.
#[test]
fn two_phases_carry_more_than_shortest_ways_against_a_tornado_and_less_under_uniform_traffic() {
    let ring = generate::ring(8, 1).unwrap();
    let [minimal, valiant, ugal] = TWO_PHASES.map(|spec| most_accepted(&ring, spec, "shift:by=3"));
    assert!(minimal < 1.0 / 3.0, "{minimal}");
    assert!(
        valiant < 0.5 && valiant > 1.4 * minimal,
        "{valiant} {minimal}"
    );
    assert!(ugal > 1.1 * minimal, "{ugal} {minimal}");
    let [minimal, valiant, ugal] = TWO_PHASES.map(|spec| most_accepted(&ring, spec, "uniform"));
    assert!(minimal > 1.1 * valiant, "{minimal} {valiant}");
    assert!(ugal > 0.9 * minimal, "{ugal} {minimal}");
}

/// A transposition crowds some links of a torus.
#[test]
fn ugal_gains_where_shortest_ways_crowd_and_loses_little_where_they_do_not() {
    let torus = generate::torus(4, 4, 1).unwrap();
    let [minimal, valiant, ugal] = TWO_PHASES.map(|spec| most_accepted(&torus, spec, "transpose"));
    assert!(valiant > 1.5 * minimal, "{valiant} {minimal}");
    assert!(ugal > 1.25 * minimal, "{ugal} {minimal}");
    let [minimal, valiant, ugal] = TWO_PHASES.map(|spec| most_accepted(&torus, spec, "uniform"));
    assert!(
        ugal > 0.9 * minimal.max(valiant),
        "{ugal} {minimal} {valiant}"
    );
}

#[test]
fn any_shortest_way_carries_no_less_than_legal_ones() {
    let torus = generate::torus(4, 4, 1).unwrap();
    let irregular = generate::irregular(&generate::IrregularParameters {
        switches: 16,
        hosts_per_switch: 1,
        ports_per_switch: 5,
        ..generate::IrregularParameters::default()
    })
    .unwrap();
    for fabric in [torus, irregular] {
        let legal = accepted(
            &fabric,
            "multi_tree:trees=1,lanes=3,spread=packets",
            "uniform",
            1.0,
        );
        let any = accepted(&fabric, "minimal_adaptive:lanes=3", "uniform", 1.0);
        assert!(any > legal, "{}: {any} {legal}", fabric.name());
    }
}

/// Two packets at once from one switch to the opposite of a square: the second takes the other port,
/// as the buffers behind the first have 16 flits taken.
#[test]
fn a_packet_takes_the_way_with_least_taken() {
    let square = generate::mesh(2, 2, 2).unwrap();
    let routing = route_adaptive_spec(&square, "minimal_adaptive").unwrap();
    let hosts_at = |switch| square.hosts_of(SwitchId::new(switch)).iter();
    let pairs = hosts_at(0).zip(hosts_at(3));
    let pairs: Vec<_> = pairs.map(|(from, to)| (from.index(), to.index())).collect();
    let workload = listed(&square, &pairs, FLITS);
    let routes = CheckedRoutes::new(&square, &routing.routes).unwrap();
    let mut engine = Engine::new(&square, &routes, &model(2), &TIMINGS, &workload).unwrap();
    let mut collector = Collector::default();
    engine.advance(1_000, &mut collector);
    assert_eq!(collector.delivered.len(), 2);
    // Nobody waits: three switches of routing delay, a flit's time and flight each, the first flight and
    // the flits behind the first.
    for record in &collector.delivered {
        assert_eq!(
            record.delivery_cycle,
            5 + 3 * (5 + 1 + 5) + u64::from(FLITS) - 1
        );
    }
    // Both first links were used, on the adaptive lane.
    for hop in square.hops(SwitchId::new(0)) {
        let busy = |lane| engine.lane_use(hop.channel, Lane::new(lane)).busy_cycles;
        assert_eq!((busy(0), busy(1)), (0, u64::from(FLITS)));
    }
}
