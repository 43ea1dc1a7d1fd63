//! Topologies have the counts and distances their definitions give.

use crate::reading::examples;
use std::collections::{BTreeMap, BTreeSet};
use weft_fabric::generate::{
    ClosReading, CplantReading, DragonflyPlusParameters, JellyfishParameters, TOPOLOGIES, cplant,
    dragonfly, dragonfly_plus, express_torus, express_torus_of, generate, hypercube, hyperx,
    jellyfish, k_ary_n_tree, mesh, mesh_of, myrinet_clos, polar_fly, rhinet_a_surrogate,
    rhinet_b_surrogate, rhinet_tree, ring, slim_fly, torus, torus_of, xgft,
};
use weft_fabric::metrics::{FabricFigures, distances_from, figures};
use weft_fabric::{Fabric, Node, SwitchId};

fn degrees(fabric: &Fabric) -> BTreeMap<usize, usize> {
    let mut counts = BTreeMap::new();
    for switch in fabric.switch_ids() {
        *counts.entry(fabric.hops(switch).len()).or_insert(0) += 1;
    }
    counts
}

pub(crate) fn neighbours(fabric: &Fabric, switch: u32) -> Vec<u32> {
    let hops = fabric.hops(SwitchId::new(switch)).iter();
    hops.map(|hop| hop.switch.number()).collect()
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap()
}

/// Checks what every generator promises, and the counts of switches, hosts and links between
/// switches.
pub(crate) fn checked(fabric: &Fabric, counts: [u32; 3]) -> FabricFigures {
    let figures = figures(fabric);
    let name = fabric.name();
    assert_eq!(
        [figures.switches, figures.hosts, figures.switch_links].map(count),
        counts,
        "{name}"
    );
    assert_eq!((figures.components, figures.self_links), (1, 0), "{name}");
    let mut last = 0;
    for host in fabric.host_ids() {
        assert_eq!(fabric.host(host).name, format!("host{}", host.number()));
        assert!(fabric.host_switch(host).number() >= last, "{name}");
        last = fabric.host_switch(host).number();
    }
    for switch in fabric.switch_ids() {
        assert_eq!(fabric.switch(switch).name, format!("sw{}", switch.number()));
        let hosts = fabric.hosts_of(switch).len();
        let first = fabric.hops(switch).first();
        assert!(first.is_none_or(|hop| usize::from(hop.port.number()) > hosts));
    }
    figures
}

/// The mean number of switches on a shortest path and the largest, over the pairs of
/// switches with hosts, each with itself included.
fn between_hosts(fabric: &Fabric) -> (f64, u32) {
    let ends: Vec<SwitchId> = fabric
        .switch_ids()
        .filter(|&switch| !fabric.hosts_of(switch).is_empty())
        .collect();
    let (mut sum, mut most) = (0, 0);
    for &source in &ends {
        let distances = distances_from(fabric, source);
        for switch in &ends {
            sum += distances[switch.index()] + 1;
            most = most.max(distances[switch.index()] + 1);
        }
    }
    let pairs = u32::try_from(ends.len().pow(2)).unwrap();
    (f64::from(sum) / f64::from(pairs), most)
}

fn assert_near(found: f64, expected: f64, digits: i32) {
    let room = 0.500_001 * 10_f64.powi(-digits);
    assert!(
        (found - expected).abs() <= room,
        "{found} is not {expected}"
    );
}

#[test]
fn two_dimensional_grids_are_what_they_were_when_there_were_no_others() {
    // Columns, rows and hosts; fingerprints of mesh, torus and express torus.
    let kept = "4 4 4 5957fdbd164f9c5c 97a72a18b348a921 0b569481b5f54f04
                8 8 8 257f17d1efab213e 0fce8e2a38b6a1df c079de490bd13e21
                5 3 2 8f716ce6466e91a8 b5330fc6db1fad97 1658a912dac1b196
                2 1 1 4e67091ffb8e403b b09c8a2f7b0f28ca b9fe805daa8fda03";
    for line in kept.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [columns, rows, hosts] = [0, 1, 2].map(|word| words[word].parse().unwrap());
        let made = [mesh, torus, express_torus].map(|make| make(columns, rows, hosts).unwrap());
        let found = made.map(|fabric| format!("{:016x}", fabric.fingerprint()));
        assert_eq!(found, words[3..], "{line}");
    }
}

#[test]
fn grids_of_any_dimension_have_the_links_of_all_their_lines() {
    for extents in [
        vec![7],
        vec![3, 4, 5],
        vec![2, 2, 2, 2],
        vec![1, 6, 1],
        vec![5, 5, 3],
    ] {
        let switches: u32 = extents.iter().product();
        let lines = |links: &dyn Fn(u32) -> u32| -> u32 {
            extents.iter().map(|&e| switches / e * links(e)).sum()
        };
        let open = lines(&|e| e - 1);
        let closed = lines(&|e| if e > 2 { e } else { e - 1 });
        let second = lines(&|e| match e {
            0..=3 => 0,
            4 => 2,
            _ => e,
        });
        let counts = |links| [switches, 2 * switches, links];
        let diameter: u32 = extents.iter().map(|e| e - 1).sum();
        let figures = checked(&mesh_of(&extents, 2).unwrap(), counts(open));
        assert_eq!(figures.diameter_links, Some(diameter));
        let figures = checked(&torus_of(&extents, 2).unwrap(), counts(closed));
        assert_eq!(
            figures.diameter_links,
            Some(extents.iter().map(|e| e / 2).sum())
        );
        checked(
            &express_torus_of(&extents, 2).unwrap(),
            counts(closed + second),
        );
    }
    let cube = torus_of(&[4, 4, 4], 1).unwrap();
    assert_eq!(
        neighbours(&cube, 21),
        [22, 20, 25, 17, 37, 5],
        "x, y, z, up before down"
    );
}

#[test]
fn rings_and_tori_have_the_distances_published_for_them() {
    for switches in [3, 4, 5, 8, 31] {
        let figures = checked(
            &ring(switches, 4).unwrap(),
            [switches, 4 * switches, switches],
        );
        assert_eq!(figures.diameter_links, Some(switches / 2));
    }
    let paths = |fabric: &Fabric| {
        let figures = figures(fabric);
        (
            figures.mean_path_switches.unwrap(),
            figures.max_path_switches.unwrap(),
        )
    };
    assert_eq!(paths(&ring(8, 4).unwrap()), (3.0, 5));
    assert_eq!(paths(&torus(4, 2, 4).unwrap()), (2.5, 4));
    let express = figures(&express_torus(8, 8, 8).unwrap());
    assert_near(express.mean_distance_links.unwrap(), 2.54, 2);
    assert_eq!((express.diameter_links, express.radix_max), (Some(4), 16));
}

#[test]
fn hypercubes_join_numbers_that_differ_in_one_bit() {
    for dimensions in 1..=8_u32 {
        let fabric = hypercube(dimensions, 3).unwrap();
        let switches = 1 << dimensions;
        let figures = checked(&fabric, [switches, 3 * switches, dimensions * switches / 2]);
        assert_eq!(figures.diameter_links, Some(dimensions));
        for switch in 0..switches {
            let expected: Vec<u32> = (0..dimensions).map(|bit| switch ^ (1 << bit)).collect();
            assert_eq!(neighbours(&fabric, switch), expected, "port by port");
        }
    }
}

#[test]
fn k_ary_n_trees_join_words_that_agree_but_in_the_digit_of_the_level() {
    for (k, n) in [(2, 1), (5, 1), (2, 2), (2, 5), (3, 3), (4, 3), (8, 2)] {
        let fabric = k_ary_n_tree(k, n).unwrap();
        let row = k.pow(n - 1);
        let figures = checked(&fabric, [n * row, k * row, (n - 1) * k * row]);
        assert_eq!(figures.diameter_links, Some(2 * (n - 1)));
        assert_eq!(u32::from(figures.radix_max), if n == 1 { k } else { 2 * k });
        for lower in 0..(n - 1) * row {
            let (level, word) = (lower / row, lower % row);
            let place = k.pow(level);
            let above: BTreeSet<u32> = (0..row)
                .filter(|other| {
                    other / (place * k) == word / (place * k) && other % place == word % place
                })
                .map(|other| (level + 1) * row + other)
                .collect();
            let up: BTreeSet<u32> = neighbours(&fabric, lower)
                .into_iter()
                .filter(|&other| other >= (level + 1) * row)
                .collect();
            assert_eq!(up, above, "{k}-ary {n}-tree, switch {lower}");
        }
        for switch in fabric.switch_ids() {
            let hops = neighbours(&fabric, switch.number());
            assert!(hops.is_sorted(), "down before up");
        }
    }
}

#[test]
fn generalised_fat_trees_have_the_nodes_of_every_level() {
    let cases: [(&[u32], &[u32]); 7] = [
        (&[4], &[1]),
        (&[4, 4], &[1, 2]),
        (&[18, 14], &[1, 6]),
        (&[2, 3, 4], &[1, 2, 3]),
        (&[4, 4, 4], &[1, 4, 4]),
        (&[3, 1, 2], &[1, 1, 5]),
        (&[2, 2, 2, 2, 2], &[1, 1, 2, 1, 3]),
    ];
    for (m, w) in cases {
        let nodes = |level: usize| -> u32 {
            m[level..].iter().product::<u32>() * w[..level].iter().product::<u32>()
        };
        let height = m.len();
        let switches = (1..=height).map(nodes).sum();
        let links = (1..height).map(|level| nodes(level) * w[level]).sum();
        let fabric = xgft(m, w).unwrap();
        checked(&fabric, [switches, nodes(0), links]);
        let mut first = 0;
        for level in 1..=height {
            for switch in first..first + nodes(level) {
                let hops = neighbours(&fabric, switch);
                let up = hops.iter().filter(|&&o| o >= first + nodes(level)).count();
                let down = hops.len() - up + fabric.hosts_of(SwitchId::new(switch)).len();
                let wanted = (m[level - 1], w.get(level).copied().unwrap_or(0));
                assert_eq!((count(down), count(up)), wanted);
            }
            first += nodes(level);
        }
        let (_, most) = between_hosts(&fabric);
        let turns = (1..height).filter(|&l| m[l] > 1).max().unwrap_or(0);
        assert_eq!(
            most,
            count(2 * turns + 1),
            "up to where ways part, and down"
        );
    }
    let links = |fabric: &Fabric| {
        fabric
            .link_ids()
            .map(|l| fabric.link(l).ends)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        links(&xgft(&[4, 4, 4], &[1, 4, 4]).unwrap()),
        links(&k_ary_n_tree(4, 3).unwrap())
    );
}

#[test]
fn rhinet_trees_meet_the_published_distances() {
    let small = rhinet_tree(2, 4, 1, 4).unwrap();
    checked(&small, [6, 16, 8]);
    assert_eq!(between_hosts(&small), (2.5, 3));
    let large = rhinet_tree(2, 4, 2, 4).unwrap();
    checked(&large, [14, 32, 24]);
    assert_eq!(between_hosts(&large), (3.75, 5));
    assert_eq!(neighbours(&large, 0), [8, 9]);
    assert_eq!(neighbours(&large, 7), [10, 11]);
    assert_eq!(neighbours(&large, 8), [0, 1, 2, 3, 12, 13]);
    assert_eq!(neighbours(&large, 12), [8, 9, 10, 11]);
    assert_eq!(rhinet_tree(2, 4, 2, 2).unwrap().host_count(), 16);
    // From the top p, q, q·(q/p), … switches; every one below the top has p links up.
    for (p, q, c) in [
        (1_u32, 2_u32, 3_u32),
        (1, 3, 2),
        (2, 6, 3),
        (3, 3, 1),
        (4, 8, 4),
    ] {
        let rows: Vec<u32> = (0..c).map(|level| q * (q / p).pow(level)).collect();
        let below: u32 = rows.iter().sum();
        let fabric = rhinet_tree(p, q, c, 2).unwrap();
        let figures = checked(&fabric, [p + below, 2 * rows[c as usize - 1], p * below]);
        assert_eq!(figures.diameter_links, Some(2 * c));
    }
}

#[test]
fn clos_networks_meet_the_published_distances() {
    let both = myrinet_clos(ClosReading::BothSides, 4).unwrap();
    let figures = checked(&both, [8, 32, 16]);
    assert_eq!((between_hosts(&both), figures.radix_max), ((2.25, 3), 8));
    let one = myrinet_clos(ClosReading::OneSide, 4).unwrap();
    checked(&one, [8, 16, 16]);
    assert_eq!(between_hosts(&one), (2.5, 3));
}

#[test]
fn cplant_meets_the_distances_of_both_readings() {
    for (reading, links, mean, ports) in [
        (
            CplantReading::CubeOfHypercubes,
            175,
            2.489,
            [(4, 2), (7, 42), (8, 6)],
        ),
        (
            CplantReading::AllGroups,
            181,
            2.450,
            [(7, 38), (8, 12), (0, 0)],
        ),
    ] {
        let fabric = cplant(reading, 8).unwrap();
        let figures = checked(&fabric, [50, 400, links]);
        assert_near(figures.mean_distance_links.unwrap(), mean, 3);
        assert_eq!((figures.diameter_links, figures.radix_max), (Some(4), 16));
        let ports = ports.into_iter().filter(|&(_, count)| count > 0).collect();
        assert_eq!(degrees(&fabric), ports);
    }
}

#[test]
fn dragonflies_join_every_two_groups_by_one_link() {
    for (p, a, h) in [(1, 2, 1), (2, 4, 2), (4, 8, 4), (3, 5, 2), (1, 1, 4)] {
        let fabric = dragonfly(p, a, h).unwrap();
        let groups = a * h + 1;
        let links = groups * a * (a - 1) / 2 + groups * (groups - 1) / 2;
        let figures = checked(&fabric, [groups * a, groups * a * p, links]);
        assert_eq!(figures.diameter_links, Some(if a == 1 { 1 } else { 3 }));
        assert_eq!(figures.parallel_links, 0);
        for switch in 0..groups * a {
            let (group, member) = (switch / a, switch % a);
            let inside = (0..a).filter(|&m| m != member).map(|m| group * a + m);
            let expected: Vec<u32> = inside
                .chain((member * h..(member + 1) * h).map(|port| {
                    let other = if port < group { port } else { port + 1 };
                    let back = if group < other { group } else { group - 1 };
                    other * a + back / h
                }))
                .collect();
            assert_eq!(neighbours(&fabric, switch), expected, "port by port");
        }
    }
}

#[test]
fn dragonflies_plus_join_every_leaf_with_its_spines_and_every_two_groups() {
    for [groups, leaves, spines, hosts, links] in [
        [2, 1, 1, 1, 1],
        [5, 4, 4, 4, 1],
        [3, 2, 3, 2, 4],
        [9, 4, 2, 1, 1],
    ] {
        let fabric = dragonfly_plus(DragonflyPlusParameters {
            groups,
            leaves,
            spines,
            hosts,
            links,
        })
        .unwrap();
        let size = leaves + spines;
        let between = groups * (groups - 1) / 2 * links;
        let counts = [
            groups * size,
            groups * leaves * hosts,
            groups * leaves * spines + between,
        ];
        checked(&fabric, counts);
        let mut of_pair = BTreeMap::new();
        for switch in 0..groups * size {
            let (group, member) = (switch / size, switch % size);
            let near = neighbours(&fabric, switch);
            if member < leaves {
                let own: Vec<u32> = (group * size + leaves..(group + 1) * size).collect();
                assert_eq!(near, own);
                continue;
            }
            let (inside, outside): (Vec<u32>, Vec<u32>) =
                near.iter().partition(|&&other| other / size == group);
            assert_eq!(
                inside,
                (group * size..group * size + leaves).collect::<Vec<_>>()
            );
            // Links of a group are dealt to its spines.
            let dealt = (groups - 1) * links;
            assert!((dealt / spines..=dealt.div_ceil(spines)).contains(&count(outside.len())));
            for other in outside {
                assert!(other % size >= leaves, "a spine");
                *of_pair.entry((group, other / size)).or_insert(0) += 1;
            }
        }
        assert_eq!(of_pair.len(), (groups * (groups - 1)) as usize);
        assert!(of_pair.values().all(|&joined| joined == links));
    }
}

#[test]
fn polar_flies_have_diameter_two_and_as_many_points_on_the_conic_as_lines_through_a_point() {
    for q in [3_u32, 5, 7, 9, 11, 13] {
        let fabric = polar_fly(q, 2).unwrap();
        let switches = q * q + q + 1;
        let figures = checked(&fabric, [switches, 2 * switches, q * (q + 1) * (q + 1) / 2]);
        assert_eq!(figures.diameter_links, Some(2), "q = {q}");
        assert_eq!(figures.parallel_links, 0);
        let few = (q as usize, (q + 1) as usize);
        let many = ((q + 1) as usize, (q * q) as usize);
        assert_eq!(degrees(&fabric), [few, many].into());
        // Two points have one line through both, so one neighbour in common, if neither is its own.
        for switch in 1..switches {
            let [near, far] = [0, switch].map(|switch| neighbours(&fabric, switch));
            let common = near.iter().filter(|other| far.contains(other)).count();
            assert!(common <= 1);
        }
    }
}

#[test]
fn hyperx_joins_all_on_a_line() {
    let cases: [(&[u32], &[u32]); 6] = [
        (&[5], &[1]),
        (&[4, 4], &[1]),
        (&[2, 3, 4], &[1]),
        (&[3, 3], &[2]),
        (&[2, 5], &[3, 1]),
        (&[2, 2, 2, 2], &[1]),
    ];
    for (extents, copies) in cases {
        let fabric = hyperx(extents, copies, 3).unwrap();
        let switches: u32 = extents.iter().product();
        let per_switch = extents.iter().zip(copies.iter().cycle());
        let degree: u32 = per_switch
            .map(|(extent, copies)| (extent - 1) * copies)
            .sum();
        let figures = checked(&fabric, [switches, 3 * switches, switches * degree / 2]);
        assert_eq!(figures.diameter_links, Some(count(extents.len())));
        assert_eq!(
            degrees(&fabric),
            [(degree as usize, switches as usize)].into()
        );
        assert_eq!(figures.parallel_links > 0, copies.iter().any(|&c| c > 1));
    }
    let flat = hyperx(&[3, 2], &[2], 1).unwrap();
    assert_eq!(neighbours(&flat, 1), [0, 0, 2, 2, 4, 4]);
}

#[test]
fn slim_flies_have_diameter_two() {
    for q in [3_u32, 5, 7, 9, 11, 13, 17, 19, 25, 27] {
        let fabric = slim_fly(q, 2).unwrap();
        let degree = if q % 4 == 1 {
            (3 * q - 1) / 2
        } else {
            (3 * q).div_ceil(2)
        };
        let figures = checked(&fabric, [2 * q * q, 4 * q * q, q * q * degree]);
        assert_eq!(figures.diameter_links, Some(2), "q = {q}");
        assert_eq!(figures.parallel_links, 0);
        assert_eq!(
            degrees(&fabric),
            [(degree as usize, 2 * (q * q) as usize)].into()
        );
    }
}

#[test]
fn jellyfish_use_every_port_but_the_odd_one() {
    for (switches, degree) in [
        (2, 1),
        (3, 2),
        (4, 2),
        (4, 3),
        (5, 3),
        (5, 4),
        (7, 5),
        (8, 6),
        (9, 5),
        (16, 4),
        (31, 7),
        (64, 2),
        (64, 63),
        (100, 12),
        (500, 3),
    ] {
        for seed in 0..20 {
            let parameters = JellyfishParameters {
                switches,
                degree,
                hosts_per_switch: 2,
                seed,
            };
            let fabric = jellyfish(&parameters).unwrap();
            let ends = switches * degree;
            let figures = checked(&fabric, [switches, 2 * switches, ends / 2]);
            assert_eq!(figures.parallel_links, 0);
            let mut expected = BTreeMap::from([(degree as usize, (switches - ends % 2) as usize)]);
            if ends % 2 == 1 {
                expected.insert(degree as usize - 1, 1);
            }
            assert_eq!(degrees(&fabric), expected, "{parameters:?}");
            assert_eq!(fabric, jellyfish(&parameters).unwrap());
        }
    }
    let with_seed = |seed| {
        let parameters = JellyfishParameters {
            switches: 16,
            degree: 4,
            hosts_per_switch: 1,
            seed,
        };
        let fabric = jellyfish(&parameters).unwrap();
        (0..16)
            .map(|switch| neighbours(&fabric, switch))
            .collect::<Vec<_>>()
    };
    let all: BTreeSet<_> = (0..20).map(with_seed).collect();
    assert_eq!(all.len(), 20, "every seed gives a network of its own");
}

#[test]
fn surrogates_meet_the_published_distances_and_keep_the_ports_of_the_mesh() {
    let whole = mesh(4, 4, 4).unwrap();
    let ends = |fabric: &Fabric| -> BTreeSet<_> {
        fabric
            .link_ids()
            .map(|link| fabric.link(link).ends)
            .collect()
    };
    for (fabric, links, mean) in [
        (rhinet_a_surrogate(4).unwrap(), 18, 4.094),
        (rhinet_b_surrogate(4).unwrap(), 21, 3.625),
    ] {
        let figures = checked(&fabric, [16, 64, links]);
        assert_near(figures.mean_path_switches.unwrap(), mean, 3);
        assert_eq!(figures.max_path_switches, Some(7));
        assert!(ends(&fabric).is_subset(&ends(&whole)));
        assert!(fabric.name().contains("surrogate"));
    }
}

#[test]
fn every_topology_is_found_by_its_name_and_makes_its_example() {
    let mut names = BTreeSet::new();
    for topology in TOPOLOGIES {
        assert!(
            names.insert(topology.name),
            "{} is listed twice",
            topology.name
        );
        assert!(!topology.summary.is_empty() && !topology.source.is_empty());
        let fabric = generate(topology.name, &examples(topology)).unwrap();
        let mut defaults = examples(topology);
        let has_default = |name: &str| {
            let mut specs = topology.parameters.iter();
            specs.any(|spec| spec.name == name && spec.default.is_some())
        };
        defaults.retain(|name, _| !has_default(name));
        assert_eq!(
            fabric,
            generate(topology.name, &defaults).unwrap(),
            "examples are defaults"
        );
        let hosts = fabric.link_ids().filter(|&link| {
            fabric
                .link(link)
                .ends
                .iter()
                .any(|end| matches!(end.node, Node::Host(_)))
        });
        assert_eq!(hosts.count(), fabric.host_count());
    }
}
