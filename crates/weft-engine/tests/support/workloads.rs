//! Random workloads: traffic from light to far beyond saturation, and listed bursts of packets that
//! start at the same moment.

use super::random::Draws;
use weft_fabric::HostId;
use weft_model::workload::{
    Arrivals, Packet, PacketList, Pattern, SizeShare, Traffic, TrafficParameters, Workload,
};

/// A workload and what it is.
pub(crate) fn draw(
    draws: &mut Draws,
    host_count: usize,
    horizon_cycles: u64,
) -> (Workload, String) {
    if draws.once_in(4) {
        bursts(draws, host_count, horizon_cycles)
    } else {
        traffic(draws, host_count)
    }
}

fn payload_bytes(draws: &mut Draws) -> u32 {
    match draws.between(0, 5) {
        0 => draws.between_u32(1, 4),
        1 | 2 => draws.between_u32(1, 64),
        3 => 32,
        4 => draws.between_u32(1, 300),
        _ => draws.between_u32(300, 1100),
    }
}

fn traffic(draws: &mut Draws, host_count: usize) -> (Workload, String) {
    let size_count = *draws.choose(&[1, 1, 2, 3]);
    let sizes: Vec<SizeShare> = (0..size_count)
        .map(|_| SizeShare {
            payload_bytes: payload_bytes(draws),
            share: 0.1 + draws.unit(),
        })
        .collect();
    let arrivals = *draws.choose(&[Arrivals::Constant, Arrivals::Poisson]);
    // From 1 % of a link to three times a link, evenly on a logarithmic scale.
    let load_bytes_per_cycle = 0.01 * 300_f64.powf(draws.unit());
    let description =
        format!("{arrivals:?} traffic at {load_bytes_per_cycle:.3} bytes per cycle of {sizes:?}");
    let parameters = TrafficParameters {
        pattern: Pattern::Uniform,
        arrivals,
        sizes,
        load_bytes_per_cycle,
        seed: draws.between(0, u64::MAX - 1),
    };
    (
        Workload::Traffic(Traffic::new(parameters, host_count).unwrap()),
        description,
    )
}

fn bursts(draws: &mut Draws, host_count: usize, horizon_cycles: u64) -> (Workload, String) {
    let burst_count = 1 + draws.index(6);
    let mut packets = Vec::new();
    for _ in 0..burst_count {
        let generation_cycle = draws.between(0, horizon_cycles / 2);
        let is_to_one = draws.once_in(3);
        let target = draws.index(host_count);
        let payload = payload_bytes(draws);
        for source in 0..host_count {
            for _ in 0..draws.index(4) {
                let other = (source + 1 + draws.index(host_count - 1)) % host_count;
                let destination = if is_to_one && target != source {
                    target
                } else {
                    other
                };
                let packet = Packet {
                    generation_cycle,
                    destination: HostId::from_index(destination),
                    payload_bytes: payload,
                };
                packets.push((HostId::from_index(source), packet));
            }
        }
    }
    let description = format!("{burst_count} bursts, {} packets", packets.len());
    (
        Workload::Listed(PacketList::new(host_count, &packets).unwrap()),
        description,
    )
}
