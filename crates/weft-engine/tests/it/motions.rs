//! Packets followed over their channels.

use crate::support::fixtures::{Collector, cut_through_model, listed, traffic};
use std::collections::BTreeMap;
use weft_engine::cut_through::Engine;
use weft_engine::{Motion, Simulator};
use weft_fabric::{ChannelId, HostId, generate};
use weft_model::cut_through::FlowControl;
use weft_model::workload::{Arrivals, Destinations, Workload};
use weft_model::{ChannelTiming, ChannelTimings, PacketRecord};
use weft_routing::{CheckedRoutes, algorithms};

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

#[test]
fn motions_of_traffic_are_ways_and_add_up_to_the_use_of_channels() {
    let fabric = generate::torus(3, 3, 1).unwrap();
    let routes = algorithms::route_spec(&fabric, "lash").unwrap().routes;
    let routes = CheckedRoutes::new(&fabric, routes).unwrap();
    let uniform = Destinations::uniform(fabric.host_count()).unwrap();
    let workload = Workload::Traffic(traffic(uniform, Arrivals::Poisson, 32, 0.2));
    let timings = ChannelTimings::Alike(TIMING);
    for output_flits in [0, 64] {
        let model = cut_through_model(4, 64, output_flits, 25);
        let mut engine = Engine::new(&fabric, &routes, &model, &timings, &workload).unwrap();
        let mut followed = Engine::new(&fabric, &routes, &model, &timings, &workload).unwrap();
        assert!(followed.follow_packets());
        let (mut plain, mut seen) = (Collector::default(), Collector::default());
        engine.advance(40_000, &mut plain);
        let mut motions = Vec::new();
        for until in (1..=40).map(|step| 1000 * step) {
            followed.advance(until, &mut seen);
            motions.extend(followed.motions());
        }
        // To be followed changes nothing.
        assert_eq!(sorted(plain.delivered), sorted(seen.delivered.clone()));
        assert!(seen.delivered.len() > 500, "{}", seen.delivered.len());
        let mut of_packet: BTreeMap<(HostId, u64), Vec<Motion>> = BTreeMap::new();
        let mut of_channel: BTreeMap<ChannelId, Vec<Motion>> = BTreeMap::new();
        for motion in motions {
            let name = (motion.source, motion.sequence);
            of_packet.entry(name).or_default().push(motion);
            of_channel.entry(motion.channel).or_default().push(motion);
        }
        for record in &seen.delivered {
            let way = &of_packet[&(record.source, record.sequence)];
            assert_eq!(way[0].channel, fabric.injection_channel(record.source));
            assert_eq!(way[0].start_cycle, record.injection_cycle);
            for pair in way.windows(2) {
                let joint = fabric.target(pair[0].channel).node;
                assert_eq!(joint, fabric.source(pair[1].channel).node);
                assert!(pair[0].start_cycle < pair[1].start_cycle);
            }
            let last = way[way.len() - 1];
            assert_eq!(last.channel, fabric.ejection_channel(record.destination));
            assert_eq!(
                last.end_cycle - 3 + TIMING.latency_cycles(),
                record.delivery_cycle
            );
            assert_eq!(way.len(), usize::from(record.switches) + 1);
        }
        for (channel, crossed) in of_channel {
            let apart = crossed
                .windows(2)
                .all(|pair| pair[0].end_cycle <= pair[1].start_cycle);
            assert!(apart, "two packets at a time on {channel}");
            let until = |cycle: u64| cycle.min(40_000);
            let spans = crossed
                .iter()
                .map(|one| until(one.end_cycle) - until(one.start_cycle));
            assert_eq!(
                spans.sum::<u64>(),
                followed.channel_use(channel).busy_cycles
            );
        }
    }
}

fn sorted(mut records: Vec<PacketRecord>) -> Vec<PacketRecord> {
    records.sort_by_key(|record| (record.source, record.sequence));
    records
}

#[test]
fn packets_that_pause_are_not_followed() {
    let fabric = generate::mesh(2, 1, 1).unwrap();
    let routes = algorithms::route_spec(&fabric, "updown").unwrap().routes;
    let routes = CheckedRoutes::new(&fabric, routes).unwrap();
    let mut model = cut_through_model(1, 200, 0, 25);
    model.flow_control = FlowControl::StopAndGo {
        stop_above_flits: 20,
        go_below_flits: 10,
        control_delay_cycles: 0,
    };
    let workload = listed(&fabric, &[(0, 1)], 10);
    let timings = ChannelTimings::Alike(TIMING);
    let mut engine = Engine::new(&fabric, &routes, &model, &timings, &workload).unwrap();
    assert!(!engine.follow_packets());
    engine.advance(10_000, &mut Collector::default());
    assert_eq!(engine.motions(), []);
}
