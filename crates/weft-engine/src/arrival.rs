//! The first packet that arrives, where no other is waited for.

use crate::probe::{Probe, Simulator};
use weft_model::{LossRecord, PacketRecord};

/// Cycles after which a packet counts as lost for good: links damage every attempt.
const LONGEST_CYCLES: u64 = 1 << 32;

/// Cycles between two looks at whether one has arrived.
const STEP_CYCLES: u64 = 1 << 16;

#[derive(Default)]
struct Arrival(Option<u64>);

impl Probe for Arrival {
    fn delivered(&mut self, record: &PacketRecord) {
        self.0 = Some(record.delivery_cycle);
    }

    fn lost(&mut self, _: &LossRecord) {}
}

/// Simulates until the packet that a workload of one has arrives: the cycle of its delivery; `None` where it never
/// arrives.
pub fn arrival_cycle(simulator: &mut impl Simulator) -> Option<u64> {
    let mut arrival = Arrival::default();
    while arrival.0.is_none() && simulator.now() < LONGEST_CYCLES {
        simulator.advance(simulator.now() + STEP_CYCLES, &mut arrival);
    }
    arrival.0
}
