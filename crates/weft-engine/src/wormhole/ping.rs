//! Messages in a network that is otherwise idle.

use super::{Engine, EngineError, ListedRoutes};
use crate::arrival::arrival_cycle;
use std::borrow::Borrow;
use weft_fabric::{Fabric, HostId};
use weft_model::WormholeModel;
use weft_model::workload::{Packet, PacketList, Workload};
use weft_routing::SourceRoutes;

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
    Ok(arrival_cycle(&mut engine))
}
