//! Levels, oversubscription, ports, distances of hosts, and what looks like a fault.

use crate::reading::examples;
use proptest::prelude::*;
use weft_fabric::degrade::{Chosen, Failures, degrade};
use weft_fabric::generate::{
    DragonflyPlusParameters, JellyfishParameters, TOPOLOGIES, dragonfly_plus, generate, jellyfish,
    k_ary_n_tree, mesh, polar_fly, rhinet_tree, torus, xgft,
};
use weft_fabric::metrics::{
    Distances, MissingEnd, PortUse, Structure, Suspicion, distances_from, level_figures, levels,
    port_use, structure, suspicions,
};
use weft_fabric::{Fabric, FabricBuilder, Host, LinkId, Node, PortNumber, Switch, SwitchId};
use weft_testing::irregular_of;

fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
}

fn without_links(fabric: &Fabric, names: &[&str]) -> Fabric {
    let failures = Failures {
        links: Chosen {
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            share: None,
        },
        ..Failures::default()
    };
    degrade(fabric, &failures).unwrap().fabric
}

fn suspected(fabric: &Fabric) -> Vec<Suspicion> {
    suspicions(fabric, &levels(fabric))
}

fn ports(numbers: &[u8]) -> Vec<PortNumber> {
    numbers.iter().copied().map(PortNumber::new).collect()
}

#[test]
fn trees_have_levels_and_other_fabrics_have_none() {
    let tree = k_ary_n_tree(4, 3).unwrap();
    let expected: Vec<_> = (0..48).map(|switch| Some(switch / 16)).collect();
    assert_eq!(levels(&tree), expected);
    let published = levels(&rhinet_tree(2, 4, 2, 4).unwrap());
    assert_eq!(published[..8], [Some(0); 8]);
    assert_eq!(published[8..], [1, 1, 1, 1, 2, 2].map(Some));
    for flat in [torus(4, 4, 1).unwrap(), mesh(1, 1, 3).unwrap()] {
        assert!(levels(&flat).iter().all(Option::is_none));
        assert!(level_figures(&flat, &levels(&flat)).is_empty());
    }
}

/// A line of switches, each joined to the next by links of the given rates; the first and the last
/// have hosts.
fn line(hosts: &[usize], trunks: &[&[Option<&str>]]) -> Fabric {
    let mut builder = FabricBuilder::new("line");
    let mut used = vec![0_u8; hosts.len()];
    let mut next = |switch: usize| {
        used[switch] += 1;
        Node::Switch(SwitchId::from_index(switch)).at(used[switch])
    };
    for switch in 0..hosts.len() {
        builder
            .add_switch(Switch::new(format!("sw{switch}"), 40))
            .unwrap();
    }
    for (switch, &count) in hosts.iter().enumerate() {
        for number in 0..count {
            let host = Host::new(format!("host{switch}.{number}"));
            let host = builder.add_host(host).unwrap();
            let end = Node::Host(host).at(1);
            let rate = Some("4xEDR".parse().unwrap());
            builder.add_link(end, next(switch), rate).unwrap();
        }
    }
    for (switch, rates) in trunks.iter().enumerate() {
        for rate in *rates {
            let rate = rate.map(|text| text.parse().unwrap());
            builder
                .add_link(next(switch), next(switch + 1), rate)
                .unwrap();
        }
    }
    builder.build().unwrap()
}

#[test]
fn oversubscription_is_what_hosts_inject_over_what_leads_up() {
    // Leaves of 18 hosts with 6 links up; 14 leaves.
    let tree = xgft(&[18, 14], &[1, 6]).unwrap();
    let figures = level_figures(&tree, &levels(&tree));
    assert_eq!(figures.len(), 2);
    assert_eq!([figures[0].switches, figures[0].hosts], [14, 252]);
    assert_eq!([figures[0].down.links, figures[0].up.links], [252, 84]);
    assert_eq!(figures[0].up.gbit_per_s, None, "no rates are known");
    assert_near(figures[0].oversubscription.unwrap(), 3.0);
    assert_eq!(figures[1].oversubscription, None);
    assert_eq!(figures[1].down.links, 84);
    // With a link less the first leaf is the narrowest.
    let damaged = without_links(&tree, &["sw4:20"]);
    let figures = level_figures(&damaged, &levels(&damaged));
    assert_near(figures[0].oversubscription.unwrap(), 252.0 / 83.0);
    let (narrowest, over) = figures[0].narrowest.unwrap();
    assert_eq!(narrowest, SwitchId::new(4));
    assert_near(over, 18.0 / 5.0);
}

#[test]
fn oversubscription_goes_by_rate_where_all_rates_are_known() {
    let edr: &[Option<&str>] = &[Some("4xEDR")];
    let known = line(&[3, 0, 3], &[&[Some("4xHDR"), Some("4xEDR")], edr]);
    let figures = level_figures(&known, &levels(&known));
    // 600 Gbit/s of hosts over 200 + 100 and 100 Gbit/s.
    assert_eq!(figures[0].injection.gbit_per_s, Some(600.0));
    assert_eq!(figures[0].up.gbit_per_s, Some(400.0));
    assert_near(figures[0].oversubscription.unwrap(), 1.5);
    assert_eq!(figures[0].narrowest, Some((SwitchId::new(2), 3.0)));
    let unknown = line(&[3, 0, 3], &[&[Some("4xHDR"), None], edr]);
    let figures = level_figures(&unknown, &levels(&unknown));
    assert_eq!(figures[0].up.gbit_per_s, None);
    assert_near(figures[0].oversubscription.unwrap(), 2.0);
}

#[test]
fn a_service_host_on_a_spine_leaves_it_a_spine() {
    let lines = |spine_hosts| line(&[10, spine_hosts, 10], &[&[None], &[None]]);
    assert_eq!(levels(&lines(1)), [Some(0), Some(1), Some(0)]);
    assert_eq!(
        levels(&lines(2)),
        [None; 3],
        "a fifth of the fullest is a leaf"
    );
    let figures = level_figures(&lines(1), &levels(&lines(1)));
    assert_eq!([figures[0].hosts, figures[1].hosts], [20, 1]);
    assert_eq!(
        [figures[0].injection.links, figures[1].injection.links],
        [20, 21]
    );
}

#[test]
fn ports_are_counted_by_switch() {
    let fabric = without_links(&torus(4, 4, 2).unwrap(), &["sw0:3"]);
    let entry = |wired, switches| PortUse {
        ports: 6,
        wired,
        switches,
    };
    assert_eq!(port_use(&fabric), [entry(5, 2), entry(6, 14)]);
}

#[test]
fn a_missing_cable_of_a_polar_fly_is_told_and_what_is_made_so_is_not() {
    for (q, cable) in [(5, "sw7:3"), (7, "sw20:4")] {
        let whole = polar_fly(q, 2).unwrap();
        assert_eq!(suspected(&whole), [], "{q}");
        let found = suspected(&without_links(&whole, &[cable]));
        assert!(!found.is_empty(), "{q}");
    }
}

/// Groups of leaves and spines, with a pair of groups that nothing joins; an even number of them, and of links of a pair.
#[test]
fn a_dragonfly_plus_is_known_by_its_groups() {
    let parameters = DragonflyPlusParameters {
        groups: 5,
        leaves: 3,
        spines: 2,
        hosts: 2,
        links: 2,
    };
    let whole = dragonfly_plus(parameters).unwrap();
    let told = |fabric: &Fabric| match structure(fabric) {
        Some(Structure::DragonflyPlus {
            leaves,
            spines,
            joined_pairs,
            links_of_pair,
        }) => (
            leaves.concat(),
            spines.concat(),
            joined_pairs,
            links_of_pair,
        ),
        other => panic!("{other:?}"),
    };
    let of_groups = |members: [u32; 2]| {
        let switches =
            (0..5).flat_map(|group| (members[0]..members[1]).map(move |at| 5 * group + at));
        switches.map(SwitchId::new).collect::<Vec<_>>()
    };
    let [leaves, spines] = [[0, 3], [3, 5]].map(of_groups);
    assert_eq!(told(&whole), (leaves.clone(), spines.clone(), 10, [2, 2]));
    // Port 4 of a spine is its first to another group: those of group 0 lead to group 1.
    let damaged = without_links(&whole, &["sw3:4", "sw4:4"]);
    assert_eq!(told(&damaged), (leaves.clone(), spines.clone(), 9, [2, 2]));
    let damaged = without_links(&whole, &["sw3:4"]);
    assert_eq!(told(&damaged), (leaves, spines, 10, [1, 2]));
}

/// Of 1,224 pairs of neighbours 72 join spines, more than a twentieth, and 56 if one group hung on the others' spines.
#[test]
fn groups_with_few_links_between_them_are_equally_high() {
    let parameters = DragonflyPlusParameters {
        groups: 9,
        leaves: 8,
        spines: 8,
        hosts: 2,
        links: 1,
    };
    let fabric = dragonfly_plus(parameters).unwrap();
    let expected: Vec<_> = (0..9 * 16).map(|at| Some(at % 16 / 8)).collect();
    assert_eq!(levels(&fabric), expected);
    assert_eq!(suspicions(&fabric, &levels(&fabric)), []);
}

#[test]
fn a_polar_fly_is_known_by_its_order_and_its_clusters() {
    for q in [3_usize, 5, 9] {
        let whole = polar_fly(u32::try_from(q).unwrap(), 1).unwrap();
        let Some(Structure::PolarFly {
            order,
            missing_links: 0,
            clusters,
        }) = structure(&whole)
        else {
            panic!("{q}");
        };
        assert_eq!((order, clusters.len()), (q, q + 1));
        assert_eq!(clusters[0].len(), q + 1);
        let mut all = clusters.concat();
        all.sort_unstable();
        assert_eq!(all, whole.switch_ids().collect::<Vec<_>>());
        for cluster in &clusters[1..] {
            assert_eq!(cluster.len(), q);
            let joins = |one: SwitchId, other: SwitchId| {
                whole.hops(one).iter().any(|hop| hop.switch == other)
            };
            assert!(cluster[1..].iter().all(|&at| joins(cluster[0], at)));
            assert!(cluster[1..].chunks(2).all(|pair| joins(pair[0], pair[1])));
        }
    }
    let whole = polar_fly(5, 1).unwrap();
    let damaged = structure(&without_links(&whole, &["sw7:3", "sw9:4"]));
    let expected = Structure::PolarFly {
        order: 5,
        missing_links: 2,
        clusters: Vec::new(),
    };
    assert_eq!(damaged, Some(expected));
}

/// Neither is any other topology, nor a network of as many switches and links as a `PolarFly`.
#[test]
fn other_fabrics_are_neither_a_dragonfly_plus_nor_a_polar_fly() {
    for topology in TOPOLOGIES {
        let fabric = generate(topology.name, &examples(topology)).unwrap();
        let is_one = ["dragonfly_plus", "polar_fly"].contains(&topology.name);
        assert_eq!(structure(&fabric).is_some(), is_one, "{}", topology.name);
    }
    let random = jellyfish(&JellyfishParameters {
        switches: 31,
        degree: 6,
        hosts_per_switch: 1,
        seed: 1,
    });
    assert_eq!(structure(&random.unwrap()), None);
}

fn is_of_cables(suspicion: &Suspicion) -> bool {
    matches!(
        suspicion,
        Suspicion::MissingCable { .. } | Suspicion::MissingAmong { .. }
    )
}

#[test]
fn regular_fabrics_raise_no_suspicion() {
    for topology in TOPOLOGIES {
        let fabric = generate(topology.name, &examples(topology)).unwrap();
        // In CPLANT six switches differ from 42 by design, and an all-but-regular sub-mesh is
        // irregular by name.
        if !["cplant", "rhinet_a_surrogate", "rhinet_b_surrogate"].contains(&topology.name) {
            assert_eq!(suspected(&fabric), [], "{}", topology.name);
        }
        // No cable is missing in these, either.
        let cables = suspected(&fabric).into_iter().filter(is_of_cables);
        assert_eq!(cables.collect::<Vec<_>>(), [], "{}", topology.name);
    }
    assert_eq!(
        suspected(&mesh(20, 20, 1).unwrap()),
        [],
        "a rim is no fault"
    );
}

/// A missing cable between ports of which each is known.
fn missing(a: u32, port: u8, b: u32, other: u8) -> Suspicion {
    let end = |switch, port| MissingEnd {
        switch: SwitchId::new(switch),
        ports: ports(&[port]),
    };
    Suspicion::MissingCable {
        ends: [end(a, port), end(b, other)],
    }
}

#[test]
fn a_cable_that_a_tree_lacks_is_named_once_with_both_ports() {
    let whole = xgft(&[18, 14], &[1, 6]).unwrap();
    // Port 21 of leaf sw5 leads to spine sw16, to its port 6.
    let damaged = without_links(&whole, &["sw5:21"]);
    assert_eq!(suspected(&damaged), [missing(5, 21, 16, 6)]);
    let damaged = without_links(&whole, &["sw5:21", "sw5:19"]);
    assert_eq!(
        suspected(&damaged),
        [missing(5, 19, 14, 6), missing(5, 21, 16, 6)]
    );
}

/// Those that have lost a cable each are most of their kind and agree, so that none of them lacks any.
#[test]
fn a_switch_that_has_lost_nearly_all_cables_is_told() {
    let whole = xgft(&[8, 8], &[1, 4]).unwrap();
    let few = xgft(&[8, 6], &[1, 8]).unwrap();
    // Spines, and a leaf with all its hosts.
    for (whole, switch, left) in [(&whole, 11, 1), (&whole, 9, 3), (&few, 2, 1)] {
        let id = SwitchId::new(switch);
        let all = whole.hops(id).len();
        let cables = whole.hops(id).iter().skip(left);
        let sockets: Vec<String> = cables
            .map(|hop| format!("sw{switch}:{}", hop.port.number()))
            .collect();
        let sockets: Vec<&str> = sockets.iter().map(String::as_str).collect();
        let told = suspected(&without_links(whole, &sockets));
        let is_told = |suspicion: &Suspicion| matches!(suspicion, Suspicion::Asymmetry { switches, expected, .. } if *switches == [(id, left)] && *expected == all);
        assert!(told.iter().any(is_told), "{switch}: {told:?}");
    }
}

/// On every level of trees of three, of whatever cables are left: one that has lost all those down hangs on the tops alone.
#[test]
fn a_switch_that_has_lost_many_cables_is_told_on_every_level() {
    for whole in [
        xgft(&[4, 4, 4], &[1, 4, 4]).unwrap(),
        xgft(&[8, 8, 4], &[1, 4, 4]).unwrap(),
    ] {
        let levels = levels(&whole);
        for level in 0..3 {
            let mut of_level = whole
                .switch_ids()
                .filter(|id| levels[id.index()] == Some(level));
            let id = of_level.nth(1).unwrap();
            let name = &whole.switch(id).name;
            let ports: Vec<u8> = whole.hops(id).iter().map(|hop| hop.port.number()).collect();
            let cut = |at: usize| [&ports[at..], &ports[..ports.len() - at]];
            for pulled in (1..ports.len()).flat_map(cut) {
                let sockets = pulled.iter().map(|port| format!("{name}:{port}"));
                let sockets: Vec<String> = sockets.collect();
                let sockets: Vec<&str> = sockets.iter().map(String::as_str).collect();
                let told = suspected(&without_links(&whole, &sockets));
                let is_told = |suspicion: &Suspicion| match suspicion {
                    Suspicion::Asymmetry { switches, .. } => switches.iter().any(|of| of.0 == id),
                    Suspicion::MissingCable { ends } => ends.iter().any(|end| end.switch == id),
                    Suspicion::MissingAmong { ends, .. } => {
                        ends.iter().flatten().any(|end| end.switch == id)
                    }
                    _ => false,
                };
                assert!(told.iter().any(is_told), "{sockets:?}: {told:?}");
            }
        }
    }
}

#[test]
fn grids_miss_their_cables_too_and_know_their_rim() {
    let damaged = without_links(&torus(4, 4, 1).unwrap(), &["sw0:2"]);
    assert_eq!(suspected(&damaged), [missing(0, 2, 1, 3)]);
    let damaged = without_links(&mesh(6, 6, 1).unwrap(), &["sw7:2", "sw2:2"]);
    assert_eq!(
        suspected(&damaged),
        [missing(2, 2, 3, 3), missing(7, 2, 8, 3)]
    );
}

#[test]
fn fewer_links_without_a_missing_cable_are_an_asymmetry() {
    // Leaf sw5 has lost a cable whose other end holds another one now: a host of the spine.
    let whole = xgft(&[18, 14], &[1, 6]).unwrap();
    let mut builder = FabricBuilder::new("other");
    for id in whole.switch_ids() {
        builder.add_switch(whole.switch(id).clone()).unwrap();
    }
    for id in whole.host_ids() {
        builder.add_host(whole.host(id).clone()).unwrap();
    }
    let service = builder.add_host(Host::new("service")).unwrap();
    for link in whole.link_ids().map(|id| whole.link(id)) {
        let [a, mut b] = link.ends;
        if a == Node::Switch(SwitchId::new(5)).at(21) || b == Node::Switch(SwitchId::new(5)).at(21)
        {
            b = Node::Host(service).at(1);
            let spine = Node::Switch(SwitchId::new(16)).at(6);
            builder.add_link(spine, b, link.cable).unwrap();
        } else {
            builder.add_link(a, b, link.cable).unwrap();
        }
    }
    let fewer = |switch, found, expected, agreeing, peers, dark: &[u8]| Suspicion::Asymmetry {
        switches: vec![(SwitchId::new(switch), found)],
        dark_ports: vec![ports(dark)],
        expected,
        agreeing,
        peers,
    };
    assert_eq!(
        suspected(&builder.build().unwrap()),
        [fewer(5, 5, 6, 13, 14, &[21]), fewer(16, 13, 14, 5, 6, &[])]
    );
}

#[test]
fn slow_links_are_those_below_their_kind_or_their_trunk() {
    let slow_of = |fabric: &Fabric| -> Vec<(Vec<usize>, String, String)> {
        let slow = |suspicion| match suspicion {
            Suspicion::SlowLinks {
                links,
                found,
                expected,
            } => Some((
                links.into_iter().map(LinkId::index).collect(),
                found.to_string(),
                expected.to_string(),
            )),
            _ => None,
        };
        suspected(fabric).into_iter().filter_map(slow).collect()
    };
    let trunk = [Some("4xEDR"); 5];
    let mut slow = trunk;
    slow[3] = Some("1xEDR");
    slow[4] = Some("1xEDR");
    let fabric = line(&[3, 0, 3], &[&trunk, &slow]);
    // Six host links come first, then five and three good ones; both slow ones make one group.
    let [one, four] = ["1xEDR", "4xEDR"].map(str::to_owned);
    assert_eq!(slow_of(&fabric), [(vec![14, 15], one, four)]);
    // Two rates in equal shares are two kinds, unless they share a trunk.
    let mixed = line(&[3, 0, 3], &[&[Some("4xFDR"); 2], &[Some("4xEDR"); 2]]);
    assert_eq!(suspected(&mixed), []);
    let within = line(
        &[3, 0, 3],
        &[&[Some("4xFDR"), Some("4xEDR")], &[Some("4xFDR"); 2]],
    );
    assert_eq!(slow_of(&within)[0].0, [6]);
}

#[test]
fn parts_and_loops_are_told() {
    let parts = without_links(&mesh(5, 1, 1).unwrap(), &["sw1:2"]);
    let isolated = Suspicion::IsolatedPart {
        switches: [0, 1].map(SwitchId::new).to_vec(),
        hosts: 2,
    };
    assert_eq!(
        suspected(&parts)[0],
        isolated,
        "the part with most hosts is not isolated"
    );
    let mut builder = FabricBuilder::new("loop");
    let id = builder.add_switch(Switch::new("sw", 4)).unwrap();
    let end = |port| Node::Switch(id).at(port);
    let link = builder.add_link(end(2), end(3), None).unwrap();
    let fabric = builder.build().unwrap();
    let links = vec![link];
    assert_eq!(suspected(&fabric), [Suspicion::SelfLinks { links }]);
}

#[test]
fn hosts_on_one_switch_are_two_links_apart() {
    let distances = Distances::of(&mesh(3, 1, 2).unwrap());
    assert_eq!(distances.switch_pairs, [3, 4, 2]);
    assert_eq!(distances.host_pairs, [6, 16, 8]);
    // 6 · 2, 16 · 3 and 8 · 4 links.
    assert_near(distances.mean_of_hosts().unwrap(), 92.0 / 30.0);
    let alone = Distances::of(&mesh(1, 1, 1).unwrap());
    assert_eq!(
        (alone.mean_of_hosts(), alone.mean_of_switches()),
        (None, None)
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// More than 64 switches, and switches of different numbers of hosts: several batches.
    #[test]
    fn distances_agree_with_one_search_a_switch(
        switches in 5_u32..200,
        seed in any::<u64>(),
        percent in 0_u8..80,
    ) {
        let whole = irregular_of(switches, seed);
        let share = || Chosen { names: Vec::new(), share: format!("{percent}%").parse().ok() };
        let failures = Failures { links: share(), hosts: share(), seed, ..Failures::default() };
        let fabric = degrade(&whole, &failures).unwrap().fabric;
        let mut expected = Distances::default();
        let add = |counts: &mut Vec<u64>, distance: u32, pairs: usize| {
            let at = distance as usize;
            if pairs > 0 {
                counts.resize(counts.len().max(at + 1), 0);
                counts[at] += pairs as u64;
            }
        };
        for source in fabric.switch_ids() {
            for (target, &distance) in fabric.switch_ids().zip(&distances_from(&fabric, source)) {
                if distance == u32::MAX {
                    continue;
                }
                let [from, to] = [source, target].map(|switch| fabric.hosts_of(switch).len());
                add(&mut expected.switch_pairs, distance, 1);
                add(&mut expected.host_pairs, distance, from * (to - usize::from(source == target && to > 0)));
            }
        }
        prop_assert_eq!(Distances::of(&fabric), expected);
    }
}
