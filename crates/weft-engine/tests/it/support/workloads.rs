//! Random workloads: traffic by all patterns from light to far beyond saturation, and listed bursts
//! of packets that start at the same moment.

use super::random::Draws;
use weft_fabric::{Fabric, HostId};
use weft_model::workload::program::Acknowledged;
use weft_model::workload::{
    Arrivals, ChosenPattern, Destinations, PATTERNS, Packet, PacketList, ShareOf, SizeShare,
    Traffic, TrafficParameters, Workload,
};
use weft_registry::Kind;

/// A workload and what it is.
pub(crate) fn draw(draws: &mut Draws, fabric: &Fabric, horizon_cycles: u64) -> (Workload, String) {
    if draws.once_in(4) {
        bursts(draws, fabric.host_count(), horizon_cycles)
    } else {
        traffic(draws, fabric, horizon_cycles)
    }
}

/// A horizon beyond which all that traffic does takes longer in proportion, so that no more is sent.
const LONG_CYCLES: u64 = 1 << 20;

fn payload_bytes(draws: &mut Draws) -> u32 {
    match draws.between(0, 5) {
        0 => draws.between_u32(1, 4),
        1 | 2 => draws.between_u32(1, 64),
        3 => 32,
        4 => draws.between_u32(1, 300),
        _ => draws.between_u32(300, 1100),
    }
}

/// A pattern of the registry with random parameters, as text.
fn pattern(draws: &mut Draws, host_count: usize) -> String {
    let pattern = draws.choose(PATTERNS);
    let mut separator = ':';
    let mut text = pattern.name.to_owned();
    for spec in pattern.parameters {
        let value = match spec.kind {
            Kind::Choice(words) => (*draws.choose(words)).to_owned(),
            Kind::Whole { most, .. } if most == u64::MAX => {
                draws.between(0, u64::MAX - 1).to_string()
            }
            Kind::Whole { least, .. } => draws.between(least, least + 4).to_string(),
            Kind::Positive { .. } if spec.unit == "%" => draws.between(1, 100).to_string(),
            Kind::Positive { .. } => draws.between(1, 1_000_000).to_string(),
            Kind::Open(_) if draws.once_in(2) => "random".to_owned(),
            Kind::Open(_) => draws.index(host_count).to_string(),
            Kind::File => "pairs.csv".to_owned(),
            other => unreachable!("no pattern has a parameter that is {other}"),
        };
        text = format!("{text}{separator}{}={value}", spec.name);
        separator = ',';
    }
    text
}

/// A random pattern laid over the fabric; uniform traffic where the pattern is not defined on it.
fn destinations(draws: &mut Draws, fabric: &Fabric) -> (Destinations, String) {
    let text = pattern(draws, fabric.host_count());
    let mut order: Vec<usize> = (0..fabric.host_count()).collect();
    draws.shuffle(&mut order);
    let lines = order.iter().enumerate();
    let is_matrix = text.starts_with("matrix");
    // Up to a hundred times as much as others have.
    let drawn = (0..fabric.host_count()).filter(|_| is_matrix);
    let of_row: Vec<u64> = drawn.map(|_| *draws.choose(&[1, 1, 3, 100])).collect();
    let pair = |(host, to): (usize, &usize)| {
        if is_matrix {
            let [there, back] = [of_row[host], of_row[*to] * (host as u64 % 3)];
            format!("{host},{to},{there}\n{to},{host},{back}")
        } else {
            format!("{host},{to}")
        }
    };
    let mut pairs: Vec<String> = lines.map(pair).collect();
    if is_matrix {
        // A pair is there once.
        pairs = pairs
            .iter()
            .flat_map(|pair| pair.split('\n'))
            .map(str::to_owned)
            .collect();
        let mut seen = std::collections::BTreeSet::new();
        pairs.retain(|line| seen.insert(line[..line.rfind(',').unwrap_or(0)].to_owned()));
    }
    let chosen: ChosenPattern = text.parse().unwrap();
    match chosen.destinations(fabric, Some(&pairs.join("\n"))) {
        Ok(destinations) => (destinations, text),
        Err(error) => (
            Destinations::uniform(fabric.host_count()).unwrap(),
            format!("uniform ({error})"),
        ),
    }
}

/// Whether a workload is traffic that is not uniform.
pub(crate) fn has_pattern(workload: &Workload) -> bool {
    let Workload::Traffic(traffic) = workload else {
        return false;
    };
    let destinations = traffic.destinations();
    let even = 1.0 / (destinations.host_count() - 1) as f64;
    let mut hosts = (0..destinations.host_count()).map(HostId::from_index);
    hosts.any(|host| {
        let probabilities = destinations.probabilities(host);
        let is_even = |&(_, probability): &(HostId, f64)| (probability - even).abs() < 1e-9;
        probabilities.len() < destinations.host_count() - 1 || !probabilities.iter().all(is_even)
    })
}

/// Whether hosts offer different shares of the load.
pub(crate) fn has_rows(workload: &Workload) -> bool {
    let Workload::Traffic(traffic) = workload else {
        return false;
    };
    let destinations = traffic.destinations();
    let mut hosts = (0..destinations.host_count()).map(HostId::from_index);
    hosts.any(|host| (1e-9..0.99).contains(&destinations.share_of_most(host)))
}

/// Whether a workload has packets of control.
pub(crate) fn sends_control(workload: &Workload) -> bool {
    match workload {
        Workload::Traffic(_) => false,
        Workload::Listed(_) => true,
        Workload::Program(program) => program.messaging().acknowledged != Acknowledged::No,
    }
}

/// Whether a workload comes in random bursts.
pub(crate) fn has_bursts(workload: &Workload) -> bool {
    matches!(workload, Workload::Traffic(traffic)
        if matches!(traffic.parameters().arrivals, Arrivals::Bursts { .. }))
}

fn traffic(draws: &mut Draws, fabric: &Fabric, horizon_cycles: u64) -> (Workload, String) {
    let slower = if horizon_cycles > LONG_CYCLES {
        horizon_cycles as f64 / 200.0
    } else {
        1.0
    };
    let size_count = *draws.choose(&[1, 1, 2, 3]);
    let sizes: Vec<SizeShare> = (0..size_count)
        .map(|_| SizeShare {
            payload_bytes: payload_bytes(draws),
            share: 0.1 + draws.unit(),
        })
        .collect();
    let bursts = Arrivals::Bursts {
        mean_on_cycles: 100.0 + 2_000.0 * draws.unit(),
        mean_off_cycles: 10_000.0 * draws.unit(),
    };
    let mut arrivals = *draws.choose(&[Arrivals::Constant, Arrivals::Poisson, bursts]);
    if slower > 1.0 && arrivals == bursts {
        // None has a packet.
        arrivals = Arrivals::Poisson;
    }
    let share_of = *draws.choose(&[ShareOf::Packets, ShareOf::Bytes]);
    let (destinations, pattern_text) = destinations(draws, fabric);
    // From 1 % of a link to three times a link, evenly on a logarithmic scale.
    let load_bytes_per_cycle = 0.01 * 300_f64.powf(draws.unit()) / slower;
    let description = format!(
        "{pattern_text} traffic, {arrivals:?}, at {load_bytes_per_cycle:.3e} bytes per cycle of \
         {sizes:?} by {share_of:?}"
    );
    let parameters = TrafficParameters {
        arrivals,
        sizes,
        share_of,
        load_bytes_per_cycle,
        seed: draws.between(0, u64::MAX - 1),
    };
    (
        Workload::Traffic(Traffic::new(parameters, destinations).unwrap()),
        description,
    )
}

fn bursts(draws: &mut Draws, host_count: usize, horizon_cycles: u64) -> (Workload, String) {
    let (most_bursts, most_bytes) = if horizon_cycles > LONG_CYCLES {
        (2, 40)
    } else {
        (6, u32::MAX)
    };
    let burst_count = 1 + draws.index(most_bursts);
    let mut packets = Vec::new();
    for _ in 0..burst_count {
        let generation_cycle = draws.between(0, horizon_cycles / 2);
        let is_to_one = draws.once_in(3);
        let target = draws.index(host_count);
        let payload = payload_bytes(draws).min(most_bytes);
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
                    is_control: draws.once_in(4),
                    is_urgent: false,
                    queue_pair: 0,
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
