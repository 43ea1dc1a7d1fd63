//! All kinds of trouble are told side by side.

use weft_fabric::generate::{mesh, torus};
use weft_fabric::{PortNumber, SwitchId};
use weft_proof::findings;
use weft_routing::algorithms::route_spec;
use weft_routing::{ForwardingTables, PairGranularity};
use weft_testing::tables_of;

#[test]
fn sound_routes_have_none() {
    let fabric = mesh(3, 2, 2).unwrap();
    let found = findings(
        &fabric,
        &tables_of(&fabric, "down_preferred:per=host").into(),
    )
    .unwrap();
    assert!(found.are_none());
    assert_eq!((found.host_pairs, found.unreached_pairs), (12 * 11, 0));
}

#[test]
fn pairs_not_reached_and_pairs_that_circle_are_counted_apart() {
    // Three switches in a row, two hosts each.
    let fabric = mesh(3, 1, 2).unwrap();
    let mut broken = tables_of(&fabric, "down_preferred:per=host");
    let [left, middle] = [0, 1].map(SwitchId::new);
    // The middle switch has no entry for host 0: four hosts do not reach it.
    broken.set_next_port(middle, 0, PortNumber::new(0));
    // To host 5 the middle sends back to the left: four hosts' packets go to and fro.
    let back = broken.next_port(middle, 1).unwrap();
    broken.set_next_port(middle, 5, back);
    let found = findings(&fabric, &broken.into()).unwrap();
    assert_eq!((found.unreached_pairs, found.circling_pairs), (4, 4));
    assert!(
        found.unreached[0]
            .describe(&fabric)
            .ends_with("has no entry for host0")
    );
    let circle = found.route_loop.unwrap();
    assert!([left, middle].contains(&circle.switch));
    // Packets that go to and fro wait for their own kind.
    assert_eq!(found.cycle.unwrap().dependencies.len(), 2);
}

/// Of two addresses of a host each, which lead the same way, pairs are counted once, and where one alone of
/// the two is not reached.
#[test]
fn of_several_addresses_a_pair_counts_where_one_is_not_reached() {
    let fabric = mesh(3, 1, 2).unwrap();
    let one = tables_of(&fabric, "down_preferred:per=host");
    let mut two = ForwardingTables::new(PairGranularity::Host, 3, &[2; 6]);
    for switch in fabric.switch_ids() {
        for host in 0..6 {
            for (alias, address) in two.addresses(host).enumerate() {
                let port = one.next_port(switch, host).unwrap();
                // The middle switch has no entry for the second of host 0.
                if (switch.index(), host, alias) != (1, 0, 1) {
                    two.set_next_port(switch, address, port);
                }
            }
        }
    }
    two.send_to_any_address();
    let found = findings(&fabric, &two.into()).unwrap();
    assert_eq!((found.host_pairs, found.unreached_pairs), (30, 4));
    // The hosts of two switches share routes.
    assert_eq!(found.unreached.len(), 2);
}

#[test]
fn a_cycle_is_told_although_a_pair_is_not_reached() {
    let fabric = torus(4, 4, 1).unwrap();
    let mut routes = route_spec(&fabric, "minimal:per=switch,selection=first").unwrap();
    let sound = findings(&fabric, &routes.routes).unwrap();
    assert_eq!((sound.unreached_pairs, sound.circling_pairs), (0, 0));
    let cycle = sound.cycle.unwrap();
    assert_eq!(cycle.dependencies.len(), 4);
    if let Ok(mut tables) = weft_routing::to_tables(&fabric, &routes.routes, 7) {
        for switch in fabric.switch_ids().skip(1) {
            tables.set_next_port(switch, 0, PortNumber::new(0));
        }
        routes.routes = tables.into();
    }
    let found = findings(&fabric, &routes.routes).unwrap();
    assert!(found.unreached_pairs > 0);
    assert_eq!(found.cycle.unwrap().dependencies.len(), 4);
}
