//! Service ends: reached and proved, without a say in the routes of compute ends.

use proptest::prelude::*;
use weft_fabric::degrade::{Chosen, Failures, degrade};
use weft_fabric::generate::{IrregularParameters, irregular, k_ary_n_tree, torus};
use weft_fabric::{Fabric, HostId, PortNumber, ServiceReason, SwitchId};
use weft_proof::{findings, is_free_between_compute_ends, verify};
use weft_routing::algorithms::{ALGORITHMS, Deadlock, route_spec};
use weft_routing::load::figures;
use weft_routing::{RouteHop, Routes, Routing, RoutingError, ServiceEnds, WhyAlike};
use weft_testing::machines::{self, Descriptions};
use weft_testing::{
    cases, fabrics, largest, least_load, with_service_on_every_switch, with_switches_reversed,
};

/// The switches and ports of the route from one host to another.
fn way(fabric: &Fabric, routing: &Routing, pair: [HostId; 2]) -> Vec<(u32, u8, u8)> {
    let steps = routing.routes.walk_hosts(fabric, pair[0], pair[1]);
    steps
        .map(|step| (step.switch.number(), step.port.number(), step.lane.number()))
        .collect()
}

/// Tells whether the routes of a fabric with service ends are, between compute ends, those of its compute
/// part; `true` where that is not routed.
fn keeps_compute_routes(fabric: &Fabric, spec: &str) -> bool {
    let compute = fabric.compute_part();
    let Ok(alone) = route_spec(&compute, spec) else {
        return true;
    };
    let joined = route_spec(fabric, spec).unwrap();
    let ends: Vec<HostId> = fabric.compute_hosts().collect();
    let ends = || (0..).map(HostId::from_index).zip(&ends);
    let are_kept = ends().all(|(one, &from)| {
        ends().all(|(other, &to)| {
            let kept = way(&compute, &alone, [one, other]);
            from == to || way(fabric, &joined, [from, to]) == kept
        })
    });
    if !are_kept {
        return false;
    }
    assert_eq!(joined.parameters, alone.parameters, "{spec}");
    let of = |fabric: &Fabric, routing: &Routing| {
        let found = figures(fabric, routing);
        let means = [
            found.saturation_bound,
            found.mean_hops_links,
            found.mean_distance_links,
        ];
        (found.max_routes_per_channel, means.map(f64::to_bits))
    };
    assert_eq!(of(fabric, &joined), of(&compute, &alone));
    true
}

fn is_free(fabric: &Fabric, spec: &str) -> bool {
    let routing = route_spec(fabric, spec).unwrap();
    let proof = verify(fabric, &routing.routes).unwrap();
    proof.is_deadlock_free()
}

#[test]
fn trees_with_an_end_inside_every_switch_are_routed_as_without() {
    for tree in [k_ary_n_tree(4, 2), k_ary_n_tree(3, 3), k_ary_n_tree(2, 4)] {
        let fabric = with_service_on_every_switch(&tree.unwrap());
        for spec in [
            "updown:root=tops",
            "down_preferred:root=tops",
            "ftree",
            "d_mod_k",
            "best:lanes=1",
            "best:lanes=2",
            "nue:lanes=1",
            "dfsssp:lanes=4",
            "minimal",
        ] {
            assert!(keeps_compute_routes(&fabric, spec), "{spec}");
            assert!(is_free(&fabric, spec), "{spec}");
        }
    }
}

/// Above a missing cable to a leaf no core of that plane has a way down to its hosts, nor has any spine of the
/// plane: the ways of the ends inside lead down and up again, at leaves, cores first or last.
#[test]
fn trees_that_lack_cables_keep_their_routes_with_an_end_inside_every_switch() {
    let whole = k_ary_n_tree(3, 3).unwrap();
    // Of a leaf, ports 4 to 6 lead up.
    for pulled in [["sw0:4", "sw4:4"], ["sw0:5", "sw4:6"]] {
        let failures = Failures {
            links: Chosen {
                names: pulled.map(str::to_owned).to_vec(),
                share: None,
            },
            ..Failures::default()
        };
        let left = degrade(&whole, &failures).unwrap().fabric;
        for tree in [left.clone(), with_switches_reversed(&left)] {
            let fabric = with_service_on_every_switch(&tree);
            for spec in [
                "ftree",
                "down_preferred:root=tops",
                "updown:root=tops",
                "best:lanes=1",
            ] {
                let routing = route_spec(&fabric, spec).unwrap();
                assert_eq!(routing.service, ServiceEnds::Joined, "{spec}");
                assert!(keeps_compute_routes(&fabric, spec), "{spec}");
                assert!(is_free(&fabric, spec), "{spec}");
            }
        }
    }
}

#[test]
fn between_two_spines_the_way_leads_down_and_up() {
    let tree = k_ary_n_tree(4, 2).unwrap();
    let fabric = with_service_on_every_switch(&tree);
    let routing = route_spec(&fabric, "ftree").unwrap();
    let inside: Vec<HostId> = fabric
        .host_ids()
        .filter(|&h| fabric.is_service(h))
        .collect();
    let spines = |host: &&HostId| fabric.compute_hosts_of(fabric.host_switch(**host)) == 0;
    let spines: Vec<&HostId> = inside.iter().filter(spines).collect();
    assert_eq!(spines.len(), 4);
    for &&from in &spines {
        for &&to in spines.iter().filter(|&&&to| to != from) {
            assert_eq!(way(&fabric, &routing, [from, to]).len(), 2);
        }
    }
}

/// A subnet manager that knows no service ends routes them as all others: between spines they close a
/// cycle on a tree that compute ends cannot.
#[test]
fn min_hop_counts_service_ends_as_its_model_does() {
    let tree = k_ary_n_tree(4, 2).unwrap();
    let fabric = with_service_on_every_switch(&tree);
    assert!(is_free(&tree, "min_hop"));
    assert!(!is_free(&fabric, "min_hop"));
    let judged = |fabric: &Fabric, spec| {
        let routing = route_spec(fabric, spec).unwrap();
        is_free_between_compute_ends(fabric, &routing.routes).unwrap()
    };
    assert!(judged(&fabric, "min_hop"));
    // Where compute ends close a cycle by themselves, service ends are not to blame.
    let ring = with_service_on_every_switch(&torus(5, 1, 2).unwrap());
    assert!(!is_free(&ring, "min_hop"));
    assert!(!judged(&ring, "min_hop"));
    // The same tables, when the two ends of one switch alone compute.
    let alone = ring
        .clone()
        .with_compute(&ring.hosts_of(SwitchId::new(0))[..2]);
    assert!(!is_free(&alone, "min_hop"));
    assert!(judged(&alone, "min_hop"));
}

#[test]
fn tori_with_ends_inside_keep_their_routes() {
    let fabric = with_service_on_every_switch(&torus(4, 3, 2).unwrap());
    for spec in ["dimension_order", "torus_2qos", "lash_tor", "updown"] {
        if spec != "torus_2qos" {
            assert!(keeps_compute_routes(&fabric, spec), "{spec}");
        }
        assert!(is_free(&fabric, spec), "{spec}");
    }
}

/// Switches at random, an end on each.
fn some(switches: u32, ports_per_switch: u32, seed: u64) -> Fabric {
    let parameters = IrregularParameters {
        switches,
        hosts_per_switch: 1,
        ports_per_switch,
        seed,
        ..IrregularParameters::default()
    };
    irregular(&parameters).unwrap()
}

/// Tells that the ends of every third switch of a fabric are service ends.
fn with_a_third_of_service(fabric: &Fabric) -> Fabric {
    let reason = |host| {
        let switch = fabric.host_switch(host).number();
        (switch % 3 == 1).then_some(ServiceReason::Told)
    };
    let service = fabric.host_ids().map(reason).collect();
    fabric.clone().with_service(service)
}

/// Routes that stop in transit leave no turn free that closes no cycle; a stop at a compute end does not need
/// one.
#[test]
fn ways_of_service_ends_stop_in_transit_where_routes_do() {
    let mut stops = 0;
    for seed in 0..40 {
        let fabric = with_a_third_of_service(&some(18, 5, seed));
        for spec in ["ud_itb", "ud_mitb", "dfs_itb"] {
            let routing = route_spec(&fabric, spec).unwrap();
            assert_eq!(routing.service, ServiceEnds::Joined, "{spec}, {seed}");
            assert!(keeps_compute_routes(&fabric, spec), "{spec}, {seed}");
            assert!(is_free(&fabric, spec), "{spec}, {seed}");
            for from in fabric.host_ids().filter(|&host| fabric.is_service(host)) {
                for to in fabric.host_ids().filter(|&to| to != from) {
                    let walk = routing.routes.walk_hosts(&fabric, from, to);
                    for step in walk {
                        if let Ok(RouteHop::InTransit(host)) = step.hop {
                            assert!(!fabric.is_service(host));
                            stops += 1;
                        }
                    }
                }
            }
        }
    }
    assert!(stops > 0);
}

/// What cannot be joined in one order of the ends can in another.
#[test]
fn ways_are_sought_anew_in_another_order() {
    let mut joined = 0;
    for seed in 0..24 {
        let fabric = with_a_third_of_service(&some(15, 6, seed));
        for spec in ["down_preferred", "simple_routes", "dfs", "multi_tree"] {
            let routing = route_spec(&fabric, spec).unwrap();
            joined += usize::from(routing.service == ServiceEnds::Joined);
            assert!(is_free(&fabric, spec), "{spec}, {seed}");
        }
    }
    assert_eq!(joined, 96);
}

#[test]
fn that_all_ends_count_alike_is_said_with_why_and_what_it_costs() {
    let tree = k_ary_n_tree(4, 2).unwrap();
    let fabric = with_service_on_every_switch(&tree);
    let told = |spec| route_spec(&fabric, spec).unwrap().service.told(&fabric);
    assert_eq!(told("ftree"), None);
    assert_eq!(
        told("min_hop").unwrap(),
        "8 service ends count like compute ends, as the subnet manager that it is a model of knows no other: \
         so they may make routes of compute ends longer or less even"
    );
    assert_eq!(
        route_spec(&tree, "min_hop").unwrap().service,
        ServiceEnds::Joined
    );
    // Lane tables take no further ends in; on a torus with an end on every switch that costs nothing.
    let fabric = with_service_on_every_switch(&torus(4, 3, 2).unwrap());
    let routing = route_spec(&fabric, "torus_2qos").unwrap();
    let alone = route_spec(&torus(4, 3, 2).unwrap(), "torus_2qos").unwrap();
    let ServiceEnds::Alike { why, cost } = &routing.service else {
        panic!("torus_2qos has lane tables");
    };
    assert_eq!(*why, WhyAlike::Form);
    let cost = cost.unwrap();
    assert_eq!(
        cost.lanes,
        [alone.routes.lane_count(), routing.routes.lane_count()]
    );
    assert_eq!(cost.most_links, [3, 3]);
}

proptest! {
    #![proptest_config(cases(64))]

    /// Where every way of a service end closes a cycle with routes that turn as they please, all ends
    /// count alike.
    #[test]
    fn service_ends_change_no_compute_route_or_all_ends_count_alike(
        fabric in fabrics(0),
        granularity in 0_usize..2,
    ) {
        let fabric = with_service_on_every_switch(&fabric);
        let alike = fabric.clone().with_service(vec![None; fabric.host_count()]);
        for algorithm in ALGORITHMS {
            let has_per = algorithm.parameters.iter().any(|spec| spec.name == "per");
            let per = ["switch", "host"][granularity];
            let spec = if has_per {
                format!("{}:per={per}", algorithm.name)
            } else {
                algorithm.name.to_owned()
            };
            let Ok(routing) = route_spec(&fabric, &spec) else {
                continue;
            };
            let is_free = verify(&fabric, &routing.routes).unwrap().is_deadlock_free();
            prop_assert!(is_free || algorithm.deadlock != Deadlock::Free, "{}", spec);
            let keeps = keeps_compute_routes(&fabric, &spec);
            if routing.service == ServiceEnds::Joined {
                prop_assert!(keeps, "{}", spec);
            } else {
                prop_assert!(routing.service.told(&fabric).is_some());
                // `updn` leaves apart service ends that it would refuse as compute ends.
                let of_all = route_spec(&alike, &spec);
                if !matches!(of_all, Err(RoutingError::RootsUnjoined { .. })) {
                    prop_assert_eq!(routing.routes, of_all.unwrap().routes);
                }
            }
        }
    }
}

/// Loads leave service ends out; what is proved and found counts every pair.
#[test]
fn all_pairs_are_counted_and_a_service_end_that_is_not_reached_is_told() {
    let tree = k_ary_n_tree(4, 2).unwrap();
    let fabric = with_service_on_every_switch(&tree);
    let routing = route_spec(&fabric, "ftree").unwrap();
    let hosts = fabric.host_count() as u64;
    let proof = verify(&fabric, &routing.routes).unwrap();
    assert_eq!(proof.host_pairs, hosts * (hosts - 1));
    let Routes::Tables(mut tables) = routing.routes.clone() else {
        panic!("ftree makes tables");
    };
    let spine = fabric
        .switch_ids()
        .find(|&s| fabric.compute_hosts_of(s) == 0)
        .unwrap();
    let inside = fabric.hosts_of(spine)[0];
    let leaf = fabric
        .switch_ids()
        .find(|&s| fabric.compute_hosts_of(s) > 0)
        .unwrap();
    let address = tables.addresses(inside.index()).next().unwrap();
    tables.set_next_port(leaf, address, PortNumber::new(0));
    let broken = findings(&fabric, &tables.into()).unwrap();
    // The five ends of the leaf, and the ends on other spines that turn at it.
    assert!(broken.unreached_pairs >= 5, "{}", broken.unreached_pairs);
}

/// Storage and gateways hang on spines of a dragonfly+: up to spines, over to another group and down, every pair is
/// reached on one lane.
#[test]
fn groups_of_leaves_and_spines_are_routed_by_their_spines() {
    let room = machines::dragonfly_plus_with_ends_on_spines(Descriptions::Alike);
    let fabric = room.fabric();
    let bound = least_load(&fabric);
    for spec in ["down_preferred:root=tops", "best:lanes=1,starts=1"] {
        let routing = route_spec(&fabric, spec).unwrap();
        assert_eq!(routing.service, ServiceEnds::Joined);
        assert_eq!(routing.routes.lane_count(), 1);
        let proof = verify(&fabric, &routing.routes).unwrap();
        assert!(proof.is_deadlock_free(), "{}", proof.describe(&fabric));
    }
    let largest = largest(&fabric, "best:lanes=1,starts=1");
    assert!(2 * largest <= 3 * bound, "{largest} of {bound}");
}
