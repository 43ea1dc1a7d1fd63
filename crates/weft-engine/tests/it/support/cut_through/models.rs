//! Random parameters of the cut-through model, corners included: buffers as small as they may be, no
//! output buffers, no routing delay, stops at the first flit, slow and long links among fast ones.

use super::super::models::far_apart;
use super::super::random::Draws;
use std::num::NonZeroU32;
use weft_fabric::Fabric;
use weft_model::cut_through::{
    AddressChoice, CutThroughModel, FlowControl, MOST_LANES, PacketFormat, Selection,
};
use weft_model::workload::Workload;
use weft_model::{ChannelTiming, ChannelTimings};

fn timing(draws: &mut Draws, most_cycles_per_flit: u32) -> ChannelTiming {
    ChannelTiming {
        cycles_per_flit: draws.between_u32(1, most_cycles_per_flit),
        flight_cycles: match draws.between(0, 9) {
            0 => draws.between_u32(26, 80),
            1..4 => 25,
            4..6 => draws.between_u32(1, 2),
            _ => draws.between_u32(1, 26),
        },
    }
}

/// Rates and lengths of all channels.
pub(crate) fn timings(draws: &mut Draws, fabric: &Fabric) -> ChannelTimings {
    if draws.once_in(2) {
        let most = if draws.once_in(4) { 3 } else { 1 };
        return ChannelTimings::Alike(timing(draws, most));
    }
    let links = 0..fabric.link_count();
    let timings = if draws.once_in(8) {
        let cycles = far_apart(draws);
        let timing = |draws: &mut Draws| ChannelTiming {
            cycles_per_flit: *draws.choose(&cycles),
            ..timing(draws, 1)
        };
        links.map(|_| timing(draws)).collect()
    } else {
        let most = *draws.choose(&[1, 2, 2, 4]);
        links.map(|_| timing(draws, most)).collect()
    };
    ChannelTimings::ByLink(timings)
}

/// A model whose buffers hold every packet, and every flit that comes before a stop takes effect.
pub(crate) fn draw(
    draws: &mut Draws,
    fabric: &Fabric,
    lanes_used: u8,
    timings: &ChannelTimings,
    workload: &Workload,
) -> CutThroughModel {
    let channels = || fabric.channel_ids().map(|channel| timings.of(channel));
    let fastest = channels().map(|timing| timing.cycles_per_flit).min();
    let packets = PacketFormat {
        flit_bytes: *draws.choose(&[1, 1, 4, 8, 64]),
        overhead_flits: *draws.choose(&[0, 0, 1, 5]),
        least_flits: *draws.choose(&[1, 1, 2, 17]),
        most_payload_bytes: 4096,
    };
    let longest = packets.packet_flits(workload.most_payload_bytes());
    let flow_control = if draws.once_in(2) {
        FlowControl::Credits
    } else {
        let stop_above_flits = match draws.between(0, 3) {
            0 => draws.between_u32(0, 2),
            1 => longest,
            _ => draws.between_u32(0, 40),
        };
        FlowControl::StopAndGo {
            stop_above_flits,
            go_below_flits: match draws.between(0, 2) {
                0 => 1,
                1 => stop_above_flits + 1,
                _ => draws.between_u32(1, stop_above_flits + 1),
            },
            control_delay_cycles: *draws.choose(&[0, 0, 1, 7]),
        }
    };
    let spare_lanes = *draws.choose(&[0, 0, 0, 1, 3]);
    let has_control_lanes = draws.once_in(3) && 2 * lanes_used + spare_lanes <= MOST_LANES;
    let (lanes, control_lanes_from) = if has_control_lanes {
        (2 * lanes_used + spare_lanes, lanes_used + spare_lanes)
    } else {
        (MOST_LANES.min(lanes_used + spare_lanes), 0)
    };
    let mut model = CutThroughModel {
        lanes,
        control_lanes_from,
        input_buffer_flits: 1,
        output_buffer_flits: None,
        crossbar_cycles_per_flit: draws.between_u32(1, fastest.unwrap()),
        lookup_delay_cycles: match draws.between(0, 4) {
            0 | 1 => 0,
            2 => 25,
            _ => draws.between_u32(1, 40),
        },
        routing_delay_cycles: match draws.between(0, 4) {
            0 => 0,
            1 => draws.between_u32(1, 3),
            2 => 25,
            _ => draws.between_u32(0, 30),
        },
        flow_control,
        selection: *draws.choose(&[
            Selection::Emptiest,
            Selection::Emptiest,
            Selection::Random,
            Selection::Hash,
        ]),
        addresses: *draws.choose(&[
            AddressChoice::First,
            AddressChoice::Hash,
            AddressChoice::Even,
        ]),
        choice_delay_cycles: match draws.between(0, 3) {
            0 | 1 => 0,
            2 => draws.between_u32(1, 3),
            _ => draws.between_u32(1, 60),
        },
        packets,
    };
    if draws.once_in(2) {
        let spare = spare_flits(draws, longest);
        model.output_buffer_flits = NonZeroU32::new(longest + spare);
    }
    let least = channels().map(|timing| model.least_input_buffer_flits(timing));
    let least = u32::try_from(least.max().unwrap()).unwrap().max(longest);
    model.input_buffer_flits = least + spare_flits(draws, longest);
    model
}

/// Nothing, a little, or room for further packets.
fn spare_flits(draws: &mut Draws, longest: u32) -> u32 {
    match draws.between(0, 3) {
        0 => 0,
        1 => draws.between_u32(0, 10),
        _ => draws.between_u32(0, 3 * longest),
    }
}
