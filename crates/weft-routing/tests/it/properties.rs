//! What every algorithm promises, on random fabrics.

use proptest::prelude::*;
use std::collections::BTreeMap;
use weft_fabric::{Fabric, SwitchId, metrics};
use weft_registry::Kind;
use weft_routing::algorithms::{ALGORITHMS, Algorithm, Lanes, Length, Needs, PermittedTurns};
use weft_routing::{Orientation, Routes};
use weft_testing::{
    all_paths, cases, fabrics, host_pairs, legal_links, loads, route, route_or_refusal, route_spec,
    turns_up, walk,
};

/// The parameters of an algorithm, drawn: every choice it offers can come up.
fn parameters(algorithm: &Algorithm, draw: u64, root: usize) -> BTreeMap<String, String> {
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
    let offered = |key: &str, value: &str| {
        let spec = algorithm.parameters.iter().find(|spec| spec.name == key);
        spec.is_some_and(|spec| match spec.kind {
            Kind::Choice(words) => words.contains(&value),
            _ => true,
        })
    };
    drawn
        .into_iter()
        .filter(|(key, value)| offered(key, value))
        .map(|(key, value)| (key.to_owned(), value))
        .collect()
}

/// The orientation an algorithm takes from a root with some parameters.
fn orientation_of(
    algorithm: &Algorithm,
    given: &BTreeMap<String, String>,
    fabric: &Fabric,
    root: usize,
) -> Orientation {
    let root = SwitchId::from_index(root);
    if algorithm.turns == PermittedTurns::ByDepthFirstSearch
        || given.values().any(|value| value == "depth_first")
    {
        Orientation::depth_first(fabric, root)
    } else {
        Orientation::from_root(fabric, root)
    }
}

/// Those of all algorithms that make one route for every pair.
fn algorithms_with(holds: impl Fn(&Algorithm) -> bool) -> impl Iterator<Item = &'static Algorithm> {
    ALGORITHMS.iter().filter(move |algorithm| holds(algorithm))
}

/// Whether an algorithm takes one of the shortest paths that it permits, on one lane, by a choice that
/// can be the first or by load.
fn selects_paths(algorithm: &Algorithm) -> bool {
    let is_offered = |word: &str| {
        algorithm.parameters.iter().any(|spec| {
            matches!(spec.kind, Kind::Choice(words) if spec.name == "selection" && words.contains(&word))
        })
    };
    let Needs { lanes, tables, .. } = algorithm.needs;
    is_offered("first") && is_offered("least_loaded") && lanes == Lanes::One && !tables
}

fn minimal_links(fabric: &Fabric, from: SwitchId, to: SwitchId) -> usize {
    metrics::distances_from(fabric, from)[to.index()] as usize
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn every_route_leads_to_its_destination_and_keeps_its_promise(
        fabric in fabrics(0), draw in any::<u64>(), root in any::<prop::sample::Index>(),
    ) {
        let root = root.index(fabric.switch_count());
        for algorithm in ALGORITHMS {
            let name = algorithm.name;
            let given = parameters(algorithm, draw, root);
            let orientation = orientation_of(algorithm, &given, &fabric, root);
            let Some(routing) = route_or_refusal(&fabric, name, &given) else {
                continue;
            };
            if algorithm.needs.lanes == Lanes::One {
                prop_assert_eq!(routing.routes.lane_count(), 1, "{} has lanes: One", name);
            }
            if algorithm.needs.tables {
                let is_tables = matches!(&routing.routes, Routes::Tables(tables) if tables.most_addresses() == 1);
                prop_assert!(is_tables, "{name} has tables: true");
            }
            for (source, destination) in host_pairs(&fabric) {
                let walk = walk(&fabric, &routing, source, destination);
                let [from, to] = [source, destination].map(|host| fabric.host_switch(host));
                prop_assert_eq!(*walk.switches.last().unwrap(), to, "{}", name);
                for &(place, host) in &walk.stops {
                    prop_assert_eq!(fabric.host_switch(host), walk.switches[place], "{}", name);
                }
                let turns = algorithm.turns;
                if turns != PermittedTurns::Other {
                    let forbidden = walk.forbidden_turns(&orientation);
                    prop_assert_eq!(forbidden, 0, "{} has turns: {:?}", name, turns);
                }
                let minimal = minimal_links(&fabric, from, to);
                let legal = legal_links(&fabric, &orientation, from, to) as usize;
                let (shortest, longest) = match algorithm.length {
                    Length::Shortest | Length::ShortestWhereWhole => (minimal, minimal),
                    Length::ShortestLegal => (legal, legal),
                    Length::UpToLegal => (minimal, legal),
                    Length::Any if turns == PermittedTurns::Other => (minimal, usize::MAX),
                    Length::Any => (legal, usize::MAX),
                };
                prop_assert!(
                    (shortest..=longest).contains(&walk.links()),
                    "{name} has length: {:?}, and a route of {} links, not {shortest} to {longest}",
                    algorithm.length,
                    walk.links(),
                );
                let needs_stops = algorithm.needs.stops;
                prop_assert!(needs_stops || walk.stops.is_empty(), "{name} has stops: false");
            }
        }
    }

    #[test]
    fn in_transit_routes_are_minimal_and_one_kind_has_fewest_stops(
        fabric in fabrics(1), draw in any::<u64>(), root in any::<prop::sample::Index>(),
    ) {
        let root = root.index(fabric.switch_count());
        let by_stops = |algorithm: &Algorithm| {
            algorithm.needs.stops && algorithm.turns != PermittedTurns::Other
        };
        for algorithm in algorithms_with(by_stops) {
            let name = algorithm.name;
            let mut given = parameters(algorithm, draw, root);
            let orientation = orientation_of(algorithm, &given, &fabric, root);
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
        for algorithm in algorithms_with(selects_paths) {
            let name = algorithm.name;
            let orientation = orientation_of(algorithm, &BTreeMap::new(), &fabric, root);
            let has_root = algorithm.parameters.iter().any(|spec| spec.name == "root");
            let with_root = if has_root { format!("root={root},") } else { String::new() };
            let spec = format!("{name}:{with_root}selection=first");
            let routing = route_spec(&fabric, &spec).unwrap();
            for (source, destination) in host_pairs(&fabric) {
                let walk = walk(&fabric, &routing, source, destination);
                let [from, to] = [source, destination].map(|host| fabric.host_switch(host));
                let turns = |path: &Vec<u8>| turns_up(&fabric, &orientation, from, path);
                let paths = all_paths(&fabric, from, to, walk.links()).into_iter();
                let expected = match name {
                    _ if algorithm.length == Length::ShortestLegal => {
                        paths.filter(|path| turns(path) == 0).min()
                    }
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
            let given = parameters(algorithm, draw, 0);
            let one = route(&fabric, algorithm.name, &given);
            let other = one_thread.install(|| route(&fabric, algorithm.name, &given));
            prop_assert_eq!(one, other, "{}", algorithm.name);
        }
    }

    #[test]
    fn a_choice_by_load_is_never_worse_than_the_first_paths(
        fabric in fabrics(0), draw in any::<u64>(),
    ) {
        for algorithm in algorithms_with(selects_paths) {
            let name = algorithm.name;
            let mut given = parameters(algorithm, draw, 0);
            let mut load = |selection: &str| {
                given.insert("selection".to_owned(), selection.to_owned());
                loads(&fabric, &route(&fabric, name, &given).unwrap()).1
            };
            let (first, least_loaded) = (load("first"), load("least_loaded"));
            prop_assert!(least_loaded <= first, "{name}: {least_loaded} > {first}");
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
