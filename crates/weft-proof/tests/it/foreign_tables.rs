//! Tables from elsewhere: what is wrong with them is told by the smallest witness.

use super::proved::{assert_not_ascending, assert_proved, certificate_of, cycle_of, unreached_of};
use weft_fabric::{Fabric, HostId, PortNumber, SwitchId};
use weft_proof::{check_certificate, verify};
use weft_routing::{ForwardingTables, PairGranularity, Routes};
use weft_testing::{assert_has, ring_of};

/// Ports of a ring of three switches, a host on port 3 of each: to the next, to the one before.
const ONWARD: [u8; 3] = [1, 2, 2];
const BACK: [u8; 3] = [2, 1, 1];

/// Tables per host; each destination has an address per list of ports, which all other switches use.
fn tables(lists: &[[u8; 3]]) -> ForwardingTables {
    let count = u8::try_from(lists.len()).unwrap();
    let mut tables = ForwardingTables::new(PairGranularity::Host, 3, &[count; 3]);
    for host in 0..3 {
        for (address, ports) in tables.addresses(host).zip(lists) {
            for (switch, &port) in ports.iter().enumerate() {
                let port = if switch == host { 3 } else { port };
                tables.set_next_port(SwitchId::from_index(switch), address, PortNumber::new(port));
            }
        }
    }
    tables
}

/// As `tables` with one address, but each switch sends straight to its neighbours.
fn direct() -> ForwardingTables {
    let mut direct = tables(&[ONWARD]);
    for host in 0..3 {
        let switch = (host + 1) % 3;
        let port = PortNumber::new(BACK[switch]);
        direct.set_next_port(SwitchId::from_index(switch), host, port);
    }
    direct
}

fn text(fabric: &Fabric, tables: &ForwardingTables) -> String {
    let routes = Routes::from(tables.clone());
    verify(fabric, &routes).unwrap().describe(fabric)
}

#[test]
fn direct_tables_are_free_of_deadlock_and_tables_around_are_not() {
    let fabric = ring_of(3);
    assert_proved(&fabric, &direct().into());
    let around = verify(&fabric, &tables(&[ONWARD]).into()).unwrap();
    assert_eq!(cycle_of(&fabric, &around).dependencies.len(), 3);
}

#[test]
fn every_address_that_may_be_used_is_proved() {
    let fabric = ring_of(3);
    let mut either = ForwardingTables::new(PairGranularity::Host, 3, &[2; 3]);
    for (place, one) in [direct(), tables(&[BACK])].iter().enumerate() {
        for host in 0..3 {
            for switch in fabric.switch_ids() {
                let port = one.next_port(switch, host).unwrap();
                either.set_next_port(switch, 2 * host + place, port);
            }
        }
    }
    let first = verify(&fabric, &either.clone().into()).unwrap();
    let certificate = certificate_of(&fabric, &first);
    either.send_to_any_address();
    let routes = Routes::from(either);
    let any = verify(&fabric, &routes).unwrap();
    assert_eq!((any.host_pairs, any.routes), (6, 12));
    // The routes that make the cycle are those to the second addresses.
    for dependency in &cycle_of(&fabric, &any).dependencies {
        assert_eq!(dependency.nodes.len(), 3);
    }
    assert_not_ascending(&check_certificate(&fabric, &routes, certificate));
}

#[test]
fn tables_that_lead_in_a_circle_are_a_loop() {
    let fabric = ring_of(3);
    let mut circle = direct();
    // Switches 0 and 1 send what is for host 2 to each other.
    circle.set_next_port(SwitchId::new(0), 2, PortNumber::new(ONWARD[0]));
    circle.set_next_port(SwitchId::new(1), 2, PortNumber::new(BACK[1]));
    assert_eq!(
        text(&fabric, &circle),
        "loops: of 6 host pairs over 6 routes, one meets a switch twice\n\
         \x20 host0-3 → host2-3 (by way of sw0, sw1, sw0) meets sw0 again without a stop in between"
    );
}

#[test]
fn missing_entries_and_wrong_hosts_are_named() {
    let fabric = ring_of(3);
    let mut missing = direct();
    missing.set_next_port(SwitchId::new(1), 2, PortNumber::new(0));
    assert_eq!(
        text(&fabric, &missing),
        "not all reached: of 6 host pairs over 6 routes, 1 routes do not lead to their destination\n\
         \x20 host1-3 → host2-3: sw1 has no entry for host2-3"
    );
    let mut wrong = direct();
    wrong.set_next_port(SwitchId::new(1), 2, PortNumber::new(3));
    let proof = verify(&fabric, &wrong.into()).unwrap();
    let pairs = unreached_of(&fabric, &proof);
    assert_eq!(
        (pairs[0].source, pairs[0].destination),
        (HostId::new(1), HostId::new(2))
    );
    assert_has(&proof.describe(&fabric), "host1-3");
}
