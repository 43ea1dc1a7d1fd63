//! The latency of a packet in a network that is otherwise idle.

use crate::error::ExploreError;
use crate::routed::Routed;
use weft::{Hardware, Network, Task};
use weft_engine::run::RunError;
use weft_engine::{Probe, Simulator};
use weft_fabric::HostId;
use weft_model::workload::{Packet, PacketList, Workload};
use weft_model::{LossRecord, PacketRecord};

/// Payload of the packet.
const PAYLOAD_BYTES: u32 = 512;

/// Cycles after which a packet counts as lost for good: links damage every attempt.
const LONGEST_CYCLES: u64 = 1 << 32;

/// Cycles between two looks at whether it has arrived.
const STEP_CYCLES: u64 = 1 << 14;

/// When the packet arrived.
#[derive(Default)]
struct Arrival(Option<u64>);

impl Probe for Arrival {
    fn delivered(&mut self, record: &PacketRecord) {
        self.0 = Some(record.delivery_cycle);
    }

    fn lost(&mut self, _: &LossRecord) {}
}

struct UntilArrival;

impl Task for UntilArrival {
    type Outcome = Option<u64>;

    fn run(self, simulator: &mut impl Simulator) -> Result<Option<u64>, RunError> {
        let mut arrival = Arrival::default();
        while arrival.0.is_none() && simulator.now() < LONGEST_CYCLES {
            simulator.advance(simulator.now() + STEP_CYCLES, &mut arrival);
        }
        Ok(arrival.0)
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
