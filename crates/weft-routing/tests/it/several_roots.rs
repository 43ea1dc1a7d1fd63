//! Several roots on trees: all minimal routes legal, all roots used.

use weft_fabric::{Fabric, SwitchId};
use weft_routing::algorithms::route_spec;
use weft_routing::{Orientation, PathFigures, PathSpace, Routes, TurnRule};
use weft_testing::{channel_loads, fabric_of, figures_of};

/// Leaves 0 to 3 with two hosts each, every one joined to spines 4 to 6, in this order of ports.
fn tree(hosts: &[usize]) -> Fabric {
    let links: Vec<_> = (0..4)
        .flat_map(|leaf| (4..7).map(move |spine| (leaf, spine)))
        .collect();
    fabric_of(hosts, &links)
}

fn routes(fabric: &Fabric, root: &str) -> Routes {
    let spec = format!("updown:selection=first,root={root}");
    route_spec(fabric, &spec).unwrap().routes
}

/// Three hosts on each of two leaves: nine pairs each way over three spines.
#[test]
fn with_all_spines_as_roots_routes_use_all_of_them_alike() {
    let links = [0, 1]
        .map(|leaf| [2, 3, 4].map(|spine| (leaf, spine)))
        .concat();
    let fabric = fabric_of(&[3, 3, 0, 0, 0], &links);
    for root in ["opensm", "tops", "2+3+4", "name:sw4+id:2+3"] {
        let spec = format!("updown:root={root},selection=least_loaded,per=host");
        let loads = channel_loads(&fabric, &figures_of(&fabric, &spec));
        assert_eq!(loads, [3; 12], "{root}");
    }
    // One root: the other spines are below the leaves, and all routes lead over it.
    let found = figures_of(&fabric, "updown:root=2,selection=least_loaded,per=host");
    let expected = [[0; 4], [0; 4], [9; 4]].concat();
    assert_eq!(channel_loads(&fabric, &found), expected);
}

/// A way down to a spine cannot be left again when one spine alone is the root; when all are, every
/// minimal path is legal, so that there are as many as without any rule.
#[test]
fn with_all_spines_as_roots_every_minimal_path_is_legal() {
    let fabric = tree(&[2, 2, 2, 2, 0, 0, 0]);
    let [first, second, third] = [4, 5, 6].map(SwitchId::new);
    let one = Orientation::from_root(&fabric, first);
    let all = Orientation::from_roots(&fabric, first, &[second, third]);
    let free = PathSpace::new(&fabric, None, TurnRule::Free);
    for (orientation, over_spines) in [(one, 1.0), (all, 3.0)] {
        let legal = PathSpace::new(&fabric, Some(&orientation), TurnRule::Forbidden);
        for (from, to) in
            [(0, 1), (2, 0), (3, 2)].map(|(a, b)| (SwitchId::new(a), SwitchId::new(b)))
        {
            let figures = PathFigures::from_switch(&legal, from);
            assert_eq!(figures.links(to), Some(2));
            assert!((figures.count(to) - over_spines).abs() < 1e-12);
            let unruled = PathFigures::from_switch(&free, from).count(to);
            assert!((unruled - 3.0).abs() < 1e-12);
        }
    }
}

#[test]
fn rules_find_the_same_roots_as_their_names() {
    // Three levels: leaves 0 to 3, two middle switches over each pair of leaves, tops 8 and 9.
    let mut links = vec![];
    for leaf in 0..4 {
        let middle = if leaf < 2 { 4 } else { 6 };
        links.extend([(leaf, middle), (leaf, middle + 1)]);
    }
    links.extend((4..8).flat_map(|middle| [(middle, 8), (middle, 9)]));
    let fabric = fabric_of(&[3, 3, 3, 3, 0, 0, 0, 0, 0, 0], &links);
    for rule in ["opensm", "tops"] {
        assert_eq!(routes(&fabric, rule), routes(&fabric, "8+9"), "{rule}");
        assert_ne!(routes(&fabric, rule), routes(&fabric, "5"), "{rule}");
        let spec = format!("updown:root={rule}");
        let figures = figures_of(&fabric, &spec);
        assert!((figures.minimal_share - 1.0).abs() < 1e-12);
    }
}

/// `OpenSM` allows no second distance above 5 % of the hosts, nor fewer than 90 % at one.
#[test]
fn opensm_takes_spines_as_roots_up_to_few_other_hosts() {
    // 40 hosts on the leaves; one host on the first spine is 2 % of all, three are 7 %.
    let few = tree(&[10, 10, 10, 10, 1, 0, 0]);
    assert_eq!(routes(&few, "opensm"), routes(&few, "4+5+6"));
    let many = tree(&[10, 10, 10, 10, 3, 0, 0]);
    assert!(route_spec(&many, "updown:root=opensm").is_err());
    assert_eq!(routes(&many, "tops"), routes(&many, "5+6"));
}

#[test]
fn roots_that_would_part_hosts_are_passed_over() {
    // A host on two spines: no legal route could join two roots, so the second is none.
    let fabric = tree(&[30, 30, 30, 30, 1, 1, 0]);
    assert!(route_spec(&fabric, "updown:root=4+5+6").is_err());
    assert_eq!(routes(&fabric, "opensm"), routes(&fabric, "4+6"));
}

#[test]
fn levels_count_from_the_nearest_root() {
    let fabric = fabric_of(&[1; 5], &[(0, 1), (1, 2), (2, 3), (3, 4)]);
    let [first, last] = [0, 4].map(SwitchId::new);
    let orientation = Orientation::from_roots(&fabric, first, &[last]);
    let levels: Vec<u32> = fabric.switch_ids().map(|s| orientation.level(s)).collect();
    assert_eq!(levels, [0, 1, 2, 1, 0]);
    assert_eq!(orientation.root(), first);
}
