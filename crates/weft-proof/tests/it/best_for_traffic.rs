//! The routing `best` for traffic that is not the same between all hosts, for shifts, and at once.

use super::proved::{assert_proved, proved};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU32, Ordering};
use weft_fabric::generate::{
    IrregularLinks, IrregularParameters, dragonfly, irregular, k_ary_n_tree, slim_fly, torus,
    torus_of,
};
use weft_fabric::{Fabric, HostId};
use weft_routing::algorithms::{Patience, Weight, search};
use weft_routing::{
    BoundEffort, BoundedRoutes, ForwardingTables, Rounds, Routes, Routing, congestion,
    load_bound_for_weights, load_of_pair,
};
use weft_testing::{cases, fabric_of, irregular_fabrics, irregular_of, loads, with_links_cut};

fn tables(routing: &Routing) -> &ForwardingTables {
    let Routes::Tables(tables) = &routing.routes else {
        unreachable!("best makes tables");
    };
    tables
}

/// The mean share of all shifts.
fn mean_of_shifts(fabric: &Fabric, routing: &Routing) -> f64 {
    let hosts: Vec<HostId> = fabric.host_ids().collect();
    let figures = congestion(fabric, &routing.routes, &hosts, Rounds::Shifts);
    figures.iter().map(|round| round.mean_share).sum::<f64>() / figures.len() as f64
}

/// Any minimal routing of this Slim Fly leaves 33.1 % of the rate, as one way is the shortest of each pair.
#[test]
fn further_addresses_carry_shifts() {
    let fabric = slim_fly(5, 4).unwrap();
    let plain = proved(&fabric, "best:starts=1,rounds=4");
    let layered = proved(&fabric, "best:starts=1,rounds=4,lmc=2");
    let (one, several) = (tables(&plain), tables(&layered));
    assert!(several.lane_count() <= 8);
    for to in 0..fabric.host_count() {
        let addresses = several.addresses(to);
        assert_eq!(addresses.len(), 4);
        // What goes to a host does not all wait on one lane.
        let lanes = (0..fabric.host_count()).map(|from| several.lane(from, to).number());
        assert!(lanes.collect::<BTreeSet<u8>>().len() > 4);
        for switch in fabric.switch_ids() {
            let first = one.next_port(switch, to);
            assert_eq!(several.next_port(switch, addresses.start), first);
            // Every address of a host is known everywhere.
            assert!(
                addresses
                    .clone()
                    .all(|address| several.next_port(switch, address).is_some())
            );
        }
    }
    assert!((mean_of_shifts(&fabric, &plain) - 0.331).abs() < 0.001);
    let mean = mean_of_shifts(&fabric, &layered);
    assert!(mean >= 0.52, "{mean}");
}

#[test]
fn tables_for_shifts_carry_more_of_them() {
    let fabric = slim_fly(5, 1).unwrap();
    let plain = proved(&fabric, "best:starts=1,lanes=4");
    let shifts = proved(&fabric, "best:starts=1,lanes=4,traffic=shifts");
    assert_eq!(tables(&shifts).most_addresses(), 1);
    let [before, after] = [&plain, &shifts].map(|routing| mean_of_shifts(&fabric, routing));
    assert!(after > before + 0.02, "{after} after {before}");
}

/// Where the ways to a switch do not fit on one lane, pairs keep their lanes.
#[test]
fn shifts_of_a_torus_are_proved_on_few_lanes() {
    let fabric = torus(4, 4, 2).unwrap();
    for lanes in [1, 2] {
        proved(&fabric, &format!("best:starts=1,lanes={lanes},lmc=1"));
    }
}

/// The largest load by weights over the least that can be shown.
fn ratio(fabric: &Fabric, routing: &Routing, weight: Weight<'_>) -> f64 {
    let mut carried = vec![0.0; fabric.channel_count()];
    for from in fabric.host_ids() {
        for to in fabric.host_ids().filter(|&to| to != from) {
            let amount = f64::from(weight(from, to));
            load_of_pair(
                fabric,
                &routing.routes,
                [from, to],
                amount,
                |channel, part| {
                    let ends = [fabric.source(channel).node, fabric.target(channel).node];
                    if ends.iter().all(|node| node.switch().is_some()) {
                        carried[channel.index()] += part;
                    }
                },
            );
        }
    }
    let (any, quick) = (BoundedRoutes::Any, BoundEffort::Quick);
    let bound = load_bound_for_weights(fabric, weight, any, quick).unwrap();
    carried.into_iter().fold(0.0, f64::max) / bound.least_load as f64
}

/// Tables for one of two demands are uneven for the other.
#[test]
fn several_demands_are_even_together() {
    let fabric = irregular_of(16, 3);
    let count = fabric.host_count();
    let far =
        |from: HostId, to: HostId| u16::from((from.index() + count / 2) % count == to.index()) * 7;
    let back = |from: HostId, to: HostId| u16::from(from.index() + to.index() == count - 1) * 500;
    let given = [("starts", "1"), ("lanes", "4")];
    let given: BTreeMap<String, String> = given.map(|(a, b)| (a.to_owned(), b.to_owned())).into();
    let worst_for = |weights: &[Weight<'_>]| {
        let routing = search(&fabric, "best", &given, weights, None).unwrap();
        assert_proved(&fabric, &routing.routes);
        ratio(&fabric, &routing, &far).max(ratio(&fabric, &routing, &back))
    };
    let both = worst_for(&[&far, &back]);
    let alone = worst_for(&[&far]).min(worst_for(&[&back]));
    assert!(both < alone, "{both} and {alone}");
}

/// A pair that alone sends spreads over the four channels of its switches; by shifts alone two of its addresses share one.
#[test]
fn further_addresses_carry_what_is_told() {
    let fabric = torus(4, 4, 1).unwrap();
    let given = ["starts", "rounds", "lanes", "lmc"].map(str::to_owned);
    let given: BTreeMap<String, String> = given
        .into_iter()
        .zip(["1", "4", "4", "2"].map(str::to_owned))
        .collect();
    for (from, to) in [(0, 5), (3, 9), (5, 15)] {
        let weight = |one: HostId, other: HostId| {
            u16::from((one.index(), other.index()) == (from, to)) * 1000
        };
        let routing = search(&fabric, "best", &given, &[&weight], None).unwrap();
        assert_proved(&fabric, &routing.routes);
        let found = ratio(&fabric, &routing, &weight);
        assert!((found - 1.0).abs() < 1e-9, "{found} from {from} to {to}");
    }
}

proptest! {
    #![proptest_config(cases(24))]

    /// What a pair alone sends to four addresses shares a channel where no four ways are apart, and by two at most where two
    /// are; the first way is that of all traffic, and the others keep off it.
    #[test]
    fn a_pair_spreads_over_as_many_ways_as_there_are(fabric in irregular_fabrics(6..11, 3..6), ends in any::<[prop::sample::Index; 2]>()) {
        let [from, to] = ends.map(|end| HostId::from_index(end.index(fabric.host_count())));
        prop_assume!(fabric.host_switch(from) != fabric.host_switch(to));
        let weight = |one: HostId, other: HostId| u16::from((one, other) == (from, to)) * 1000;
        for (lmc, part) in [("1", 0.5), ("2", 0.25)] {
            let given = [("starts", "1"), ("lanes", "8"), ("lmc", lmc)];
            let given = given.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
            let routing = search(&fabric, "best", &given, &[&weight], None).unwrap();
            assert_proved(&fabric, &routing.routes);
            let (any, quick) = (BoundedRoutes::Any, BoundEffort::Quick);
            let bound = load_bound_for_weights(&fabric, weight, any, quick).unwrap();
            // Addresses are not parted further.
            let least = (bound.mean_load / 1000.0 / part - 1e-6).ceil() * part * 1000.0;
            let found = ratio(&fabric, &routing, &weight) * bound.least_load as f64;
            prop_assert!((found - least).abs() < 1e-6, "{} and {} by {}", found, least, lmc);
        }
        // Few lanes hold them without a circle, too.
        for lanes in ["1", "2"] {
            let given = [("starts", "1"), ("lanes", lanes), ("lmc", "2")];
            let given = given.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
            assert_proved(&fabric, &search(&fabric, "best", &given, &[&weight], None).unwrap().routes);
        }
    }
}

/// Hosts hang unevenly on few links. Orders that are grown from short ways leave no room to go around the fullest, which
/// carries 24 routes then, for 15.
fn uneven() -> Fabric {
    let links = [(1, 0), (2, 0), (3, 0), (4, 1), (5, 1), (6, 1)];
    let more = [(7, 1), (8, 5), (5, 4), (6, 3), (0, 5), (3, 0)];
    fabric_of(&[0, 3, 1, 1, 1, 3, 3, 1, 0], &[links, more].concat())
}

/// Lanes of so few links hold no even routes, and what these carry 16 times they do 12 times where routes negotiate.
fn sparse_of_twelve() -> Fabric {
    let links = [(11, 4), (6, 0), (4, 7), (2, 9), (2, 3)];
    let more = [(9, 5), (8, 9), (7, 8), (1, 8), (10, 3)];
    let last = [(6, 7), (2, 6), (10, 5), (11, 10), (10, 7)];
    fabric_of(&[1; 12], &[links, more, last].concat())
}

/// What there is at once is at most 1.3 times as full as in the end.
#[test]
fn the_first_answer_is_nearly_as_even_as_the_last() {
    let sparse = IrregularParameters {
        switches: 17,
        hosts_per_switch: 3,
        ports_per_switch: 6,
        links: IrregularLinks::RandomCount,
        seed: 190,
    };
    for fabric in [
        irregular_of(16, 1),
        torus(4, 4, 2).unwrap(),
        slim_fly(5, 1).unwrap(),
        // Shortest routes alone fill a channel by a half more.
        irregular_of(32, 31),
        // So they do of any number of lanes, and longer ones by the most lanes a third.
        irregular(&sparse).unwrap(),
        // What is known of grids is even at once.
        torus(16, 16, 1).unwrap(),
        uneven(),
        sparse_of_twelve(),
    ] {
        let first = proved(&fabric, "best:starts=0");
        assert_eq!(first.parameters["starts"], "0");
        let [first, last] =
            [first, proved(&fabric, "best:starts=8")].map(|one| loads(&fabric, &one).1);
        assert!(
            last <= first && 10 * first <= 13 * last,
            "{first} and {last}"
        );
    }
}

/// On one lane routes take turns before they agree where hosts hang unevenly: the first agreement has 36 routes over a
/// channel, later ones 20.
#[test]
fn a_first_answer_on_one_lane_waits_for_routes_to_agree() {
    let links = [
        [(4, 6), (0, 2), (1, 9), (4, 8), (3, 6)],
        [(0, 1), (9, 10), (2, 4), (1, 2), (2, 7)],
        [(1, 11), (1, 8), (7, 9), (3, 5), (3, 8)],
        [(5, 8), (2, 6), (1, 10), (7, 11), (7, 8)],
    ];
    let fabric = fabric_of(&[1, 2, 2, 3, 0, 1, 2, 2, 0, 2, 1, 2], &links.concat());
    let first = loads(&fabric, &proved(&fabric, "best:lanes=1,starts=0")).1;
    assert!((20..=26).contains(&first), "{first}");
}

/// Shortest routes of a torus of odd extents that has lost links could be even, by bounds. Those that lanes hold are not, by
/// a fifth, and longer ones are: no routing is below 912.
#[test]
fn longer_routes_are_taken_where_lanes_hold_no_even_shortest_ones() {
    // What the second begins with is a sixth above that, and no further.
    for (seed, starts) in [(71, "0"), (71, "1"), (72, "1")] {
        let fabric = with_links_cut(&torus(9, 9, 3).unwrap(), 4, seed);
        let routing = proved(&fabric, &format!("best:starts={starts}"));
        let (_, largest) = loads(&fabric, &routing);
        assert!((912..=912 * 21 / 20).contains(&largest), "{largest}");
    }
}

/// A search that begins with longer routes ends with some that are 3 % fuller than the shortest ones there are at once: these
/// are taken, by their name.
#[test]
fn the_last_answer_is_no_fuller_than_the_first() {
    let fabric = with_links_cut(&torus_of(&[3, 5, 7], 2).unwrap(), 3, 2);
    let [first, last] = ["best:starts=0", "best:starts=1"].map(|spec| proved(&fabric, spec));
    assert!(loads(&fabric, &last).1 <= loads(&fabric, &first).1);
    assert_eq!(last, first);
}

/// Trees and tori that have lost links, dragonflies and irregular networks.
fn small_fabrics() -> impl Strategy<Value = Fabric> {
    let tree = (2_u32..4, 2_u32..4).prop_map(|(k, n)| k_ary_n_tree(k, n).unwrap());
    let grid = (3_u32..7, 3_u32..7).prop_map(|(rows, columns)| torus(rows, columns, 2).unwrap());
    let groups = (1_u32..3, 2_u32..5, 1_u32..3).prop_map(|(p, a, h)| dragonfly(p, a, h).unwrap());
    let whole = prop_oneof![tree, grid, groups];
    let damaged = (whole, 0_u32..8, any::<u64>());
    let damaged = damaged.prop_map(|(whole, percent, seed)| with_links_cut(&whole, percent, seed));
    prop_oneof![damaged, irregular_fabrics(8..40, 3..7)]
}

proptest! {
    #![proptest_config(cases(60))]

    /// The same of trees that are grown once: they are far from what comes after, or a quarter above a bound at most. They
    /// are never better than it.
    #[test]
    fn what_there_is_at_once_is_three_tenths_above_the_last_at_most(fabric in small_fabrics()) {
        let [first, last] = ["best:starts=0", "best:starts=8"].map(|spec| loads(&fabric, &proved(&fabric, spec)).1);
        prop_assert!(last <= first && 10 * first <= 13 * last, "{} and {}", first, last);
    }
}

/// Whenever a search is ended it returns what it had before, and tells how that is made again.
#[test]
fn a_search_is_ended_on_the_way() {
    let fabric = irregular_of(16, 2);
    let given = BTreeMap::from([("lanes".to_owned(), "4".to_owned())]);
    // Ended anywhere, within the first trees of a start as well.
    for patience in (0..140).step_by(6).chain([500]) {
        let asked = AtomicU32::new(0);
        let is_over = || asked.fetch_add(1, Ordering::Relaxed) >= patience;
        let patient = Patience {
            go_on: &|| asked.load(Ordering::Relaxed) <= patience,
            is_over: &is_over,
        };
        let ended = search(&fabric, "best", &given, &[], Some(patient)).unwrap();
        assert_proved(&fabric, &ended.routes);
        let again = search(&fabric, "best", &ended.parameters, &[], None).unwrap();
        assert_eq!(ended, again);
    }
}
