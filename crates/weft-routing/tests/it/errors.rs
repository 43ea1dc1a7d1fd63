//! What is said of routings that cannot be.

use std::collections::BTreeMap;
use weft_fabric::generate::mesh;
use weft_fabric::{Fabric, SwitchId};
use weft_registry::Choice;
use weft_routing::algorithms::{ADAPTIVE, ALGORITHMS, check, parse_spec, route_adaptive_spec};
use weft_routing::{PairNames, Refusal, RoutingError};
use weft_testing::{fabric_of, route_spec};

fn text(fabric: &Fabric, spec: &str) -> String {
    route_spec(fabric, spec).unwrap_err().to_string()
}

#[test]
fn an_unknown_algorithm_names_the_nearest() {
    let fabric = mesh(2, 2, 1).unwrap();
    let all = ALGORITHMS.iter().chain(ADAPTIVE);
    let names: Vec<&str> = all.map(|algorithm| algorithm.name).collect();
    let names = names.join(", ");
    assert_eq!(
        text(&fabric, "updwn"),
        format!("found routing “updwn”, expected one of {names}; did you mean “updown”?")
    );
    assert!(text(&fabric, "simple-routes").ends_with("did you mean “simple_routes”?"));
    assert!(text(&fabric, "UD_ITB").ends_with("did you mean “ud_itb”?"));
    assert!(text(&fabric, "xyz").ends_with(&names));
    assert!(text(&fabric, "").starts_with("found routing “”"));
}

#[test]
fn an_unknown_parameter_names_the_nearest() {
    let fabric = mesh(2, 2, 1).unwrap();
    assert_eq!(
        text(&fabric, "updown:selektion=random"),
        "found parameter “selektion” for routing updown, expected one of root, selection, per, \
         seed; did you mean “selection”?"
    );
    assert!(text(&fabric, "simple_routes:selection=first").contains("expected one of root, alpha"));
}

#[test]
fn a_wrong_value_says_what_would_be_right() {
    let fabric = mesh(2, 2, 1).unwrap();
    for (spec, expected) in [
        (
            "updown:selection=least-loaded",
            "found “least-loaded” for parameter selection of routing updown, expected one of \
             first, random, least_loaded, balanced; did you mean “least_loaded”?",
        ),
        (
            "updown:seed=-1",
            "found “-1” for parameter seed of routing updown, expected a whole number from 0 to \
             18446744073709551615",
        ),
        (
            "simple_routes:alpha=1.5",
            "found “1.5” for parameter alpha of routing simple_routes, expected a number from 0 to \
             1, or auto",
        ),
        (
            "simple_routes:alpha=nan",
            "found “nan” for parameter alpha of routing simple_routes, expected a number from 0 to \
             1, or auto",
        ),
        (
            "updown:root=min-average",
            "found “min-average” for parameter root of routing updown, expected min_average, \
             max_average, max_degree, random, a switch number (12 or id:12) or name:<switch>; for \
             several roots: opensm, tops, or such switches joined by +; did you mean “min_average”?",
        ),
        (
            "dfs:root=tops",
            "found “tops” for parameter root of routing dfs, expected min_average, max_average, \
             max_degree, random, a switch number (12 or id:12) or name:<switch>",
        ),
        (
            "updown:root=0+4",
            "found “0+4” for parameter root of routing updown, expected a switch number from 0 to 3",
        ),
        (
            "updown:root=4",
            "found “4” for parameter root of routing updown, expected a switch number from 0 to 3",
        ),
        (
            "updown:root=name:sw33",
            "found “name:sw33” for parameter root of routing updown, expected name: and the name \
             of a switch of the fabric; did you mean “sw3”?",
        ),
    ] {
        assert_eq!(text(&fabric, spec), expected);
    }
}

#[test]
fn roots_that_are_none_or_join_not_all_are_refused() {
    let fabric = mesh(2, 2, 1).unwrap();
    for rule in ["opensm", "tops"] {
        assert_eq!(
            text(&fabric, &format!("updown:root={rule}")),
            format!(
                "no switch of fabric “{}” is a root by the rule {rule}, which finds the top of a \
                 tree; use root=min_average, or name the roots, such as root=id:16+id:17",
                fabric.name()
            )
        );
    }
    assert_eq!(
        text(&fabric, "updown:root=0+3"),
        "with the roots id:0+id:3 no route leads from “sw0” to “sw3” without a turn from down to \
         up; name fewer roots, such as none with hosts, or let root=tops find them"
    );
}

#[test]
fn a_text_that_is_no_routing_is_refused() {
    let fabric = mesh(2, 2, 1).unwrap();
    for (spec, found) in [
        ("updown:root", "root"),
        ("updown:root=", "root="),
        ("updown:=3", "=3"),
        ("updown:root=0,,seed=1", ""),
        ("updown:root=0,", ""),
    ] {
        assert_eq!(
            text(&fabric, spec),
            format!(
                "found “{found}” in “{spec}”, expected name=value; write parameters as in \
                 updown:root=0,selection=random"
            )
        );
    }
    assert_eq!(
        text(&fabric, "updown:seed=1,seed=2"),
        "parameter “seed” is given twice in “updown:seed=1,seed=2”; give each parameter once"
    );
}

#[test]
fn a_text_is_taken_apart() {
    let given = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
        pairs
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect()
    };
    for (spec, name, parameters) in [
        ("updown", "updown", given(&[])),
        ("updown:", "updown", given(&[])),
        (
            "updown: root = id:3 , seed=2",
            "updown",
            given(&[("root", "id:3"), ("seed", "2")]),
        ),
        ("other:a=b=c", "other", given(&[("a", "b=c")])),
    ] {
        let name = name.to_owned();
        assert_eq!(parse_spec(spec), Ok(Choice { name, parameters }));
    }
}

#[test]
fn a_disconnected_fabric_names_a_switch_of_two_parts() {
    let fabric = fabric_of(&[0, 1, 1, 0, 1, 2], &[(0, 1), (2, 3), (4, 5)]);
    for algorithm in ALGORITHMS.iter().chain(ADAPTIVE) {
        assert_eq!(
            text(&fabric, algorithm.name),
            "fabric “test” is disconnected: its switches with hosts are in 3 parts that no link \
             joins, “sw1” is in one, “sw2” in another; join them, or route each part as a fabric \
             of its own"
        );
    }
}

#[test]
fn parts_without_hosts_do_not_matter() {
    // The others form a tree, and a line.
    let fabric = fabric_of(&[0, 1, 1, 0], &[(1, 3), (3, 2)]);
    for algorithm in ALGORITHMS {
        assert!(route_spec(&fabric, algorithm.name).is_ok());
    }
    for algorithm in ADAPTIVE {
        let routed = route_adaptive_spec(&fabric, algorithm.name);
        let refused = routed.err().and_then(|error| Refusal::of(&error));
        // A line of three is no HyperX, and forms no groups.
        assert!(
            refused.is_none_or(|why| [Refusal::JoinedLines, Refusal::JoinedGroups].contains(&why))
        );
    }
    assert_eq!(
        text(&fabric, "updown:root=0"),
        "the root “sw0” is not joined to “sw1” and the other switches with hosts; choose a root \
         among their part of the fabric"
    );
}

#[test]
fn what_no_fabric_is_routed_by_is_refused_without_one() {
    let checked = |text: &str| {
        let choice = parse_spec(text).unwrap();
        check(&choice.name, &choice.parameters).map_err(|error| error.to_string())
    };
    for algorithm in ALGORITHMS.iter().chain(ADAPTIVE) {
        assert_eq!(checked(algorithm.name), Ok(()));
    }
    assert_eq!(checked("lash:lanes=8"), Ok(()));
    let fabric = fabric_of(&[1, 1], &[(0, 1)]);
    for wrong in ["lush", "lash:lane=8", "lash:lanes=0", "updown:root=middle"] {
        assert_eq!(checked(wrong), Err(text(&fabric, wrong)));
    }
}

#[test]
fn a_fabric_without_hosts_is_refused() {
    let fabric = fabric_of(&[0, 0], &[(0, 1)]);
    for algorithm in ALGORITHMS.iter().chain(ADAPTIVE) {
        assert_eq!(
            text(&fabric, algorithm.name),
            "fabric “test” has no host; routes lead from host to host, so attach at least one"
        );
    }
}

/// Switches 0 to 3 form a square with root 0; from 1 to 2 lead 1-0-2, up and down, and 1-3-2, down
/// and up. With further switches between 0 and its neighbours only the way over 3 is shortest.
fn square_with_far_root(hosts_on_3: usize) -> Fabric {
    let links = [(0, 4), (4, 1), (0, 5), (5, 2), (1, 3), (3, 2)];
    fabric_of(&[1, 1, 1, hosts_on_3, 1, 1], &links)
}

#[test]
fn a_stop_that_finds_no_host_is_an_error_or_a_detour() {
    let fabric = square_with_far_root(0);
    for name in ["ud_itb", "ud_mitb"] {
        let refused = route_spec(&fabric, &format!("{name}:root=0,hostless=refuse")).unwrap_err();
        assert_eq!(
            refused,
            RoutingError::NoHostForStop {
                pair: PairNames {
                    source: "sw1".to_owned(),
                    destination: "sw2".to_owned(),
                }
            }
        );
        let routing = route_spec(&fabric, &format!("{name}:root=0")).unwrap();
        assert_eq!(routing.parameters["hostless"], "detour");
        let hosts = [1, 2].map(|switch| fabric.hosts_of(SwitchId::new(switch))[0]);
        let walk = weft_testing::walk(&fabric, &routing, hosts[0], hosts[1]);
        assert_eq!(walk.switches, [1, 4, 0, 5, 2].map(SwitchId::new));
        assert_eq!(walk.stops, []);

        let with_host = square_with_far_root(1);
        let routing = route_spec(&with_host, &format!("{name}:root=0,hostless=refuse")).unwrap();
        let hosts = [1, 2].map(|switch| with_host.hosts_of(SwitchId::new(switch))[0]);
        let walk = weft_testing::walk(&with_host, &routing, hosts[0], hosts[1]);
        assert_eq!(walk.switches, [1, 3, 2].map(SwitchId::new));
        assert_eq!(walk.stops, [(1, with_host.hosts_of(SwitchId::new(3))[0])]);
    }
}
