//! Bursts and mixes of sizes: rates and lengths against what they are defined to be.

use weft_fabric::HostId;
use weft_model::workload::{
    Arrivals, Destinations, Packet, ShareOf, SizeShare, Traffic, TrafficError, TrafficParameters,
    Workload,
};

const PAYLOAD_BYTES: u32 = 100;

/// On for 4,000 cycles on average, off for 12,000.
const ARRIVALS: Arrivals = Arrivals::Bursts {
    mean_on_cycles: 4_000.0,
    mean_off_cycles: 12_000.0,
};

fn parameters(arrivals: Arrivals, load_bytes_per_cycle: f64) -> TrafficParameters {
    TrafficParameters::of_one_size(arrivals, PAYLOAD_BYTES, load_bytes_per_cycle, 3)
}

fn workload(parameters: TrafficParameters, hosts: usize) -> Workload {
    let destinations = Destinations::uniform(hosts).unwrap();
    Workload::Traffic(Traffic::new(parameters, destinations).unwrap())
}

fn packets(workload: &Workload, host: u32) -> impl Iterator<Item = Packet> {
    let mut stream = workload.stream(HostId::new(host));
    std::iter::from_fn(move || workload.next_packet(&mut stream))
}

#[test]
fn bursts_have_the_rate_of_the_load_and_their_own_lengths() {
    // 0.05 bytes a cycle on average are 0.2 while on: a packet every 500 cycles of time on.
    let workload = workload(parameters(ARRIVALS, 0.05), 2);
    let times: Vec<u64> = packets(&workload, 0)
        .take(200_001)
        .map(|packet| packet.generation_cycle)
        .collect();
    let gaps = || times.windows(2).map(|pair| pair[1] - pair[0]);
    assert!(gaps().all(|gap| gap >= 499), "packets keep their interval");
    // A gap holds no time off with probability e^(-500 / 4000).
    let within = gaps().filter(|&gap| gap <= 501).count() as f64;
    let expected = (-0.125_f64).exp() * 200_000.0;
    let deviation = (within - expected) / (expected * (1.0 - (-0.125_f64).exp())).sqrt();
    assert!(deviation.abs() < 3.3, "{within} of {expected}: {deviation}");
    // Times off: 200,000 · 500 / 4000 = 25,000 of them, each 12,000 on average.
    let off = (times[200_000] - times[0]) as f64 - 200_000.0 * 500.0;
    let expected = 25_000.0 * 12_000.0;
    // The relative variance of a sum of Poisson many exponential times is 2 / count.
    let deviation = (off / expected - 1.0) / (2.0_f64 / 25_000.0).sqrt();
    assert!(
        deviation.abs() < 3.3,
        "off {off} of {expected}: {deviation}"
    );
}

#[test]
fn bursts_start_in_their_steady_state() {
    // The mean number of packets in any span is that of the load, from the first cycle on.
    let hosts = 40_000;
    let workload = workload(parameters(ARRIVALS, 0.05), hosts);
    let (mut early, mut late, mut none) = (0, 0, 0);
    for host in 0..u32::try_from(hosts).unwrap() {
        let within = packets(&workload, host).take_while(|packet| packet.generation_cycle < 8_000);
        let times: Vec<u64> = within.map(|packet| packet.generation_cycle).collect();
        early += times.iter().filter(|&&time| time < 1_000).count();
        late += times.iter().filter(|&&time| time >= 7_000).count();
        none += usize::from(times.is_empty());
    }
    // 1,000 cycles at a packet per 2,000: half a packet; at most two, so the variance is below 1.
    let expected = hosts as f64 * 0.5;
    for count in [early, late] {
        let deviation = (count as f64 - expected) / (hosts as f64).sqrt();
        assert!(deviation.abs() < 3.3, "{count} of {expected}");
    }
    // Off throughout are ¾ · e^(-8000 / 12000) = 38.5 % of the hosts, and some are on for less than
    // their first interval: 41.72 % by an independent simulation. A Poisson process would leave 2 %.
    let share = none as f64 / hosts as f64;
    let deviation = (share - 0.4172) / (0.4172 * 0.5828 / hosts as f64).sqrt();
    assert!(deviation.abs() < 3.3, "{share} of the hosts send nothing");
}

#[test]
fn bursts_come_from_the_seed_alone() {
    let workload = workload(parameters(ARRIVALS, 0.05), 4);
    let golden: Vec<_> = packets(&workload, 1)
        .take(4)
        .map(|packet| (packet.generation_cycle, packet.destination.number()))
        .collect();
    assert_eq!(golden, GOLDEN);
}

const GOLDEN: [(u64, u32); 4] = [(404, 3), (904, 0), (1404, 3), (1904, 0)];

#[test]
fn bursts_too_short_for_packets_are_refused() {
    let short = |mean_on_cycles, load| {
        let arrivals = Arrivals::Bursts {
            mean_on_cycles,
            mean_off_cycles: 100.0,
        };
        parameters(arrivals, load).check()
    };
    assert_eq!(short(100.0, 0.5), Ok(()));
    assert!(matches!(
        short(0.5, 0.5),
        Err(TrafficError::ShortBursts { .. })
    ));
    assert!(matches!(
        short(100.0, 1e-9),
        Err(TrafficError::ShortBursts { .. })
    ));
    let text = short(100.0, 1e-9).unwrap_err().to_string();
    assert_eq!(
        text,
        "bursts of 100 cycles hold 2.00e-9 packets on average at this load; expected at least a \
         cycle and 1e-4 packets: give a longer on_ns, or arrivals constant, which so short bursts \
         come to"
    );
    // The shortest that are allowed still move on, and keep their rate.
    let allowed = Arrivals::Bursts {
        mean_on_cycles: 10.0,
        mean_off_cycles: 30.0,
    };
    let workload = workload(parameters(allowed, 1e-2), 2);
    let last = packets(&workload, 0).nth(9_999).unwrap().generation_cycle as f64;
    // 250 times off between two packets; the rate is nearly constant.
    assert!((last / 1e8 - 1.0).abs() < 0.01, "{last}");
}

#[test]
fn long_times_off_end_a_stream_rather_than_wrap() {
    let arrivals = Arrivals::Bursts {
        mean_on_cycles: 10.0,
        mean_off_cycles: 1e14,
    };
    let workload = workload(parameters(arrivals, 1e-9), 2);
    let times: Vec<u64> = packets(&workload, 0)
        .map(|packet| packet.generation_cycle)
        .take(100_000)
        .collect();
    assert!(times.is_sorted());
    assert!(times.len() < 100_000);
}

fn mix(share_of: ShareOf) -> TrafficParameters {
    let sizes = [(32, 0.2), (2048, 0.8)];
    let size = |(payload_bytes, share)| SizeShare {
        payload_bytes,
        share,
    };
    TrafficParameters {
        sizes: sizes.map(size).into(),
        share_of,
        ..parameters(Arrivals::Poisson, 0.5)
    }
}

#[test]
fn sizes_come_in_their_shares_of_packets_or_of_bytes() {
    // Of bytes: 0.2 / 32 and 0.8 / 2048 packets per byte, 0.00625 and 0.000390625: 16 short ones
    // to a long one, 17 packets of (16 · 32 + 2048) = 2560 bytes.
    for (share_of, short, mean) in [
        (ShareOf::Packets, 0.2, 0.2 * 32.0 + 0.8 * 2048.0),
        (ShareOf::Bytes, 16.0 / 17.0, 2560.0 / 17.0),
    ] {
        let parameters = mix(share_of);
        assert!((parameters.mean_payload_bytes() - mean).abs() < 1e-9);
        let workload = workload(parameters, 2);
        let drawn: Vec<Packet> = packets(&workload, 0).take(100_000).collect();
        let count = drawn
            .iter()
            .filter(|packet| packet.payload_bytes == 32)
            .count() as f64;
        let deviation = (count - 1e5 * short) / (1e5 * short * (1.0 - short)).sqrt();
        assert!(deviation.abs() < 3.3, "{share_of:?}: {count} short packets");
        let bytes: u64 = drawn
            .iter()
            .map(|packet| u64::from(packet.payload_bytes))
            .sum();
        let offered = bytes as f64 / drawn[99_999].generation_cycle as f64;
        assert!(
            (offered / 0.5 - 1.0).abs() < 0.05,
            "{share_of:?}: offered {offered}"
        );
    }
}
