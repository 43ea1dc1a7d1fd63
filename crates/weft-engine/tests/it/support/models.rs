//! Random parameters of the wormhole model, corners included: routing delays below the flight, go
//! at 1, the smallest buffer there may be, pools too small for a packet, no delay at all, delays and
//! cables far longer than any packet.

use super::random::Draws;
use std::num::NonZeroU32;
use weft_fabric::Fabric;
use weft_model::{
    Arbitration, ChannelTiming, ChannelTimings, Firmware, NicModel, Overflow, WormholeModel,
};

pub(crate) fn draw(
    draws: &mut Draws,
    fabric: &Fabric,
    has_stops: bool,
    is_long: bool,
) -> WormholeModel {
    let channels = channels(draws, fabric);
    let flight_cycles = timings(&channels)[0].flight_cycles;
    let go_below_flits = match draws.between(0, 3) {
        0 => draws.between_u32(1, 2),
        1 => draws.between_u32(1, 8),
        _ => draws.between_u32(1, 50),
    };
    let stop_above_flits = go_below_flits
        + match draws.between(0, 3) {
            0 => 0,
            1 => draws.between_u32(0, 3),
            _ => draws.between_u32(0, 30),
        };
    let spare_flits = if draws.once_in(2) {
        0
    } else {
        draws.between_u32(0, 60)
    };
    let (type_flits, crc_flits) = *draws.choose(&[(2, 1), (0, 1), (1, 0), (3, 2), (2, 1)]);
    let mut model = WormholeModel {
        buffer_flits: spare_flits,
        channels,
        stop_above_flits,
        go_below_flits,
        routing_delay_cycles: match draws.between(0, 4) {
            0 => 0,
            1 => draws.between_u32(0, flight_cycles.min(100)),
            2 => 24,
            _ => draws.between_u32(0, 30),
        },
        type_flits,
        crc_flits,
        arbitration: *draws.choose(&Arbitration::ALL),
        nic: nic(draws, has_stops),
        pool_flits: match draws.between(0, 5) {
            0 => draws.between_u32(0, 20),
            1 => draws.between_u32(0, 60),
            2 => draws.between_u32(60, 300),
            3 => draws.between_u32(300, 1500),
            _ => 524_288,
        },
        overflow: if draws.once_in(2) {
            Overflow::HostMemory {
                delay_cycles: far_cycles(draws),
            }
        } else {
            Overflow::Drop
        },
        // A timeout ends every deadlock, so most cases have none.
        timeout_cycles: match draws.between(0, 15) {
            0 => NonZeroU32::new(draws.between_u32(1, 60)),
            1 => NonZeroU32::new(draws.between_u32(60, 600)),
            2 => NonZeroU32::new(draws.between_u32(600, 5_000)),
            _ => None,
        },
        bit_error_rate: if draws.once_in(4) {
            1e-7 * 1e4_f64.powf(draws.unit())
        } else {
            0.0
        },
        retransmit_after_cycles: far_cycles(draws),
        local_equal_at_packets: if draws.once_in(4) {
            draws.between_u32(9, 40)
        } else {
            draws.between_u32(1, 10)
        },
    };
    if is_long {
        // The engine looks every cycle for the first flits of a packet that firmware waits for.
        let most_bits = match model.nic {
            NicModel::Firmware(_) => 9,
            NicModel::Delays { .. } => 27,
        };
        model.channels = slowed(draws, fabric, &model.channels, most_bits);
        // What is lost again and again is so no more often than in short cases.
        let beyond = |draws: &mut Draws| draws.between_u32(1 << 28, 1 << 30);
        model.timeout_cycles = model.timeout_cycles.and(NonZeroU32::new(beyond(draws)));
        model.retransmit_after_cycles = beyond(draws);
    }
    let smallest = timings(&model.channels)
        .iter()
        .map(|&timing| model.smallest_buffer_flits(timing));
    model.buffer_flits += u32::try_from(smallest.max().unwrap()).unwrap();
    model
}

/// Channels that carry a flit a cycle in half of the cases; links of one to a few rates and lengths in
/// the others.
fn channels(draws: &mut Draws, fabric: &Fabric) -> ChannelTimings {
    if draws.once_in(2) {
        let flight_cycles = flight_cycles(draws);
        return ChannelTimings::Alike(ChannelTiming {
            cycles_per_flit: 1,
            flight_cycles,
        });
    }
    let mut kinds: Vec<ChannelTiming> = (0..=draws.index(4))
        .map(|_| ChannelTiming {
            cycles_per_flit: *draws.choose(&[1, 1, 2, 2, 3, 4, 5, 7, 10, 16]),
            flight_cycles: flight_cycles(draws),
        })
        .collect();
    if draws.once_in(12) {
        kinds.clear();
        for cycles_per_flit in far_apart(draws) {
            kinds.push(ChannelTiming {
                cycles_per_flit,
                flight_cycles: flight_cycles(draws),
            });
        }
    }
    match kinds.as_slice() {
        [kind] => ChannelTimings::Alike(*kind),
        kinds => ChannelTimings::ByLink(fabric.link_ids().map(|_| *draws.choose(kinds)).collect()),
    }
}

/// The same channels so much slower and longer, half of them or all, that a packet may take more cycles
/// than 32 bits count, 2 to the power of so many times at most; now and then as they are.
pub(crate) fn slowed(
    draws: &mut Draws,
    fabric: &Fabric,
    channels: &ChannelTimings,
    most_bits: u64,
) -> ChannelTimings {
    let bits = draws.between(3 * most_bits / 4, most_bits);
    let (factor, share) = (1 << bits, draws.between(0, 2));
    let slow = |cycles: u32| {
        let cycles = u64::from(cycles) * factor;
        u32::try_from(cycles.min(1 << 30)).unwrap()
    };
    let mut slowed = Vec::new();
    for link in fabric.link_ids() {
        let mut timing = match channels {
            ChannelTimings::Alike(timing) => *timing,
            ChannelTimings::ByLink(timings) => timings[link.index()],
        };
        if draws.between(1, 2) <= share {
            timing.cycles_per_flit = slow(timing.cycles_per_flit);
            timing.flight_cycles = slow(timing.flight_cycles);
        }
        slowed.push(timing);
    }
    ChannelTimings::ByLink(slowed)
}

/// Cycles of a flit on the fastest links, on those 80 times as slow, as 1x SDR is beside 4x HDR, and on
/// some between.
pub(crate) fn far_apart(draws: &mut Draws) -> [u32; 3] {
    let fastest = *draws.choose(&[1, 1, 2]);
    [
        fastest,
        draws.between_u32(fastest, 79 * fastest),
        80 * fastest,
    ]
}

/// Whether the slowest link is at least 80 times as slow as the fastest.
pub(crate) fn are_far_apart(timings: &ChannelTimings) -> bool {
    let cycles = || {
        self::timings(timings)
            .iter()
            .map(|timing| timing.cycles_per_flit)
    };
    cycles().max() >= cycles().min().and_then(|fastest| fastest.checked_mul(80))
}

fn flight_cycles(draws: &mut Draws) -> u32 {
    match draws.between(0, 19) {
        0..2 => draws.between_u32(13, 80),
        2..6 => 8,
        _ => draws.between_u32(1, 12),
    }
}

/// The timings there are.
pub(crate) fn timings(channels: &ChannelTimings) -> &[ChannelTiming] {
    match channels {
        ChannelTimings::Alike(timing) => std::slice::from_ref(timing),
        ChannelTimings::ByLink(timings) => timings,
    }
}

/// Nothing but delays in two thirds of the cases; else firmware, the original one only where no route
/// stops in transit.
fn nic(draws: &mut Draws, has_stops: bool) -> NicModel {
    if !draws.once_in(3) {
        return NicModel::Delays {
            in_transit_cycles: match draws.between(0, 39) {
                0 => draws.between_u32(3_000, 9_000),
                1..10 => draws.between_u32(0, 3),
                10..20 => 76,
                _ => draws.between_u32(0, 100),
            },
        };
    }
    let longest = *draws.choose(&[0, 3, 20, 60, 200]);
    let mut cost = || draws.between_u32(0, longest);
    let [
        dispatch,
        early_receive,
        forward,
        sent,
        received,
        send,
        transferred,
        doorbell,
    ] = std::array::from_fn(|_| cost());
    NicModel::Firmware(Firmware {
        handles_in_transit: has_stops || draws.once_in(2),
        dispatch_cycles: dispatch,
        early_receive_cycles: early_receive,
        forward_cycles: forward,
        sent_cycles: sent,
        received_cycles: received,
        send_cycles: send,
        transferred_cycles: transferred,
        doorbell_cycles: doorbell,
        transfer_start_cycles: draws.between_u32(0, 100),
        transfer_cycles_per_kib: *draws.choose(&[0, 256, 1_024, 1_229, 3_000]),
        contention_percent: *draws.choose(&[0, 25, 100]),
        send_buffers: NonZeroU32::new(draws.between_u32(1, 4)).unwrap(),
    })
}

/// None, some, now and then more than a packet takes.
fn far_cycles(draws: &mut Draws) -> u32 {
    match draws.between(0, 39) {
        0 => draws.between_u32(3_000, 20_000),
        1..10 => 0,
        _ => draws.between_u32(0, 400),
    }
}
