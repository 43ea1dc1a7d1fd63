//! Verdicts on tori and irregular networks.

use weft_fabric::Fabric;
use weft_fabric::generate::{IrregularParameters, express_torus, irregular, mesh, torus};
use weft_proof::{Proof, Verdict, check_certificate, verify};
use weft_routing::algorithms::route_spec;

fn prove(fabric: &Fabric, spec: &str) -> Proof {
    verify(fabric, &route_spec(fabric, spec).unwrap().routes).unwrap()
}

fn cycle_length(proof: &Proof) -> usize {
    match &proof.verdict {
        Verdict::Deadlock(cycle) => cycle.dependencies.len(),
        other => panic!("{}", other.word()),
    }
}

/// With the lowest ports first, routes go east or west before south or north; so all cycles lie
/// within one ring, and take all of its switches.
#[test]
fn minimal_routes_on_a_torus_are_refused() {
    for side in [4, 5, 8] {
        let fabric = torus(side, side, 1).unwrap();
        let proof = prove(&fabric, "minimal:selection=first");
        assert_eq!(cycle_length(&proof), side as usize);
    }
    // Routes that turn freely hold four channels around a square.
    assert_eq!(cycle_length(&prove(&torus(8, 8, 8).unwrap(), "minimal")), 4);
}

#[test]
fn dimension_order_on_a_mesh_is_accepted_and_free_turns_are_not() {
    let fabric = mesh(5, 5, 2).unwrap();
    assert!(prove(&fabric, "minimal:selection=first").is_deadlock_free());
    assert_eq!(cycle_length(&prove(&fabric, "minimal:selection=random")), 4);
}

#[test]
fn up_down_and_in_transit_routes_are_accepted_on_every_known_fabric() {
    let parameters = IrregularParameters {
        switches: 32,
        ..IrregularParameters::default()
    };
    let fabrics = [
        torus(8, 8, 8).unwrap(),
        express_torus(8, 8, 2).unwrap(),
        mesh(6, 3, 3).unwrap(),
        irregular(&parameters).unwrap(),
    ];
    for fabric in &fabrics {
        for name in [
            "updown",
            "dfs",
            "simple_routes",
            "ud_itb",
            "ud_mitb",
            "dfs_itb",
        ] {
            let routing = route_spec(fabric, name).unwrap();
            let proof = verify(fabric, &routing.routes).unwrap();
            let Verdict::DeadlockFree(certificate) = &proof.verdict else {
                panic!("{name}: {}", proof.describe(fabric));
            };
            assert_eq!(
                check_certificate(fabric, &routing.routes, certificate),
                Ok(())
            );
            let hosts = fabric.host_count() as u64;
            assert_eq!(proof.host_pairs, hosts * (hosts - 1));
            match name {
                "ud_itb" | "dfs_itb" => assert!(proof.in_transit_stops > 0),
                "ud_mitb" => {}
                _ => assert_eq!(proof.in_transit_stops, 0),
            }
        }
    }
}
