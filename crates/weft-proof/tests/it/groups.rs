//! Verdicts where switches choose among groups of ports, by hand.

use super::proved::{assert_not_ascending, certificate_of, cycle_of, loop_of, unreached_of};
use weft_fabric::generate::{
    DragonflyPlusParameters, dragonfly_plus, hypercube, hyperx, ring, torus, xgft,
};
use weft_fabric::{ChannelId, Fabric, HostId, Node, PortNumber, SwitchId};
use weft_proof::{
    Certificate, RestsOn, Verdict, check_adaptive_certificate, verify_adaptive, verify_levels,
};
use weft_routing::algorithms::{route_adaptive_spec, route_spec};
use weft_routing::{AdaptiveRoutes, GroupTables, Lane, LidState};
use weft_testing::{fabric_of, groups_of, irregular_of, with_links_cut};

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
