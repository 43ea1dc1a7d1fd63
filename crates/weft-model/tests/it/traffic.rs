//! Random traffic: rates, sizes and destinations against their distributions, exact determinism,
//! and the ends of the range of loads.
//!
//! The chi-square bounds are the 99.9 % quantiles of the distributions with the degrees of freedom
//! written beside them: a correct generator fails one in a thousand seeds, and the seeds are fixed.

use weft_fabric::HostId;
use weft_model::workload::{
    Arrivals, ChosenPattern, Destinations, ListError, Packet, PacketList, ShareOf, SizeShare,
    Traffic, TrafficError, TrafficParameters, Workload,
};
use weft_model::{ChannelTiming, ChannelTimings};
use weft_testing::fabric_of;

fn parameters(load_bytes_per_cycle: f64, arrivals: Arrivals) -> TrafficParameters {
    TrafficParameters::of_one_size(arrivals, 512, load_bytes_per_cycle, 7)
}

fn size(payload_bytes: u32, share: f64) -> SizeShare {
    SizeShare {
        payload_bytes,
        share,
    }
}

fn packets(parameters: TrafficParameters, hosts: usize, host: u32, count: usize) -> Vec<Packet> {
    let destinations = Destinations::uniform(hosts).unwrap();
    let workload = Workload::Traffic(Traffic::new(parameters, destinations).unwrap());
    let mut stream = workload.stream(HostId::new(host));
    std::iter::from_fn(|| workload.next_packet(&mut stream))
        .take(count)
        .collect()
}

fn chi_square(observed: &[u32], expected: &[f64]) -> f64 {
    let term = |(&o, &e): (&u32, &f64)| (f64::from(o) - e).powi(2) / e;
    observed.iter().zip(expected).map(term).sum()
}

#[test]
fn destinations_are_uniform_over_all_other_hosts() {
    for host in [0, 5, 16] {
        let drawn = packets(parameters(0.5, Arrivals::Poisson), 17, host, 160_000);
        let mut observed = vec![0_u32; 17];
        for packet in drawn {
            observed[packet.destination.index()] += 1;
        }
        assert_eq!(observed.remove(host as usize), 0, "no packet to itself");
        let chi_square = chi_square(&observed, &[10_000.0; 16]);
        assert!(
            chi_square < 37.70,
            "host {host}: {chi_square} (15 degrees, p = 0.001)"
        );
    }
}

#[test]
fn successive_destinations_are_independent() {
    let drawn = packets(parameters(0.5, Arrivals::Constant), 5, 2, 160_000);
    let other =
        |packet: &Packet| packet.destination.index() - usize::from(packet.destination.index() > 2);
    let mut observed = vec![0_u32; 16];
    for pair in drawn.chunks_exact(2) {
        observed[4 * other(&pair[0]) + other(&pair[1])] += 1;
    }
    let chi_square = chi_square(&observed, &[5_000.0; 16]);
    assert!(chi_square < 37.70, "{chi_square} (15 degrees, p = 0.001)");
}

#[test]
fn hosts_and_seeds_have_streams_of_their_own() {
    // Joint distribution of the first destinations of two hosts, and of one host under two seeds.
    let mut hosts = vec![0_u32; 9];
    let mut seeds = vec![0_u32; 9];
    let first = |seed, host: u32| {
        let parameters = TrafficParameters::of_one_size(Arrivals::Poisson, 512, 0.5, seed);
        let drawn = packets(parameters, 4, host, 1);
        let destination = drawn[0].destination.number();
        (destination - u32::from(destination > host)) as usize
    };
    for seed in 0..9_000 {
        hosts[3 * first(seed, 0) + first(seed, 1)] += 1;
        seeds[3 * first(seed, 2) + first(seed + 1, 2)] += 1;
    }
    for observed in [hosts, seeds] {
        let chi_square = chi_square(&observed, &[1_000.0; 9]);
        assert!(chi_square < 26.12, "{chi_square} (8 degrees, p = 0.001)");
    }
}

#[test]
fn mixed_sizes_come_in_their_shares() {
    let sizes = [(32, 0.2), (512, 0.5), (2048, 0.3)];
    let mixed = TrafficParameters {
        sizes: sizes.map(|(bytes, share)| size(bytes, share * 40.0)).into(),
        ..parameters(0.5, Arrivals::Poisson)
    };
    let mean = mixed.mean_payload_bytes();
    assert!(
        (mean - 876.8).abs() < 1e-9,
        "0.2·32 + 0.5·512 + 0.3·2048 = 876.8, found {mean}"
    );
    let drawn = packets(mixed, 4, 1, 100_000);
    let count = |bytes| {
        drawn
            .iter()
            .filter(|packet| packet.payload_bytes == bytes)
            .count()
    };
    let observed: Vec<u32> = sizes
        .iter()
        .map(|s| u32::try_from(count(s.0)).unwrap())
        .collect();
    let chi_square = chi_square(&observed, &[20_000.0, 50_000.0, 30_000.0]);
    assert!(chi_square < 13.82, "{chi_square} (2 degrees, p = 0.001)");
    let offered: f64 = drawn
        .iter()
        .map(|packet| f64::from(packet.payload_bytes))
        .sum::<f64>()
        / drawn.last().unwrap().generation_cycle as f64;
    // Relative standard error of the sum of 10^5 sizes and of 10^5 intervals: 0.0043.
    assert!(
        (offered - 0.5).abs() < 3.3 * 0.0043 * 0.5,
        "offered {offered} (p = 0.001)"
    );
}

/// 20 % of the bytes in packets of 32, 80 % in those of 2,048: sixteen short packets for each long one,
/// as 0.2 / 32 is to 0.8 / 2,048, so a packet has (16 · 32 + 2,048) / 17 bytes on average.
#[test]
fn shares_of_the_bytes_are_few_packets_of_the_long_ones() {
    let of_bytes = TrafficParameters {
        sizes: vec![size(32, 0.2), size(2048, 0.8)],
        share_of: ShareOf::Bytes,
        ..parameters(0.5, Arrivals::Constant)
    };
    let mean = of_bytes.mean_payload_bytes();
    assert!((mean - 2560.0 / 17.0).abs() < 1e-9, "{mean}");
    let drawn = packets(of_bytes, 4, 1, 170_001);
    // A packet every 2,560 / 17 bytes at half a byte a cycle: 5,120 cycles for 17.
    let span = drawn[170_000].generation_cycle - drawn[0].generation_cycle;
    assert!(span.abs_diff(51_200_000) <= 1, "{span}");
    let short = drawn.iter().filter(|p| p.payload_bytes == 32).count() as f64;
    // Standard deviation of 170,000 draws of 16/17: √(170,000 · 16/17 · 1/17) = 97.
    assert!(
        (short - 160_000.0).abs() < 3.3 * 97.0,
        "{short} (p = 0.001)"
    );
}

#[test]
fn the_order_in_which_sizes_are_given_does_not_matter() {
    let of = |sizes: Vec<SizeShare>| {
        let mixed = TrafficParameters {
            sizes,
            ..parameters(0.7, Arrivals::Poisson)
        };
        packets(mixed, 9, 4, 1_000)
    };
    let [short, long] = [size(32, 0.3), size(2048, 0.7)];
    assert_eq!(of(vec![long, short]), of(vec![short, long]));
}

/// The first two of four hosts send on links that take a flit a cycle, the others on such that take four
/// cycles for one: each offers half of what its link carries, 512 bytes in 1,024 or in 4,096 cycles.
#[test]
fn hosts_offer_a_share_of_what_their_own_link_carries() {
    let fabric = fabric_of(&[4], &[]);
    let timing = |host: u32| ChannelTiming {
        cycles_per_flit: if host < 2 { 1 } else { 4 },
        flight_cycles: 1,
    };
    let mut timings = vec![timing(0); fabric.link_count()];
    for host in fabric.host_ids() {
        timings[fabric.injection_channel(host).link().index()] = timing(host.number());
    }
    let of = |destinations: Destinations, timings: ChannelTimings| {
        let traffic = Traffic::new(parameters(0.5, Arrivals::Constant), destinations).unwrap();
        traffic.on_links(&fabric, &timings).unwrap()
    };
    let mixed = ChannelTimings::ByLink(timings);
    let traffic = of(Destinations::uniform(4).unwrap(), mixed.clone());
    // What all carry together over how many they are: (1 + 1 + 1/4 + 1/4) / 4.
    assert!((traffic.mean_link_flits_per_cycle() - 0.625).abs() < 1e-12);
    let workload = Workload::Traffic(traffic);
    for (host, interval) in fabric.host_ids().zip([1024, 1024, 4096, 4096]) {
        let mut stream = workload.stream(host);
        let mut next = || workload.next_packet(&mut stream).unwrap().generation_cycle;
        let first = next();
        assert!(first < interval, "{first}");
        assert_eq!(next() - first, interval);
    }
    // Of hosts that send to themselves, which is nothing, links do not count: (1 + 1 + 1/4) / 3.
    let three = Destinations::fixed(vec![1, 2, 0, 3]).unwrap();
    assert_eq!(three.sending_hosts(), 3);
    let traffic = of(three, mixed);
    assert!((traffic.mean_link_flits_per_cycle() - 0.75).abs() < 1e-12);
    let workload = Workload::Traffic(traffic);
    assert_eq!(
        workload.next_packet(&mut workload.stream(HostId::new(3))),
        None
    );
    // All alike, and slower than a flit a cycle.
    let slow = of(
        Destinations::uniform(4).unwrap(),
        ChannelTimings::Alike(timing(3)),
    );
    assert!((slow.mean_link_flits_per_cycle() - 0.25).abs() < 1e-12);
}

/// By the amounts of a matrix hosts offer in proportion to their rows: the one that has most offers the load, one of a
/// quarter of it a quarter, one without a row nothing.
#[test]
fn hosts_offer_in_proportion_to_the_rows_of_a_matrix() {
    let fabric = fabric_of(&[4], &[]);
    let matrix: ChosenPattern = "matrix:file=m.csv".parse().unwrap();
    let rows = "0,1,3\n0,2,5\n1,0,2\n2,3,4\n2,2,100\n";
    let destinations = matrix.destinations(&fabric, Some(rows)).unwrap();
    let shares = fabric
        .host_ids()
        .map(|host| destinations.share_of_most(host));
    assert_eq!(shares.collect::<Vec<_>>(), [1.0, 0.25, 0.5, 0.0]);
    let amounts = destinations.amounts(HostId::new(1));
    assert_eq!(amounts, [(HostId::new(0), 0.25)]);
    let interval_of = |traffic: &Traffic, host: u32| {
        let workload = Workload::Traffic(traffic.clone());
        let mut stream = workload.stream(HostId::new(host));
        let mut next = || workload.next_packet(&mut stream);
        let first = next()?.generation_cycle;
        Some(next()?.generation_cycle - first)
    };
    let traffic = Traffic::new(parameters(0.5, Arrivals::Constant), destinations).unwrap();
    let intervals = |traffic: &Traffic| [0, 1, 2, 3].map(|host| interval_of(traffic, host));
    assert_eq!(
        intervals(&traffic),
        [Some(1024), Some(4096), Some(2048), None]
    );
    // (1 + 1/4 + 1/2) / 3 of what links carry.
    assert!((traffic.mean_offered_flits_per_cycle() - 1.75 / 3.0).abs() < 1e-12);
    assert!((traffic.mean_link_flits_per_cycle() - 1.0).abs() < 1e-12);
    let offered: Vec<f64> = traffic.offered_flits_per_cycle().unwrap().collect();
    assert_eq!(offered, [1.0, 0.25, 0.5, 1.0]);
    // The second host's link takes eight cycles for a flit, so that it is busy for the longest with its row: it offers
    // the load, 512 bytes in 8,192 cycles, the others in proportion to their rows.
    let timing = |cycles_per_flit| ChannelTiming {
        cycles_per_flit,
        flight_cycles: 1,
    };
    let mut timings = vec![timing(1); fabric.link_count()];
    timings[fabric.injection_channel(HostId::new(1)).link().index()] = timing(8);
    let traffic = traffic
        .on_links(&fabric, &ChannelTimings::ByLink(timings))
        .unwrap();
    assert_eq!(
        intervals(&traffic),
        [Some(2048), Some(8192), Some(4096), None]
    );
    // (1/2 + 1/8 + 1/4) / 3 of a flit a cycle.
    assert!((traffic.mean_offered_flits_per_cycle() - 0.875 / 3.0).abs() < 1e-12);
}

/// A host whose row is so small that it would have no packet in ten thousand bursts sends at a constant rate; what is
/// refused where all hosts would is refused still.
#[test]
fn a_host_of_few_packets_has_no_bursts() {
    let bursts = Arrivals::Bursts {
        mean_on_cycles: 100.0,
        mean_off_cycles: 300.0,
    };
    let fabric = fabric_of(&[2], &[]);
    let matrix: ChosenPattern = "matrix:file=m.csv".parse().unwrap();
    let of = |rows: &str, load| {
        let destinations = matrix.destinations(&fabric, Some(rows)).unwrap();
        Traffic::new(parameters(load, bursts), destinations)
    };
    // 512 bytes at 0.05 · 1e-5 per cycle.
    let workload = Workload::Traffic(of("0,1,1\n1,0,0.00001\n", 0.05).unwrap());
    let mut stream = workload.stream(HostId::new(1));
    let mut next = || workload.next_packet(&mut stream).unwrap().generation_cycle;
    let first = next();
    assert!(first < 1_024_000_000, "{first}");
    assert!((next() - first).abs_diff(1_024_000_000) <= 1);
    // A packet in 200,000 bursts.
    assert!(matches!(
        of("0,1,1\n1,0,1\n", 6.4e-6),
        Err(TrafficError::ShortBursts { .. })
    ));
}

#[test]
fn constant_arrivals_keep_their_interval_exactly() {
    // 512 bytes at 0.3 per cycle: one packet every 1706.666… cycles.
    let drawn = packets(parameters(0.3, Arrivals::Constant), 4, 3, 30_001);
    for pair in drawn.windows(2) {
        let interval = pair[1].generation_cycle - pair[0].generation_cycle;
        assert!((1706..=1707).contains(&interval), "{interval}");
    }
    let span = drawn[30_000].generation_cycle - drawn[0].generation_cycle;
    assert!(
        span.abs_diff(51_200_000) <= 1,
        "30,000 intervals drift by less than a cycle: {span}"
    );
}

#[test]
fn constant_arrivals_have_uniform_phases() {
    // 8 bins of one interval of 1,024 cycles, over 8,000 hosts.
    let mut observed = vec![0_u32; 8];
    for host in 0..8_000 {
        let first = packets(parameters(0.5, Arrivals::Constant), 8_000, host, 1)[0];
        observed[usize::try_from(first.generation_cycle / 128).unwrap()] += 1;
    }
    let chi_square = chi_square(&observed, &[1_000.0; 8]);
    assert!(chi_square < 24.32, "{chi_square} (7 degrees, p = 0.001)");
}

#[test]
fn poisson_intervals_are_exponential() {
    // Mean 1,024 cycles; 10 bins of equal probability by the quantiles of the distribution.
    let drawn = packets(parameters(0.5, Arrivals::Poisson), 4, 0, 100_001);
    let mut observed = vec![0_u32; 10];
    for pair in drawn.windows(2) {
        let interval = (pair[1].generation_cycle - pair[0].generation_cycle) as f64;
        let quantile = 1.0 - (-interval / 1024.0).exp();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "0 to 9"
        )]
        let bin = (quantile * 10.0) as usize;
        observed[bin.min(9)] += 1;
    }
    let chi_square = chi_square(&observed, &[10_000.0; 10]);
    assert!(chi_square < 27.88, "{chi_square} (9 degrees, p = 0.001)");
    let mean = drawn[100_000].generation_cycle as f64 / 100_001.0;
    // Standard error of the mean of 10^5 exponential intervals: 1024 / √10^5 = 3.24.
    assert!(
        (mean - 1024.0).abs() < 3.3 * 3.24,
        "mean interval {mean} (p = 0.001)"
    );
}

#[test]
fn the_same_seed_gives_the_same_packets() {
    for arrivals in [Arrivals::Constant, Arrivals::Poisson] {
        let first = packets(parameters(0.7, arrivals), 9, 4, 1_000);
        assert_eq!(first, packets(parameters(0.7, arrivals), 9, 4, 1_000));
        let other = TrafficParameters::of_one_size(arrivals, 512, 0.7, 8);
        assert_ne!(first, packets(other, 9, 4, 1_000));
    }
    // Golden values: a changed stream changes every published number, and must be meant.
    let mixed = TrafficParameters {
        sizes: vec![size(32, 0.2), size(2048, 0.8)],
        ..parameters(0.7, Arrivals::Poisson)
    };
    let golden: Vec<_> = packets(mixed, 9, 4, 4)
        .iter()
        .map(|p| (p.generation_cycle, p.destination.number(), p.payload_bytes))
        .collect();
    assert_eq!(golden, GOLDEN);
}

const GOLDEN: [(u64, u32, u32); 4] = [
    (280, 0, 2048),
    (6531, 2, 2048),
    (6663, 2, 2048),
    (7706, 0, 2048),
];

#[test]
fn a_clone_of_a_stream_looks_ahead_without_moving_it() {
    let destinations = Destinations::uniform(9).unwrap();
    let traffic = Traffic::new(parameters(0.7, Arrivals::Poisson), destinations).unwrap();
    let workload = Workload::Traffic(traffic);
    let mut stream = workload.stream(HostId::new(2));
    let mut ahead = stream.clone();
    let seen: Vec<_> = (0..5).map(|_| workload.next_packet(&mut ahead)).collect();
    let then: Vec<_> = (0..5).map(|_| workload.next_packet(&mut stream)).collect();
    assert_eq!(seen, then);
}

#[test]
fn tiny_loads_send_nothing_rather_than_wrap() {
    for arrivals in [Arrivals::Constant, Arrivals::Poisson] {
        for load in [f64::MIN_POSITIVE, 5e-324, 1e-200, 1e-30] {
            assert_eq!(
                packets(parameters(load, arrivals), 4, 1, 3),
                [],
                "load {load}"
            );
        }
        // One packet in about 5·10^12 cycles: some come, at cycles that never decrease, then none.
        let few = packets(parameters(1e-10, arrivals), 4, 1, 100_000);
        assert!((1..100).contains(&few.len()), "{} packets", few.len());
        assert!(few.is_sorted_by_key(|packet| packet.generation_cycle));
    }
}

#[test]
fn the_largest_load_still_moves_on() {
    for arrivals in [Arrivals::Constant, Arrivals::Poisson] {
        let tiny = TrafficParameters::of_one_size(arrivals, 1, 1000.0, 7);
        let drawn = packets(tiny, 4, 1, 100_000);
        let last = drawn.last().unwrap().generation_cycle;
        assert!(
            (98..=102).contains(&last),
            "100,000 packets take about 100 cycles, found {last}"
        );
    }
}

#[test]
fn parameters_out_of_range_are_refused() {
    let refused = |parameters: TrafficParameters| {
        let error = parameters.check().unwrap_err();
        let destinations = Destinations::uniform(4).unwrap();
        let again = Traffic::new(parameters, destinations).unwrap_err();
        assert_eq!(again.to_string(), error.to_string());
        error
    };
    for load in [0.0, -0.5, f64::NAN, f64::INFINITY, 1000.1] {
        let error = refused(parameters(load, Arrivals::Constant));
        assert!(
            matches!(error, TrafficError::Load { .. }),
            "load {load}: {error}"
        );
    }
    let sized = |payload_bytes, share| TrafficParameters {
        sizes: vec![size(payload_bytes, share)],
        ..parameters(0.5, Arrivals::Constant)
    };
    for share in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300, 1e-300] {
        let error = refused(sized(512, share));
        assert!(
            matches!(error, TrafficError::Share { .. }),
            "share {share}: {error}"
        );
    }
    for bytes in [0, (1 << 20) + 1] {
        assert!(matches!(
            refused(sized(bytes, 1.0)),
            TrafficError::Size { .. }
        ));
    }
    let none = TrafficParameters {
        sizes: vec![],
        ..parameters(0.5, Arrivals::Constant)
    };
    assert_eq!(refused(none), TrafficError::NoSize);
    let alone = Destinations::uniform(1).unwrap_err();
    assert_eq!(alone, TrafficError::TooFewHosts { found: 1 });
}

#[test]
fn listed_packets_come_by_cycle_and_keep_their_order_within_one() {
    let packet = |generation_cycle, destination, payload_bytes| Packet {
        generation_cycle,
        destination: HostId::new(destination),
        payload_bytes,
        is_control: false,
        is_urgent: false,
        queue_pair: 0,
    };
    let (zero, one) = (HostId::new(0), HostId::new(1));
    let listed = [
        (zero, packet(9, 1, 10)),
        (one, packet(4, 2, 20)),
        (zero, packet(3, 2, 30)),
        (zero, packet(9, 2, 40)),
    ];
    let workload = Workload::Listed(PacketList::new(3, &listed).unwrap());
    let of = |host| {
        let mut stream = workload.stream(host);
        std::iter::from_fn(|| workload.next_packet(&mut stream)).collect::<Vec<_>>()
    };
    assert_eq!(
        of(zero),
        [packet(3, 2, 30), packet(9, 1, 10), packet(9, 2, 40)]
    );
    assert_eq!(of(one), [packet(4, 2, 20)]);
    assert_eq!(of(HostId::new(2)), []);
    let error = PacketList::new(2, &listed).unwrap_err();
    assert_eq!(
        error,
        ListError::UnknownHost {
            index: 1,
            host: 2,
            last: 1
        }
    );
    let error = PacketList::new(2, &[(one, packet(0, 1, 1))]).unwrap_err();
    assert_eq!(error, ListError::ToItself { index: 0, host: 1 });
}

/// Four hosts, of which the second is a service end: what others send it, and how it counts.
#[test]
fn service_ends_send_and_receive_what_names_them_alone() {
    let fabric = weft_fabric::generate::mesh(2, 2, 1).unwrap();
    let reasons = vec![None, Some(weft_fabric::ServiceReason::Told), None, None];
    let fabric = fabric.with_service(reasons);
    let lay = |text: &str| {
        let pattern: ChosenPattern = text.parse().unwrap();
        pattern.destinations(&fabric, None).unwrap()
    };
    let of = |destinations: &Destinations, host: u32| -> Vec<(u32, f64)> {
        let all = destinations.probabilities(HostId::new(host));
        all.into_iter().map(|(to, p)| (to.number(), p)).collect()
    };
    let uniform = lay("uniform");
    assert_eq!(uniform.sending_hosts(), 3);
    assert_eq!(uniform.host_count(), 4);
    assert_eq!(of(&uniform, 0), [(2, 0.5), (3, 0.5)]);
    assert_eq!(of(&uniform, 1), []);
    assert_eq!(of(&uniform, 3), [(0, 0.5), (2, 0.5)]);
    // The second of those that take part is the third host.
    assert_eq!(of(&lay("shift:by=1"), 0), [(2, 1.0)]);
    assert_eq!(of(&lay("shift:by=1"), 3), [(0, 1.0)]);
    for name in ["host1", "1"] {
        let hotspot = lay(&format!("hotspot:share=40,hosts={name},own_traffic=no"));
        assert_eq!(hotspot.sending_hosts(), 3);
        assert_eq!(of(&hotspot, 1), []);
        let to_others: Vec<(u32, f64)> = of(&hotspot, 2);
        let expected = [(0, 0.2), (1, 0.6), (3, 0.2)];
        for (found, expected) in to_others.iter().zip(expected) {
            assert_eq!(found.0, expected.0);
            assert!((found.1 - expected.1).abs() < 1e-12, "{to_others:?}");
        }
    }
    assert_eq!(of(&lay("hotspot:share=100,hosts=host3"), 0), [(3, 1.0)]);
}
