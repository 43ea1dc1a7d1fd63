//! Topologies that cannot be are refused with what would do.

use crate::reading::examples;
use weft_fabric::generate::{
    ClosReading, CplantReading, DragonflyPlusParameters, JellyfishParameters, TOPOLOGIES, cplant,
    dragonfly, dragonfly_plus, express_torus_of, generate, hypercube, hyperx, jellyfish,
    k_ary_n_tree, mesh_of, myrinet_clos, polar_fly, rhinet_a_surrogate, rhinet_b_surrogate,
    rhinet_tree, ring, slim_fly, torus_of, xgft,
};
use weft_registry::Kind;
use weft_testing::refusals;

#[test]
fn what_the_registry_does_not_know_is_refused_with_the_nearest_name() {
    let made = |name: &str, given: &[(&str, &str)]| {
        let given = given
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
        generate(name, &given.collect()).unwrap_err().to_string()
    };
    let unknown = made("dragon_fly", &[]);
    assert!(unknown.starts_with("found topology “dragon_fly”, expected one of ring, mesh, "));
    assert!(
        unknown.ends_with("; did you mean “dragonfly”?"),
        "{unknown}"
    );
    for (name, given, message) in [
        (
            "ring",
            [("switch", "5"), ("hosts_per_switch", "1")],
            "found parameter “switch” for topology ring, expected one of switches, \
             hosts_per_switch; did you mean “switches”?",
        ),
        (
            "dragonfly",
            [("p", "5"), ("a", "1")],
            "topology dragonfly needs a value for parameter h; expected a whole number, 1 or more",
        ),
        (
            "ring",
            [("switches", "-5"), ("hosts_per_switch", "1")],
            "found “-5” for parameter switches of topology ring, expected a whole number, 3 or more",
        ),
        (
            "mesh",
            [("extents", "4x4x"), ("hosts_per_switch", "1")],
            "found “4x4x” for parameter extents of topology mesh, expected whole numbers, 1 or more \
             each, as in 4x4x2",
        ),
        (
            "cplant",
            [("reading", "all_group"), ("hosts_per_switch", "1")],
            "found “all_group” for parameter reading of topology cplant, expected one of \
             cube_of_hypercubes, all_groups; did you mean “all_groups”?",
        ),
    ] {
        assert_eq!(made(name, &given), message);
    }
}

/// What no parameter of a kind may be.
fn never_valid(kind: Kind) -> Vec<String> {
    let (texts, least): (&[&str], _) = match kind {
        Kind::Whole { most, .. } if most == u64::MAX => {
            (&["", "-1", "1.0", "18446744073709551616"], None)
        }
        Kind::Whole { least, .. } => (&["", "-1", "4.5", "four", "4x4", "4294967296"], Some(least)),
        Kind::List { least } => (
            &["", "4x", "x4", "4 4", "4x-1", "4x4294967296"],
            Some(least.into()),
        ),
        Kind::Choice(_) => (&["", "0", "nothing"], None),
        other => unreachable!("no topology has a parameter that is {other}"),
    };
    let mut all: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    all.extend(least.map(|least| (least - 1).to_string()));
    all
}

#[test]
fn every_parameter_of_every_topology_refuses_what_is_none() {
    for topology in TOPOLOGIES {
        let example = examples(topology);
        for spec in topology.parameters {
            for text in never_valid(spec.kind) {
                let mut given = example.clone();
                given.insert(spec.name.to_owned(), text.clone());
                let message = generate(topology.name, &given).unwrap_err().to_string();
                let start = format!(
                    "found “{text}” for parameter {} of topology {}, expected ",
                    spec.name, topology.name
                );
                assert!(
                    message.starts_with(&start),
                    "{} with {} = “{text}”: {message}",
                    topology.name,
                    spec.name
                );
            }
            let mut left_out = example.clone();
            left_out.remove(spec.name);
            let outcome = generate(topology.name, &left_out);
            if spec.default.is_some() {
                outcome.unwrap();
            } else {
                let message = outcome.unwrap_err().to_string();
                let start = format!(
                    "topology {} needs a value for parameter {}",
                    topology.name, spec.name
                );
                assert!(message.starts_with(&start), "{message}");
            }
        }
        let mut unknown = example;
        unknown.insert("colour".to_owned(), "red".to_owned());
        let message = generate(topology.name, &unknown).unwrap_err().to_string();
        let start = format!("found parameter “colour” for topology {}", topology.name);
        assert!(message.starts_with(&start), "{message}");
    }
}

#[test]
fn a_number_of_more_than_32_bits_is_told_the_most() {
    let given = [("switches".to_owned(), "4294967296".to_owned())];
    assert_eq!(
        generate("ring", &given.into()).unwrap_err().to_string(),
        "found “4294967296” for parameter switches of topology ring, expected a whole number, 3 or \
         more, 4294967295 at most"
    );
}

#[test]
fn impossible_parameters_are_refused_with_what_would_do() {
    let jelly = |switches, degree, hosts_per_switch| {
        jellyfish(&JellyfishParameters {
            switches,
            degree,
            hosts_per_switch,
            seed: 1,
        })
    };
    let plus = |groups, leaves, spines, hosts, links| {
        dragonfly_plus(DragonflyPlusParameters {
            groups,
            leaves,
            spines,
            hosts,
            links,
        })
    };
    let big = u32::MAX;
    let too_many = |needed: u64| {
        format!(
            "a switch would need {needed} ports; at most 254 are possible, so choose smaller \
             parameters"
        )
    };
    let switches = "the fabric has too many switches; at most 1048576 are possible";
    let hosts = "the fabric has too many hosts; at most 4194304 are possible";
    let least = |name, found, least| format!("{name} is {found}; expected {least} or more");
    let list = |name, found, least| {
        format!("{name} is {found}; expected one number or several, {least} or more each")
    };
    let prime = "expected the power of an odd prime (3, 5, 7, 9, 11, …) up to 251";
    refusals! {
        ring(2, 1) => least("switches", 2, 3);
        ring(big, 1) => switches;
        mesh_of(&[], 1) => list("extents", "", 1);
        torus_of(&[4, 0, 4], 1) => list("extents", "4x0x4", 1);
        express_torus_of(&[1; 100], 1) => too_many(401);
        mesh_of(&[big, big, big], 1) => switches;
        hypercube(0, 1) => "dimensions is 0; expected 1 to 20";
        hypercube(21, 1) => "dimensions is 21; expected 1 to 20";
        hypercube(3, 0) => least("hosts_per_switch", 0, 1);
        hypercube(3, big) => too_many(4_294_967_298);
        hypercube(20, 5) => hosts;
        k_ary_n_tree(1, 3) => least("k", 1, 2);
        k_ary_n_tree(4, 0) => least("n", 0, 1);
        k_ary_n_tree(128, 2) => too_many(256);
        k_ary_n_tree(2, big) => switches;
        xgft(&[], &[]) => list("m", "", 1);
        xgft(&[4, 0], &[1, 2]) => list("m", "4x0", 1);
        xgft(&[4, 4], &[1, 0]) => list("w", "1x0", 1);
        xgft(&[4, 4], &[1]) => "w is 1; expected 2 numbers, as many as m has";
        xgft(&[4, 4], &[2, 2]) => "w is 2x2; expected 1 as the first number: a host has one link";
        xgft(&[200, 4], &[1, 55]) => too_many(255);
        xgft(&[100; 9], &[1; 9]) => switches;
        rhinet_tree(0, 4, 1, 4) => least("parents", 0, 1);
        rhinet_tree(2, 4, 0, 4) => least("levels", 0, 1);
        rhinet_tree(2, 4, 1, 0) => least("hosts_per_switch", 0, 1);
        rhinet_tree(2, 5, 1, 4) => "children is 5; expected 2 or more, a multiple of parents (2)";
        rhinet_tree(4, 2, 1, 4) => "children is 2; expected 2 or more, a multiple of parents (4)";
        rhinet_tree(4, 4, 2, 4) =>
            "levels is 2; expected 1 where children equal parents: the levels below would stay \
             apart";
        rhinet_tree(2, 4, big, 4) => switches;
        myrinet_clos(ClosReading::OneSide, 0) => least("hosts_per_switch", 0, 1);
        myrinet_clos(ClosReading::BothSides, 251) => too_many(255);
        cplant(CplantReading::AllGroups, 0) => least("hosts_per_switch", 0, 1);
        cplant(CplantReading::AllGroups, 247) => too_many(255);
        dragonfly(0, 4, 2) => least("p", 0, 1);
        dragonfly(2, 0, 2) => least("a", 0, 1);
        dragonfly(2, 4, 0) => least("h", 0, 1);
        dragonfly(big, big, big) => too_many(12_884_901_884);
        dragonfly(1, 120, 120) => switches;
        plus(1, 4, 4, 4, 1) => least("groups", 1, 2);
        plus(5, 0, 4, 4, 1) => least("leaves", 0, 1);
        plus(5, 4, 0, 4, 1) => least("spines", 0, 1);
        plus(5, 4, 4, 0, 1) => least("hosts", 0, 1);
        plus(5, 4, 4, 4, 0) => least("links", 0, 1);
        plus(5, 4, 1, 4, 70) => too_many(284);
        plus(5, 4, 250, 5, 1) => too_many(255);
        hyperx(&[], &[1], 1) => list("extents", "", 2);
        hyperx(&[4, 1], &[1], 1) => list("extents", "4x1", 2);
        hyperx(&[4], &[0], 1) => list("multiplicities", "0", 1);
        hyperx(&[4, 4, 4], &[1, 2], 1) =>
            "multiplicities is 1x2; expected one number, or 3, as many as extents";
        hyperx(&[4], &[1], 0) => least("hosts_per_switch", 0, 1);
        hyperx(&[big], &[big], 1) => too_many(18_446_744_060_824_649_731);
        hyperx(&[50, 50, 50, 50], &[1], 1) => switches;
        slim_fly(0, 1) => format!("q is 0; {prime}");
        slim_fly(2, 1) => format!("q is 2; {prime}");
        slim_fly(8, 1) => format!("q is 8; {prime}");
        slim_fly(15, 1) => format!("q is 15; {prime}");
        slim_fly(big, 1) => format!("q is 4294967295; {prime}");
        slim_fly(251, 1) => too_many(378);
        slim_fly(5, 0) => least("hosts_per_switch", 0, 1);
        polar_fly(0, 1) => format!("q is 0; {prime}");
        polar_fly(4, 1) => format!("q is 4; {prime}");
        polar_fly(big, 1) => format!("q is 4294967295; {prime}");
        polar_fly(251, 3) => too_many(255);
        polar_fly(5, 0) => least("hosts_per_switch", 0, 1);
        jelly(1, 1, 1) => least("switches", 1, 2);
        jelly(8, 1, 1) => "degree is 1; expected 2 to 7 for 8 switches";
        jelly(8, 8, 1) => "degree is 8; expected 2 to 7 for 8 switches";
        jelly(8, 4, 0) => least("hosts_per_switch", 0, 1);
        jelly(300, 250, 5) => too_many(255);
        jelly(big, 4, 5) => switches;
        rhinet_a_surrogate(0) =>
            "hosts_per_switch is 0; expected 1 to 250 (a switch has at most 254 ports, 4 of them \
             join switches)";
        rhinet_b_surrogate(251) =>
            "hosts_per_switch is 251; expected 1 to 250 (a switch has at most 254 ports, 4 of them \
             join switches)";
    }
}
