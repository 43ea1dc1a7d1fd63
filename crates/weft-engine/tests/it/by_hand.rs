//! The scenarios worked out by hand, in the engine.

use crate::support::fixtures::Collector;
use weft_engine::Simulator;
use weft_engine::wormhole::{Engine, ListedRoutes};
use weft_model::PacketRecord;
use weft_testing::by_hand::Scenario;

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
