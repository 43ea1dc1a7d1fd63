//! Failures take away what was chosen and what cannot stand without it, and nothing else.

use proptest::prelude::*;
use std::collections::BTreeSet;
use weft_fabric::degrade::{Chosen, Degraded, Failures, Keep, Share, degrade};
use weft_fabric::generate::{k_ary_n_tree, mesh, torus};
use weft_fabric::{Fabric, HostId, Layout, LinkId, Node, SwitchId};
use weft_testing::{irregular_of, refusals};

fn chosen(texts: &[&str]) -> Chosen {
    let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    Chosen::parse("parts", &texts).unwrap()
}

fn links(texts: &[&str]) -> Failures {
    Failures {
        links: chosen(texts),
        ..Failures::default()
    }
}

fn switches(texts: &[&str]) -> Failures {
    Failures {
        switches: chosen(texts),
        ..Failures::default()
    }
}

/// Both ends of every link by name and port.
fn cables(fabric: &Fabric) -> BTreeSet<[(String, u8); 2]> {
    let name = |id: LinkId| {
        fabric
            .link(id)
            .ends
            .map(|end| (fabric.node_name(end.node).to_owned(), end.port.number()))
    };
    fabric.link_ids().map(name).collect()
}

fn names(fabric: &Fabric) -> Vec<&str> {
    let switches = fabric.switch_ids().map(Node::Switch);
    let hosts = fabric.host_ids().map(Node::Host);
    switches
        .chain(hosts)
        .map(|node| fabric.node_name(node))
        .collect()
}

#[test]
fn a_named_link_fails_and_all_else_stays() {
    let whole = torus(4, 4, 1).unwrap();
    // Port 2 of sw0 leads east, to port 3 of sw1.
    for name in ["sw0:2", "sw1:3"] {
        let damaged = degrade(&whole, &links(&[name])).unwrap();
        let gone: Vec<_> = cables(&whole)
            .difference(&cables(&damaged.fabric))
            .cloned()
            .collect();
        assert_eq!(gone, [[("sw0".to_owned(), 2), ("sw1".to_owned(), 3)]]);
        assert_eq!(names(&whole), names(&damaged.fabric));
        assert_eq!(damaged.fabric.layout(), whole.layout());
        assert_eq!(damaged.fabric.name(), "torus-4x4-without-1-link");
        assert_eq!(damaged.failed_links.len(), 1);
        assert!(damaged.cut_off_hosts.is_empty());
    }
}

#[test]
fn a_switch_takes_its_links_and_hosts_along() {
    let whole = torus(4, 4, 2).unwrap();
    let damaged = degrade(&whole, &switches(&["sw5"])).unwrap();
    let fabric = &damaged.fabric;
    assert_eq!(
        [
            fabric.switch_count(),
            fabric.host_count(),
            fabric.link_count()
        ],
        [15, 30, 58]
    );
    assert_eq!(*fabric.layout(), Layout::Unstructured);
    assert_eq!(damaged.failed_switches, [SwitchId::new(5)]);
    assert_eq!(damaged.cut_off_hosts, [HostId::new(10), HostId::new(11)]);
    assert!(damaged.failed_links.is_empty() && damaged.failed_hosts.is_empty());
    assert!(cables(fabric).is_subset(&cables(&whole)));
    assert!(
        fabric
            .switch_ids()
            .all(|id| fabric.switch(id).port_count == 6)
    );
}

#[test]
fn a_host_goes_with_its_link_but_failed_hosts_are_not_called_cut_off() {
    let whole = mesh(2, 1, 2).unwrap();
    let failures = Failures {
        links: chosen(&["sw0:1"]),
        hosts: chosen(&["host3"]),
        ..Failures::default()
    };
    let damaged = degrade(&whole, &failures).unwrap();
    assert_eq!(damaged.cut_off_hosts, [HostId::new(0)]);
    assert_eq!(damaged.failed_hosts, [HostId::new(3)]);
    assert_eq!(names(&damaged.fabric), ["sw0", "sw1", "host1", "host2"]);
    assert_eq!(damaged.fabric.name(), "mesh-2x1-without-1-link-1-host");
}

#[test]
fn parts_stay_or_the_largest_is_kept() {
    let line = mesh(6, 1, 1).unwrap();
    let kept = degrade(&line, &switches(&["sw2"])).unwrap();
    assert_eq!(kept.fabric.switch_count(), 5);
    assert!(kept.left_out_switches.is_empty());
    let largest = |failures: Failures| {
        let keep = Keep::LargestPart;
        degrade(&line, &Failures { keep, ..failures }).unwrap()
    };
    let damaged = largest(switches(&["sw2"]));
    assert_eq!(
        names(&damaged.fabric),
        ["sw3", "sw4", "sw5", "host3", "host4", "host5"]
    );
    assert_eq!(
        damaged.left_out_switches,
        [SwitchId::new(0), SwitchId::new(1)]
    );
    assert_eq!(damaged.left_out_hosts, [HostId::new(0), HostId::new(1)]);
    assert_eq!(damaged.cut_off_hosts, [HostId::new(2)]);
    // Of two parts with as many hosts and switches the first stays.
    let halves = largest(links(&["sw2:2"]));
    assert_eq!(halves.fabric.host_count(), 3);
    assert_eq!(halves.left_out_switches[0], SwitchId::new(3));
    // Hosts count before switches.
    let hosts = Failures {
        links: chosen(&["sw1:2"]),
        hosts: chosen(&["host3", "host4", "host5"]),
        ..Failures::default()
    };
    assert_eq!(
        names(&largest(hosts).fabric),
        ["sw0", "sw1", "host0", "host1"]
    );
}

#[test]
fn shares_are_of_links_between_switches_to_the_nearest_number() {
    let share = |text: &str| text.parse::<Share>().unwrap();
    for (text, count, expected) in [
        ("0%", 1000, 0),
        ("2%", 1000, 20),
        ("100%", 7, 7),
        ("50%", 7, 4),
        ("0.25 %", 1000, 3),
        ("0.0001%", 1_000_000, 1),
        ("33.3333%", 3, 1),
        ("1%", 49, 0),
        ("1%", 50, 1),
    ] {
        assert_eq!(share(text).of(count), expected, "{text} of {count}");
    }
    for text in "101%|-1%|%|1.%|.5%|1.00001%|1e1%|2|100.0001%".split('|') {
        assert!(text.parse::<Share>().is_err(), "{text}");
    }
    let whole = torus(8, 8, 8).unwrap();
    let damaged = degrade(&whole, &links(&["5%"])).unwrap();
    assert_eq!(damaged.failed_links.len(), 6, "5 % of 128");
    assert_eq!(damaged.fabric.host_count(), 512);
    assert_eq!(damaged.fabric.name(), "torus-8x8-without-6-links-seed0");
    let all = degrade(&whole, &links(&["100%"])).unwrap();
    assert_eq!(all.fabric.link_count(), 512);
    let none = degrade(&whole, &links(&["0%"])).unwrap();
    assert_eq!(none.fabric, whole, "the name is as before too");
}

#[test]
fn what_cannot_fail_is_refused_with_what_would_do() {
    let tree = k_ary_n_tree(4, 2).unwrap();
    let tried = |failures: Failures| degrade(&tree, &failures);
    let hosts = |texts: &[&str]| Failures {
        hosts: chosen(texts),
        ..Failures::default()
    };
    refusals! {
        tried(switches(&["sw77"])) =>
            "found switch “sw77”, and the fabric has none of this name; did you mean “sw7”?";
        tried(hosts(&["hots1"])) =>
            "found host “hots1”, and the fabric has none of this name; did you mean “host1”?";
        tried(links(&["leaf:1"])) => "found switch “leaf”, and the fabric has none of this name";
        tried(links(&["sw0"])) =>
            "found links “sw0”, expected the name of a switch and a port, as in leaf01:17, or a \
             share, as in 2%";
        tried(links(&["sw0:east"])) =>
            "found links “sw0:east”, expected the name of a switch and a port, as in leaf01:17, or \
             a share, as in 2%";
        tried(links(&["sw0:9"])) => "found link “sw0:9”; “sw0” has ports 1 to 8";
        tried(links(&["sw0:0"])) => "found link “sw0:0”; “sw0” has ports 1 to 8";
        tried(links(&["sw7:5"])) =>
            "found link “sw7:5”; no cable is on that port, but there is on 1 to 4";
        tried(switches(&["100%"])) => "all switches would fail; leave one at least";
    }
    let parse = |texts: &[&str]| {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        Chosen::parse("switches", &texts)
    };
    refusals! {
        parse(&["sw1", "120%"]) =>
            "found switches “120%”, expected 0% to 100%, with four digits after the point at most, as \
             in 0.25%";
        parse(&["1%", "2%"]) => "found switches “2%”, expected one share at most";
    }
}

fn drawn(fabric: &Fabric, percent: [u8; 3], seed: u64) -> Degraded {
    let [links, switches, hosts] = percent.map(|percent| chosen(&[&format!("{percent}%")]));
    let failures = Failures {
        links,
        switches,
        hosts,
        seed,
        keep: Keep::AllParts,
    };
    degrade(fabric, &failures).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_fails_is_nested_repeatable_and_gone_and_all_else_is_there(
        network in 0_u64..50,
        seed in any::<u64>(),
        first in prop::array::uniform3(0_u8..80),
        more in prop::array::uniform3(0_u8..10),
    ) {
        let whole = irregular_of(24, network);
        let second = [0, 1, 2].map(|kind| first[kind] + more[kind]);
        let (small, large) = (drawn(&whole, first, seed), drawn(&whole, second, seed));
        prop_assert_eq!(&small, &drawn(&whole, first, seed));
        prop_assert!(small.failed_links.iter().all(|id| large.failed_links.contains(id)));
        prop_assert!(small.failed_switches.iter().all(|id| large.failed_switches.contains(id)));
        prop_assert!(small.failed_hosts.iter().all(|id| large.failed_hosts.contains(id)));
        prop_assert!(cables(&large.fabric).is_subset(&cables(&small.fabric)));

        // What is left, by the definition: links that did not fail and whose ends did not.
        let is_left = |node: Node| match node {
            Node::Switch(id) => !small.failed_switches.contains(&id),
            Node::Host(id) => !small.failed_hosts.contains(&id),
        };
        let expected: BTreeSet<_> = whole
            .link_ids()
            .filter(|id| !small.failed_links.contains(id))
            .filter(|&id| whole.link(id).ends.iter().all(|end| is_left(end.node)))
            .map(|id| whole.link(id).ends.map(|end| (whole.node_name(end.node).to_owned(), end.port.number())))
            .collect();
        prop_assert_eq!(cables(&small.fabric), expected);
        prop_assert_eq!(small.fabric.switch_count(), 24 - small.failed_switches.len());
        let lost = small.failed_hosts.len() + small.cut_off_hosts.len();
        prop_assert_eq!(small.fabric.host_count(), whole.host_count() - lost);
        for id in small.fabric.host_ids() {
            let name = &small.fabric.host(id).name;
            let before = whole.host_ids().find(|&h| whole.host(h).name == *name).unwrap();
            prop_assert_eq!(
                &small.fabric.switch(small.fabric.host_switch(id)).name,
                &whole.switch(whole.host_switch(before)).name
            );
        }
    }
}

#[test]
fn every_link_is_as_likely_to_fail_as_any() {
    // 4000 draws of 1 in 32: each link is expected 125 times, 11 the standard deviation; six of
    // them make a miss as rare as one in ten million.
    let whole = torus(4, 4, 1).unwrap();
    let mut counts = vec![0_i32; whole.link_count()];
    for seed in 0..4000 {
        let failures = Failures {
            seed,
            ..links(&["3.125%"])
        };
        for id in degrade(&whole, &failures).unwrap().failed_links {
            counts[id.index()] += 1;
        }
    }
    let host_links = whole.host_count();
    assert!(counts[..host_links].iter().all(|&count| count == 0));
    assert!(
        counts[host_links..]
            .iter()
            .all(|&count| (count - 125).abs() < 66)
    );
}
