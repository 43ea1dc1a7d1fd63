//! Lane tables and turns go into files and come back; what is wrong is named.

use super::files::read;
use proptest::prelude::*;
use std::num::NonZeroU8;
use weft_fabric::PortNumber;
use weft_routing::json::write;
use weft_routing::{Lane, LaneKey, LaneRow, LaneTables, Routes, to_tables};
use weft_testing::{assert_has, cases, fabric_of, fabrics, first_line, route_spec};

fn row() -> impl Strategy<Value = LaneRow> {
    prop::array::uniform16(prop::option::weighted(0.9, (0..16_u8).prop_map(Lane::new)))
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn lane_tables_come_back(
        fabric in fabrics(1),
        by_level in any::<bool>(),
        host in row(),
        entries in prop::collection::vec(
            (any::<prop::sample::Index>(), any::<bool>(), 0..20_u8, 0..20_u8, row()),
            0..6,
        ),
    ) {
        let mut routing = route_spec(&fabric, "updown:per=switch").unwrap();
        let mut tables = to_tables(&fabric, &routing.routes, 7).unwrap();
        let key = if by_level { LaneKey::ServiceLevel } else { LaneKey::IncomingLane };
        let mut lanes = LaneTables::new(&fabric, key);
        lanes.set_host(host);
        let mut last = Vec::new();
        for (switch, all_ports, input, output, row) in entries {
            let switch = fabric.switch_ids().nth(switch.index(fabric.switch_count())).unwrap();
            let ports = [input, output].map(PortNumber::new);
            if all_ports {
                lanes.set_switch(switch, row);
                last.retain(|entry: &(_, _, LaneRow)| entry.0 != switch);
            } else {
                lanes.set(&fabric, switch, ports, row);
                last.retain(|entry| entry.0 != switch || entry.1 != ports);
                last.push((switch, ports, row));
            }
        }
        for &(switch, ports, row) in &last {
            prop_assert_eq!(lanes.row(switch, ports), &row);
        }
        tables.set_lane_tables(lanes.clone());
        routing.routes = Routes::from(tables);
        let text = write(&fabric, &routing);
        let found = read(&text, &fabric).unwrap().routes;
        let read = found.lane_tables().unwrap();
        prop_assert_eq!((read.key(), read.host()), (key, &host));
        prop_assert_eq!(read, &lanes);
        for switch in fabric.switch_ids() {
            for ports in (0..=20).flat_map(|input| (0..=20).map(move |output| [input, output])) {
                let ports = ports.map(PortNumber::new);
                prop_assert_eq!(read.row(switch, ports), lanes.row(switch, ports));
            }
        }
    }

    #[test]
    fn turns_come_back(fabric in fabrics(1), turns in 1..5_u8, as_tables in any::<bool>()) {
        let mut routing = route_spec(&fabric, "updown:per=switch").unwrap();
        if as_tables {
            routing.routes = to_tables(&fabric, &routing.routes, 7).unwrap().into();
        }
        routing.routes.alternate(NonZeroU8::new(turns).unwrap()).unwrap();
        prop_assert_eq!(read(&write(&fabric, &routing), &fabric).unwrap(), routing);
    }
}

/// A row of its own for every number.
fn row_of(number: u32) -> LaneRow {
    let mut row = [None; LaneTables::KEYS];
    for (place, lane) in (0..).zip(&mut row) {
        *lane = Some(Lane::new(
            (number >> place & 1) as u8 + 2 * (number >> (place + 16) & 1) as u8,
        ));
    }
    row
}

#[test]
fn tables_hold_more_rows_than_two_bytes_number() {
    let fabric = weft_fabric::generate::torus_of(&[4, 4], 62).unwrap();
    let pairs = (1..=66).flat_map(|input| (1..=66).map(move |output| [input, output]));
    let places = fabric.switch_ids().flat_map(|switch| {
        pairs
            .clone()
            .map(move |ports: [u8; 2]| (switch, ports.map(PortNumber::new)))
    });
    let mut lanes = LaneTables::new(&fabric, LaneKey::ServiceLevel);
    let mut count = 0;
    for (number, (switch, ports)) in (0..).zip(places.clone()) {
        lanes.set(&fabric, switch, ports, row_of(number));
        count = number + 1;
    }
    assert!(count > 1 << 16, "{count}");
    let mut routing = route_spec(&fabric, "updown:per=switch,selection=first").unwrap();
    let mut tables = to_tables(&fabric, &routing.routes, 0).unwrap();
    tables.set_lane_tables(lanes);
    routing.routes = Routes::from(tables);
    let found = read(&write(&fabric, &routing), &fabric).unwrap().routes;
    let read = found.lane_tables().unwrap();
    for (number, (switch, ports)) in (0..).zip(places) {
        assert_eq!(read.row(switch, ports), &row_of(number));
    }
}

/// Every routing that tables can hold, on grids, where lanes change by ports, and elsewhere.
#[test]
fn tables_of_every_algorithm_are_read_as_they_were_written() {
    let fabrics = [
        weft_fabric::generate::torus_of(&[5, 5], 1).unwrap(),
        weft_fabric::generate::torus_of(&[4, 3], 2).unwrap(),
        weft_fabric::generate::torus_of(&[7], 1).unwrap(),
        weft_fabric::generate::mesh_of(&[3, 3], 2).unwrap(),
        weft_fabric::generate::k_ary_n_tree(2, 3).unwrap(),
    ];
    let mut changing = std::collections::BTreeSet::new();
    for fabric in &fabrics {
        for algorithm in weft_routing::ALGORITHMS {
            let name = algorithm.name;
            for per in ["", ":per=switch"] {
                let Ok(mut routing) = route_spec(fabric, &format!("{name}{per}")) else {
                    continue;
                };
                let Ok(tables) = to_tables(fabric, &routing.routes, 7) else {
                    continue;
                };
                if tables.lane_tables().is_some() {
                    changing.insert(name);
                }
                routing.routes = tables.into();
                let found = read(&write(fabric, &routing), fabric);
                assert_eq!(
                    found.as_ref(),
                    Ok(&routing),
                    "{name}{per} on {}",
                    fabric.name()
                );
            }
        }
    }
    for name in [
        "dimension_order",
        "lash_tor",
        "structured_pools",
        "descending_layers",
        "torus_2qos",
    ] {
        assert!(
            changing.contains(name),
            "{name} changes lanes: {changing:?}"
        );
    }
}

#[test]
fn mistakes_in_lane_tables_are_named() {
    let fabric = fabric_of(&[1, 1], &[(0, 1)]);
    let mut routing = route_spec(&fabric, "updown:per=switch").unwrap();
    let source = write(&fabric, &routing);
    let mut tables = to_tables(&fabric, &routing.routes, 0).unwrap();
    tables.set_lane_tables(LaneTables::new(&fabric, LaneKey::ServiceLevel));
    routing.routes = tables.into();
    let text = write(&fabric, &routing);
    let refused = |from: &str, to: &str| {
        assert!(text.contains(from), "{from} in {text}");
        let broken = text.replacen(from, to, 1);
        first_line(read(&broken, &fabric).unwrap_err())
    };
    let message = refused("service_level", "sl");
    let expected = "expected “service_level” or “incoming_lane”";
    assert!(message.ends_with(expected), "{message}");
    for (to, expected) in [
        (
            "[0,255,[0,1,",
            "found ports 0 and 255, expected 0 and 0 for all, in the first entry of a switch alone, \
             or two from 0 to 254",
        ),
        (
            "[1,2,[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]],[0,0,[0,1,",
            "found ports 0 and 0, expected",
        ),
        ("[0,0,[16,1,", "found lane 16, expected 0 to 15"),
        ("[0,0,[1,", "found 15 lanes, expected 16, or null for none"),
    ] {
        let message = refused("[0,0,[0,1,", to);
        assert!(message.contains(expected), "{message}");
    }
    let member = text.split("\"lane_key\"").nth(1).unwrap();
    let with_lanes = format!(
        "{},\n  \"lane_key\"{member}",
        source.trim_end().trim_end_matches('}').trim_end()
    );
    let error = read(&with_lanes, &fabric).unwrap_err().to_string();
    assert_has(&error, "found lane tables for source routes");
}
