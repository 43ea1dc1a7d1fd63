//! Packets followed over their channels.

use crate::support::fixtures::{Collector, cut_through_model, listed, traffic};
use std::collections::BTreeMap;
use weft_engine::cut_through::Engine;
use weft_engine::wormhole::{self, ListedRoutes};
use weft_engine::{Motion, Simulator};
use weft_fabric::{ChannelId, Fabric, HostId, generate};
use weft_model::cut_through::{CutThroughModel, FlowControl};
use weft_model::workload::{Arrivals, Destinations, Workload};
use weft_model::{ChannelTiming, ChannelTimings, PacketRecord};
use weft_routing::{CheckedRoutes, Routes, algorithms};
use weft_testing::by_hand::{self, MYRINET};

const TIMING: ChannelTiming = ChannelTiming {
    cycles_per_flit: 3,
    flight_cycles: 7,
};

#[test]
fn a_packet_alone_crosses_one_channel_after_the_other() {
    let fabric = generate::mesh(3, 1, 1).unwrap();
    let routes = algorithms::route_spec(&fabric, "updown").unwrap().routes;
    let routes = CheckedRoutes::new(&fabric, routes).unwrap();
    let model = cut_through_model(1, 200, 0, 25);
    let workload = listed(&fabric, &[(0, 2)], 10);
    let timings = ChannelTimings::Alike(TIMING);
    let mut engine = Engine::new(&fabric, &routes, &model, &timings, &workload).unwrap();
    assert!(engine.follow_packets());
    engine.advance(10_000, &mut Collector::default());
    let motions = engine.motions();
    // A head takes two cycles and its flight to the next switch, where it waits for 25.
    let starts: Vec<u64> = motions.iter().map(|motion| motion.start_cycle).collect();
    assert_eq!(starts, [0, 34, 68, 102]);
    // Ten flits of three cycles each.
    assert!(
        motions
            .iter()
            .all(|motion| motion.end_cycle == motion.start_cycle + 30)
    );
    assert!(
        motions
            .iter()
            .all(|motion| motion.generation_cycle == 0 && motion.sequence == 0)
    );
    assert!(
        motions
            .iter()
            .all(|motion| motion.destination == HostId::new(2))
    );
    assert_eq!(motions[0].channel, fabric.injection_channel(HostId::new(0)));
    assert_eq!(motions[3].channel, fabric.ejection_channel(HostId::new(2)));
    // They are handed over once.
    assert_eq!(engine.motions(), []);
}

/// What was seen of a simulator until a cycle, that was asked every so many cycles.
fn followed(
    simulator: &mut impl Simulator,
    until: u64,
    every: usize,
) -> (Vec<PacketRecord>, Vec<Motion>) {
    assert!(simulator.follow_packets());
    let (mut seen, mut motions) = (Collector::default(), Vec::new());
    for cycle in (0..until).step_by(every).skip(1).chain([until]) {
        simulator.advance(cycle, &mut seen);
        motions.extend(simulator.motions());
    }
    (sorted(seen.delivered), motions)
}

fn sorted(mut records: Vec<PacketRecord>) -> Vec<PacketRecord> {
    records.sort_by_key(|record| (record.source, record.sequence));
    records
}

/// Stretches from a cycle until another, in the order of time.
type Stretches = Vec<[u64; 2]>;

/// By packet: the channels it crossed, in the order it came to them, and when.
fn ways(motions: &[Motion]) -> BTreeMap<(HostId, u64), Vec<(ChannelId, Stretches)>> {
    let mut ways: BTreeMap<_, Vec<(ChannelId, Stretches)>> = BTreeMap::new();
    for motion in motions {
        let way = ways.entry((motion.source, motion.sequence)).or_default();
        let stretch = [motion.start_cycle, motion.end_cycle];
        match way
            .iter_mut()
            .find(|(channel, _)| *channel == motion.channel)
        {
            None => way.push((motion.channel, vec![stretch])),
            Some((_, known)) => match known.last_mut() {
                Some(last) if last[1] == stretch[0] => last[1] = stretch[1],
                _ => known.push(stretch),
            },
        }
    }
    for way in ways.values_mut() {
        way.sort_by_key(|(_, stretches)| stretches[0][0]);
    }
    ways
}

/// Cycles of stretches before a cycle.
fn before(stretches: &[[u64; 2]], cycle: u64) -> u64 {
    let spans = stretches.iter();
    spans
        .map(|&[start, end]| end.min(cycle) - start.min(cycle))
        .sum()
}

/// Motions are ways from host to host, no two packets have a channel at a time, and all together they are what
/// channels sent in each cycle.
fn check(
    fabric: &Fabric,
    simulator: &impl Simulator,
    (delivered, motions): &(Vec<PacketRecord>, Vec<Motion>),
    timing: ChannelTiming,
) {
    let pace = u64::from(timing.cycles_per_flit);
    let ways = ways(motions);
    for record in delivered {
        let way = &ways[&(record.source, record.sequence)];
        assert_eq!(way[0].0, fabric.injection_channel(record.source));
        assert_eq!(way[0].1[0][0], record.injection_cycle);
        for pair in way.windows(2) {
            let [(earlier, sent), (later, sent_on)] = pair else {
                unreachable!("two at a time");
            };
            assert_eq!(fabric.target(*earlier).node, fabric.source(*later).node);
            // No flit leaves before it has come.
            for &[start, end] in sent_on {
                for cycle in [start + pace, end] {
                    let arrived = before(sent, cycle - timing.latency_cycles());
                    assert!(before(sent_on, cycle) <= arrived, "{record:?}: {sent_on:?}");
                }
            }
        }
        let (last, stretches) = &way[way.len() - 1];
        assert_eq!(*last, fabric.ejection_channel(record.destination));
        let tail = stretches[stretches.len() - 1][1] - pace;
        assert_eq!(tail + timing.latency_cycles(), record.delivery_cycle);
        assert_eq!(
            way.len(),
            usize::from(record.switches + record.in_transit_stops) + 1
        );
    }
    let now = simulator.now();
    let mut of_channel: BTreeMap<ChannelId, Stretches> = BTreeMap::new();
    for motion in motions {
        let stretch = [motion.start_cycle, motion.end_cycle];
        of_channel.entry(motion.channel).or_default().push(stretch);
    }
    for (channel, mut crossed) in of_channel {
        crossed.sort_unstable();
        let apart = crossed.windows(2).all(|pair| pair[0][1] <= pair[1][0]);
        assert!(apart, "two packets at a time on {channel}");
        assert_eq!(
            before(&crossed, now),
            simulator.channel_use(channel).busy_cycles,
            "{channel}"
        );
    }
}

/// Packets that are stopped on their way: their stretches on a channel are several.
fn stopped(motions: &[Motion]) -> usize {
    let ways = ways(motions);
    let crossings = ways.values().flatten();
    crossings
        .filter(|(_, stretches)| stretches.len() > 1)
        .count()
}

fn cut_through<'a>(
    fabric: &Fabric,
    routes: &'a CheckedRoutes<Routes>,
    model: &CutThroughModel,
    workload: &'a Workload,
) -> Engine<'a> {
    Engine::new(
        fabric,
        routes,
        model,
        &ChannelTimings::Alike(TIMING),
        workload,
    )
    .unwrap()
}

#[test]
fn cut_through_traffic_is_followed() {
    let fabric = generate::torus(3, 3, 1).unwrap();
    let routes = algorithms::route_spec(&fabric, "lash").unwrap().routes;
    let routes = CheckedRoutes::new(&fabric, routes).unwrap();
    let uniform = Destinations::uniform(fabric.host_count()).unwrap();
    let workload = Workload::Traffic(traffic(uniform, Arrivals::Poisson, 32, 0.2));
    let stop_and_go = FlowControl::StopAndGo {
        stop_above_flits: 20,
        go_below_flits: 10,
        control_delay_cycles: 0,
    };
    for (flow_control, output_flits) in [
        (FlowControl::Credits, 0),
        (FlowControl::Credits, 64),
        (stop_and_go, 0),
        (stop_and_go, 64),
    ] {
        let model = CutThroughModel {
            flow_control,
            ..cut_through_model(4, 64, output_flits, 25)
        };
        let mut plain = Collector::default();
        cut_through(&fabric, &routes, &model, &workload).advance(40_000, &mut plain);
        let mut engine = cut_through(&fabric, &routes, &model, &workload);
        let seen = followed(&mut engine, 40_000, 997);
        // To be followed changes nothing.
        assert_eq!(sorted(plain.delivered), seen.0);
        assert!(seen.0.len() > 500, "{}", seen.0.len());
        check(&fabric, &engine, &seen, TIMING);
        assert_eq!(stopped(&seen.1) > 0, flow_control == stop_and_go);
    }
}

#[test]
fn trains_of_flits_that_stop_and_go_are_followed() {
    let fabric = generate::torus(3, 3, 2).unwrap();
    let routing = algorithms::route_spec(&fabric, "ud_itb").unwrap();
    let Routes::Source(routes) = &routing.routes else {
        panic!("sources know them");
    };
    let routes = ListedRoutes::new(&fabric, routes).unwrap();
    let uniform = Destinations::uniform(fabric.host_count()).unwrap();
    let workload = Workload::Traffic(traffic(uniform, Arrivals::Poisson, 200, 0.2));
    let ChannelTimings::Alike(timing) = MYRINET.channels else {
        panic!("they are alike");
    };
    let engine = || wormhole::Engine::new(&fabric, &routes, &MYRINET, &workload).unwrap();
    let mut plain = Collector::default();
    engine().advance(20_000, &mut plain);
    let plain = sorted(plain.delivered);
    for every in [1, 64, 20_000] {
        let mut engine = engine();
        let seen = followed(&mut engine, 20_000, every);
        assert_eq!(plain, seen.0);
        assert!(seen.0.len() > 200, "{}", seen.0.len());
        assert!(seen.0.iter().any(|record| record.in_transit_stops > 0));
        assert!(stopped(&seen.1) > 50, "{}", stopped(&seen.1));
        check(&fabric, &engine, &seen, timing);
        // All that was ever sent is told, as soon as it is.
        let told: u64 = seen
            .1
            .iter()
            .map(|one| one.end_cycle - one.start_cycle)
            .sum();
        assert_eq!(told, engine.flit_hops());
    }
}

#[test]
fn what_is_told_is_what_leaves_in_each_cycle() {
    let fabric = by_hand::fabric(&[0, 2, 1], &[[0, 1], [1, 2]]);
    let routing = by_hand::routing(&fabric, &[]);
    let routes = ListedRoutes::new(&fabric, &routing).unwrap();
    let workload = by_hand::workload(&fabric, &[(2, 1, 0, 400), (0, 1, 10, 300)]);
    let mut engine = wormhole::Engine::new(&fabric, &routes, &MYRINET, &workload).unwrap();
    assert!(engine.follow_packets());
    let (mut sent, mut motions) = (Vec::new(), Vec::new());
    for cycle in 1..=2_000 {
        let before = engine.flit_hops();
        engine.advance(cycle, &mut Collector::default());
        sent.push(engine.flit_hops() - before);
        if cycle % 100 == 0 {
            motions.extend(engine.motions());
        }
    }
    let in_cycle = |cycle: u64| {
        let there = motions
            .iter()
            .filter(|one| (one.start_cycle..one.end_cycle).contains(&cycle));
        there.count() as u64
    };
    assert_eq!((0..2_000).map(in_cycle).collect::<Vec<_>>(), sent);
    // The one that comes second waits, and is stopped at its host and on the cable.
    let ways = ways(&motions);
    let times = |packet| {
        let way: &Vec<(_, Stretches)> = &ways[&(HostId::new(packet), 0)];
        way.iter().map(|one| one.1.len()).collect::<Vec<_>>()
    };
    assert_eq!(times(2), [1, 1, 1]);
    assert_eq!(times(0), [2, 2, 1, 1]);
}
