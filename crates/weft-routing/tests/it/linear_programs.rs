//! Routings by linear programs and by breaking or cutting cycles, beside what is known of them.

use proptest::prelude::*;
use weft_fabric::generate::{mesh, ring, torus};
use weft_fabric::{Fabric, HostId};
use weft_routing::load::figures;
use weft_routing::{
    BoundEffort, BoundedRoutes, NoSolver, algorithms, load_bound_for_weights, throughput_bound,
};
use weft_testing::{
    Microlp, assert_has, assert_near, cases, channel_loads, fabric_of, fabrics, figures_of,
    host_pairs, irregular_of, largest, least_load, route_spec, walk,
};

/// Routes over each channel between switches.
fn loads(fabric: &Fabric, spec: &str) -> Vec<u64> {
    channel_loads(fabric, &figures_of(fabric, spec))
}

/// On a ring of four, neighbours have one shortest route and opposite switches two; 16 links of
/// routes on 8 channels make 2 each when the four opposite routes take turns.
#[test]
fn a_ring_of_four_is_balanced_perfectly() {
    let fabric = ring(4, 1).unwrap();
    assert_eq!(loads(&fabric, "balanced"), [2; 8]);
    assert_eq!(largest(&fabric, "updown"), 3);
    assert_eq!(largest(&fabric, "minimal:selection=first"), 3);
}

/// A ring of five has one shortest route for every pair: five of two links each way round, which all
/// want the next one's channel. A cut each way is enough, and as few as there can be.
#[test]
fn a_ring_of_five_is_cut_once_each_way() {
    let fabric = ring(5, 1).unwrap();
    for name in ["minimal_itb", "balanced_itb"] {
        let routing = route_spec(&fabric, name).unwrap();
        let stops = host_pairs(&fabric)
            .into_iter()
            .map(|(from, to)| walk(&fabric, &routing, from, to).stops.len());
        assert_eq!(stops.sum::<usize>(), 2, "{name}");
    }
}

/// With hosts at leaves alone the same ring cannot be cut, only left: one route each way round takes
/// the three links on the other side.
#[test]
fn a_ring_without_hosts_is_refused_or_left_once_each_way() {
    let leaves: Vec<(usize, usize)> = (0..5).map(|i| (i, i + 5)).collect();
    let links: Vec<_> = (0..5)
        .map(|i| (i, (i + 1) % 5))
        .chain(leaves.iter().copied())
        .collect();
    let fabric = fabric_of(&[0, 0, 0, 0, 0, 1, 1, 1, 1, 1], &links);
    for name in ["minimal_itb", "balanced_itb"] {
        let refused = route_spec(&fabric, &format!("{name}:hostless=refuse")).unwrap_err();
        assert_has(
            &refused,
            "form a cycle of channels that meet at switches without a host alone, “sw",
        );
        let routing = route_spec(&fabric, name).unwrap();
        let mut links: Vec<usize> = host_pairs(&fabric)
            .into_iter()
            .map(|(from, to)| walk(&fabric, &routing, from, to).links())
            .collect();
        links.sort_unstable();
        let expected = [vec![3; 10], vec![4; 8], vec![5; 2]].concat();
        assert_eq!(links, expected, "{name}");
    }
}

/// From a switch of a torus the others are 32 links away together; 16 such sums on 64 channels make
/// 8 routes each, times 16 pairs of hosts, and its symmetry lets no channel carry more. Rounded to one
/// route per pair of hosts, some channel may carry one more.
#[test]
fn the_optimum_of_a_torus_is_its_mean() {
    let fabric = torus(4, 4, 4).unwrap();
    assert_near(
        throughput_bound(&fabric, &Microlp).unwrap(),
        63.0 / 128.0,
        1e-6,
    );
    let loads = loads(&fabric, "balanced:per=host");
    assert_eq!(loads.iter().sum::<u64>(), 64 * 128);
    assert!(loads.iter().all(|&load| load <= 129), "{loads:?}");
}

/// The two middle channels of a row of four switches carry 2·2 routes of host pairs each way; one
/// host a switch could send 3 routes at full rate.
#[test]
fn the_bound_of_a_row_is_its_middle() {
    let fabric = mesh(4, 1, 1).unwrap();
    assert_near(
        throughput_bound(&fabric, &Microlp).unwrap(),
        3.0 / 4.0,
        1e-6,
    );
    let one_switch = fabric_of(&[3], &[]);
    assert_near(throughput_bound(&one_switch, &Microlp).unwrap(), 1.0, 1e-6);
    let two_switches = fabric_of(&[1, 1, 0], &[(0, 1), (1, 2), (2, 0)]);
    assert_near(
        throughput_bound(&two_switches, &Microlp).unwrap(),
        1.0,
        1e-6,
    );
}

/// What the authors of in-transit buffers found of the three, as an order: less of the most loaded
/// channel by `dfs` than by `updown`, less again by `smart`, least by `balanced`, which cycles do not
/// bind; and cuts where cycles are need fewer stops than those an orientation asks for.
#[test]
fn smart_loads_its_channels_less_than_any_orientation() {
    for (switches, seed) in [(8, 1), (16, 1), (16, 2), (16, 3)] {
        let fabric = irregular_of(switches, seed);
        let [balanced, smart, dfs, updown] = [
            "balanced",
            "smart",
            "dfs:selection=least_loaded",
            "updown:selection=least_loaded",
        ]
        .map(|spec| largest(&fabric, spec));
        assert!(
            balanced <= smart && smart < dfs && smart < updown,
            "{switches} switches: {balanced}, {smart}, {dfs}, {updown}"
        );
        let stops = |spec: &str| figures_of(&fabric, spec).mean_in_transit_stops;
        assert!(stops("minimal_itb") < stops("ud_itb"));
        assert!(stops("balanced_itb") < stops("ud_itb"));
    }
}

#[test]
fn more_slack_gives_more_to_choose_from() {
    let fabric = irregular_of(16, 1);
    let [none, one, two] = [0, 1, 2].map(|slack| largest(&fabric, &format!("smart:slack={slack}")));
    assert!(two <= one && one <= none, "{none}, {one}, {two}");
}

#[test]
fn without_a_solver_it_is_said_what_brings_one() {
    let fabric = ring(4, 1).unwrap();
    for name in ["smart", "balanced", "balanced_itb"] {
        let error = algorithms::route_spec(&fabric, name).unwrap_err();
        assert_eq!(
            error.to_string(),
            "no solver of linear programs is at hand; route from Python, which brings HiGHS"
        );
    }
    assert!(throughput_bound(&fabric, &NoSolver).is_err());
}

/// Two squares joined by one link, two hosts at each switch: 8 · 8 routes cross it, which no cut around a
/// switch or one with its neighbours shows.
#[test]
fn the_bound_sees_cuts_between_halves() {
    let square = |first: usize| (0..4).map(move |at| (first + at, first + (at + 1) % 4));
    let links: Vec<(usize, usize)> = square(0).chain(square(4)).chain([(0, 4)]).collect();
    let fabric = fabric_of(&[2; 8], &links);
    assert_eq!(least_load(&fabric), 64);
    // A ring of four, where all but one pair send nothing: nine parts over two ways.
    let ring = ring(4, 1).unwrap();
    let weight = |from: HostId, to: HostId| 9 * u16::from([from, to].map(HostId::number) == [0, 2]);
    let bound_for = |weight: &dyn Fn(HostId, HostId) -> u16| {
        let routes = BoundedRoutes::Any;
        load_bound_for_weights(&ring, weight, routes, BoundEffort::Quick)
            .unwrap()
            .least_load
    };
    assert_eq!(bound_for(&weight), 5);
    assert_eq!(bound_for(&|_, _| 0), 0);
}

proptest! {
    #![proptest_config(cases(150))]

    /// Balancing leaves no shortest routes better off, and no routes of one path per pair exceed
    /// what traffic that splits at will could bear.
    #[test]
    fn no_routing_exceeds_the_bound(fabric in fabrics(0), seed in any::<u64>()) {
        let bound = throughput_bound(&fabric, &Microlp).unwrap();
        for name in ["balanced", "smart", "minimal", "updown", "dfs"] {
            let routing = route_spec(&fabric, &format!("{name}:seed={seed}")).unwrap();
            let saturation = figures(&fabric, &routing).saturation_bound;
            prop_assert!(saturation <= bound + 1e-6, "{name}: {saturation} > {bound}");
        }
        let best = format!("best:starts=1,seed={seed}");
        prop_assert!(least_load(&fabric) <= largest(&fabric, &best));
    }

    /// Every turn that two routes of `minimal` make without a stop in `minimal_itb` is on no cycle,
    /// and each stop is at a switch with hosts: what is cut is still the same path.
    #[test]
    fn cutting_changes_no_path_where_all_switches_have_hosts(
        fabric in fabrics(1), seed in any::<u64>(),
        selection in prop::sample::select(vec!["first", "random", "least_loaded", "balanced"]),
    ) {
        let with = |name: &str| {
            route_spec(&fabric, &format!("{name}:seed={seed},selection={selection}")).unwrap()
        };
        let (plain, cut) = (with("minimal"), with("minimal_itb"));
        for (source, destination) in host_pairs(&fabric) {
            let [plain, cut] = [&plain, &cut].map(|r| walk(&fabric, r, source, destination));
            prop_assert_eq!(plain.ports, cut.ports);
        }
    }
}
