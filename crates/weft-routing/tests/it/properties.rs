//! What every algorithm promises, on random fabrics.

use proptest::prelude::*;
use std::collections::BTreeMap;
use weft_fabric::{Fabric, SwitchId, metrics};
use weft_routing::algorithms::ALGORITHMS;
use weft_routing::load::figures;
use weft_routing::{Orientation, ParameterKind, Routing};
use weft_testing::{
    all_paths, fabrics, host_pairs, legal_links, route, route_or_refusal, route_spec, turns_up,
    walk,
};

/// The parameters of an algorithm, drawn: every choice it offers can come up.
fn parameters(name: &str, draw: u64, root: usize) -> BTreeMap<String, String> {
    let pick = |words: &[&str], nth: u64| {
        words[usize::try_from((draw >> (2 * nth)) % words.len() as u64).unwrap()].to_owned()
    };
    let drawn = [
        ("root", format!("id:{root}")),
        (
            "selection",
            pick(&["first", "random", "least_loaded", "balanced"], 0),
        ),
        ("per", pick(&["switch", "host"], 1)),
        (
            "stop_host",
            pick(&["random", "round_robin", "least_loaded"], 2),
        ),
        ("alpha", pick(&["auto", "0.05", "1"], 3)),
        ("orientation", pick(&["breadth_first", "depth_first"], 4)),
        ("tree", pick(&["breadth_first", "depth_first"], 5)),
        ("starts", "2".to_owned()),
        ("seed", draw.to_string()),
    ];
    let algorithm = ALGORITHMS.iter().find(|a| a.name == name).unwrap();
    let offered = |key: &str, value: &str| {
        let spec = algorithm.parameters.iter().find(|spec| spec.name == key);
        spec.is_some_and(|spec| match spec.kind {
            ParameterKind::Choice(words) => words.contains(&value),
            _ => true,
        })
    };
    drawn
        .into_iter()
        .filter(|(key, value)| offered(key, value))
        .map(|(key, value)| (key.to_owned(), value))
        .collect()
}

/// Algorithms whose routes make turns that up*/down* from the root given forbids.
const NOT_BY_THE_ROOT_ALONE: [&str; 21] = [
    "nue",
    "ftree",
    "d_mod_k",
    "torus_2qos",
    "segment_based",
    "min_hop",
    "sssp",
    "dfsssp",
    "best",
    "best_itb",
    "minimal",
    "minimal_itb",
    "balanced",
    "balanced_itb",
    "smart",
    "structured_pools",
    "lash",
    "lash_tor",
    "dimension_order",
    "descending_layers",
    "multi_tree",
];

/// The orientation an algorithm takes from a root with some parameters.
fn orientation_of(
    name: &str,
    given: &BTreeMap<String, String>,
    fabric: &Fabric,
    root: usize,
) -> Orientation {
    let root = SwitchId::from_index(root);
    if name.starts_with("dfs") || given.values().any(|value| value == "depth_first") {
        Orientation::depth_first(fabric, root)
    } else {
        Orientation::from_root(fabric, root)
    }
}

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 300,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn minimal_links(fabric: &Fabric, from: SwitchId, to: SwitchId) -> usize {
    metrics::distances_from(fabric, from)[to.index()] as usize
}

fn largest_switch_load(fabric: &Fabric, routing: &Routing) -> u64 {
    let figures = figures(fabric, routing);
    let channels = fabric
        .channel_ids()
        .filter(|&c| fabric.is_switch_channel(c));
    channels
        .map(|c| figures.routes_per_channel[c.index()])
        .max()
        .unwrap_or(0)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_route_leads_to_its_destination_and_keeps_its_promise(
        fabric in fabrics(0), draw in any::<u64>(), root in any::<prop::sample::Index>(),
    ) {
        let root = root.index(fabric.switch_count());
        for algorithm in ALGORITHMS {
            let given = parameters(algorithm.name, draw, root);
            let orientation = orientation_of(algorithm.name, &given, &fabric, root);
            let Some(routing) = route_or_refusal(&fabric, algorithm.name, &given) else {
                continue;
            };
            for (source, destination) in host_pairs(&fabric) {
                let walk = walk(&fabric, &routing, source, destination);
                let [from, to] = [source, destination].map(|host| fabric.host_switch(host));
                prop_assert_eq!(*walk.switches.last().unwrap(), to);
                for &(place, host) in &walk.stops {
                    prop_assert_eq!(fabric.host_switch(host), walk.switches[place]);
                }
                let minimal = minimal_links(&fabric, from, to);
                let legal = legal_links(&fabric, &orientation, from, to) as usize;
                if !NOT_BY_THE_ROOT_ALONE.contains(&algorithm.name) {
                    prop_assert_eq!(walk.forbidden_turns(&orientation), 0);
                }
                match algorithm.name {
                    "minimal" | "balanced" | "structured_pools" | "lash" | "lash_tor"
                    | "dimension_order" | "torus_2qos" | "min_hop" | "sssp" | "dfsssp" => prop_assert_eq!(walk.links(), minimal),
                    // Their trees have other roots, or none.
                    "best" | "nue" | "ftree" | "d_mod_k" | "segment_based" | "multi_tree" | "smart" | "minimal_itb" | "balanced_itb" | "best_itb" => {
                        prop_assert!(walk.links() >= minimal);
                    }
                    "updown" | "dfs" => prop_assert_eq!(walk.links(), legal),
                    "simple_routes" | "down_preferred" | "prefix" => {
                        prop_assert!(walk.links() >= legal);
                    }
                    _ => prop_assert!((minimal..=legal).contains(&walk.links())),
                }
                if !algorithm.name.contains("itb") {
                    prop_assert!(walk.stops.is_empty());
                }
            }
        }
    }

    #[test]
    fn in_transit_routes_are_minimal_and_one_kind_has_fewest_stops(
        fabric in fabrics(1), draw in any::<u64>(), root in any::<prop::sample::Index>(),
    ) {
        let root = root.index(fabric.switch_count());
        for name in ["ud_itb", "ud_mitb", "dfs_itb"] {
            let mut given = parameters(name, draw, root);
            let orientation = orientation_of(name, &given, &fabric, root);
            given.insert("hostless".to_owned(), "refuse".to_owned());
            let routing = route(&fabric, name, &given).unwrap();
            for (source, destination) in host_pairs(&fabric) {
                let walk = walk(&fabric, &routing, source, destination);
                let [from, to] = [source, destination].map(|host| fabric.host_switch(host));
                prop_assert_eq!(walk.links(), minimal_links(&fabric, from, to));
                prop_assert_eq!(
                    walk.stops.len(), turns_up(&fabric, &orientation, from, &walk.ports)
                );
                let paths = all_paths(&fabric, from, to, walk.links());
                let fewest = paths.iter().map(|p| turns_up(&fabric, &orientation, from, p)).min();
                if name == "ud_mitb" {
                    prop_assert_eq!(Some(walk.stops.len()), fewest);
                }
            }
        }
    }

    #[test]
    fn the_first_path_has_the_lowest_ports(
        fabric in fabrics(1), root in any::<prop::sample::Index>(),
    ) {
        let root = root.index(fabric.switch_count());
        for name in ["minimal", "updown", "dfs", "ud_itb", "ud_mitb", "dfs_itb"] {
            let orientation = orientation_of(name, &BTreeMap::new(), &fabric, root);
            let with_root = if name == "minimal" { String::new() } else { format!("root={root},") };
            let spec = format!("{name}:{with_root}selection=first");
            let routing = route_spec(&fabric, &spec).unwrap();
            for (source, destination) in host_pairs(&fabric) {
                let walk = walk(&fabric, &routing, source, destination);
                let [from, to] = [source, destination].map(|host| fabric.host_switch(host));
                let turns = |path: &Vec<u8>| turns_up(&fabric, &orientation, from, path);
                let paths = all_paths(&fabric, from, to, walk.links()).into_iter();
                let expected = match name {
                    "updown" | "dfs" => paths.filter(|path| turns(path) == 0).min(),
                    "ud_mitb" => paths.min_by_key(|path| (turns(path), path.clone())),
                    _ => paths.min(),
                };
                prop_assert_eq!(Some(walk.ports), expected);
            }
        }
    }

    #[test]
    fn simple_routes_without_weights_takes_the_first_legal_paths(
        fabric in fabrics(0), seed in any::<u64>(),
    ) {
        let unweighted = route_spec(&fabric, &format!("simple_routes:alpha=0,seed={seed}")).unwrap();
        let first = route_spec(&fabric, "updown:selection=first").unwrap();
        prop_assert_eq!(unweighted.routes, first.routes);
    }

    #[test]
    fn the_same_seed_gives_the_same_routes(fabric in fabrics(0), draw in any::<u64>()) {
        let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        for algorithm in ALGORITHMS {
            let given = parameters(algorithm.name, draw, 0);
            let one = route(&fabric, algorithm.name, &given);
            let other = one_thread.install(|| route(&fabric, algorithm.name, &given));
            prop_assert_eq!(one, other);
        }
    }

    #[test]
    fn a_choice_by_load_is_never_worse_than_the_first_paths(
        fabric in fabrics(0), draw in any::<u64>(),
    ) {
        for name in ["updown", "dfs", "minimal", "ud_itb", "ud_mitb", "dfs_itb"] {
            let mut given = parameters(name, draw, 0);
            let mut load = |selection: &str| {
                given.insert("selection".to_owned(), selection.to_owned());
                largest_switch_load(&fabric, &route(&fabric, name, &given).unwrap())
            };
            let (first, least_loaded) = (load("first"), load("least_loaded"));
            prop_assert!(least_loaded <= first, "{least_loaded} > {first}");
        }
    }

    #[test]
    fn every_parameter_is_recorded_and_routes_the_same_again(
        fabric in fabrics(0), draw in any::<u64>(),
    ) {
        for algorithm in ALGORITHMS {
            let mut defaults = BTreeMap::from([("seed".to_owned(), draw.to_string())]);
            if algorithm.parameters.iter().all(|spec| spec.name != "seed") {
                defaults.clear();
            }
            let Some(routing) = route_or_refusal(&fabric, algorithm.name, &defaults) else {
                continue;
            };
            let mut names: Vec<&str> = algorithm.parameters.iter().map(|spec| spec.name).collect();
            names.sort_unstable();
            prop_assert_eq!(routing.parameters.keys().collect::<Vec<_>>(), names);
            prop_assert!(!routing.parameters.values().any(|value| value == "auto"));
            let again = route(&fabric, algorithm.name, &routing.parameters).unwrap();
            prop_assert_eq!(again, routing);
        }
    }
}
