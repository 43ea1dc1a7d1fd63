//! Verdicts where switches choose among groups of ports: by hand, and beside a plain search on random tables.

use super::properties::Place;
use super::proved::{assert_not_ascending, certificate_of, cycle_of, loop_of, unreached_of};
use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use proptest::prelude::*;
use rand::RngExt;
use rand_pcg::Pcg64Mcg;
use std::collections::{BTreeMap, BTreeSet};
use weft_fabric::generate::{
    DragonflyPlusParameters, dragonfly_plus, hypercube, hyperx, ring, torus, xgft,
};
use weft_fabric::{ChannelId, Fabric, HostId, Node, PortNumber, SwitchId};
use weft_proof::{
    Certificate, RestsOn, Verdict, check_adaptive_certificate, verify_adaptive, verify_levels,
};
use weft_routing::algorithms::{route_adaptive_spec, route_spec};
use weft_routing::{AdaptiveRoutes, GroupTables, Lane, LidState};
use weft_testing::{fabric_of, fabrics, groups_of, irregular_of, random_groups, with_links_cut};

fn routes(tables: GroupTables) -> AdaptiveRoutes {
    AdaptiveRoutes::Groups(tables)
}

/// Four switches in a ring with a hub that all of them have a link to, a host each but the hub.
fn wheel() -> Fabric {
    let ring = [(0, 1), (1, 2), (2, 3), (3, 0)];
    let spokes = [(0, 4), (1, 4), (2, 4), (3, 4)];
    fabric_of(&[1, 1, 1, 1, 0], &[ring, spokes].concat())
}

/// Round the ring, or by the hub.
fn round_or_hub(at: usize, to: usize) -> Vec<usize> {
    if at == 4 {
        vec![to]
    } else {
        vec![(at + 1) % 4, 4]
    }
}

/// Proves, and has the other program check the certificate.
#[track_caller]
fn rests_on(fabric: &Fabric, routes: &AdaptiveRoutes) -> RestsOn {
    let proof = verify_adaptive(fabric, routes).unwrap();
    let certificate = certificate_of(fabric, &proof);
    assert_eq!(
        check_adaptive_certificate(fabric, routes, certificate),
        Ok(proof.rests_on)
    );
    proof.rests_on
}

#[test]
fn a_choice_of_two_ways_round_a_ring_deadlocks_by_the_way_that_all_choose() {
    let ring = ring(4, 1).unwrap();
    let tables = groups_of(&ring, LidState::Free, |at, to| match (to + 4 - at) % 4 {
        1 | 3 => vec![to],
        _ => vec![(at + 1) % 4, (at + 3) % 4],
    });
    let proof = verify_adaptive(&ring, &routes(tables)).unwrap();
    let cycle = cycle_of(&ring, &proof);
    assert_eq!(cycle.dependencies.len(), 4);
    for dependency in &cycle.dependencies {
        // Whoever waits is on the second link of two.
        let [from, to] = [dependency.source, dependency.destination].map(HostId::index);
        assert_eq!((to + 4 - from) % 2, 0);
        assert_eq!(dependency.nodes.len(), 3);
    }
}

#[test]
fn a_way_out_that_stays_open_is_enough_where_packets_choose_and_not_where_a_hash_does() {
    let wheel = wheel();
    let free = routes(groups_of(&wheel, LidState::Free, round_or_hub));
    assert_eq!(rests_on(&wheel, &free), RestsOn::OneWay);
    let text = verify_adaptive(&wheel, &free).unwrap().describe(&wheel);
    assert!(
        text.contains("wherever they wait, a way is open to them"),
        "{text}"
    );
    for stuck in [LidState::Hashed, LidState::Static] {
        let proof =
            verify_adaptive(&wheel, &routes(groups_of(&wheel, stuck, round_or_hub))).unwrap();
        assert_eq!(cycle_of(&wheel, &proof).dependencies.len(), 4);
    }
}

#[test]
fn without_the_way_out_of_one_switch_the_others_still_have_theirs() {
    // Switch 0 sends round alone: packets that wait there wait for those at switch 1, which have the hub.
    let wheel = wheel();
    let tables = groups_of(&wheel, LidState::Free, |at, to| match at {
        0 => vec![1],
        _ => round_or_hub(at, to),
    });
    assert_eq!(rests_on(&wheel, &routes(tables)), RestsOn::OneWay);
}

#[test]
fn levels_that_may_not_choose_are_judged_apart_and_together() {
    let wheel = wheel();
    let mut tables = groups_of(&wheel, LidState::Free, round_or_hub);
    for switch in wheel.switch_ids() {
        tables.switch_mut(switch).adaptive_levels = 0b10;
    }
    // Level 0, and all beyond 1, go round; level 1 is free. Without lane tables each has a lane of its own.
    assert_eq!(
        tables.levels(),
        [
            vec![0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
            vec![1]
        ]
    );
    let of = |level| verify_levels(&wheel, &tables, &[level]).unwrap();
    assert!(matches!(of(0).verdict, Verdict::Deadlock(_)));
    assert!(of(1).is_deadlock_free());
    let together = verify_adaptive(&wheel, &routes(tables)).unwrap();
    assert!(matches!(together.verdict, Verdict::Deadlock(_)));
}

#[test]
fn packets_that_may_go_to_and_fro_for_ever_are_found() {
    let line = fabric_of(&[1, 1, 1], &[(0, 1), (1, 2)]);
    let tables = groups_of(&line, LidState::Free, |at, to| match (at, to) {
        (1, 2) => vec![2, 0],
        (at, to) if at < to => vec![at + 1],
        (at, _) => vec![at - 1],
    });
    let proof = verify_adaptive(&line, &routes(tables)).unwrap();
    let found = loop_of(&line, &proof);
    let way = [0, 1, 0].map(|switch| Node::Switch(SwitchId::new(switch)));
    assert_eq!(
        (found.destination, &found.nodes[..]),
        (HostId::new(2), &way[..])
    );
}

#[test]
fn entries_that_lead_nowhere_are_named() {
    let line = fabric_of(&[1, 1, 1], &[(0, 1), (1, 2)]);
    let next = |at: usize, to: usize| if at < to { vec![at + 1] } else { vec![at - 1] };
    let mut tables = groups_of(&line, LidState::Free, next);
    let mut entry = tables.switch(SwitchId::new(1)).entries(0)[2];
    entry.state = LidState::Static;
    entry.static_port = PortNumber::new(0);
    tables.set_entry(SwitchId::new(1), 0, 2, entry);
    let proof = verify_adaptive(&line, &routes(tables)).unwrap();
    let pairs = unreached_of(&line, &proof);
    assert_eq!(pairs.len(), 1);
    assert_eq!(
        [pairs[0].source, pairs[0].destination],
        [0, 2].map(HostId::new)
    );
}

#[test]
fn tables_of_trees_that_choose_ascend_whatever_they_take() {
    let tree = xgft(&[4, 4, 4], &[1, 4, 2]).unwrap();
    for fabric in [tree.clone(), with_links_cut(&tree, 8, 3)] {
        for spec in [
            "ar_ftree",
            "ar_updn:root=tops",
            "ar_ftree:lids=hbf",
            "ar_updn:root=tops,lids=hbf",
        ] {
            let routing = route_adaptive_spec(&fabric, spec).unwrap();
            assert_eq!(
                rests_on(&fabric, &routing.routes),
                RestsOn::EveryWay,
                "{spec}"
            );
        }
    }
}

/// Groups around tables of any proved routing: all ways ascend, on as many lanes, and there is a choice.
#[test]
fn groups_around_proved_tables_ascend_whatever_is_taken() {
    let tree = xgft(&[4, 4, 4], &[1, 4, 2]).unwrap();
    let cut = with_links_cut(&tree, 8, 3);
    let torus = torus(4, 4, 2).unwrap();
    let random = irregular_of(16, 5);
    for (fabric, of) in [
        (&tree, "ftree"),
        (&tree, "best:lanes=1"),
        (&cut, "best:lanes=2"),
        (&cut, "down_preferred:root=tops,per=host"),
        (&torus, "best:lanes=2"),
        (&torus, "dfsssp:lanes=8"),
        (&torus, "lash:lanes=4"),
        (&random, "best:lanes=4"),
        (&random, "down_preferred:per=switch"),
        (&random, "nue:lanes=2"),
    ] {
        {
            let spec = format!("adaptive:of={of}");
            let routing = route_adaptive_spec(fabric, &spec).unwrap();
            assert_eq!(
                rests_on(fabric, &routing.routes),
                RestsOn::EveryWay,
                "{spec}"
            );
            let fixed = route_spec(fabric, of).unwrap();
            assert_eq!(routing.routes.lane_count(), fixed.routes.lane_count());
            let AdaptiveRoutes::Groups(tables) = &routing.routes else {
                unreachable!()
            };
            let chooses = |at: &SwitchId| !tables.switch(*at).groups.is_empty();
            let choosing = fabric.switch_ids().filter(chooses).count();
            assert!(2 * choosing > fabric.switch_count(), "{spec}: {choosing}");
        }
    }
}

/// Leaves may send up to any spine, as those that are wired so by hand.
/// Lanes rise, whatever packets take; so every way ascends one order of them.
#[test]
fn packets_on_raised_lanes_ascend_whatever_they_take() {
    let plus = |[groups, leaves, spines, links]: [u32; 4]| {
        let hosts = 1;
        dragonfly_plus(DragonflyPlusParameters {
            groups,
            leaves,
            spines,
            hosts,
            links,
        })
        .unwrap()
    };
    for (fabric, spec) in [
        (hyperx(&[3, 4], &[1], 2).unwrap(), "omniwar"),
        (
            hyperx(&[2, 3, 2], &[2, 1, 1], 1).unwrap(),
            "omniwar:detours=3,lids=hbf",
        ),
        (hypercube(4, 1).unwrap(), "omniwar:detours=0"),
        (plus([3, 2, 2, 1]), "dfp"),
        (plus([5, 2, 2, 1]), "dfp:lids=hbf"),
        (plus([4, 1, 3, 4]), "dfp"),
        (plus([2, 2, 1, 1]), "dfp"),
    ] {
        let routing = route_adaptive_spec(&fabric, spec).unwrap();
        assert_eq!(
            rests_on(&fabric, &routing.routes),
            RestsOn::EveryWay,
            "{spec}"
        );
    }
}

#[test]
fn groups_around_the_tables_of_a_tree_are_all_ways_up() {
    let tree = xgft(&[3, 4], &[1, 3]).unwrap();
    let around = route_adaptive_spec(&tree, "adaptive:of=ftree").unwrap();
    let all = route_adaptive_spec(&tree, "ar_ftree").unwrap();
    let [AdaptiveRoutes::Groups(around), AdaptiveRoutes::Groups(all)] =
        [&around.routes, &all.routes]
    else {
        unreachable!()
    };
    let input = (PortNumber::new(0), Lane::ZERO);
    for at in tree.switch_ids() {
        for address in 0..all.address_count() {
            let [one, other] = [around, all].map(|tables| tables.choice(at, input, address, 0));
            assert_eq!(one.ports, other.ports, "{at:?} {address}");
        }
    }
}

#[test]
fn groups_are_refused_around_what_has_no_lane_of_its_own_or_deadlocks() {
    let torus = torus(4, 4, 1).unwrap();
    for (of, why) in [
        ("min_hop", "the channels of a lane form a cycle"),
        ("torus_2qos", "packets change lanes"),
        ("updown", "packets are led by lists of ports"),
        ("adaptive", "packets choose on their way"),
        ("nonsense", "nonsense"),
        ("best:lane=2", "lane"),
    ] {
        let refused = route_adaptive_spec(&torus, &format!("adaptive:of={of}")).unwrap_err();
        assert!(refused.to_string().contains(why), "{of}: {refused}");
    }
}

#[test]
fn an_order_that_one_of_two_ways_ascends_says_less_than_one_that_both_do() {
    let tree = xgft(&[2, 2], &[1, 2]).unwrap();
    let routing = route_adaptive_spec(&tree, "ar_ftree").unwrap();
    let proof = verify_adaptive(&tree, &routing.routes).unwrap();
    let mut order = certificate_of(&tree, &proof).clone();
    // One of the two channels up from a leaf is put below all others.
    let leaf = SwitchId::new(0);
    let is_up = |channel: &&ChannelId| tree.target(**channel).node.switch().is_some();
    let up = tree.outgoing(leaf).iter().find(is_up).unwrap();
    order.rank[up.index()] = 0;
    let checked = check_adaptive_certificate(&tree, &routing.routes, &order);
    assert_eq!(checked, Ok(RestsOn::OneWay));
    for &channel in tree.outgoing(leaf) {
        order.rank[channel.index()] = 0;
    }
    assert_not_ascending(&check_adaptive_certificate(&tree, &routing.routes, &order));
}

#[test]
fn a_certificate_of_equal_ranks_is_refused() {
    let ring = ring(5, 1).unwrap();
    let routes = routes(groups_of(&ring, LidState::Free, |at, to| {
        if at < to { vec![at + 1] } else { vec![at - 1] }
    }));
    let flat = Certificate {
        lane_count: 1,
        rank: vec![0; ring.channel_count()],
    };
    assert_not_ascending(&check_adaptive_certificate(&ring, &routes, &flat));
}

/// All that packets to an address may hold and then want, by a plain search: per place who decides and what is wanted.
struct Plain {
    wants: Vec<BTreeMap<Place, (LidState, Vec<Place>)>>,
    is_lost: bool,
    goes_round: bool,
}

fn plain(fabric: &Fabric, tables: &GroupTables) -> Plain {
    let mut found = Plain {
        wants: Vec::new(),
        is_lost: false,
        goes_round: false,
    };
    let is_met = |level: u8| {
        let mut classes = tables.levels().into_iter();
        classes.any(|alike| alike[0] == level || tables.has_pair_levels() && alike.contains(&level))
    };
    for level in (0..16).filter(|&level| is_met(level)) {
        for address in 0..tables.address_count() {
            let destination = tables.host_of(address);
            let mut wants: BTreeMap<Place, (LidState, Vec<Place>)> = BTreeMap::new();
            let mut open: Vec<Place> = fabric
                .host_ids()
                .filter(|&host| host != destination)
                .filter(|&host| {
                    tables
                        .pair_level(host, address)
                        .is_none_or(|own| own == level)
                })
                .map(|host| {
                    (
                        fabric.injection_channel(host),
                        tables.host_lane(level).unwrap(),
                    )
                })
                .collect();
            while let Some((channel, lane)) = open.pop() {
                if wants.contains_key(&(channel, lane)) {
                    continue;
                }
                let end = fabric.target(channel);
                let here = end.node.switch().unwrap();
                let choice = tables.choice(here, (end.port, lane), address, level);
                found.is_lost |= choice.ports.is_empty();
                let mut next = Vec::new();
                for &port in choice.ports {
                    let lane = tables.next_lane(here, [end.port, port], level, lane);
                    let (Some(out), Some(lane)) = (fabric.outgoing_at(here, port), lane) else {
                        found.is_lost = true;
                        continue;
                    };
                    match fabric.target(out).node {
                        Node::Host(host) => found.is_lost |= host != destination,
                        Node::Switch(_) => open.push((out, lane)),
                    }
                    next.push((out, lane));
                }
                wants.insert((channel, lane), (choice.state, next));
            }
            let arcs = wants
                .iter()
                .flat_map(|(&held, (_, next))| next.iter().map(move |&next| (held, next)));
            // A packet is at a switch again in no other state where it holds what it held.
            let graph: DiGraphMap<Place, ()> = DiGraphMap::from_edges(arcs);
            let is_round = |component: &Vec<Place>| {
                component.len() > 1 || graph.contains_edge(component[0], component[0])
            };
            found.goes_round |= tarjan_scc(&graph).iter().any(is_round);
            found.wants.push(wants);
        }
    }
    found
}

/// All dependencies, by a plain search.
pub(crate) fn group_arcs(fabric: &Fabric, tables: &GroupTables) -> BTreeSet<(Place, Place)> {
    let wants = plain(fabric, tables).wants.into_iter().flatten();
    let arcs = wants.flat_map(|(held, (_, next))| next.into_iter().map(move |next| (held, next)));
    arcs.collect()
}

/// The word of the verdict, and on what it rests, from the definitions.
fn plain_verdict(fabric: &Fabric, tables: &GroupTables) -> (&'static str, RestsOn) {
    let plain = plain(fabric, tables);
    if plain.is_lost {
        return ("unreachable", RestsOn::EveryWay);
    }
    if plain.goes_round {
        return ("loop", RestsOn::EveryWay);
    }
    let all = || plain.wants.iter().flatten();
    let arcs = all().flat_map(|(&held, (_, next))| next.iter().map(move |&next| (held, next)));
    let graph: DiGraphMap<Place, ()> = DiGraphMap::from_edges(arcs);
    if tarjan_scc(&graph)
        .iter()
        .all(|component| component.len() == 1)
    {
        return ("deadlock-free", RestsOn::EveryWay);
    }
    // Places from which packets surely go on, one by one.
    let mut sure: BTreeSet<Place> = BTreeSet::new();
    let ejects = |place: &Place| matches!(fabric.target(place.0).node, Node::Host(_));
    loop {
        let is_sure = |place: &Place| ejects(place) || sure.contains(place);
        let stuck: BTreeSet<Place> = all()
            .filter(|(_, (state, next))| match state {
                LidState::Free => !next.iter().any(is_sure),
                LidState::Static | LidState::Hashed => !next.iter().all(is_sure),
            })
            .map(|(&held, _)| held)
            .collect();
        let more: Vec<Place> = all()
            .map(|(&held, _)| held)
            .filter(|held| !stuck.contains(held) && !sure.contains(held))
            .collect();
        if more.is_empty() {
            let word = if stuck.is_empty() {
                "deadlock-free"
            } else {
                "deadlock"
            };
            return (word, RestsOn::OneWay);
        }
        sure.extend(more);
    }
}

/// A wheel whose switches send round, by the hub or by either, and let packets, a hash or nobody decide.
fn random_wheel(rim: usize, seed: u64) -> (Fabric, GroupTables) {
    let mut draws = Pcg64Mcg::new(u128::from(seed) * 2 + 1);
    let round = (0..rim).map(|at| (at, (at + 1) % rim));
    let spokes = (0..rim).map(|at| (at, rim));
    let hosts: Vec<usize> = (0..=rim).map(|at| usize::from(at < rim)).collect();
    let wheel = fabric_of(&hosts, &round.chain(spokes).collect::<Vec<_>>());
    let by_round = draws.random_range(0.1..0.9);
    let ways: Vec<Vec<usize>> = (0..rim * rim)
        .map(|pair| {
            let next = (pair / rim + 1) % rim;
            let round = if draws.random_bool(by_round) {
                vec![next]
            } else {
                Vec::new()
            };
            let hub = if round.is_empty() || draws.random_bool(0.7) {
                vec![rim]
            } else {
                Vec::new()
            };
            [round, hub].concat()
        })
        .collect();
    let mut tables = groups_of(&wheel, LidState::Free, |at, to| {
        if at == rim {
            vec![to]
        } else {
            ways[at * rim + to].clone()
        }
    });
    for at in wheel.switch_ids() {
        for address in 0..tables.address_count() {
            let mut entry = tables.switch(at).entries(0)[address];
            if draws.random_bool(0.1) {
                entry.state = LidState::Hashed;
            }
            tables.set_entry(at, 0, address, entry);
        }
    }
    (wheel, tables)
}

#[test]
fn the_random_tables_have_every_verdict() {
    let mut met: BTreeMap<_, u32> = BTreeMap::new();
    for (seed, rim) in (0..200).zip((3..8).cycle()) {
        let irregular = irregular_of(8, seed);
        let of_irregular = random_groups(&irregular, seed);
        let wheel = random_wheel(rim, seed);
        for (fabric, tables) in [(irregular, of_irregular), wheel] {
            let (word, rests_on) = plain_verdict(&fabric, &tables);
            *met.entry((word, rests_on == RestsOn::OneWay)).or_default() += 1;
        }
    }
    let all = [
        ("deadlock", true),
        ("deadlock-free", false),
        ("deadlock-free", true),
        ("loop", false),
    ];
    for one in all {
        assert!(
            met.get(&one).is_some_and(|&count| count >= 10),
            "{one:?} of {met:?}"
        );
    }
}

proptest! {
    #[test]
    fn verdicts_on_random_tables_are_those_of_a_plain_search(fabric in fabrics(0), seed in any::<u64>()) {
        agree(&fabric, random_groups(&fabric, seed))?;
    }

    #[test]
    fn verdicts_on_networks_with_many_cycles_are_those_of_a_plain_search(
        switches in 5_u32..12, seed in any::<u64>(),
    ) {
        let fabric = irregular_of(switches, seed);
        agree(&fabric, random_groups(&fabric, seed))?;
    }

    #[test]
    fn verdicts_where_some_have_a_way_out_are_those_of_a_plain_search(rim in 3_usize..9, seed in any::<u64>()) {
        let (wheel, tables) = random_wheel(rim, seed);
        agree(&wheel, tables)?;
    }
}

fn agree(fabric: &Fabric, tables: GroupTables) -> Result<(), TestCaseError> {
    let expected = plain_verdict(fabric, &tables);
    let routes = routes(tables);
    let proof = verify_adaptive(fabric, &routes).unwrap();
    prop_assert_eq!(
        (proof.verdict.word(), proof.rests_on),
        expected,
        "{}",
        proof.describe(fabric)
    );
    let AdaptiveRoutes::Groups(tables) = &routes else {
        unreachable!()
    };
    let plain = plain(fabric, tables);
    if !matches!(proof.verdict, Verdict::Unreachable(_)) {
        let arcs = group_arcs(fabric, tables).len() as u64;
        prop_assert_eq!(proof.dependencies, arcs);
    }
    match &proof.verdict {
        Verdict::DeadlockFree(certificate) => {
            let checked = check_adaptive_certificate(fabric, &routes, certificate);
            prop_assert_eq!(checked, Ok(proof.rests_on));
        }
        Verdict::Deadlock(cycle) => {
            let mut before: Option<Place> = None;
            for step in &cycle.dependencies {
                let (held, wanted) = ((step.held, step.held_lane), (step.wanted, step.wanted_lane));
                prop_assert!(before.is_none_or(|before| before == held));
                before = Some(wanted);
                let mut all = plain.wants.iter().filter_map(|wants| wants.get(&held));
                prop_assert!(all.any(|(_, next)| next.contains(&wanted)));
            }
            prop_assert_eq!(
                before,
                Some((cycle.dependencies[0].held, cycle.dependencies[0].held_lane))
            );
        }
        Verdict::Loop(found) => prop_assert!(found.nodes.len() > 1),
        Verdict::Unreachable(pairs) => prop_assert!(!pairs.is_empty()),
    }
    let flat = Certificate {
        lane_count: proof.lane_count,
        rank: vec![7; fabric.channel_count() * usize::from(proof.lane_count)],
    };
    if fabric.host_count() > 1 {
        prop_assert!(check_adaptive_certificate(fabric, &routes, &flat).is_err());
    }
    Ok(())
}
