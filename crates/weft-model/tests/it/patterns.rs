//! Who sends to whom under each pattern, worked out by hand.

use weft_fabric::generate::{mesh, ring};
use weft_fabric::{Fabric, FabricBuilder, Host, HostId, PortNumber, Switch, SwitchId};
use weft_model::workload::{ChosenPattern, Destinations};

/// A fabric with so many hosts, all on one line of switches.
fn line(hosts: u32) -> Fabric {
    mesh(hosts, 1, 1).unwrap()
}

fn over(fabric: &Fabric, pattern: &str) -> Destinations {
    let chosen: ChosenPattern = pattern.parse().unwrap();
    chosen.destinations(fabric, None).unwrap()
}

/// The destination of each host of a permutation; itself for one that sends nothing.
fn table(hosts: u32, pattern: &str) -> Vec<u32> {
    table_of(&over(&line(hosts), pattern))
}

fn table_of(destinations: &Destinations) -> Vec<u32> {
    let hosts = (0..destinations.host_count()).map(HostId::from_index);
    hosts
        .map(|host| match destinations.probabilities(host).as_slice() {
            [] => host.number(),
            [(to, probability)] => {
                assert!((probability - 1.0).abs() < 1e-15);
                to.number()
            }
            several => panic!("{host} has several destinations: {several:?}"),
        })
        .collect()
}

fn silent(table: &[u32]) -> usize {
    (0..).zip(table).filter(|&(host, &to)| host == to).count()
}

#[test]
fn uniform_is_every_other_host_alike() {
    let destinations = over(&line(5), "uniform");
    let expected: Vec<_> = [0, 1, 3, 4].map(|to| (HostId::new(to), 0.25)).into();
    assert_eq!(destinations.probabilities(HostId::new(2)), expected);
    assert_eq!(destinations.sending_hosts(), 5);
}

#[test]
fn bit_reversal_reverses_the_bits() {
    // 001 ↔ 100 and 011 ↔ 110; 000, 010, 101 and 111 are palindromes.
    assert_eq!(table(8, "bit_reversal"), [0, 4, 2, 6, 1, 5, 3, 7]);
    for bits in 2..=9 {
        let table = table(1 << bits, "bit_reversal");
        // A palindrome is decided by the first half of its bits, the middle one included.
        assert_eq!(silent(&table), 1 << u32::midpoint(bits, 1), "{bits} bits");
    }
    let destinations = over(&line(512), "bit_reversal");
    assert_eq!(destinations.sending_hosts(), 512 - 32);
}

#[test]
fn transposition_turns_the_matrix_over() {
    assert_eq!(table(9, "transpose"), [0, 3, 6, 1, 4, 7, 2, 5, 8]);
    // Where the side is a power of two, the halves of the bits change places.
    let expected: Vec<u32> = (0..64).map(|host| host % 8 * 8 + host / 8).collect();
    assert_eq!(table(64, "transpose:convention=matrix"), expected);
    assert_eq!(silent(&expected), 8);
}

#[test]
fn transposition_of_what_is_no_square_is_that_of_its_nearest_matrix() {
    // Two rows of four: host 1 in column 1 of row 0 is row 1 of four rows of two.
    assert_eq!(table(8, "transpose"), [0, 2, 4, 6, 1, 3, 5, 7]);
    // Turned over the other diagonal, from the end to the beginning.
    let rhinet = "transpose:convention=rhinet";
    assert_eq!(table(8, rhinet), [7, 5, 3, 1, 6, 4, 2, 0]);
}

#[test]
fn transposition_by_the_convention_of_rhinet() {
    // (x, y) to (2 - y, 2 - x); 2, 4 and 6 lie on the diagonal x + y = 2: (2, 0) to (0, 2) and
    // back, (1, 1) stays.
    let rhinet = "transpose:convention=rhinet";
    assert_eq!(table(9, rhinet), [8, 5, 6, 7, 4, 1, 2, 3, 0]);
    let large = table(64, rhinet);
    assert_eq!(silent(&large), 0);
    // (1, 2) to (5, 6); (3, 4) is on the diagonal x + y = 7 and goes to (4, 3).
    assert_eq!((large[17], large[35]), (53, 28));
}

#[test]
fn complement_is_the_opposite_host() {
    assert_eq!(table(8, "complement"), [7, 6, 5, 4, 3, 2, 1, 0]);
    let expected: Vec<u32> = (0..64).map(|host| !host & 63).collect();
    assert_eq!(table(64, "complement"), expected);
    assert_eq!(table(5, "complement"), [4, 3, 2, 1, 0]);
    assert_eq!(over(&line(5), "complement").sending_hosts(), 4);
}

#[test]
fn a_shift_goes_round() {
    assert_eq!(table(5, "shift"), [1, 2, 3, 4, 0]);
    assert_eq!(table(5, "shift:by=3"), [3, 4, 0, 1, 2]);
    assert_eq!(table(5, "shift:by=4294967294"), table(5, "shift:by=4"));
}

#[test]
fn random_permutations_are_all_alike_but_the_identity() {
    // The five permutations of three hosts that move any.
    let mut observed = [0_u32; 5];
    for seed in 0..5_000 {
        let table = table(3, &format!("random_permutation:seed={seed}"));
        let known = [[1, 0, 2], [2, 1, 0], [0, 2, 1], [1, 2, 0], [2, 0, 1]];
        let index = known.iter().position(|known| known[..] == table[..]);
        observed[index.unwrap()] += 1;
    }
    let term = |&count: &u32| (f64::from(count) - 1_000.0).powi(2) / 1_000.0;
    let chi_square: f64 = observed.iter().map(term).sum();
    assert!(chi_square < 18.47, "{chi_square} (4 degrees, p = 0.001)");
    for seed in 0..50 {
        let pattern = format!("random_permutation:seed={seed}");
        assert_eq!(table(2, &pattern), [1, 0]);
        let mut large = table(100, &pattern);
        large.sort_unstable();
        assert_eq!(large, (0..100).collect::<Vec<u32>>());
    }
    // A changed draw changes published numbers, and must be meant.
    assert_eq!(table(8, "random_permutation"), GOLDEN_PERMUTATION);
    assert_eq!(table(8, "random_permutation:seed=1"), GOLDEN_PERMUTATION);
}

const GOLDEN_PERMUTATION: [u32; 8] = [5, 6, 3, 2, 1, 0, 4, 7];

fn probabilities(fabric: &Fabric, pattern: &str, host: u32) -> Vec<(u32, f64)> {
    let found = over(fabric, pattern).probabilities(HostId::new(host));
    found
        .into_iter()
        .map(|(to, probability)| (to.number(), (probability * 1e12).round() / 1e12))
        .collect()
}

#[test]
fn hotspots_take_their_share_on_top_of_the_uniform_rest() {
    let fabric = line(5);
    let two = "hotspot:share=40,hosts=host1+3";
    // The rest of 0.6 is uniform over four hosts; each hotspot has 0.2 more.
    assert_eq!(
        probabilities(&fabric, two, 0),
        [(1, 0.35), (2, 0.15), (3, 0.35), (4, 0.15)]
    );
    // A hotspot sends all of its share to the other one.
    assert_eq!(
        probabilities(&fabric, two, 1),
        [(0, 0.15), (2, 0.15), (3, 0.55), (4, 0.15)]
    );
    // The only hotspot sends uniformly.
    let one = "hotspot:share=100,hosts=host2";
    assert_eq!(probabilities(&fabric, one, 4), [(2, 1.0)]);
    let uniform = [(0, 0.25), (1, 0.25), (3, 0.25), (4, 0.25)];
    assert_eq!(probabilities(&fabric, one, 2), uniform);
    assert_eq!(over(&fabric, one).sending_hosts(), 5);
    let silent = over(&fabric, "hotspot:share=100,hosts=host2,own_traffic=no");
    assert_eq!(silent.sending_hosts(), 4);
    assert_eq!(silent.probabilities(HostId::new(2)), []);
}

#[test]
fn random_hotspots_are_distinct_and_any_host_alike() {
    let fabric = line(6);
    let hotspots = |pattern: &str| -> Vec<u32> {
        let destinations = over(&fabric, pattern);
        let is_silent = |&host: &u32| !destinations.sends(HostId::new(host));
        (0..6).filter(is_silent).collect()
    };
    let mut observed = [0_u32; 6];
    for seed in 0..6_000 {
        let found = hotspots(&format!("hotspot:own_traffic=no,count=2,seed={seed}"));
        assert_eq!(found.len(), 2);
        for host in found {
            observed[host as usize] += 1;
        }
    }
    // Two of six without repetition: the variance is 4/5 of that of independent draws.
    let term = |&count: &u32| (f64::from(count) - 2_000.0).powi(2) / 2_000.0 / 0.8;
    let chi_square: f64 = observed.iter().map(term).sum();
    assert!(chi_square < 20.52, "{chi_square} (5 degrees, p = 0.001)");
    let default = hotspots("hotspot:own_traffic=no");
    assert_eq!(default, hotspots("hotspot:own_traffic=no,seed=1,share=5"));
    assert_eq!(default, [GOLDEN_HOTSPOT]);
}

const GOLDEN_HOTSPOT: u32 = 0;

#[test]
fn local_traffic_stays_within_its_radius() {
    // Four switches in a row with two hosts each: hosts 2 and 3 are on the second.
    let fabric = mesh(4, 1, 2).unwrap();
    let near = |pattern: &str, host| -> Vec<u32> {
        let found = probabilities(&fabric, pattern, host);
        let each = 1.0 / found.len() as f64;
        assert!(found.iter().all(|entry| (entry.1 - each).abs() < 1e-11));
        found.into_iter().map(|entry| entry.0).collect()
    };
    assert_eq!(near("local:radius=2", 2), [3], "the own switch");
    assert_eq!(near("local:radius=3", 2), [0, 1, 3, 4, 5]);
    assert_eq!(near("local:radius=3", 0), [1, 2, 3]);
    assert_eq!(near("local:radius=4", 0), [1, 2, 3, 4, 5]);
    assert_eq!(near("local", 0), near("uniform", 0), "5 is three links");
    for radius in 1..4 {
        for host in 0..8 {
            let links = near(&format!("local:radius={radius},counted=switch_links"), host);
            assert_eq!(links, near(&format!("local:radius={}", radius + 2), host));
            let switches = near(
                &format!("local:radius={},counted=switches", radius + 1),
                host,
            );
            assert_eq!(links, switches);
        }
    }
    assert_eq!(near("local:radius=1,counted=switches", 2), [3]);
}

#[test]
fn local_traffic_stays_within_its_radius_along_updown_paths() {
    // A ring of six switches with a host each: the root is switch 0, and 3 is farthest from it. The
    // turn at 3 goes down and then up, so that 2 and 4 are four links apart, by way of the root.
    let fabric = ring(6, 1).unwrap();
    let near = |along: &str, radius: u32, host| -> Vec<u32> {
        let pattern = format!("local:radius={radius},counted=switch_links,along={along}");
        let found = probabilities(&fabric, &pattern, host);
        found.into_iter().map(|entry| entry.0).collect()
    };
    assert_eq!(near("shortest", 2, 2), [0, 1, 3, 4]);
    assert_eq!(near("updown", 2, 2), [0, 1, 3]);
    assert_eq!(near("updown", 3, 2), [0, 1, 3, 5]);
    assert_eq!(near("updown", 4, 2), [0, 1, 3, 4, 5]);
    assert_eq!(
        near("updown", 2, 3),
        [1, 2, 4, 5],
        "down from 3 leads nowhere, up to both sides"
    );
    assert_eq!(near("updown", 1, 0), [1, 5]);
}

#[test]
fn a_host_with_no_other_in_reach_sends_nothing() {
    // Two switches with two hosts and one with one: at radius 2 the last host is alone.
    let mut builder = FabricBuilder::new("alone");
    for name in ["a", "b", "c"] {
        builder.add_switch(Switch::new(name, 2)).unwrap();
    }
    for (name, switch, port) in [
        ("p", 0, 1),
        ("q", 0, 2),
        ("r", 1, 1),
        ("s", 1, 2),
        ("t", 2, 1),
    ] {
        let host = builder.add_host(Host::new(name)).unwrap();
        let (switch, port) = (SwitchId::new(switch), PortNumber::new(port));
        builder.attach_host(host, switch, port).unwrap();
    }
    let fabric = builder.build().unwrap();
    let destinations = over(&fabric, "local:radius=2");
    assert_eq!(destinations.sending_hosts(), 4);
    assert!(!destinations.sends(HostId::new(4)));
}
