//! Root rules and the order of the switches.

use weft_fabric::generate::{mesh, torus};
use weft_fabric::metrics::distances_from;
use weft_fabric::{Fabric, SwitchId};
use weft_routing::algorithms::route_spec;
use weft_routing::{Orientation, RootRule, Routes};
use weft_testing::{fabric_of, irregular_of};

fn routes(fabric: &Fabric, root: &str) -> Routes {
    route_spec(fabric, &format!("updown:selection=first,root={root}"))
        .unwrap()
        .routes
}

#[test]
fn up_leads_nearer_to_the_root_then_to_the_lower_id() {
    let fabric = torus(4, 4, 1).unwrap();
    let orientation = Orientation::from_root(&fabric, SwitchId::new(5));
    let [root, beside, corner, other_corner] = [5, 6, 10, 2].map(SwitchId::new);
    assert_eq!(orientation.root(), root);
    assert_eq!(
        [root, beside, corner].map(|s| orientation.level(s)),
        [0, 1, 2]
    );
    assert!(orientation.is_up(beside, root) && !orientation.is_up(root, beside));
    assert!(orientation.is_up(corner, other_corner) && !orientation.is_up(other_corner, corner));
}

#[test]
fn the_root_of_lowest_mean_distance_is_found() {
    // Two rings of five that share switch 4.
    let links = [
        (0, 1),
        (1, 2),
        (2, 3),
        (3, 4),
        (4, 0),
        (4, 5),
        (5, 6),
        (6, 7),
        (7, 8),
        (8, 4),
    ];
    let fabric = fabric_of(&[1; 9], &links);
    for root in 0..9 {
        let same = routes(&fabric, "min_average") == routes(&fabric, &root.to_string());
        assert_eq!(same, root == 4, "root {root}");
    }
}

#[test]
fn distances_are_averaged_as_they_are() {
    for seed in 1..=20 {
        let fabric = irregular_of(24, seed);
        let sum = |root: &SwitchId| -> u32 { distances_from(&fabric, *root).iter().sum() };
        let best = fabric.switch_ids().min_by_key(sum).unwrap();
        assert_eq!(
            routes(&fabric, "min_average"),
            routes(&fabric, &best.number().to_string())
        );
    }
}

#[test]
fn equal_roots_are_decided_by_the_lowest_id() {
    let fabric = torus(4, 4, 1).unwrap();
    assert_eq!(routes(&fabric, "min_average"), routes(&fabric, "id:0"));
    assert_eq!(routes(&fabric, "max_degree"), routes(&fabric, "0"));
    assert_ne!(routes(&fabric, "0"), routes(&fabric, "1"));
}

#[test]
fn the_root_with_most_links_counts_parallel_links() {
    let links = [(0, 1), (1, 2), (2, 3), (3, 0), (2, 3)];
    let fabric = fabric_of(&[1; 4], &links);
    assert_eq!(routes(&fabric, "max_degree"), routes(&fabric, "2"));
    assert_ne!(routes(&fabric, "max_degree"), routes(&fabric, "0"));
}

#[test]
fn a_root_may_be_named() {
    let fabric = mesh(3, 3, 1).unwrap();
    assert_eq!(routes(&fabric, "name:sw4"), routes(&fabric, "4"));
    assert_ne!(routes(&fabric, "name:sw4"), routes(&fabric, "0"));
}

#[test]
fn random_roots_depend_on_the_seed_alone() {
    let fabric = torus(4, 4, 1).unwrap();
    let with = |seed: u32| routes(&fabric, &format!("random,seed={seed}"));
    assert_eq!(with(3), with(3));
    assert!((1..10).any(|seed| with(seed) != with(0)));
}

#[test]
fn only_the_part_with_hosts_gives_a_root() {
    // Switches 0 to 2 have no host and form a part of their own, with more links a switch.
    let links = [(0, 1), (1, 2), (2, 0), (0, 1), (3, 4), (4, 5)];
    let fabric = fabric_of(&[0, 0, 0, 1, 1, 1], &links);
    for rule in ["min_average", "max_degree"] {
        assert_eq!(routes(&fabric, rule), routes(&fabric, "4"), "{rule}");
    }
    for seed in 0..20 {
        let _ = routes(&fabric, &format!("random,seed={seed}"));
    }
}

#[test]
fn rules_are_read_as_they_are_written() {
    let rules = [
        RootRule::MinAverage,
        RootRule::MaxAverage,
        RootRule::Opensm,
        RootRule::Tops,
        RootRule::Several(vec![RootRule::Id(3), RootRule::Name("a+4 b".to_owned())]),
        RootRule::Several(vec![RootRule::Name("a+4".to_owned()), RootRule::Id(5)]),
        RootRule::MaxDegree,
        RootRule::Random,
        RootRule::Id(7),
        RootRule::Name("leaf 3".to_owned()),
    ];
    for rule in rules {
        assert_eq!(rule.to_string().parse(), Ok(rule));
    }
    assert_eq!("7".parse(), Ok(RootRule::Id(7)));
    for wrong in [
        "",
        "min",
        "-1",
        "id:",
        "id:x",
        "4294967296",
        "1+",
        "+1",
        "1+tops",
    ] {
        assert!(wrong.parse::<RootRule>().is_err(), "{wrong}");
    }
}
