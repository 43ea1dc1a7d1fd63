//! Routings over several lanes: what each promises of its lanes, on random fabrics and by hand.

use proptest::prelude::*;
use std::collections::BTreeMap;
use std::num::NonZeroU8;
use weft_fabric::generate::{mesh, ring, torus};
use weft_fabric::{Fabric, HostId, SwitchId, metrics};
use weft_routing::algorithms::route_spec;
use weft_routing::load::figures;
use weft_routing::{Orientation, Routing, RoutingError};
use weft_testing::{
    Walk, cases, fabric_of, fabrics, host_pairs, largest, legal_links, plain_steps,
    route_or_refusal, walk,
};

fn lanes(fabric: &Fabric, routing: &Routing, source: HostId, destination: HostId) -> Vec<u8> {
    let steps = plain_steps(fabric, &routing.routes, source, destination);
    steps.iter().map(|(_, lane)| lane.number()).collect()
}

/// The parts of a route that lie on one lane each.
fn parts(walk: &Walk, lanes: &[u8]) -> Vec<(u8, Walk)> {
    let mut parts: Vec<(u8, Walk)> = Vec::new();
    for (ends, &lane) in walk.switches.windows(2).zip(lanes) {
        match parts.last_mut() {
            Some((here, part)) if *here == lane => part.switches.push(ends[1]),
            _ => parts.push((
                lane,
                Walk {
                    switches: ends.to_vec(),
                    ..Walk::default()
                },
            )),
        }
    }
    parts
}

fn given(parameters: &[(&str, String)]) -> BTreeMap<String, String> {
    let pairs = parameters.iter();
    pairs
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect()
}

fn settled_roots(routing: &Routing) -> Vec<SwitchId> {
    routing.parameters["roots"]
        .split('+')
        .map(|root| SwitchId::new(root.strip_prefix("id:").unwrap().parse().unwrap()))
        .collect()
}

fn selections() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["first", "random", "least_loaded", "balanced"])
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn pools_are_minimal_and_rise_by_a_lane_with_every_link(
        fabric in fabrics(0), seed in any::<u64>(), selection in selections(), limit in 1_u8..9,
    ) {
        let pairs = host_pairs(&fabric);
        let distance = |&(from, to): &(HostId, HostId)| {
            let distances = metrics::distances_from(&fabric, fabric.host_switch(from));
            distances[fabric.host_switch(to).index()]
        };
        let longest = pairs.iter().map(distance).max().unwrap_or(0);
        let spec = format!("structured_pools:seed={seed},selection={selection},lanes={limit}");
        match route_spec(&fabric, &spec) {
            Ok(routing) => {
                prop_assert!(longest <= u32::from(limit));
                prop_assert_eq!(u32::from(routing.routes.lane_count()), longest.max(1));
                for &(from, to) in &pairs {
                    let lanes = lanes(&fabric, &routing, from, to);
                    prop_assert_eq!(lanes.len(), distance(&(from, to)) as usize);
                    prop_assert!((0..).zip(&lanes).all(|(place, &lane)| place == lane));
                }
            }
            Err(RoutingError::TooFewLanes { needed, lanes, .. }) => {
                prop_assert_eq!((needed, lanes), (longest as usize, usize::from(limit)));
                prop_assert!(longest > u32::from(limit));
            }
            Err(other) => prop_assert!(false, "{other}"),
        }
    }

    #[test]
    fn layers_descend_are_legal_each_and_shorten_routes(
        fabric in fabrics(0), seed in any::<u64>(), selection in selections(), lanes_given in 1_u8..5,
        apart in any::<bool>(), root in any::<prop::sample::Index>(),
    ) {
        let root = SwitchId::from_index(root.index(fabric.switch_count()));
        let orientation = Orientation::from_root(&fabric, root);
        let parameters = given(&[
            ("seed", seed.to_string()), ("selection", selection.to_owned()),
            ("root", format!("id:{}", root.number())), ("lanes", lanes_given.to_string()),
            ("layer_roots", if apart { "apart" } else { "same" }.to_owned()),
        ]);
        let routing = route_or_refusal(&fabric, "descending_layers", &parameters).unwrap();
        for (from, to) in host_pairs(&fabric) {
            let walk = walk(&fabric, &routing, from, to);
            let lanes = lanes(&fabric, &routing, from, to);
            prop_assert!(lanes.is_sorted_by(|one, next| one >= next));
            prop_assert!(lanes.iter().all(|&lane| lane < lanes_given));
            let ends = [from, to].map(|host| fabric.host_switch(host));
            let minimal = metrics::distances_from(&fabric, ends[0])[ends[1].index()] as usize;
            let legal = legal_links(&fabric, &orientation, ends[0], ends[1]) as usize;
            prop_assert!((minimal..=legal).contains(&walk.links()));
            if lanes_given == 1 {
                prop_assert_eq!(walk.links(), legal);
            }
            if !apart {
                for (_, part) in parts(&walk, &lanes) {
                    prop_assert_eq!(part.forbidden_turns(&orientation), 0);
                }
                if fewest_turns(&fabric, &orientation, ends) < usize::from(lanes_given) {
                    prop_assert_eq!(walk.links(), minimal);
                }
            }
        }
    }

    #[test]
    fn routes_of_trees_keep_to_a_lane_and_are_the_shortest_of_any_tree(
        fabric in fabrics(0), seed in any::<u64>(), selection in selections(), trees in 1_usize..5,
        rule in prop::sample::select(vec!["apart", "apart_from_first", "search"]),
        further_lanes in 0_usize..3,
    ) {
        let parameters = given(&[
            ("seed", seed.to_string()), ("selection", selection.to_owned()),
            ("roots", rule.to_owned()), ("trees", trees.to_string()), ("sets", "5".to_owned()),
            ("lanes", (trees + further_lanes).to_string()), ("spread", "pairs".to_owned()),
        ]);
        let Some(routing) = route_or_refusal(&fabric, "multi_tree", &parameters) else {
            prop_assert!(trees > fabric.switch_count());
            return Ok(());
        };
        let roots = settled_roots(&routing);
        prop_assert_eq!(roots.len(), trees);
        let orientations: Vec<Orientation> =
            roots.iter().map(|&root| Orientation::from_root(&fabric, root)).collect();
        for (from, to) in host_pairs(&fabric) {
            let walk = walk(&fabric, &routing, from, to);
            let lanes = lanes(&fabric, &routing, from, to);
            let ends = [from, to].map(|host| fabric.host_switch(host));
            let legal = orientations.iter().map(|o| legal_links(&fabric, o, ends[0], ends[1]));
            prop_assert_eq!(legal.min(), Some(u32::try_from(walk.links()).unwrap()));
            let parts = parts(&walk, &lanes);
            prop_assert!(parts.len() <= 1);
            for (lane, part) in parts {
                let tree = &orientations[usize::from(lane) % trees];
                prop_assert_eq!(part.forbidden_turns(tree), 0);
            }
        }
    }
}

/// Fewest turns from down to up on any minimal path.
fn fewest_turns(fabric: &Fabric, orientation: &Orientation, ends: [SwitchId; 2]) -> usize {
    let links = metrics::distances_from(fabric, ends[0])[ends[1].index()] as usize;
    weft_testing::all_paths(fabric, ends[0], ends[1], links)
        .iter()
        .map(|path| weft_testing::turns_up(fabric, orientation, ends[0], path))
        .min()
        .unwrap()
}

#[test]
fn a_ring_of_four_descends_once_and_only_where_it_must() {
    // Root 0; 1 and 3 below it, 2 at the bottom. From 1 by 2 to 3 there is a turn up, by 0 none.
    let fabric = ring(4, 1).unwrap();
    let orientation = Orientation::from_root(&fabric, SwitchId::new(0));
    let routing = route_spec(&fabric, "descending_layers:root=0,seed=3").unwrap();
    for (from, to) in host_pairs(&fabric) {
        let turns = walk(&fabric, &routing, from, to).forbidden_turns(&orientation);
        let lanes = lanes(&fabric, &routing, from, to);
        assert_eq!(turns, usize::from(lanes == [1, 0]), "{from:?} to {to:?}");
    }
}

#[test]
fn one_tree_uses_all_its_lanes_alike() {
    let fabric = torus(4, 4, 2).unwrap();
    let routing = route_spec(&fabric, "multi_tree:trees=1,lanes=3,spread=pairs").unwrap();
    assert_eq!(routing.parameters["roots"], "id:0");
    let mut links = [0_usize; 3];
    for (from, to) in host_pairs(&fabric) {
        for lane in lanes(&fabric, &routing, from, to) {
            links[usize::from(lane)] += 1;
        }
    }
    let spread = links.iter().max().unwrap() - links.iter().min().unwrap();
    assert!(spread < 10, "{links:?}");
    let one_lane = route_spec(&fabric, "updown").unwrap();
    let means = [&routing, &one_lane].map(|r| figures(&fabric, r).mean_distance_links);
    assert!(
        (means[0] - means[1]).abs() < 1e-12,
        "the same tree: {means:?}"
    );
}

#[test]
fn packets_take_the_lanes_of_their_tree_in_turn() {
    let fabric = torus(4, 4, 2).unwrap();
    let one = route_spec(&fabric, "multi_tree:trees=1").unwrap();
    let three = route_spec(&fabric, "multi_tree:trees=1,lanes=3").unwrap();
    assert_eq!((one.routes.turns(), one.routes.lane_count()), (1, 1));
    assert_eq!((three.routes.turns(), three.routes.lane_count()), (3, 3));
    let mut alternating = one.routes.clone();
    alternating.alternate(NonZeroU8::new(3).unwrap()).unwrap();
    assert_eq!(three.routes, alternating);
    let two = route_spec(&fabric, "multi_tree:trees=2,lanes=6").unwrap();
    assert_eq!((two.routes.turns(), two.routes.lane_count()), (3, 6));
}

#[test]
fn the_search_for_roots_finds_none_worse_than_those_apart() {
    let fabric = mesh(4, 3, 1).unwrap();
    let busiest = |roots: &str| {
        let spec = format!("multi_tree:roots={roots},selection=least_loaded");
        largest(&fabric, &spec)
    };
    assert!(busiest("search") <= busiest("apart"));
    let given = route_spec(&fabric, "multi_tree:roots=3+name:sw8").unwrap();
    assert_eq!(settled_roots(&given), [SwitchId::new(3), SwitchId::new(8)]);
}

#[test]
fn what_does_not_fit_the_lanes_is_refused_by_name_and_number() {
    let text = |fabric: &Fabric, spec: &str| route_spec(fabric, spec).unwrap_err().to_string();
    let line = mesh(6, 1, 1).unwrap();
    assert_eq!(
        text(&line, "structured_pools:lanes=4"),
        "routing structured_pools needs 5 lanes on fabric “mesh-6x1”, found lanes=4; give lanes=5 \
         where the hardware has them, or choose another routing"
    );
    assert!(text(&line, "structured_pools:lanes=0").ends_with("a whole number from 1 to 255"));
    let one = fabric_of(&[2], &[]);
    assert_eq!(
        text(&one, "multi_tree"),
        "found trees=2, but fabric “test” has 1 switches that can be roots, and each tree needs one \
         of its own; give trees=1 or fewer"
    );
    assert!(text(&line, "multi_tree:trees=3,lanes=2").ends_with("3 or more, a lane for each tree"));
    assert!(
        text(&line, "multi_tree:trees=2,lanes=3").ends_with("a multiple of 2, or spread=pairs")
    );
    assert!(
        text(&line, "multi_tree:trees=3,roots=0+1")
            .ends_with("expected 2, as many as there are roots, or auto")
    );
    assert!(text(&line, "multi_tree:roots=0+9").contains("a switch number from 0 to 5"));
    assert!(text(&line, "multi_tree:roots=aprt").ends_with("did you mean “apart”?"));
    assert!(text(&line, "multi_tree:trees=17").contains("from 1 to 16, or auto"));
}
