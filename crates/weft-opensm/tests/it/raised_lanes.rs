//! Tables of groups whose lanes rise from link to link, written as ibdiagnet dumps them, lead packets on as before.

use crate::adaptive::{group_tables, read_again};
use crate::export::discovered;
use weft_fabric::Fabric;
use weft_fabric::generate::{DragonflyPlusParameters, dragonfly_plus, hyperx};
use weft_opensm::write_group_tables;
use weft_routing::algorithms::route_adaptive_spec;
use weft_routing::{AdaptiveRoutes, GroupTables, Lane};

/// Where packets may go from wherever they come in, and on which lanes.
fn ways(fabric: &Fabric, tables: &GroupTables) -> Vec<Vec<(u8, Option<Lane>)>> {
    let mut ways = Vec::new();
    for at in fabric.switch_ids() {
        for &channel in fabric.outgoing(at) {
            let input = fabric.source(channel).port;
            for lane in (0..tables.lane_count()).map(Lane::new) {
                for address in 0..tables.address_count() {
                    let choice = tables.choice(at, (input, lane), address, 0);
                    let next = |&port| tables.next_lane(at, [input, port], 0, lane);
                    let ports = choice.ports.iter();
                    ways.push(ports.map(|port| (port.number(), next(port))).collect());
                }
            }
        }
    }
    ways
}

#[test]
fn lanes_that_rise_are_read_as_they_were_written() {
    let parameters = DragonflyPlusParameters {
        groups: 3,
        leaves: 2,
        spines: 2,
        hosts: 1,
        links: 1,
    };
    for (fabric, spec) in [
        (hyperx(&[3, 3], &[1], 1).unwrap(), "omniwar:detours=1"),
        (dragonfly_plus(parameters).unwrap(), "dfp:lids=hbf"),
    ] {
        let fabric = discovered(&fabric);
        let routing = route_adaptive_spec(&fabric, spec).unwrap();
        let AdaptiveRoutes::Groups(tables) = &routing.routes else {
            panic!("switches choose among groups")
        };
        let made = write_group_tables(&fabric, tables).unwrap();
        let again = read_again(&made);
        let read = group_tables(&again);
        assert_eq!(read.lane_count(), tables.lane_count());
        assert_eq!(ways(&fabric, read), ways(&fabric, tables), "{spec}");
        assert!((0..16).all(|level| read.host_lane(level) == Some(Lane::ZERO)));
    }
}
