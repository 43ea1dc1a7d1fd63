//! `ftree` and `d_mod_k`: worked out by hand, free of contention for shifts, and on damaged trees.

use proptest::prelude::*;
use std::collections::{BTreeMap, VecDeque};
use weft_fabric::degrade::{Chosen, Failures, degrade};
use weft_fabric::generate::{k_ary_n_tree, xgft};
use weft_fabric::{ChannelId, Fabric, HostId, PortNumber, SwitchId};
use weft_proof::verify;
use weft_routing::load::figures;
use weft_routing::{RouteHop, Routing, RoutingError, to_tables};
use weft_testing::machines::{self, Room};
use weft_testing::{
    assert_has, cases, fabric_of, host_pairs, largest, route_spec, walk, with_links_cut,
};

const NAMES: [&str; 2] = ["ftree", "d_mod_k"];

fn numbers(fabric: &Fabric, routing: &Routing, from: u32, to: u32) -> Vec<u32> {
    let [from, to] = [from, to].map(HostId::new);
    walk(fabric, routing, from, to).numbers()
}

/// Leaves 0 to 3 with hosts 0 to 7; over 0 and 1 are 4 and 5, over 2 and 3 are 6 and 7; over 4 and 6 are 8
/// and 10, over 5 and 7 are 9 and 11. A host's digits from the lowest: which of two up, level by level.
#[test]
fn ways_go_up_by_the_digits_of_the_host() {
    let tree = k_ary_n_tree(2, 3).unwrap();
    for name in NAMES {
        let routing = route_spec(&tree, name).unwrap();
        let way = |from, to| numbers(&tree, &routing, from, to);
        assert_eq!(way(0, 4), [0, 4, 8, 6, 2], "{name}");
        assert_eq!(way(0, 5), [0, 5, 9, 7, 2], "{name}");
        assert_eq!(way(3, 6), [1, 4, 10, 6, 3], "{name}");
        assert_eq!(way(3, 7), [1, 5, 11, 7, 3], "{name}");
        assert_eq!(way(0, 3), [0, 5, 1], "{name}");
        assert_eq!(way(7, 2), [3, 6, 10, 4, 1], "{name}");
    }
}

/// Without host 1 all others keep their ways: leaf 0 lays a way as if it were there, so that host 3 goes
/// by 11 and not by 9.
#[test]
fn missing_hosts_leave_the_others_their_ways() {
    let whole = k_ary_n_tree(2, 3).unwrap();
    let failures = Failures {
        hosts: Chosen {
            names: vec![whole.host(HostId::new(1)).name.clone()],
            share: None,
        },
        ..Failures::default()
    };
    let without = degrade(&whole, &failures).unwrap().fabric;
    for name in NAMES {
        let [before, after] = [&whole, &without].map(|tree| route_spec(tree, name).unwrap());
        for from in [0, 2, 3, 4, 5, 6, 7] {
            for to in [0, 2, 3, 4, 5, 6, 7] {
                let renumbered = [from, to].map(|host| host - u32::from(host > 1));
                assert_eq!(
                    numbers(&without, &after, renumbered[0], renumbered[1]),
                    numbers(&whole, &before, from, to),
                    "{name} from {from} to {to}"
                );
            }
        }
        assert_eq!(numbers(&without, &after, 5, 2), [3, 7, 11, 5, 1], "{name}");
    }
}

/// Each of four links down carries one of four hosts for the four beyond, each link up as well.
#[test]
fn parallel_links_are_shared_alike() {
    let spines = [2, 2, 3, 3];
    let links: Vec<(usize, usize)> = (0..2)
        .flat_map(|leaf| spines.map(|spine| (leaf, spine)))
        .collect();
    let fabric = fabric_of(&[4, 4, 0, 0], &links);
    for name in NAMES {
        let routing = route_spec(&fabric, name).unwrap();
        let loads = figures(&fabric, &routing).routes_per_channel;
        for channel in fabric.switch_channels() {
            assert_eq!(
                loads[channel.index()],
                4,
                "{name}: {}",
                fabric.describe_channel(channel)
            );
        }
        // Hosts take turns over the spines first.
        let spine = |to| numbers(&fabric, &routing, 0, to)[1];
        assert_eq!([4, 5, 6, 7].map(spine), [2, 3, 2, 3], "{name}");
    }
}

/// `OpenSM`'s engine loads channels of the 4-ary 3-tree with 60 pairs at most, of the 8-ary with 504.
#[test]
fn whole_trees_are_loaded_as_by_the_subnet_manager() {
    for (k, expected) in [(4, 60), (8, 504)] {
        let tree = k_ary_n_tree(k, 3).unwrap();
        let [ftree, d_mod_k] = NAMES.map(|name| route_spec(&tree, name).unwrap());
        // The same ways; what no host uses may differ.
        let ways = |routing: &Routing| routing.routes.to_source_routes(&tree).into_owned();
        assert!(ways(&ftree) == ways(&d_mod_k));
        assert_eq!(largest(&tree, "ftree"), expected);
        let found = figures(&tree, &ftree);
        assert!((found.minimal_share - 1.0).abs() < 1e-12);
        assert!(verify(&tree, &ftree.routes).unwrap().is_deadlock_free());
    }
}

/// Where every host sends to the one so many numbers further on, no channel carries two of them.
#[test]
fn shifts_meet_no_contention() {
    for (k, n) in [(2, 2), (2, 3), (2, 4), (3, 2), (3, 3), (4, 2), (4, 3)] {
        let tree = k_ary_n_tree(k, n).unwrap();
        for name in NAMES {
            let routing = route_spec(&tree, name).unwrap();
            let hosts = u32::try_from(tree.host_count()).unwrap();
            for shift in 1..hosts {
                let mut carried: BTreeMap<ChannelId, u32> = BTreeMap::new();
                for from in 0..hosts {
                    let [from, to] = [from, (from + shift) % hosts].map(HostId::new);
                    for step in routing.routes.walk_hosts(&tree, from, to) {
                        let Ok(RouteHop::Channel(channel)) = step.hop else {
                            panic!("a channel at every step");
                        };
                        *carried.entry(channel).or_default() += 1;
                    }
                }
                assert!(
                    carried.values().all(|&count| count == 1),
                    "{name} on the {k}-ary {n}-tree, shift {shift}"
                );
            }
        }
    }
}

/// The same tree, its switches numbered in another order; hosts come with their leaves.
fn renumbered(tree: &Fabric, order: &[usize]) -> Fabric {
    let mut hosts = vec![0; order.len()];
    for switch in tree.switch_ids() {
        hosts[order[switch.index()]] = tree.hosts_of(switch).len();
    }
    let ends = tree
        .switch_channels()
        .step_by(2)
        .map(|channel| tree.switches_of(channel));
    let links: Vec<(usize, usize)> = ends
        .map(|ends| ends.map(|switch| order[switch.index()]).into())
        .collect();
    fabric_of(&hosts, &links)
}

/// Links of the shortest way up and then down, by a plain search over switches and directions.
fn links_up_and_down(fabric: &Fabric, from: SwitchId, to: SwitchId) -> Option<usize> {
    let mut levels = vec![u32::MAX; fabric.switch_count()];
    for leaf in fabric.switches_with_hosts() {
        for (level, links) in levels
            .iter_mut()
            .zip(weft_fabric::metrics::distances_from(fabric, leaf))
        {
            *level = links.min(*level);
        }
    }
    let mut met = BTreeMap::from([((from, false), 0)]);
    let mut queue = VecDeque::from([(from, false)]);
    while let Some((at, went_down)) = queue.pop_front() {
        let links = met[&(at, went_down)];
        if at == to {
            return Some(links);
        }
        for hop in fabric.hops(at) {
            let is_down = levels[hop.switch.index()] < levels[at.index()];
            let next = (hop.switch, is_down);
            if (is_down || !went_down) && !met.contains_key(&next) {
                met.insert(next, links + 1);
                queue.push_back(next);
            }
        }
    }
    None
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn the_numbers_of_switches_do_not_matter(
        order in Just((0..48).collect::<Vec<usize>>()).prop_shuffle(),
    ) {
        let tree = renumbered(&k_ary_n_tree(4, 3).unwrap(), &order);
        for name in NAMES {
            prop_assert_eq!(largest(&tree, name), 60, "{}", name);
        }
    }

    #[test]
    fn damaged_trees_are_proved_or_refused_with_a_pair(
        children in prop::sample::select(vec![vec![2, 2, 3], vec![3, 3], vec![2, 3, 2, 2], vec![4, 3, 3]]),
        width in 1_u32..=3, lost in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let mut parents = vec![width; children.len()];
        parents[0] = 1;
        let whole = xgft(&children, &parents).unwrap();
        let links: Vec<ChannelId> = whole.switch_channels().step_by(2).collect();
        let name = |channel: ChannelId| {
            let end = whole.source(channel);
            format!("{}:{}", whole.node_name(end.node), end.port)
        };
        let names = lost.iter().map(|index| name(*index.get(&links))).collect();
        let failures = Failures {
            links: Chosen { names, share: None },
            ..Failures::default()
        };
        let tree = degrade(&whole, &failures).unwrap().fabric;
        let leaves: Vec<SwitchId> =
            tree.switches_with_hosts().collect();
        let is_joined = leaves.iter().all(|&from| {
            leaves.iter().all(|&to| links_up_and_down(&tree, from, to).is_some())
        });
        match route_spec(&tree, "ftree") {
            Ok(routing) => {
                prop_assert!(is_joined);
                let proof = verify(&tree, &routing.routes).unwrap();
                prop_assert!(proof.is_deadlock_free(), "{}", proof.describe(&tree));
                for (from, to) in host_pairs(&tree) {
                    let ends = [from, to].map(|host| tree.host_switch(host));
                    prop_assert_eq!(
                        Some(walk(&tree, &routing, from, to).links()),
                        links_up_and_down(&tree, ends[0], ends[1])
                    );
                }
            }
            Err(RoutingError::NoFatTree { .. } | RoutingError::Disconnected { .. }) => {
                prop_assert!(!is_joined);
            }
            Err(other) => prop_assert!(false, "{other}"),
        }
        if let Ok(routing) = route_spec(&tree, "d_mod_k") {
            prop_assert!(verify(&tree, &routing.routes).unwrap().is_deadlock_free());
        }
    }
}

/// With 5 % of its links cut, `OpenSM`'s engine loads a channel of the 8-ary 3-tree with 1776 pairs, and
/// refuses the tree unless told the roots.
#[test]
fn a_tree_with_a_twentieth_of_its_links_cut_stays_balanced() {
    let whole = k_ary_n_tree(8, 3).unwrap();
    for seed in 1..=3 {
        let cut = with_links_cut(&whole, 5, seed);
        assert!(largest(&cut, "ftree") < 1200, "seed {seed}");
    }
}

#[test]
fn what_is_no_tree_is_refused_with_the_reason() {
    let refused = |fabric: &Fabric, name: &str| {
        let error = route_spec(fabric, name).unwrap_err();
        assert!(matches!(error, RoutingError::NoFatTree { .. }), "{error}");
        error.to_string()
    };
    // Two leaves below two spines, one of which carries an adapter.
    let links = [(0, 2), (0, 3), (1, 2), (1, 3)];
    let adapter = fabric_of(&[2, 2, 0, 1], &links);
    for name in NAMES {
        assert_eq!(
            refused(&adapter, name),
            "fabric “test” is no fat tree that can be routed so: “sw0” and “sw3” are joined and both \
             have hosts, which a tree has at its lowest switches alone; choose a routing for any \
             fabric, such as best or down_preferred"
        );
    }
    let mut joined_spines = links.to_vec();
    joined_spines.push((2, 3));
    assert_has(
        &refused(&fabric_of(&[2, 2, 0, 0], &joined_spines), "ftree"),
        "“sw2” and “sw3” are joined and are both 1 links from the nearest host's switch",
    );
    // Leaves 0, 1, 2; 3 joins the first two, 4 the last two.
    let chain = fabric_of(&[1, 1, 1, 0, 0], &[(0, 3), (1, 3), (1, 4), (2, 4)]);
    assert!(refused(&chain, "ftree").contains("no way leads from “sw2” up and then down to “sw0”"));
    assert_has(
        &refused(&chain, "d_mod_k"),
        "“sw0” has 1 links up and “sw1” of the same level 2; ftree",
    );
    // Each leaf has two parents, but they are not the same for all.
    let twisted = fabric_of(
        &[1, 1, 1, 0, 0, 0],
        &[(0, 3), (0, 4), (1, 4), (1, 5), (2, 5), (2, 3)],
    );
    assert!(refused(&twisted, "d_mod_k").contains("lead to a switch that is not above it"));
    let routing = route_spec(&twisted, "ftree").unwrap();
    assert!(
        verify(&twisted, &routing.routes)
            .unwrap()
            .is_deadlock_free()
    );
}

/// Leaf 0 below spines 2 and 3, leaf 1 below 4 and 5; core 6 above 2 and 4, core 7 above 3 and 5; storage 8 on
/// core 6, storage 9 on core 7.
#[test]
fn hosts_above_the_leaves_are_reached_from_where_they_hang() {
    let links = [
        (0, 2),
        (0, 3),
        (1, 4),
        (1, 5),
        (2, 6),
        (4, 6),
        (3, 7),
        (5, 7),
        (6, 8),
        (7, 9),
    ];
    let fabric = fabric_of(&[2, 2, 0, 0, 0, 0, 0, 0, 1, 1], &links);
    let routing = route_spec(&fabric, "ftree").unwrap();
    let way = |from, to| numbers(&fabric, &routing, from, to);
    assert_eq!(way(0, 4), [0, 2, 6, 8]);
    assert_eq!(way(3, 5), [1, 5, 7, 9]);
    assert_eq!(way(4, 2), [8, 6, 4, 1]);
    // No way goes up and then down: those of both turn up at the first leaf.
    assert_eq!(way(4, 5), [8, 6, 2, 0, 3, 7, 9]);
    assert_eq!(way(5, 4), [9, 7, 3, 0, 2, 6, 8]);
    let proof = verify(&fabric, &routing.routes).unwrap();
    assert!(proof.is_deadlock_free(), "{}", proof.describe(&fabric));
    let error = route_spec(&fabric, "d_mod_k").unwrap_err().to_string();
    assert_has(&error, "“sw8” has hosts above the lowest switches; ftree");
}

/// Leaf 0 below spines 3 and 4, leaf 1 below 4 and leaf 2 below 3 alone, so that ways between these two turn
/// down at the cores 8 and 9 between two switches above leaf 0; leaf 5 below 6 and 7; storage 10 and 11 on a
/// core each.
#[test]
fn ways_between_hosts_above_the_leaves_that_others_cross_are_refused() {
    let below = [(0, 3), (0, 4), (1, 4), (2, 3), (5, 6), (5, 7)];
    let mut links = below.to_vec();
    links.extend(
        [3, 4, 6, 7]
            .into_iter()
            .flat_map(|spine| [(spine, 8), (spine, 9)]),
    );
    links.extend([(8, 10), (9, 11)]);
    let hosts = [2, 2, 2, 0, 0, 2, 0, 0, 0, 0, 1, 1];
    let error = route_spec(&fabric_of(&hosts, &links), "ftree").unwrap_err();
    assert!(matches!(error, RoutingError::NoFatTree { .. }), "{error}");
    assert_has(
        &error.to_string(),
        "ways between hosts above its leaves have to go down and up again, which could deadlock with \
         what turns at “sw",
    );
    // With both storages on both cores no way has to turn up.
    links.extend([(8, 11), (9, 10)]);
    let joined = fabric_of(&hosts, &links);
    let routing = route_spec(&joined, "ftree").unwrap();
    assert!(verify(&joined, &routing.routes).unwrap().is_deadlock_free());
}

/// Storage on the cores, ends on modules of a director: leaves of storage reach one another where they
/// share no core.
#[test]
fn whole_machines_are_proved() {
    for fabric in machines::all().iter().map(Room::fabric) {
        let routing = route_spec(&fabric, "ftree").unwrap();
        let proof = verify(&fabric, &routing.routes).unwrap();
        assert!(proof.is_deadlock_free(), "{}", proof.describe(&fabric));
    }
}

/// Every entry, by the GUIDs of switch and host.
fn entries(
    fabric: &Fabric,
    spec: &str,
) -> BTreeMap<(Option<u64>, Option<u64>), Option<PortNumber>> {
    let routing = route_spec(fabric, spec).unwrap();
    let tables = to_tables(fabric, &routing.routes, 0).unwrap();
    let all = fabric
        .switch_ids()
        .flat_map(|switch| fabric.host_ids().map(move |host| (switch, host)));
    all.map(|(switch, host)| {
        let guids = (fabric.switch(switch).guid, fabric.host(host).guid);
        (guids, tables.next_port(switch, host.index()))
    })
    .collect()
}

/// Subnet managers know no order but that of GUIDs and ports.
#[test]
fn tables_of_managers_do_not_depend_on_the_order_of_records() {
    for room in machines::all() {
        let [one, other] = [1, 2].map(|order| room.fabric_in_order(order));
        for spec in ["ftree", "min_hop"] {
            let [one, other] = [&one, &other].map(|fabric| entries(fabric, spec));
            assert!(one == other, "{spec} in {room:?}");
        }
    }
}
