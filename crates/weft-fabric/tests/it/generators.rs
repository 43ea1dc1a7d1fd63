//! Generated topologies have the shape their definition gives, and impossible ones are refused.

use crate::topologies::{checked, neighbours};
use std::collections::BTreeSet;
use weft_fabric::generate::{
    IrregularLinks, IrregularParameters, express_torus, irregular, mesh, torus,
};
use weft_fabric::{Fabric, Layout, Node, PortNumber, SwitchId};
use weft_testing::refusals;

/// Checks a network of single links with as many hosts on every switch, on its first ports.
fn assert_single_linked(fabric: &Fabric, hosts_per_switch: u32, [switches, links]: [u32; 2]) {
    let counts = [switches, switches * hosts_per_switch, links];
    assert_eq!(
        checked(fabric, counts).parallel_links,
        0,
        "{}",
        fabric.name()
    );
    for host in fabric.host_ids() {
        let (number, port) = (host.number(), fabric.host_port(host).number());
        assert_eq!(fabric.host_switch(host).number(), number / hosts_per_switch);
        assert_eq!(u32::from(port), number % hosts_per_switch + 1);
    }
}

/// The degrees of the switches.
fn degrees(fabric: &Fabric) -> impl Iterator<Item = u32> {
    let degree = |switch| u32::try_from(fabric.hops(switch).len()).unwrap();
    fabric.switch_ids().map(degree)
}

/// Links of a ring (or an open line) with no pair of switches joined twice.
fn line_links(extent: u32, closed: bool, stride: u32) -> u32 {
    match (closed, (2 * stride).cmp(&extent)) {
        (false, _) => extent.saturating_sub(stride),
        (true, std::cmp::Ordering::Less) => extent,
        (true, std::cmp::Ordering::Equal) => extent / 2,
        (true, std::cmp::Ordering::Greater) => 0,
    }
}

#[test]
fn grids_have_as_many_parts_as_the_closed_form_says() {
    for columns in 1..=7 {
        for rows in 1..=7 {
            let count = |closed, strides: &[u32]| {
                strides
                    .iter()
                    .map(|&stride| {
                        rows * line_links(columns, closed, stride)
                            + columns * line_links(rows, closed, stride)
                    })
                    .sum::<u32>()
            };
            let hosts = 1 + (columns + rows) % 3;
            for (fabric, links) in [
                (mesh(columns, rows, hosts).unwrap(), count(false, &[1])),
                (torus(columns, rows, hosts).unwrap(), count(true, &[1])),
                (
                    express_torus(columns, rows, hosts).unwrap(),
                    count(true, &[1, 2]),
                ),
            ] {
                assert_single_linked(&fabric, hosts, [columns * rows, links]);
                let extents = vec![columns, rows];
                assert_eq!(*fabric.layout(), Layout::Grid { extents });
            }
        }
    }
}

#[test]
fn ports_of_a_grid_lead_east_west_south_north() {
    let torus = torus(5, 5, 2).unwrap();
    // Switch 6 lies at x = 1, y = 1.
    assert_eq!(neighbours(&torus, 6), [7, 5, 11, 1]);
    assert_eq!(neighbours(&torus, 0), [1, 4, 5, 20]);
    let express = express_torus(5, 5, 2).unwrap();
    assert_eq!(neighbours(&express, 6), [7, 5, 11, 1, 8, 9, 16, 21]);
    let mesh = mesh(3, 3, 1).unwrap();
    let ports: Vec<u8> = mesh
        .hops(SwitchId::new(8))
        .iter()
        .map(|hop| hop.port.number())
        .collect();
    assert_eq!(ports, [3, 5], "the last corner has west and north only");
}

#[test]
fn a_link_leaves_by_the_port_opposite_to_the_one_it_arrives_at() {
    for fabric in [torus(4, 6, 3).unwrap(), express_torus(6, 5, 3).unwrap()] {
        for link in fabric.link_ids().map(|id| fabric.link(id)) {
            if let [Node::Switch(_), Node::Switch(_)] = link.ends.map(|end| end.node) {
                let [from, to] = link.ends.map(|end| end.port.number());
                assert_eq!(to, from + 1, "east to west, south to north");
            }
        }
    }
}

fn switches(switches: u32, seed: u64) -> IrregularParameters {
    IrregularParameters {
        switches,
        seed,
        ..IrregularParameters::default()
    }
}

#[test]
fn irregular_networks_are_regular_connected_and_single_linked() {
    for switch_count in [5, 6, 8, 9, 16, 17, 32, 64, 256] {
        for seed in 0..10 {
            let fabric = irregular(&switches(switch_count, seed)).unwrap();
            assert_single_linked(&fabric, 4, [switch_count, 2 * switch_count]);
            assert!(degrees(&fabric).all(|degree| degree == 4));
        }
    }
}

#[test]
fn every_possible_degree_is_met_and_an_odd_total_leaves_one_port_free() {
    for switch_count in 1..=12 {
        let least = (switch_count - 1).min(2);
        for degree in least..switch_count {
            for seed in 0..5 {
                let parameters = IrregularParameters {
                    switches: switch_count,
                    hosts_per_switch: 3,
                    ports_per_switch: 3 + degree,
                    seed,
                    ..IrregularParameters::default()
                };
                let fabric = irregular(&parameters).unwrap();
                let links = switch_count * degree / 2;
                assert_single_linked(&fabric, 3, [switch_count, links]);
                assert_eq!(degrees(&fabric).max(), Some(degree));
            }
        }
    }
}

#[test]
fn a_random_number_of_links_lies_between_a_tree_s_and_all() {
    let thinned = |switches, ports_per_switch, seed| {
        irregular(&IrregularParameters {
            switches,
            ports_per_switch,
            links: IrregularLinks::RandomCount,
            seed,
            ..IrregularParameters::default()
        })
        .unwrap()
    };
    for (switches, degree) in [(1, 0), (2, 1), (3, 2), (5, 3), (8, 4), (9, 5), (64, 4)] {
        let (least, most) = (switches - 1, switches * degree / 2);
        let mut counts = BTreeSet::new();
        for seed in 0..100 {
            let fabric = thinned(switches, 4 + degree, seed);
            let links = u32::try_from(fabric.link_count() - fabric.host_count()).unwrap();
            assert_single_linked(&fabric, 4, [switches, links]);
            assert!(degrees(&fabric).all(|found| found <= degree));
            counts.insert(links);
            assert_eq!(fabric, thinned(switches, 4 + degree, seed));
        }
        assert!(*counts.first().unwrap() >= least && *counts.last().unwrap() <= most);
        if most - least < 20 {
            assert_eq!(counts, (least..=most).collect(), "all counts come up");
        } else {
            assert!(counts.len() > 20, "{switches}: {counts:?}");
        }
    }
}

#[test]
fn irregular_networks_depend_on_their_parameters_alone() {
    let all: Vec<Fabric> = (0..20)
        .map(|seed| irregular(&switches(16, seed)).unwrap())
        .collect();
    for (seed, fabric) in (0..).zip(&all) {
        assert_eq!(*fabric, irregular(&switches(16, seed)).unwrap());
        let links = |f: &Fabric| f.link_ids().map(|id| f.link(id).ends).collect::<Vec<_>>();
        assert!(
            all.iter()
                .filter(|other| links(other) == links(fabric))
                .count()
                == 1,
            "seed {seed} gives a network of its own"
        );
    }
}

#[test]
fn impossible_parameters_are_refused_with_what_would_do() {
    let irregular_with = |switches, hosts_per_switch, ports_per_switch| {
        irregular(&IrregularParameters {
            switches,
            hosts_per_switch,
            ports_per_switch,
            seed: 1,
            ..IrregularParameters::default()
        })
    };
    refusals! {
        mesh(0, 4, 1) => "columns is 0; expected 1 or more";
        mesh(4, 0, 1) => "rows is 0; expected 1 or more";
        torus(0, 0, 1) => "columns is 0; expected 1 or more";
        mesh(4, 4, 0) =>
            "hosts_per_switch is 0; expected 1 to 250 (a switch has at most 254 ports, 4 of them \
             join switches)";
        torus(4, 4, 251) =>
            "hosts_per_switch is 251; expected 1 to 250 (a switch has at most 254 ports, 4 of them \
             join switches)";
        express_torus(4, 4, 247) =>
            "hosts_per_switch is 247; expected 1 to 246 (a switch has at most 254 ports, 8 of them \
             join switches)";
        mesh(100_000, 100_000, 1) =>
            "the fabric has too many switches; at most 1048576 are possible";
        torus(1024, 1024, 200) => "the fabric has too many hosts; at most 4194304 are possible";
        irregular_with(0, 4, 8) => "switches is 0; expected 1 or more";
        irregular_with(8, 0, 8) => "hosts_per_switch is 0; expected 1 to 252";
        irregular_with(8, 253, 254) => "hosts_per_switch is 253; expected 1 to 252";
        irregular_with(8, u32::MAX, 8) => "hosts_per_switch is 4294967295; expected 1 to 252";
        irregular_with(4, 4, 8) =>
            "ports_per_switch is 8; expected 6 to 7 (4 for hosts; 4 switches joined by single \
             links need 2 to 3 more each)";
        irregular_with(64, 4, 5) =>
            "ports_per_switch is 5; expected 6 to 67 (4 for hosts; 64 switches joined by single \
             links need 2 to 63 more each)";
        irregular_with(1000, 4, 255) =>
            "ports_per_switch is 255; expected 6 to 254 (4 for hosts; 1000 switches joined by \
             single links need 2 to 999 more each)";
        irregular_with(u32::MAX, 4, 8) =>
            "the fabric has too many switches; at most 1048576 are possible";
    }
    assert_eq!(PortNumber::MAX, 254, "the messages above name it");
}
