//! Metrics of the channels: never above what a linear program finds, and nearly as much.

use proptest::prelude::*;
use weft_fabric::generate::{dragonfly, ring, torus};
use weft_fabric::{Fabric, HostId};
use weft_routing::{
    BoundEffort, BoundedRoutes, LoadBound, load_bound, load_bound_for_weights, throughput_bound,
};
use weft_testing::{Microlp, cases, fabric_of, fabrics, irregular_of, largest, with_links_cut};

fn tight(fabric: &Fabric, routes: BoundedRoutes) -> LoadBound {
    load_bound(fabric, routes, BoundEffort::Tight).unwrap()
}

/// Where all channels are alike the same weight for each shows the mean, and traffic that splits over all
/// shortest paths meets it: 16 links of 12 routes on 8 channels, 30 of 20 on 10, 64·63 pairs of switches
/// with 64 routes each, at 2·2·16·64/63 links, on 256.
#[test]
fn symmetric_networks_are_met_at_once() {
    for (fabric, load) in [
        (ring(4, 1).unwrap(), 2),
        (ring(5, 1).unwrap(), 3),
        (torus(8, 8, 8).unwrap(), 4096),
    ] {
        for routes in [BoundedRoutes::Any, BoundedRoutes::Shortest] {
            let found = tight(&fabric, routes);
            assert_eq!((found.least_load, found.routes), (load, routes));
            assert!((found.split_load - load as f64).abs() < 1e-6, "{found:?}");
        }
    }
}

/// Four hosts at each of two switches, joined by a link and by a way over a third: 16 routes each way, of which
/// shortest ones share the link.
#[test]
fn shortest_routes_cannot_do_what_others_can() {
    let fabric = fabric_of(&[4, 4, 0], &[(0, 1), (0, 2), (2, 1)]);
    assert_eq!(tight(&fabric, BoundedRoutes::Any).least_load, 8);
    assert_eq!(tight(&fabric, BoundedRoutes::Shortest).least_load, 16);
}

/// Three hosts at a switch and two at another, each with two ways to the other: the two reach three hosts, two of these by
/// one way, which four routes take. Between two hubs, each of two switches with four hosts behind it, 64 routes share three
/// cables: 22, but routes come in fours. Weights of pairs come in what they have in common.
#[test]
fn tables_carry_whole_numbers_of_hosts() {
    let pair = fabric_of(&[3, 2, 0, 0], &[(0, 2), (0, 3), (1, 2), (1, 3)]);
    assert_eq!(tight(&pair, BoundedRoutes::Any).least_load, 3);
    assert_eq!(tight(&pair, BoundedRoutes::Tables).least_load, 4);
    let mut links = vec![(0, 1); 3];
    for leaf in [2, 3] {
        links.extend([(leaf, 0); 3]);
        links.extend([(leaf + 2, 1); 3]);
    }
    let hubs = fabric_of(&[0, 0, 4, 4, 4, 4], &links);
    assert_eq!(tight(&hubs, BoundedRoutes::Any).least_load, 22);
    assert_eq!(tight(&hubs, BoundedRoutes::Tables).least_load, 24);
    assert_eq!(largest(&hubs, "best:lanes=1"), 24);
    let fives = |_: HostId, _: HostId| 5;
    let found = load_bound_for_weights(&hubs, fives, BoundedRoutes::Tables, BoundEffort::Tight);
    assert_eq!(found.unwrap().least_load, 120);
}

/// What leaves one switch is seen at once, however short the search: of 64 hosts four send to all others by one cable.
/// Where pairs spread over several routes, channels need not carry whole ones: 16 routes over three cables are 5.33
/// on each, 9 over two 4.5, rounded as loads are.
#[test]
fn pairs_with_several_routes_carry_parts() {
    for (hosts, cables, mean, several, whole) in [(4, 3, 16.0 / 3.0, 5, 6), (3, 2, 4.5, 5, 5)] {
        let fabric = fabric_of(&[hosts; 2], &vec![(0, 1); cables]);
        let found = tight(&fabric, BoundedRoutes::Any);
        assert_eq!(found.least_load, whole);
        assert!((found.mean_load - mean).abs() < 1e-9, "{}", found.mean_load);
        assert_eq!(found.of_several_routes().least_load, several);
    }
}

#[test]
fn a_switch_with_few_cables_left_is_seen() {
    let mut links = vec![(0, 15)];
    links.extend((1..15).flat_map(|leaf| [(leaf, 15), (leaf, 16), (leaf, 17)]));
    let mut hosts = vec![4; 15];
    hosts.extend([0; 3]);
    let fabric = fabric_of(&hosts, &links);
    let quick = load_bound(&fabric, BoundedRoutes::Any, BoundEffort::Quick).unwrap();
    assert_eq!(quick.least_load, 4 * 56);
}

/// What all send to one host comes in by the links of its switch: in the weights of pairs, too.
#[test]
fn weights_count_as_so_many_routes() {
    let fabric = ring(6, 2).unwrap();
    let to_first = |_: HostId, to: HostId| 6 * u16::from(to.number() == 0);
    let found = load_bound_for_weights(&fabric, to_first, BoundedRoutes::Any, BoundEffort::Tight);
    // 10 hosts at other switches send 6 each, over two channels.
    assert_eq!(found.unwrap().least_load, 30);
    let silent = |_: HostId, _: HostId| 0;
    let found = load_bound_for_weights(&fabric, silent, BoundedRoutes::Any, BoundEffort::Tight);
    assert_eq!(found.unwrap().least_load, 0);
}

/// Weights stand at the channels between switches alone; what they show is what the search says.
#[test]
fn weights_are_by_channel() {
    let fabric = irregular_of(16, 4);
    let found = tight(&fabric, BoundedRoutes::Any);
    assert_eq!(found.weights.len(), fabric.channel_count());
    for channel in fabric.channel_ids() {
        let weight = found.weights[channel.index()];
        assert!(weight == 0 || fabric.is_switch_channel(channel));
    }
}

#[test]
fn one_switch_bears_anything() {
    let found = tight(&fabric_of(&[3], &[]), BoundedRoutes::Any);
    assert_eq!((found.least_load, found.split_load), (0, 0.0));
}

/// Groups that have lost the one link between them send over the links of others, a few of which are full long before the rest:
/// rounds that send little another way do not follow the weights. A linear program (`HiGHS`) finds 388.8 routes over the fullest
/// channel.
#[test]
fn a_dragonfly_without_some_links_between_groups_is_met_too() {
    let damaged = with_links_cut(&dragonfly(3, 6, 3).unwrap(), 3, 1);
    assert_eq!((damaged.switch_count(), damaged.link_count()), (114, 784));
    let found = load_bound(&damaged, BoundedRoutes::Any, BoundEffort::Quick).unwrap();
    assert!(
        (388..=389).contains(&found.least_load),
        "{}",
        found.least_load
    );
    assert!(
        (388.8..390.0).contains(&found.split_load),
        "{}",
        found.split_load
    );
}

proptest! {
    #![proptest_config(cases(60))]

    /// No routing is below the bound, a linear program finds no split traffic below it either, and no
    /// split that was found is better than the program's.
    #[test]
    fn a_metric_shows_nearly_what_a_linear_program_finds(fabric in fabrics(2)) {
        let found = tight(&fabric, BoundedRoutes::Any);
        let others = fabric.host_count() as f64 - 1.0;
        let share = throughput_bound(&fabric, &Microlp).unwrap();
        if share < 1.0 {
            let least = others / share;
            prop_assert!(found.least_load as f64 <= (least * (1.0 - 1e-6)).ceil(), "{found:?} {least}");
            prop_assert!(found.least_load as f64 >= least * 0.998, "{found:?} {least}");
            prop_assert!(found.split_load >= least * (1.0 - 1e-6), "{found:?} {least}");
        }
        let shortest = tight(&fabric, BoundedRoutes::Shortest);
        prop_assert!(found.least_load as f64 <= shortest.split_load.ceil());
        let of_tables = tight(&fabric, BoundedRoutes::Tables);
        prop_assert!(found.least_load <= of_tables.least_load);
        let all = [("best:starts=1", &of_tables), ("min_hop", &of_tables), ("minimal", &shortest)];
        for (name, bound) in all {
            prop_assert!(bound.least_load <= largest(&fabric, name), "{name} {bound:?}");
        }
    }
}
