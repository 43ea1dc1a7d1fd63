//! Messages in a network that is otherwise idle.

use super::{Engine, EngineError, ListedRoutes};
use crate::probe::{Probe, Simulator};
use std::borrow::Borrow;
use weft_fabric::{Fabric, HostId};
use weft_model::workload::{Packet, PacketList, Workload};
use weft_model::{LossRecord, PacketRecord, WormholeModel};
use weft_routing::SourceRoutes;

/// Cycles after which a message counts as lost for good: links damage every attempt.
const LONGEST_CYCLES: u64 = 1 << 32;

/// Cycles between two looks at whether it has arrived.
const STEP_CYCLES: u64 = 1 << 16;

#[derive(Default)]
struct Arrival(Option<u64>);

impl Probe for Arrival {
    fn delivered(&mut self, record: &PacketRecord) {
        self.0 = Some(record.delivery_cycle);
    }

    fn lost(&mut self, _: &LossRecord) {}
}

/// The time in cycles from a packet's generation to its delivery in a network that is
/// otherwise idle; `None` where it never arrives.
///
/// # Errors
/// [`EngineError`] when model, routes and fabric do not fit together.
pub fn idle_latency_cycles<R: Borrow<SourceRoutes>>(
    fabric: &Fabric,
    routes: &ListedRoutes<R>,
    model: &WormholeModel,
    [source, destination]: [HostId; 2],
    payload_bytes: u32,
) -> Result<Option<u64>, EngineError> {
    let packet = Packet {
        generation_cycle: 0,
        destination,
        payload_bytes,
        is_control: false,
        is_urgent: false,
        queue_pair: 0,
    };
    let Ok(list) = PacketList::new(fabric.host_count(), &[(source, packet)]) else {
        return Ok(None);
    };
    let workload = Workload::Listed(list);
    let mut engine = Engine::new(fabric, routes, model, &workload)?;
    let mut arrival = Arrival::default();
    while arrival.0.is_none() && engine.now() < LONGEST_CYCLES {
        engine.advance(engine.now() + STEP_CYCLES, &mut arrival);
    }
    Ok(arrival.0)
}
