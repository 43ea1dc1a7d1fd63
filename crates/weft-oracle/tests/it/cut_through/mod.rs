//! The cut-through oracle, by hand: latencies by formula, turns, credits, stop & go, slow links.

mod contention;
mod control;
mod credits;
mod latency;
mod refusals;
mod stop_and_go;

use std::num::NonZeroU32;
use weft_fabric::{Fabric, HostId};
use weft_model::{
    AddressChoice, ChannelTiming, ChannelTimings, CutThroughModel, FlowControl, PacketFormat,
    PacketRecord, Selection,
};
use weft_oracle::CutThroughOracle;
use weft_routing::{ForwardingTables, Lane, Routes, to_tables};

/// Two lanes, buffers of 100 flits, routing delay 5, credits, a byte a flit and no overhead.
const MODEL: CutThroughModel = CutThroughModel {
    lanes: 2,
    control_lanes_from: 0,
    input_buffer_flits: 100,
    output_buffer_flits: NonZeroU32::new(100),
    crossbar_cycles_per_flit: 1,
    lookup_delay_cycles: 0,
    routing_delay_cycles: 5,
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
};

const NO_OUTPUT_BUFFER: CutThroughModel = CutThroughModel {
    output_buffer_flits: None,
    ..MODEL
};

/// A cycle a flit and seven of flight on all channels.
const TIMINGS: ChannelTimings = ChannelTimings::Alike(ChannelTiming {
    cycles_per_flit: 1,
    flight_cycles: 7,
});

/// Links that differ: cycles per flit of each link, seven cycles of flight.
fn timings(cycles_per_flit: &[u32]) -> ChannelTimings {
    let timing = |&cycles_per_flit: &u32| ChannelTiming {
        cycles_per_flit,
        flight_cycles: 7,
    };
    ChannelTimings::ByLink(cycles_per_flit.iter().map(timing).collect())
}

/// Shortest ways in tables by host, with a lane for each pair.
fn tables(fabric: &Fabric, lane: impl Fn(u32, u32) -> u8) -> ForwardingTables {
    let routes = Routes::from(weft_testing::by_hand::routing(fabric, &[]));
    let mut tables = to_tables(fabric, &routes, 0).unwrap();
    let hosts = || fabric.host_ids().map(HostId::number);
    let pairs = hosts().flat_map(|from| hosts().map(move |to| (from, to)));
    tables.set_lanes(pairs.map(|(from, to)| Lane::new(lane(from, to))).collect());
    tables
}

/// Everything delivered before `until_cycle`.
fn run(
    fabric: &Fabric,
    routes: &Routes,
    model: &CutThroughModel,
    timings: &ChannelTimings,
    packets: &[weft_testing::by_hand::Listed],
    until_cycle: u64,
) -> Vec<PacketRecord> {
    let workload = weft_testing::by_hand::workload(fabric, packets);
    let mut oracle = CutThroughOracle::new(fabric, routes, model, timings, &workload).unwrap();
    let mut delivered = Vec::new();
    oracle.advance(until_cycle, &mut delivered);
    delivered
}
