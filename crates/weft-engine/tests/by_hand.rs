//! The scenarios worked out by hand, in the engine.

#![expect(clippy::unwrap_used, reason = "a test may stop at what cannot happen")]

#[path = "../../weft-oracle/tests/support/mod.rs"]
mod support;

use support::scenarios::{Scenario, for_each_scenario};
use weft_engine::wormhole::Engine;
use weft_engine::{Probe, Simulator};
use weft_model::{LossRecord, PacketRecord};

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
    let workload = support::workload(fabric, packets);
    let mut engine = Engine::new(fabric, routing, model, &workload).unwrap();
    let mut delivered = Collector::default();
    engine.advance(*until_cycle, &mut delivered);
    delivered.0
}

for_each_scenario!(simulate);
