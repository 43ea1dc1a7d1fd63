//! The scenarios worked out by hand, in the engine.

use weft_engine::wormhole::Engine;
use weft_engine::{Probe, Simulator};
use weft_model::{LossRecord, PacketRecord};
use weft_testing::by_hand::Scenario;

#[derive(Default)]
struct Collector(Vec<PacketRecord>);

impl Probe for Collector {
    fn delivered(&mut self, record: &PacketRecord) {
        self.0.push(*record);
    }

    fn lost(&mut self, _: &LossRecord) {}
}

fn simulate(scenario: &Scenario) -> Vec<PacketRecord> {
    let Scenario {
        fabric,
        routing,
        model,
        packets,
        until_cycle,
        ..
    } = scenario;
    let workload = weft_testing::by_hand::workload(fabric, packets);
    let mut engine = Engine::new(fabric, routing, model, &workload).unwrap();
    let mut delivered = Collector::default();
    engine.advance(*until_cycle, &mut delivered);
    delivered.0
}

weft_testing::for_each_scenario!(simulate);
