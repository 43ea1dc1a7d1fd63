//! What is written comes back: unchanged where the format holds it, and whatever it holds elsewhere.

use crate::any_fabric::{any_fabric, with_service_ends};
use crate::reading::{example_of_each_topology, found};
use proptest::prelude::*;
use weft_fabric::formats::{FormatName, WriteError, write};
use weft_fabric::{Fabric, Node};

/// Whom each switch is joined to, and which hosts it has: all that a format without ports keeps.
fn neighbours(fabric: &Fabric) -> Vec<(Vec<u32>, Vec<u32>)> {
    let of_switch = |switch| {
        let hops = fabric.hops(switch).iter();
        let mut others: Vec<u32> = hops.map(|hop| hop.switch.number()).collect();
        let mut hosts: Vec<u32> = fabric.hosts_of(switch).iter().map(|h| h.number()).collect();
        others.sort_unstable();
        hosts.sort_unstable();
        (others, hosts)
    };
    fabric.switch_ids().map(of_switch).collect()
}

/// Whether two links join the same switches or one joins a switch to itself.
fn has_double_links(fabric: &Fabric) -> bool {
    let pairs = fabric
        .link_ids()
        .filter_map(|id| match fabric.link(id).ends.map(|end| end.node) {
            [Node::Switch(a), Node::Switch(b)] => Some((a.min(b), a.max(b))),
            _ => None,
        });
    let mut pairs: Vec<_> = pairs.collect();
    let count = pairs.len();
    pairs.sort_unstable();
    pairs.dedup();
    count > pairs.len() || pairs.iter().any(|(a, b)| a == b)
}

/// Writes and reads a fabric in formats that keep everything.
fn keeps_everything(fabric: &Fabric, format: FormatName) {
    let text = write(fabric, format).unwrap();
    let back = found(&text);
    assert_eq!(back.format, format);
    assert_eq!(back.fabric.fingerprint(), fabric.fingerprint());
    assert_eq!(back.fabric, *fabric);
    assert!(back.notes.is_empty(), "{:?}", back.notes);
}

/// Writes and reads a fabric in a format that keeps who is joined to whom, then once more: from
/// there on nothing is lost.
fn keeps_neighbours(fabric: &Fabric, format: FormatName) {
    let back = found(&write(fabric, format).unwrap());
    assert_eq!(back.format, format);
    let (before, after) = (neighbours(fabric), neighbours(&back.fabric));
    let switches = |of: &[(Vec<u32>, _)]| of.iter().map(|(others, _)| others.clone()).collect();
    let (joined_before, joined_after): (Vec<_>, Vec<_>) = (switches(&before), switches(&after));
    assert_eq!(joined_before, joined_after);
    if format == FormatName::Anynet {
        assert_eq!(before, after);
        assert!(back.notes.is_empty(), "{:?}", back.notes);
    }
    let again = write(&back.fabric, format).unwrap();
    assert_eq!(found(&again), back);
}

#[test]
fn every_topology_survives_every_format() {
    let mut refused = 0;
    for fabric in example_of_each_topology() {
        keeps_everything(&fabric, FormatName::NodeLink);
        keeps_everything(&fabric, FormatName::GraphMl);
        if has_double_links(&fabric) {
            refused += 1;
            continue;
        }
        keeps_neighbours(&fabric, FormatName::Anynet);
        let hosts = |s| fabric.hosts_of(s).len();
        let mut switches = fabric.switch_ids();
        let first = switches.next().map(hosts);
        if switches.all(|switch| Some(hosts(switch)) == first) {
            keeps_neighbours(&fabric, FormatName::Caminos);
        }
    }
    assert!(refused <= 2, "most examples have single links");
}

/// What XML 1.0 can hold, §2.2.
fn is_xml(text: &str) -> bool {
    !text
        .chars()
        .any(|c| (c < ' ' && !"\t\n\r".contains(c)) || c == '\u{fffe}' || c == '\u{ffff}')
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_fabric_survives_node_link_json(fabric in any_fabric(".{0,12}")) {
        keeps_everything(&with_service_ends(&fabric), FormatName::NodeLink);
    }

    #[test]
    fn any_fabric_survives_graphml_unless_xml_cannot_hold_a_name(fabric in any_fabric(".{0,12}")) {
        let mut names = fabric.switch_ids().map(|id| fabric.switch(id).name.as_str())
            .chain(fabric.host_ids().map(|id| fabric.host(id).name.as_str()))
            .chain([fabric.name()]);
        if names.all(is_xml) {
            keeps_everything(&with_service_ends(&fabric), FormatName::GraphMl);
        } else {
            let refusal = write(&fabric, FormatName::GraphMl);
            let is_refusal = matches!(refusal, Err(WriteError::CannotHold { .. }));
            prop_assert!(is_refusal, "{:?}", refusal);
        }
    }

    #[test]
    fn simulators_files_keep_neighbours_or_are_refused(fabric in any_fabric(".{0,12}")) {
        if has_double_links(&fabric) {
            for format in [FormatName::Anynet, FormatName::Caminos] {
                let refusal = write(&fabric, format);
                let is_refusal = matches!(refusal, Err(WriteError::CannotHold { .. }));
                prop_assert!(is_refusal, "{:?}", refusal);
            }
        } else {
            keeps_neighbours(&fabric, FormatName::Anynet);
        }
    }
}
