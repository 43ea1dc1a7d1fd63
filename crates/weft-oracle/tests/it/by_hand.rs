//! The scenarios worked out by hand, in the oracle.

use weft_model::PacketRecord;
use weft_testing::by_hand::Scenario;

fn simulate(scenario: &Scenario) -> Vec<PacketRecord> {
    let Scenario {
        fabric,
        routing,
        model,
        packets,
        until_cycle,
        ..
    } = scenario;
    weft_testing::by_hand::run(fabric, routing, model, packets, *until_cycle)
}

weft_testing::for_each_scenario!(simulate);
