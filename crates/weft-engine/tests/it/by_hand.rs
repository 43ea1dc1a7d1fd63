//! The scenarios worked out by hand, in the engine.

use crate::support::fixtures::Collector;
use weft_engine::Simulator;
use weft_engine::wormhole::{Engine, ListedRoutes};
use weft_model::{PacketRecord, WormholeModel};
use weft_testing::by_hand::{self, MYRINET, Scenario, times};

fn simulate(scenario: &Scenario) -> Vec<PacketRecord> {
    let (fabric, model) = (&scenario.fabric, &scenario.model);
    let workload = weft_testing::by_hand::workload(fabric, &scenario.packets);
    let routes = ListedRoutes::new(fabric, &scenario.routing).unwrap();
    let mut engine = Engine::new(fabric, &routes, model, &workload).unwrap();
    let mut collector = Collector::default();
    engine.advance(scenario.until_cycle, &mut collector);
    collector.delivered
}

weft_testing::for_each_scenario!(simulate);

/// A cable leads from a switch back to it, and a packet so short that its tail has left before its head is
/// back takes it twice.
#[test]
fn a_packet_asks_for_the_channel_that_it_came_by() {
    let fabric = by_hand::fabric(&[0, 0], &[[0, 0]]);
    let routing = by_hand::routing(&fabric, &[((0, 1), &[3, 3])]);
    let packets = [(0, 1, 0, 1), (0, 1, 2, 2), (1, 0, 0, 1)];
    let expected = by_hand::run(&fabric, &routing, &MYRINET, &packets, 1_000);
    let routes = ListedRoutes::new(&fabric, &routing).unwrap();
    let workload = by_hand::workload(&fabric, &packets);
    let mut engine = Engine::new(&fabric, &routes, &MYRINET, &workload).unwrap();
    let mut found = Collector::default();
    engine.advance(1_000, &mut found);
    let [mut found, mut expected] = [&found.delivered, &expected].map(|all| times(all));
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(expected.len(), packets.len());
    assert_eq!(found, expected);
}

/// 105 flits of 2^24 cycles each on the hosts' links, four times as long between the switches: flit i leaves
/// the first switch in 2k + 7 + (i − 1) · 4k, and the second, which takes the second flit, in what is 4k + 7
/// later, the last of them 103 · 4k after. Between a flit that comes and one that leaves lie more cycles
/// than 64 bits count when they are multiplied by what the buffer holds.
#[test]
fn the_slowest_of_links_are_forecast() {
    let fabric = by_hand::fabric(&[0, 1], &[[0, 1]]);
    let routing = by_hand::routing(&fabric, &[]);
    let k = 1 << 24;
    let model = WormholeModel {
        channels: by_hand::by_link(&[(k, 8), (k, 8), (4 * k, 8)]),
        stop_above_flits: 1 << 20,
        buffer_flits: 1 << 21,
        ..MYRINET
    };
    let routes = ListedRoutes::new(&fabric, &routing).unwrap();
    let workload = by_hand::workload(&fabric, &[(0, 1, 0, 100)]);
    let mut engine = Engine::new(&fabric, &routes, &model, &workload).unwrap();
    let mut found = Collector::default();
    engine.advance(1 << 35, &mut found);
    let k = u64::from(k);
    let expected = 2 * k + 104 * 4 * k + k + 21;
    assert_eq!(times(&found.delivered), [(0, 0, 0, expected)]);
}
