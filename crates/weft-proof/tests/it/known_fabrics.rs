//! Verdicts on tori and irregular networks.

use super::proved::{cycle_of, proved};
use weft_fabric::Fabric;
use weft_fabric::generate::{IrregularParameters, express_torus, mesh, torus};
use weft_proof::{Proof, verify};
use weft_routing::algorithms::route_spec;
use weft_testing::irregular_of;

fn prove(fabric: &Fabric, spec: &str) -> Proof {
    verify(fabric, &route_spec(fabric, spec).unwrap().routes).unwrap()
}

fn cycle_length(fabric: &Fabric, spec: &str) -> usize {
    cycle_of(fabric, &prove(fabric, spec)).dependencies.len()
}

/// With the lowest ports first, routes go east or west before south or north; so all cycles lie
/// within one ring, and take all of its switches.
#[test]
fn minimal_routes_on_a_torus_are_refused() {
    for side in [4, 5, 8] {
        let fabric = torus(side, side, 1).unwrap();
        assert_eq!(
            cycle_length(&fabric, "minimal:selection=first"),
            side as usize
        );
    }
    // Routes that turn freely hold four channels around a square.
    assert_eq!(cycle_length(&torus(8, 8, 8).unwrap(), "minimal"), 4);
}

#[test]
fn dimension_order_on_a_mesh_is_accepted_and_free_turns_are_not() {
    let fabric = mesh(5, 5, 2).unwrap();
    assert!(prove(&fabric, "minimal:selection=first").is_deadlock_free());
    assert_eq!(cycle_length(&fabric, "minimal:selection=random"), 4);
}

#[test]
fn up_down_and_in_transit_routes_are_accepted_on_every_known_fabric() {
    let fabrics = [
        torus(8, 8, 8).unwrap(),
        express_torus(8, 8, 2).unwrap(),
        mesh(6, 3, 3).unwrap(),
        irregular_of(32, IrregularParameters::default().seed),
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
            let routing = proved(fabric, name);
            let stops = verify(fabric, &routing.routes).unwrap().in_transit_stops;
            match name {
                "ud_itb" | "dfs_itb" => assert!(stops > 0),
                "ud_mitb" => {}
                _ => assert_eq!(stops, 0),
            }
        }
    }
}
