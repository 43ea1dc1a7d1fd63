//! The routing `best_itb`: proved on any fabric, and known figures.

use proptest::prelude::*;
use weft_fabric::generate::{k_ary_n_tree, ring, torus};
use weft_fabric::{Fabric, metrics};
use weft_routing::Routing;
use weft_routing::load::figures;
use weft_testing::{
    assert_near, cases, fabric_of, fabrics, figures_of, host_pairs, irregular_fabrics,
    irregular_of, largest, least_load, loads, walk,
};

/// Routes on one lane, proved.
#[track_caller]
fn proved(fabric: &Fabric, spec: &str) -> Routing {
    let routing = super::proved::proved(fabric, spec);
    assert_eq!(routing.routes.lane_count(), 1);
    routing
}

fn mean_stops(fabric: &Fabric, spec: &str) -> f64 {
    figures_of(fabric, spec).mean_in_transit_stops
}

/// Stops of all routes together.
fn stops(fabric: &Fabric, routing: &Routing) -> usize {
    let each = |(from, to)| walk(fabric, routing, from, to).stops.len();
    host_pairs(fabric).into_iter().map(each).sum()
}

/// On a ring of four the four pairs of opposite switches can share the ways so that no direction has
/// a cycle: 16 links of routes on 8 channels. On one of five a route of two links makes every turn,
/// one of them has to stop each way round; on one of six three opposite pairs a way can leave one turn
/// to such a route, and 54 links on 12 channels are 5 on some.
#[test]
fn rings_are_even_and_stop_once_each_way() {
    for (switches, most, least_stops) in [(4, 2, 0), (5, 3, 2), (6, 5, 2)] {
        let ring = ring(switches, 1).unwrap();
        let routing = proved(&ring, "best_itb:stop_cost=255");
        assert_eq!(loads(&ring, &routing).1, most, "{switches}");
        assert_eq!(stops(&ring, &routing), least_stops, "{switches}");
    }
}

/// From a switch of the torus the others are 32 links away: 128 routes a channel with four hosts each.
#[test]
fn a_torus_is_balanced_to_its_mean_and_stops_seldom() {
    let torus = torus(4, 4, 4).unwrap();
    let routing = proved(&torus, "best_itb:stop_cost=255");
    let (figures, largest) = loads(&torus, &routing);
    assert_eq!(least_load(&torus), 128);
    assert!(largest <= 129, "{largest}");
    assert!(figures.mean_in_transit_stops < 0.5 * mean_stops(&torus, "ud_itb"));
}

/// Spines have no hosts to stop at: ways go up once and down once. Half of the 64 hosts' pairs leave a leaf
/// of the 4-ary 3-tree over its 4 channels up: 4 · 60 / 4; and so on.
#[test]
fn trees_are_balanced_without_any_stop() {
    for (k, n, most) in [(4, 3, 60), (8, 2, 56)] {
        let tree = k_ary_n_tree(k, n).unwrap();
        let routing = proved(&tree, "best_itb:stop_cost=255");
        let (figures, largest) = loads(&tree, &routing);
        assert_eq!((largest, figures.max_in_transit_stops), (most, 0));
        assert_near(figures.minimal_share, 1.0, 1e-12);
    }
}

/// With hosts at leaves alone a ring of five cannot be cut, only left: one route each way round takes
/// the three links on the other side.
#[test]
fn a_ring_without_hosts_is_left_once_each_way() {
    let links: Vec<_> = (0..5)
        .flat_map(|i| [(i, (i + 1) % 5), (i, i + 5)])
        .collect();
    let fabric = fabric_of(&[0, 0, 0, 0, 0, 1, 1, 1, 1, 1], &links);
    let routing = proved(&fabric, "best_itb");
    let links = |(from, to)| walk(&fabric, &routing, from, to).links();
    let mut links: Vec<usize> = host_pairs(&fabric).into_iter().map(links).collect();
    links.sort_unstable();
    assert_eq!(links, [vec![3; 10], vec![4; 8], vec![5; 2]].concat());
    assert_eq!(stops(&fabric, &routing), 0);
}

/// The stops of the routing published for even routes, `balanced_itb`, are those to beat, and its loads.
#[test]
fn irregular_networks_need_fewer_stops_than_even_routes_cut_greedily() {
    for (switches, seed) in [(16, 1), (16, 2), (16, 3), (32, 1)] {
        let fabric = irregular_of(switches, seed);
        let routing = proved(&fabric, "best_itb:stop_cost=255");
        let (figures, most) = loads(&fabric, &routing);
        let even = largest(&fabric, "balanced_itb");
        assert!(most <= even + even / 200, "{most} after {even}");
        assert!(figures.mean_in_transit_stops < mean_stops(&fabric, "balanced_itb"));
        assert_near(figures.minimal_share, 1.0, 1e-12);
        assert!(most <= largest(&fabric, "ud_itb:selection=least_loaded"));
    }
}

/// The less a stop costs, the more there are.
#[test]
fn stops_follow_their_price() {
    let fabric = irregular_of(32, 1);
    let with = |cost| mean_stops(&fabric, &format!("best_itb:stop_cost={cost}"));
    let [none, one, two, most] = [0, 1, 2, 255].map(with);
    assert!(
        none > one && one > two && two > most,
        "{none} {one} {two} {most}"
    );
}

/// Two more links than the shortest bring the largest load to what no routing beats.
#[test]
fn slack_evens_out_to_the_bound() {
    let fabric = irregular_of(16, 1);
    let [none, two] = [0, 2].map(|slack| largest(&fabric, &format!("best_itb:slack={slack}")));
    let bound = least_load(&fabric);
    assert!(
        two < none && two <= bound + 1,
        "{two} after {none}, bound {bound}"
    );
}

/// Stops are spread over the hosts of a switch: no two of them differ by more than the stops of a pair.
#[test]
fn the_hosts_of_a_switch_share_its_stops() {
    let torus = torus(4, 4, 4).unwrap();
    let figures = figures(&torus, &proved(&torus, "best_itb:stop_cost=0"));
    for switch in torus.switch_ids() {
        let hosts = torus.hosts_of(switch).iter();
        let load = |&host| figures.routes_per_channel[torus.injection_channel(host).index()];
        let loads: Vec<u64> = hosts.map(load).collect();
        let spread = loads.iter().max().unwrap() - loads.iter().min().unwrap();
        assert!(spread <= 1, "{loads:?}");
    }
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn any_fabric_is_proved(
        fabric in prop_oneof![fabrics(0), irregular_fabrics(8..20, 3..6)],
        slack in 0_u8..=4, stop_cost in prop::sample::select(vec![0, 1, 3, 255]), seed in any::<u64>(),
        per in prop::sample::select(vec!["host", "switch"]),
    ) {
        let spec =
            format!("best_itb:slack={slack},stop_cost={stop_cost},rounds=3,per={per},seed={seed}");
        let routing = proved(&fabric, &spec);
        let (_, most) = loads(&fabric, &routing);
        prop_assert!(most >= least_load(&fabric));
    }

    #[test]
    fn routes_are_as_short_as_asked_for_and_even(
        fabric in prop_oneof![fabrics(1), irregular_fabrics(8..20, 3..6)], slack in 0_usize..=2, seed in any::<u64>(),
    ) {
        prop_assume!(fabric.switch_ids().all(|switch| !fabric.hosts_of(switch).is_empty()));
        let routing = proved(&fabric, &format!("best_itb:slack={slack},rounds=3,seed={seed}"));
        for (from, to) in host_pairs(&fabric) {
            let walk = walk(&fabric, &routing, from, to);
            let [start, end] = [from, to].map(|host| fabric.host_switch(host));
            let minimal = metrics::distances_from(&fabric, start)[end.index()] as usize;
            prop_assert!((minimal..=minimal + slack).contains(&walk.links()));
            for &(place, host) in &walk.stops {
                prop_assert_eq!(fabric.host_switch(host), walk.switches[place]);
            }
        }
    }
}
