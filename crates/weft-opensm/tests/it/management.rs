//! What leads switches without hosts to hosts: they answer the subnet manager there.

use weft_fabric::SwitchId;
use weft_opensm::managed_tables;
use weft_routing::{ForwardingTables, PairGranularity};
use weft_testing::{fabric_of, port_to};

/// Beyond switch 0 lie 3 and 2, without hosts. 3 has an entry to 2 for the host of 1, and 2 has none: led by its
/// neighbour alone, that would send packets back.
#[test]
fn an_entry_that_leads_nowhere_is_none() {
    let fabric = fabric_of(&[1, 1, 0, 0], &[(0, 1), (0, 3), (3, 2)]);
    let mut tables = ForwardingTables::with_one_address(&fabric, PairGranularity::Host);
    let entries = [(0, 1, 1), (1, 0, 0), (3, 2, 1), (3, 0, 0), (2, 3, 0)];
    for (at, next, host) in entries {
        tables.set_next_port(SwitchId::new(at), host, port_to(&fabric, at as usize, next));
    }
    let (managed, more) = managed_tables(&fabric, tables, None);
    let next = |at: usize| managed.next_port(SwitchId::from_index(at), 1);
    assert_eq!(
        [next(2), next(3)],
        [Some(port_to(&fabric, 2, 3)), Some(port_to(&fabric, 3, 0))]
    );
    let of_host: Vec<u32> = more.iter().map(|of| of.0.number()).collect();
    assert_eq!(
        (of_host, more.iter().all(|of| of.1 == 1)),
        (vec![2, 3], true)
    );
}
