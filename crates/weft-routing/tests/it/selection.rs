//! The choice among shortest paths: uniform where random, moved where by load.

use std::collections::BTreeMap;
use weft_fabric::generate::{IrregularParameters, irregular, torus, xgft};
use weft_fabric::{Fabric, HostId, SwitchId};
use weft_routing::algorithms::{route, route_spec};
use weft_routing::load::figures;
use weft_routing::{Orientation, PairGranularity, PathFigures, PathSpace, Routing, TurnRule};
use weft_testing::{
    all_paths, channel_loads, fabric_of, figures_of, host_pairs, irregular_of, turns_up, walk,
};

/// How often each path from the first host's switch to the last host's comes up, over all pairs
/// of their hosts.
fn paths_taken(fabric: &Fabric, routing: &Routing, to: SwitchId) -> BTreeMap<Vec<u8>, u32> {
    let mut taken = BTreeMap::new();
    for &source in fabric.hosts_of(SwitchId::new(0)) {
        for &destination in fabric.hosts_of(to) {
            *taken
                .entry(walk(fabric, routing, source, destination).ports)
                .or_insert(0) += 1;
        }
    }
    taken
}

/// Between switches 0 and 3, one way leads over switch 1 alone and four over switch 2, which part
/// before it or behind it. Steps drawn alike, from either end, would give the first way half of
/// the routes; paths drawn alike give it a fifth.
#[test]
fn random_choice_is_uniform_over_paths_not_over_steps() {
    let parting_behind = [(0, 1), (0, 2), (1, 3), (2, 3), (2, 3), (2, 3), (2, 3)];
    let parting_before = [(0, 1), (0, 2), (0, 2), (0, 2), (0, 2), (1, 3), (2, 3)];
    for links in [parting_behind, parting_before] {
        let fabric = fabric_of(&[100, 0, 0, 100], &links);
        for spec in [
            "minimal:seed=5",
            "updown:root=0,seed=5",
            "ud_itb:root=0,seed=5",
        ] {
            let spec = format!("{spec},selection=random,per=host");
            let routing = route_spec(&fabric, &spec).unwrap();
            let taken = paths_taken(&fabric, &routing, SwitchId::new(3));
            assert_eq!(taken.len(), 5);
            // Five equally likely paths, 10,000 draws: chi-square with 4 degrees of freedom stays
            // below 18.5 with probability 0.999.
            let deviation = |n: u32| (f64::from(n) - 2000.0).powi(2) / 2000.0;
            let chi_square: f64 = taken.values().copied().map(deviation).sum();
            assert!(chi_square < 18.5, "{spec}: {taken:?}");
        }
    }
}

/// A ring of four with root 0. The busiest channels lead from 0 to 1 and to 3: 0→1 carries the
/// pair 0→1, half of 0→2, which may go either way, and 3→1, which must not go over 2. That is 2.5
/// for every pair of hosts on them.
#[test]
fn simple_routes_weighs_by_the_largest_expected_load() {
    for (hosts, alpha) in [(1, "0.4"), (2, "0.1")] {
        let fabric = fabric_of(&[hosts; 4], &[(0, 1), (1, 2), (2, 3), (3, 0)]);
        for per in ["host", "switch"] {
            let routing = route_spec(&fabric, &format!("simple_routes:root=0,per={per}")).unwrap();
            assert_eq!(routing.parameters["alpha"], alpha);
        }
    }
}

/// On fabrics too large for random ones: the path with fewest turns up and, of those, the lowest
/// ports, among all minimal paths.
#[test]
fn the_first_path_with_fewest_stops_is_found_among_all() {
    let mut fabrics = vec![torus(6, 6, 1).unwrap()];
    for seed in 1..=10 {
        let parameters = IrregularParameters {
            switches: 48,
            hosts_per_switch: 1,
            ports_per_switch: 4,
            seed,
            ..IrregularParameters::default()
        };
        fabrics.push(irregular(&parameters).unwrap());
    }
    for fabric in &fabrics {
        let routing = route_spec(fabric, "ud_mitb:root=3,selection=first").unwrap();
        let orientation = Orientation::from_root(fabric, SwitchId::new(3));
        for (source, destination) in host_pairs(fabric) {
            let walk = walk(fabric, &routing, source, destination);
            let [from, to] = [source, destination].map(|host| fabric.host_switch(host));
            let paths = all_paths(fabric, from, to, walk.links());
            let turns = |path: &Vec<u8>| turns_up(fabric, &orientation, from, path);
            let first = paths
                .into_iter()
                .min_by_key(|path| (turns(path), path.clone()));
            assert_eq!(Some(walk.ports), first);
        }
    }
}

/// In a chain of 200 switches joined by 100 links each there are 100^199 = 10^398 paths, more than
/// a float can count.
#[test]
fn path_counts_beyond_all_numbers_still_draw_uniformly() {
    let links: Vec<(usize, usize)> = (0..199)
        .flat_map(|s| std::iter::repeat_n((s, s + 1), 100))
        .collect();
    let mut hosts = vec![0; 200];
    (hosts[0], hosts[199]) = (50, 50);
    let fabric = fabric_of(&hosts, &links);
    let routing = route_spec(&fabric, "updown:selection=random,per=host").unwrap();
    let taken = paths_taken(&fabric, &routing, SwitchId::new(199));
    assert_eq!(taken.len(), 2500, "no path comes up twice among so many");
    for hop in [0, 100, 198] {
        let mut ports = [0_u32; 201];
        for path in taken.keys() {
            assert_eq!(path.len(), 199);
            ports[usize::from(path[hop])] += 1;
        }
        let used: Vec<f64> = ports
            .into_iter()
            .filter(|&n| n > 0)
            .map(f64::from)
            .collect();
        assert_eq!(used.len(), 100);
        // 99 degrees of freedom: below 149 with probability 0.999.
        let chi_square: f64 = used.iter().map(|n| (n - 25.0).powi(2) / 25.0).sum();
        assert!(chi_square < 149.0, "hop {hop}: {chi_square}");
    }
}

#[test]
fn shortest_legal_paths_of_a_small_torus_are_counted() {
    // In the 4x4 torus, from the root to the switch two right and two down: 6 orders of the
    // moves, each dimension either way round: 24 minimal paths, all down from the root.
    let fabric = torus(4, 4, 1).unwrap();
    let orientation = Orientation::from_root(&fabric, SwitchId::new(0));
    let far = SwitchId::new(10);
    for rule in [TurnRule::Free, TurnRule::Forbidden] {
        let space = PathSpace::new(&fabric, Some(&orientation), rule);
        let figures = PathFigures::from_switch(&space, SwitchId::new(0));
        assert_eq!(figures.links(far), Some(4));
        assert!((figures.count(far) - 24.0).abs() < 1e-9);
        assert_eq!(figures.links(SwitchId::new(0)), Some(0));
    }
}

#[test]
fn choice_by_load_spreads_routes_over_parallel_links() {
    let fabric = fabric_of(&[4, 4], &[(0, 1); 4]);
    for per in ["host", "switch"] {
        let spec = format!("updown:selection=least_loaded,per={per}");
        let routing = route_spec(&fabric, &spec).unwrap();
        let loads = channel_loads(&fabric, &figures(&fabric, &routing));
        let expected = if per == "host" {
            vec![4; 8]
        } else {
            vec![0, 0, 0, 0, 0, 0, 16, 16]
        };
        assert_eq!(loads, expected, "per {per}");
    }
}

#[test]
fn another_seed_draws_other_routes() {
    let fabric = torus(4, 4, 2).unwrap();
    for name in ["updown", "minimal", "ud_itb", "ud_mitb", "simple_routes"] {
        let with = |seed: u64| {
            let given = BTreeMap::from([("seed".to_owned(), seed.to_string())]);
            route(&fabric, name, &given).unwrap().routes
        };
        assert_ne!(with(1), with(2), "{name}");
    }
}

/// The stops that routes make at each host.
fn stops_at(fabric: &Fabric, routing: &Routing) -> Vec<u32> {
    let mut taken = vec![0; fabric.host_count()];
    for (source, destination) in host_pairs(fabric) {
        for (_, host) in walk(fabric, routing, source, destination).stops {
            taken[host.index()] += 1;
        }
    }
    taken
}

#[test]
fn stops_go_to_the_hosts_of_a_switch_in_turn_or_by_load() {
    let fabric = torus(8, 8, 4).unwrap();
    for stop_host in ["round_robin", "least_loaded"] {
        let spec = format!("ud_mitb:root=0,per=host,stop_host={stop_host}");
        let routing = route_spec(&fabric, &spec).unwrap();
        let taken = stops_at(&fabric, &routing);
        assert_eq!(taken.iter().sum::<u32>(), 732 * 16);
        for switch in fabric.switch_ids() {
            let stops = fabric
                .hosts_of(switch)
                .iter()
                .map(|host: &HostId| taken[host.index()]);
            let (least, most) = (stops.clone().min().unwrap(), stops.max().unwrap());
            assert!(
                most - least <= 1,
                "{stop_host}: {least} and {most} on {switch}"
            );
        }
    }
}

#[test]
fn random_stops_use_every_host_of_a_switch() {
    let fabric = torus(8, 8, 2).unwrap();
    let routing = route_spec(&fabric, "ud_itb:root=0,per=switch").unwrap();
    let taken = stops_at(&fabric, &routing);
    for switch in fabric.switch_ids() {
        let [one, other] = [0, 1].map(|i| taken[fabric.hosts_of(switch)[i].index()]);
        assert!((one == 0) == (other == 0), "{switch}: {one} and {other}");
    }
}

/// Standard deviation and maximum of the routes per channel between switches.
fn spread(fabric: &Fabric, spec: &str) -> (f64, u64) {
    let figures = figures_of(fabric, spec);
    let loads = channel_loads(fabric, &figures);
    let squares: f64 = loads
        .iter()
        .map(|&load| (load as f64 - figures.mean_routes_per_channel).powi(2))
        .sum();
    let most = *loads.last().unwrap();
    ((squares / loads.len() as f64).sqrt(), most)
}

#[test]
fn balanced_paths_spread_routes_more_evenly_than_drawn_or_first_ones() {
    for (switches, seed) in [(16, 1), (16, 2), (32, 1), (32, 2), (64, 1)] {
        let fabric = irregular_of(switches, seed);
        for name in ["updown", "dfs", "minimal", "dfs_itb"] {
            let with = |selection: &str| {
                spread(&fabric, &format!("{name}:per=switch,selection={selection}"))
            };
            let (balanced, most) = with("balanced");
            assert!(balanced < with("random").0, "{name} on {switches} switches");
            assert!(most <= with("first").1, "{name} on {switches} switches");
        }
    }
}

/// A ring of four with five hosts on switch 3 and none on 1. Between 0 and 2 the first path leads over
/// 3, where much passes already; balanced, it leads over 1, each way.
#[test]
fn balanced_paths_avoid_what_other_pairs_cannot() {
    let fabric = fabric_of(&[1, 0, 1, 5], &[(3, 0), (2, 3), (0, 1), (1, 2)]);
    for (selection, expected) in [
        ("first", [0, 0, 0, 0, 6, 6, 6, 6]),
        ("balanced", [1, 1, 1, 1, 5, 5, 5, 5]),
    ] {
        for per in ["switch", "host"] {
            let spec = format!("minimal:selection={selection},per={per}");
            let loads = channel_loads(&fabric, &figures_of(&fabric, &spec));
            assert_eq!(loads, expected, "{selection} per {per}");
        }
    }
}

/// A fat tree of 64 leaves with 32 hosts and 32 spines: of 64·32 routes up to a leaf's link that all hosts
/// of two leaves share there are 63 for 32 links, two on the fullest at best, so less than half of a host's
/// rate; of a route per pair of hosts all links of a leaf carry about 63·32.
#[test]
fn large_clusters_have_a_route_for_each_pair_of_hosts() {
    let tree = xgft(&[32, 64], &[1, 32]).unwrap();
    for spec in ["updown:root=tops", "minimal", "dfs", "structured_pools"] {
        let routing = route_spec(&tree, spec).unwrap();
        assert_eq!(
            routing.routes.granularity(),
            PairGranularity::Host,
            "{spec}"
        );
        assert_eq!(routing.parameters["per"], "host", "{spec}");
    }
    let bound = |spec: &str| figures(&tree, &route_spec(&tree, spec).unwrap()).saturation_bound;
    assert!(bound("updown:root=tops,per=switch") < 0.5);
    let found = bound("updown:root=tops");
    assert!(found > 0.9, "{found}");
}

#[test]
fn hosts_of_two_switches_share_a_route_where_each_of_their_own_would_take_too_long() {
    let per = |leaves: [u32; 2], spec: &str| {
        let tree = xgft(&leaves, &[1, 1]).unwrap();
        route_spec(&tree, spec).unwrap().routes.granularity()
    };
    let both = [PairGranularity::Host, PairGranularity::Switch];
    // 1,024 and 1,025 hosts, 4,096 and 4,097, 8,192 and 8,194.
    let sizes = [
        [[32, 32], [41, 25]],
        [[64, 64], [241, 17]],
        [[128, 64], [241, 34]],
    ];
    for (spec, of_sizes) in [
        ("simple_routes", sizes[0]),
        ("updown:selection=least_loaded", sizes[0]),
        ("updown:selection=first", sizes[0]),
        ("updown:selection=balanced", sizes[0]),
        ("ud_itb", sizes[1]),
        ("minimal_itb", sizes[1]),
        ("multi_tree", sizes[1]),
        ("structured_pools", sizes[1]),
        ("descending_layers", sizes[1]),
        ("updown", sizes[2]),
        ("dfs", sizes[2]),
        ("minimal", sizes[2]),
    ] {
        assert_eq!(of_sizes.map(|leaves| per(leaves, spec)), both, "{spec}");
    }
}
