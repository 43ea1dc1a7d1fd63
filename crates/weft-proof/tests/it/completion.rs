//! Addresses that some sources alone were planned to send to are reached from everywhere, by ways that are
//! proved beside the planned ones.

use super::proved::assert_proved;
use proptest::prelude::*;
use weft_fabric::generate::{IrregularParameters, irregular, k_ary_n_tree, mesh_of, torus_of};
use weft_fabric::{Fabric, Node, PortNumber, SwitchId};
use weft_routing::{
    ALGORITHMS, ForwardingTables, PairGranularity, Routes, Routing, complete_addresses, to_tables,
};
use weft_testing::{cases, fabrics, port_to, route_spec};

/// Follows the entries for an address from a switch, and tells whether they lead to the destination.
fn arrives(
    fabric: &Fabric,
    tables: &ForwardingTables,
    from: SwitchId,
    address: usize,
    destination: usize,
) -> bool {
    let to = tables.granularity().endpoint_switch(fabric, destination);
    let mut at = from;
    for _ in fabric.switch_ids() {
        if at == to {
            break;
        }
        let channel = tables
            .next_port(at, address)
            .and_then(|port| fabric.outgoing_at(at, port));
        match channel.map(|channel| fabric.target(channel).node) {
            Some(Node::Switch(next)) => at = next,
            _ => return false,
        }
    }
    let end = tables.next_port(at, address);
    let host_port = || fabric.host_port(weft_fabric::HostId::from_index(destination));
    at == to && (tables.granularity() == PairGranularity::Switch || end == Some(host_port()))
}

/// Tells how many addresses did not lead everywhere, after making sure that they now do.
fn completed(fabric: &Fabric, routing: &Routing, what: &str) -> Option<usize> {
    let planned = to_tables(fabric, &routing.routes, 7).ok()?;
    let is_free = weft_proof::verify(fabric, &planned.clone().into())
        .unwrap()
        .is_deadlock_free();
    if planned.most_addresses() < 2 || planned.turns() > 1 || !is_free {
        return None;
    }
    let made = complete_addresses(fabric, planned.clone());
    let mut open = 0;
    let count = planned.endpoint_count();
    for destination in 0..count {
        for address in planned.addresses(destination) {
            let leads = |tables: &ForwardingTables| {
                let mut from = fabric.switches_with_hosts();
                from.all(|from| arrives(fabric, tables, from, address, destination))
            };
            open += usize::from(!leads(&planned));
            assert!(leads(&made), "{what}: address {address} of {destination}");
            for at in fabric.switch_ids() {
                let was = planned.next_port(at, address);
                assert!(
                    was.is_none() || was == made.next_port(at, address),
                    "{what}"
                );
            }
        }
        for source in 0..count {
            let sent_to = planned.address(source, destination);
            assert_eq!(sent_to, made.address(source, destination), "{what}");
        }
    }
    if planned.lane_count() == 1 {
        assert_eq!(made.lane_count(), 1, "{what}");
    }
    assert_eq!(complete_addresses(fabric, made.clone()), made, "{what}");
    assert_proved(fabric, &made.clone().into());
    let mut any = made;
    any.send_to_any_address();
    assert_proved(fabric, &any.into());
    Some(open)
}

#[test]
fn every_address_of_every_algorithm_is_reached_from_everywhere() {
    let irregular = |switches| {
        irregular(&IrregularParameters {
            switches,
            hosts_per_switch: 2,
            ..IrregularParameters::default()
        })
        .unwrap()
    };
    let fabrics = [
        torus_of(&[4, 4], 2).unwrap(),
        torus_of(&[5, 5], 1).unwrap(),
        torus_of(&[3, 3, 3], 1).unwrap(),
        mesh_of(&[4, 4], 2).unwrap(),
        k_ary_n_tree(2, 3).unwrap(),
        irregular(16),
        irregular(32),
    ];
    let mut met = std::collections::BTreeMap::new();
    for fabric in &fabrics {
        for algorithm in ALGORITHMS {
            for more in ["", ":selection=first"] {
                let spec = format!("{}{more}", algorithm.name);
                let Ok(routing) = route_spec(fabric, &spec) else {
                    continue;
                };
                let what = format!("{spec} on {}", fabric.name());
                if let Some(open) = completed(fabric, &routing, &what) {
                    *met.entry(algorithm.name).or_insert(0) += open;
                }
            }
        }
    }
    for name in [
        "updown",
        "multi_tree",
        "descending_layers",
        "structured_pools",
    ] {
        assert!(
            met.get(name).is_some_and(|&open| open > 20),
            "{name}: {met:?}"
        );
    }
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn every_address_on_random_fabrics_is_reached_from_everywhere(
        fabric in fabrics(1), seed in any::<u64>(),
        name in prop::sample::select(vec!["updown", "dfs", "multi_tree", "descending_layers", "lash_tor"]),
    ) {
        let spec = format!("{name}:seed={seed}");
        let routing = route_spec(&fabric, &spec).or_else(|_| route_spec(&fabric, name));
        if let Ok(routing) = routing {
            completed(&fabric, &routing, name);
        }
    }
}

/// A line 0 – 1 – 2 with a further way 0 – 3 – 2. To the host of 2 those of 0 go by 1 on the first address
/// and by 3 on the second. From 1 the second leads straight on, not back over 0, and from 3 the first.
#[test]
fn unplanned_switches_go_the_nearest_way_that_the_lane_holds() {
    let fabric = weft_testing::fabric_of(&[2, 1, 1, 1], &[(0, 1), (1, 2), (0, 3), (3, 2)]);
    let mut tables = ForwardingTables::new(PairGranularity::Switch, 4, &[1, 1, 2, 1]);
    let mut set = |to: usize, alias: usize, from: usize, next: usize| {
        let address = tables.addresses(to).start + alias;
        let port = port_to(&fabric, from, next);
        tables.set_next_port(SwitchId::from_index(from), address, port);
    };
    for (to, ways) in [
        (0, [(1, 0), (2, 1), (3, 0)].as_slice()),
        (1, &[(0, 1), (2, 1), (3, 0)]),
        (3, &[(0, 3), (1, 0), (2, 3)]),
    ] {
        for &(from, next) in ways {
            set(to, 0, from, next);
        }
    }
    set(2, 0, 0, 1);
    set(2, 0, 1, 2);
    set(2, 1, 3, 2);
    let mut aliases = vec![0; 16];
    aliases[3 * 4 + 2] = 1;
    tables.set_aliases(aliases);
    let made = complete_addresses(&fabric, tables);
    let second = made.addresses(2).start + 1;
    let port = |at: usize, address: usize| made.next_port(SwitchId::from_index(at), address);
    let to = |from, next| Some(port_to(&fabric, from, next));
    assert_eq!(port(3, second - 1), to(3, 2));
    assert_eq!(port(1, second), to(1, 2));
    assert_ne!(port(0, second), None::<PortNumber>);
    let mut any = made;
    any.send_to_any_address();
    assert_proved(&fabric, &Routes::from(any));
}
