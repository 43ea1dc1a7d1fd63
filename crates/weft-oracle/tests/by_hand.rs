//! The scenarios worked out by hand, in the oracle.

mod support;

use support::scenarios::{Scenario, for_each_scenario};
use weft_model::PacketRecord;

fn simulate(scenario: &Scenario) -> Vec<PacketRecord> {
    let Scenario {
        fabric,
        routing,
        model,
        packets,
        until_cycle,
        ..
    } = scenario;
    support::run(fabric, routing, model, packets, *until_cycle)
}

for_each_scenario!(simulate);
