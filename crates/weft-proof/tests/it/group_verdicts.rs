//! Verdicts where switches choose among groups of ports, beside a plain search on random tables.

use super::properties::Place;
use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use proptest::prelude::*;
use rand::RngExt;
use rand_pcg::Pcg64Mcg;
use std::collections::{BTreeMap, BTreeSet};
use weft_fabric::generate::ring;
use weft_fabric::{ChannelId, Fabric, LidRange, Node, SwitchId};
use weft_proof::{
    Certificate, Dependency, RestsOn, Verdict, check_adaptive_certificate, verify_adaptive,
};
use weft_routing::{AdaptiveRoutes, GroupTables, LidState};
use weft_testing::{fabric_of, fabrics, groups_of, irregular_of, random_groups, two_addresses};

/// All that packets to an address may hold and then want, by a plain search: per place who decides and what is wanted.
struct Plain {
    wants: Vec<BTreeMap<Place, (LidState, Vec<Place>)>>,
    /// The address of each.
    addresses: Vec<usize>,
    is_lost: bool,
    goes_round: bool,
}

fn plain(fabric: &Fabric, tables: &GroupTables) -> Plain {
    let mut found = Plain {
        wants: Vec::new(),
        addresses: Vec::new(),
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
            found.addresses.push(address);
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

/// The fabric, each host with four LIDs of its own.
fn with_lids(fabric: &Fabric) -> Fabric {
    let lids = (1..).map(|number| LidRange::new(4 * number, 2));
    let switches = vec![None; fabric.switch_count()];
    let hosts = lids.take(fabric.host_count()).collect();
    fabric.clone().with_lids(switches, hosts)
}

/// By their first addresses hosts of a ring are led along a line, by their second round the ring.
#[test]
fn a_cycle_of_packets_to_second_addresses_names_these() {
    let ring = with_lids(&ring(4, 1).unwrap());
    let by_line = |at: usize, to: usize| vec![if at < to { at + 1 } else { at - 1 }];
    let line = groups_of(&ring, LidState::Free, by_line);
    let round = groups_of(&ring, LidState::Free, |at, _| vec![(at + 1) % 4]);
    let routes = AdaptiveRoutes::Groups(two_addresses(&ring, &line, &round));
    let proof = verify_adaptive(&ring, &routes).unwrap();
    let Verdict::Deadlock(cycle) = proof.verdict else {
        panic!("{}", proof.describe(&ring));
    };
    // What crosses the link that closes the ring goes to second addresses.
    let closing = |channel: ChannelId| {
        let ends = [ring.source(channel).node, ring.target(channel).node];
        ends.map(|node| node.switch().map(SwitchId::number)) == [Some(3), Some(0)]
    };
    let crossing = |step: &&Dependency| closing(step.held) || closing(step.wanted);
    let lids = cycle.dependencies.iter().filter(crossing).map(|step| {
        let base = 4 * (step.destination.number() + 1);
        step.lid.map(|lid| u32::from(lid) - base)
    });
    assert!(lids.eq([Some(1), Some(1)]));
}

fn agree(fabric: &Fabric, tables: GroupTables) -> Result<(), TestCaseError> {
    let fabric = &with_lids(fabric);
    let expected = plain_verdict(fabric, &tables);
    let routes = AdaptiveRoutes::Groups(tables);
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
                // Packets to that LID of the destination want so.
                let base = 4 * (step.destination.number() + 1);
                let place = u32::from(step.lid.unwrap()) - base;
                let address = tables.addresses(step.destination).start + place as usize;
                prop_assert!(tables.addresses(step.destination).contains(&address));
                let all = plain.wants.iter().zip(&plain.addresses);
                let to_it = all.filter(|(_, of)| **of == address);
                let mut wants = to_it.filter_map(|(wants, _)| wants.get(&held));
                prop_assert!(wants.any(|(_, next)| next.contains(&wanted)));
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
