//! What several tests build alike: a probe that keeps everything, workloads, cut-through hardware.

use std::num::NonZeroU32;
use weft_engine::Probe;
use weft_fabric::{Fabric, HostId};
use weft_model::cut_through::{
    AddressChoice, CutThroughModel, FlowControl, PacketFormat, Selection,
};
use weft_model::workload::{
    Arrivals, Destinations, Packet, PacketList, ShareOf, SizeShare, Traffic, TrafficParameters,
    Workload,
};
use weft_model::{LossRecord, PacketRecord};

/// Keeps what it is told.
#[derive(Default)]
pub(crate) struct Collector {
    pub(crate) delivered: Vec<PacketRecord>,
    pub(crate) lost: Vec<LossRecord>,
}

impl Probe for Collector {
    fn delivered(&mut self, record: &PacketRecord) {
        self.delivered.push(*record);
    }

    fn lost(&mut self, record: &LossRecord) {
        self.lost.push(*record);
    }
}

/// Packets from host to host, all generated in cycle 0.
pub(crate) fn listed(fabric: &Fabric, packets: &[(usize, usize)], payload_bytes: u32) -> Workload {
    let packet = |&(source, destination): &(usize, usize)| {
        let packet = Packet {
            generation_cycle: 0,
            destination: HostId::from_index(destination),
            payload_bytes,
            is_control: false,
            is_urgent: false,
            queue_pair: 0,
        };
        (HostId::from_index(source), packet)
    };
    let packets: Vec<_> = packets.iter().map(packet).collect();
    Workload::Listed(PacketList::new(fabric.host_count(), &packets).unwrap())
}

/// Traffic of packets of one length.
pub(crate) fn traffic(
    destinations: Destinations,
    arrivals: Arrivals,
    payload_bytes: u32,
    load_bytes_per_cycle: f64,
) -> Traffic {
    let share = 1.0;
    let parameters = TrafficParameters {
        arrivals,
        sizes: vec![SizeShare {
            payload_bytes,
            share,
        }],
        share_of: ShareOf::Packets,
        load_bytes_per_cycle,
        seed: 1,
    };
    Traffic::new(parameters, destinations).unwrap()
}

/// Cut-through hardware with credits and flits of a byte; no output buffers of 0 flits.
pub(crate) fn cut_through_model(
    lanes: u8,
    input_buffer_flits: u32,
    output_buffer_flits: u32,
    routing_delay_cycles: u32,
) -> CutThroughModel {
    CutThroughModel {
        lanes,
        control_lanes_from: 0,
        input_buffer_flits,
        output_buffer_flits: NonZeroU32::new(output_buffer_flits),
        crossbar_cycles_per_flit: 1,
        lookup_delay_cycles: 0,
        routing_delay_cycles,
        flow_control: FlowControl::Credits,
        selection: Selection::Emptiest,
        addresses: AddressChoice::First,
        choice_delay_cycles: 0,
        packets: PacketFormat {
            flit_bytes: 1,
            overhead_flits: 0,
            least_flits: 1,
            most_payload_bytes: 4096,
        },
    }
}
