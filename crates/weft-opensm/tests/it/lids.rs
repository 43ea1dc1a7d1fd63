//! Where exported tables lead, LID by LID: those of hosts and of switches.

use crate::export::{discovered, file, options};
use proptest::prelude::*;
use std::collections::BTreeMap;
use weft_fabric::Fabric;
use weft_fabric::generate::{IrregularParameters, irregular, torus_of};
use weft_opensm::{OpensmFiles, export};
use weft_routing::algorithms::route_spec;
use weft_routing::{Routes, Routing, repair};
use weft_testing::{cases, fabrics};

/// Follows the text of exported tables, by GUIDs and LIDs alone, from every switch to every LID of every
/// host, and gives the number of LIDs of a host.
fn assert_all_lids_lead(fabric: &Fabric, made: &OpensmFiles) -> usize {
    let hexadecimal = |word: &str| u64::from_str_radix(word.trim_start_matches("0x"), 16).unwrap();
    let mut tables: BTreeMap<u64, BTreeMap<u64, u8>> = BTreeMap::new();
    let mut switch = 0;
    for line in file(made, "weft.lfts").lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let Some((_, guid)) = line.split_once(" guid 0x") {
            switch = hexadecimal(guid.split_whitespace().next().unwrap());
        } else if words[0].starts_with("0x") {
            let table = tables.entry(switch).or_default();
            table.insert(hexadecimal(words[0]), words[1].parse().unwrap());
        }
    }
    // What is plugged into each port: a switch or a host, by GUID.
    let mut wires: BTreeMap<(u64, u8), u64> = BTreeMap::new();
    for at in fabric.switch_ids() {
        let guid = fabric.switch(at).guid.unwrap();
        for hop in fabric.hops(at) {
            wires.insert(
                (guid, hop.port.number()),
                fabric.switch(hop.switch).guid.unwrap(),
            );
        }
        for &host in fabric.hosts_of(at) {
            let port = fabric.host_port(host).number();
            wires.insert((guid, port), fabric.host(host).guid.unwrap());
        }
    }
    let mut lids_of_a_host = 0;
    for line in file(made, "guid2lid")
        .lines()
        .filter(|line| !line.is_empty())
    {
        let words: Vec<u64> = line.split_whitespace().map(hexadecimal).collect();
        if tables.contains_key(&words[0]) {
            continue;
        }
        lids_of_a_host = usize::try_from(words[2] - words[1] + 1).unwrap();
        for lid in words[1]..=words[2] {
            for &start in tables.keys() {
                let mut at = start;
                for _ in 0..=tables.len() {
                    let Some(table) = tables.get(&at) else { break };
                    let port = table.get(&lid);
                    let port = port.unwrap_or_else(|| panic!("0x{at:x} has no entry for {lid}"));
                    at = wires[&(at, *port)];
                }
                assert_eq!(at, words[0], "from 0x{start:x} to {lid}");
            }
        }
    }
    lids_of_a_host
}

#[test]
fn every_lid_of_every_host_is_reached_from_every_switch() {
    let of_spec = |fabric: &Fabric, spec: &str| {
        let fabric = discovered(fabric);
        let routing = route_spec(&fabric, spec).unwrap();
        let made = export(&fabric, &routing, &options()).unwrap();
        (assert_all_lids_lead(&fabric, &made), made.lane_count)
    };
    let torus = torus_of(&[4, 4], 2).unwrap();
    assert_eq!(of_spec(&torus, "updown:root=0,selection=random"), (4, 1));
    // Two trees at the corner and opposite: what both know of one host needs further lanes.
    let (lids, lanes) = of_spec(&torus, "multi_tree:selection=first");
    assert_eq!(lids, 2);
    assert!((2..=8).contains(&lanes), "{lanes}");
    let odd = torus_of(&[5, 5], 1).unwrap();
    assert_eq!(of_spec(&odd, "torus_2qos"), (1, 2));
    let irregular = irregular(&IrregularParameters {
        switches: 16,
        ..IrregularParameters::default()
    });
    assert_eq!(of_spec(&irregular.unwrap(), "updown").1, 1);
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn every_lid_is_reached_on_random_fabrics(
        fabric in fabrics(1),
        name in prop::sample::select(vec!["updown", "dfs", "multi_tree", "descending_layers"]),
    ) {
        let fabric = discovered(&fabric);
        // Two trees need two switches.
        let made = route_spec(&fabric, name).ok();
        let made = made.and_then(|routing| export(&fabric, &routing, &options()).ok());
        if let Some(made) = made {
            assert_all_lids_lead(&fabric, &made);
        }
    }
}

/// After a repair too: its management traffic keeps the way that the packets to its hosts keep.
#[test]
fn a_switch_is_reached_as_its_first_host_is() {
    assert_reached_as_first_hosts("down_preferred:per=host");
}

/// The same where switches choose lanes by ports, which a repair leaves as they are.
#[test]
fn a_switch_is_reached_as_its_first_host_is_with_lanes_by_port() {
    assert_reached_as_first_hosts("torus_2qos");
}

#[track_caller]
fn assert_reached_as_first_hosts(spec: &str) {
    let whole = discovered(&torus_of(&[5, 5], 2).unwrap());
    let routing = route_spec(&whole, spec).unwrap();
    let Routes::Tables(tables) = &routing.routes else {
        unreachable!()
    };
    // Not every failure leaves a way beside the old routes on one lane.
    let of_seed = |seed| {
        let damaged = weft_testing::with_links_cut(&whole, 2, seed);
        let made = repair(&whole, tables, &damaged).ok()?;
        (made.changed_entries > 0).then_some((damaged, made.tables))
    };
    let (damaged, tables) = (1..20).find_map(of_seed).unwrap();
    let repaired = Routing {
        routes: tables.into(),
        ..routing.clone()
    };
    for (fabric, routing) in [(&whole, &routing), (&damaged, &repaired)] {
        let made = export(fabric, routing, &options()).unwrap();
        for block in file(&made, "weft.lfts").split("Unicast lids").skip(1) {
            let port_to = |guid: u64| {
                let mark = format!("portguid 0x{guid:016x}:");
                let line = block.lines().find(|line| line.contains(&mark)).unwrap();
                line.split_whitespace().nth(1).unwrap().to_owned()
            };
            for at in fabric.switch_ids() {
                let guid = fabric.switch(at).guid.unwrap();
                let host = fabric.host(fabric.hosts_of(at)[0]).guid.unwrap();
                let is_own = block.contains(&format!(" guid 0x{guid:016x} ("));
                if !is_own {
                    assert_eq!(port_to(guid), port_to(host));
                }
            }
        }
    }
}
