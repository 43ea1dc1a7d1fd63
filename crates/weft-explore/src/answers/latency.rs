//! The latency of a packet in a network that is otherwise idle.

use crate::error::ExploreError;
use crate::routed::Routed;
use weft::{Hardware, Network, Task};
use weft_engine::run::RunError;
use weft_engine::{Simulator, arrival_cycle};
use weft_fabric::HostId;
use weft_model::workload::{Packet, PacketList, Workload};

/// Payload of the packet.
const PAYLOAD_BYTES: u32 = 512;

struct UntilArrival;

impl Task for UntilArrival {
    type Outcome = Option<u64>;

    fn run(self, simulator: &mut impl Simulator) -> Result<Option<u64>, RunError> {
        Ok(arrival_cycle(simulator))
    }
}

/// Time in ns from the generation of a packet of 512 bytes to the arrival of its last byte, simulated;
/// `None` where it never arrives, as links damage it.
///
/// # Errors
/// [`ExploreError::Weft`] where routes and hardware do not fit.
pub(super) fn idle_latency_ns(
    routed: &Routed,
    hardware: &Hardware,
    [source, destination]: [HostId; 2],
) -> Result<Option<f64>, ExploreError> {
    let packet = Packet {
        generation_cycle: 0,
        destination,
        payload_bytes: PAYLOAD_BYTES,
        is_control: false,
        is_urgent: false,
        queue_pair: 0,
    };
    let list = PacketList::new(routed.left.fabric.host_count(), &[(source, packet)])?;
    let network = Network::new(&routed.network, hardware)?;
    let arrived = network.on_engine(&Workload::Listed(list), UntilArrival)?;
    Ok(arrived.map(|cycle| cycle as f64 * network.machine().cycle_ns()))
}
