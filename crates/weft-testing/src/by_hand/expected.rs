//! What a scenario is, and what must come of it.

use super::{Listed, MYRINET, routing, times};
use weft_fabric::Fabric;
use weft_model::{PacketRecord, WormholeModel};
use weft_routing::SourceRoutes;

/// What is simulated, and what must come of it.
#[derive(Debug)]
pub struct Scenario {
    /// The network.
    pub fabric: Fabric,
    /// Its routes.
    pub routing: SourceRoutes,
    /// The hardware.
    pub model: WormholeModel,
    /// What the hosts send.
    pub packets: Vec<Listed>,
    /// Cycles to simulate.
    pub until_cycle: u64,
    /// What arrives.
    pub expected: Expected,
}

/// What arrives in a scenario.
#[derive(Debug)]
pub enum Expected {
    /// Source, sequence number, injection and delivery cycle of each packet, in order of delivery.
    Times(Vec<(u32, u64, u64, u64)>),
    /// Source of each packet, in order of delivery.
    Sources(Vec<u32>),
}

impl Scenario {
    /// Myrinet on a fabric with these routes.
    pub(super) fn new(
        fabric: Fabric,
        routes: &[((u32, u32), &[u8])],
        packets: &[Listed],
        expected: Expected,
    ) -> Self {
        Self {
            routing: routing(&fabric, routes),
            fabric,
            model: MYRINET,
            packets: packets.to_vec(),
            until_cycle: 20_000,
            expected,
        }
    }

    /// The same on other hardware.
    pub(super) fn on(self, model: WormholeModel) -> Self {
        Self { model, ..self }
    }

    /// Compares what was delivered with what is expected.
    ///
    /// # Panics
    /// When they differ.
    #[track_caller]
    pub fn check(&self, mut delivered: Vec<PacketRecord>) {
        delivered.sort_by_key(|record| (record.delivery_cycle, record.destination));
        match &self.expected {
            Expected::Times(expected) => assert_eq!(times(&delivered), *expected),
            Expected::Sources(expected) => {
                let found: Vec<_> = delivered.iter().map(|r| r.source.number()).collect();
                assert_eq!(found, *expected);
            }
        }
    }
}
