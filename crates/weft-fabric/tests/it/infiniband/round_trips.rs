//! A fabric written comes back up to what the format holds.

use super::samples::{FORMATS, IBNETDISCOVER};
use crate::any_fabric::any_fabric;
use crate::reading::{example_of_each_topology, found};
use proptest::prelude::*;
use weft_fabric::formats::{FormatName, write};
use weft_fabric::{
    Fabric, FabricBuilder, Host, LidRange, LinkRate, Node, PortNumber, Switch, SwitchId,
};

/// Names of all kinds: blanks, quotes, brackets, letters of other alphabets, marks of the formats.
const NAME: &str =
    r#"([a-zé漢"'#{(\[;](([a-z]|é|漢|["'#{}()\[\]; ]|==>|lid 5|port 1|S-2| - ){0,6}))?"#;

/// What a format keeps of a fabric, in the order in which its file lists it.
fn kept(fabric: &Fabric, format: FormatName, guids: &Fabric) -> Vec<String> {
    let lids = |lids: Option<LidRange>| match format {
        FormatName::Ibnetdiscover => lids.map(|lids| (lids.base(), lids.mask_bits())),
        _ => lids.map(|lids| (lids.base(), 0)),
    };
    let mut kept = Vec::new();
    for id in fabric.switch_ids() {
        let switch = fabric.switch(id);
        let (guid, lids) = (guids.switch(id).guid.unwrap(), lids(switch.lids));
        let has_systems = matches!(format, FormatName::Ibnetdiscover | FormatName::SubnetList);
        let system = switch.system_guid.filter(|_| has_systems);
        kept.push(format!(
            "{} {} {guid:x} {system:x?} {lids:?}",
            switch.name, switch.port_count
        ));
    }
    for id in fabric.host_ids() {
        let host = fabric.host(id);
        let (guid, lids) = (guids.host(id).guid.unwrap(), lids(host.lids));
        kept.push(format!("{} {guid:x} {lids:?}", host.name));
    }
    let mut links: Vec<String> = Vec::new();
    for switch in fabric.switch_ids() {
        for &channel in fabric.outgoing(switch) {
            let rate = fabric.link(channel.link()).cable.rate;
            // A plain rate has no place in these formats.
            let rate = rate.and_then(LinkRate::lanes);
            links.push(format!("{} {rate:?}", fabric.describe_channel(channel)));
        }
    }
    kept.extend(links);
    kept
}

/// Gives the fabric that a file brings back, after checks that hold for every fabric.
fn check(fabric: &Fabric, format: FormatName) -> Fabric {
    let text = write(fabric, format).unwrap();
    let back = found(&text);
    assert_eq!(back.format, format);
    // Drawn fabrics may be trees of which a few ends hang on the top.
    let told = back.notes.iter().map(|note| note.text.as_str());
    let told: Vec<&str> = told
        .filter(|text| !text.starts_with("service ends: "))
        .collect();
    if fabric.host_count() > 0 {
        assert!(told.is_empty(), "{format}: {:?}\n{text}", back.notes);
    }
    let back = back.fabric;
    assert_eq!(
        kept(fabric, format, &back),
        kept(&back, format, &back),
        "{format}\n{text}"
    );
    for id in fabric.switch_ids() {
        let known = fabric.switch(id).guid;
        assert!(known.is_none() || known == back.switch(id).guid, "{format}");
    }
    for id in fabric.host_ids() {
        let known = fabric.host(id).guid;
        assert!(known.is_none() || known == back.host(id).guid, "{format}");
    }
    assert_eq!(write(&back, format).unwrap(), text, "{format}");
    back
}

fn check_all(fabric: &Fabric) {
    for format in FORMATS {
        check(fabric, format);
    }
}

#[test]
fn every_topology_comes_back_from_every_format() {
    for fabric in example_of_each_topology() {
        check_all(&fabric);
    }
}

#[test]
fn a_file_of_ibnetdiscover_keeps_all_that_it_said() {
    let fabric = found(IBNETDISCOVER).fabric;
    let text = write(&fabric, FormatName::Ibnetdiscover).unwrap();
    assert_eq!(found(&text).fabric, fabric);
    // The ports of one adapter are in one record again.
    assert!(text.contains("Ca\t2 \"H-0002c90300000020\"\t\t# \"host2 HCA-1\"\n[1](2c90300000021)"));
}

#[test]
fn the_system_of_a_switch_is_kept_where_it_says_more_than_its_guid() {
    let systems = |format: FormatName, told: [Option<u64>; 3]| {
        let mut builder = FabricBuilder::new("three");
        for (guid, system_guid) in (11..).zip(told) {
            let switch = Switch {
                guid: Some(guid),
                system_guid,
                ..Switch::new(format!("sw{guid}"), 2)
            };
            builder.add_switch(switch).unwrap();
        }
        let end = |switch: u32, port| Node::Switch(SwitchId::new(switch)).at(port);
        builder.add_link(end(0, 1), end(1, 1), None).unwrap();
        builder.add_link(end(1, 2), end(2, 1), None).unwrap();
        let text = write(&builder.build().unwrap(), format).unwrap();
        let fabric = found(&text).fabric;
        let system = |id| fabric.switch(id).system_guid;
        fabric.switch_ids().map(system).collect::<Vec<_>>()
    };
    for format in [FormatName::Ibnetdiscover, FormatName::SubnetList] {
        // The first two are one chassis, which has the GUID of the first.
        let chassis = [Some(11), Some(11), None];
        assert_eq!(systems(format, chassis), chassis);
        let other = [Some(7), None, Some(0x2c9)];
        assert_eq!(systems(format, other), other);
        // Switches by themselves have their own GUID there, which says nothing.
        assert_eq!(systems(format, [None, Some(12), None]), [None; 3]);
    }
}

/// A switch of so many ports with a host.
fn one_switch(name: &str, ports: u8, host: Host) -> Fabric {
    let mut builder = FabricBuilder::new("one");
    let switch = builder.add_switch(Switch::new(name, ports)).unwrap();
    let host = builder.add_host(host).unwrap();
    let port = PortNumber::new(1);
    builder.attach_host(host, switch, port).unwrap();
    builder.build().unwrap()
}

/// As a damaged ports report gave it, found by fuzzing: the made GUID of the port was 2.
#[test]
fn a_port_of_an_adapter_with_a_tiny_guid_has_one_that_is_read_as_such() {
    for adapter in [1, u64::MAX] {
        let mut host = Host::new("host");
        host.adapter_guid = Some(adapter);
        check_all(&one_switch("sw", 2, host));
    }
}

#[test]
fn a_switch_without_a_cable_is_kept_or_the_fabric_refused() {
    let mut builder = FabricBuilder::new("two alone");
    for name in ["one", "other"] {
        builder.add_switch(Switch::new(name, 3)).unwrap();
    }
    let fabric = builder.build().unwrap();
    for format in FORMATS {
        match write(&fabric, format) {
            Ok(text) => {
                let back = found(&text).fabric;
                assert_eq!(back.switch_count(), 2, "{format}");
                assert!(back.switch_ids().all(|id| back.switch(id).port_count == 3));
            }
            Err(error) => {
                assert_eq!(format, FormatName::SubnetList);
                assert!(
                    error
                        .to_string()
                        .contains(" cannot hold switch “one”: it has no cable"),
                    "{error}"
                );
            }
        }
    }
}

#[test]
fn what_a_format_cannot_hold_is_refused() {
    let refused = |name: &str, ports: u8, format: FormatName| {
        write(&one_switch(name, ports, Host::new("h")), format).err()
    };
    for format in FORMATS {
        for name in ["two\nlines", " blank before", "blank after ", "bell\u{7}"] {
            let error = refused(name, 2, format).unwrap().to_string();
            let start = format!("{format} cannot hold the name “{}”: ", name.escape_debug());
            assert!(error.starts_with(&start), "{error}");
        }
        assert_eq!(refused("plain", 2, format), None);
    }
    assert!(refused("a' - 'b", 2, FormatName::PortsReport).is_some());
    assert!(refused("a ==( b", 2, FormatName::Iblinkinfo).is_some());
    assert!(refused("a} LID:1", 2, FormatName::SubnetList).is_some());
    let error = refused("sw", 1, FormatName::Iblinkinfo)
        .unwrap()
        .to_string();
    assert_eq!(
        error,
        "iblinkinfo cannot hold switch “sw”: a switch of one port looks like a host; give it more"
    );
}

#[test]
fn guids_are_made_from_numbers_and_keep_clear_of_known_ones() {
    let guids = |known: [Option<u64>; 2]| {
        let mut builder = FabricBuilder::new("two");
        for (name, guid) in ["one", "other"].into_iter().zip(known) {
            let switch = Switch {
                guid,
                ..Switch::new(name, 2)
            };
            builder.add_switch(switch).unwrap();
        }
        let end = |switch| Node::Switch(SwitchId::new(switch)).at(1);
        builder.add_link(end(0), end(1), None).unwrap();
        let text = write(&builder.build().unwrap(), FormatName::Ibnetdiscover);
        text.map(|text| {
            let fabric = found(&text).fabric;
            let guid = |id| fabric.switch(id).guid.unwrap();
            fabric.switch_ids().map(guid).collect::<Vec<u64>>()
        })
    };
    let (first, second) = (0x0257_4500_0000_0000, 0x0257_4500_0000_0100);
    assert_eq!(guids([None, None]), Ok(vec![first, second]));
    assert_eq!(guids([None, Some(7)]), Ok(vec![first, 7]));
    // The second has what the first would get.
    assert_eq!(guids([None, Some(first)]), Ok(vec![first + 0x200, first]));
    let error = guids([Some(7), Some(7)]).unwrap_err().to_string();
    assert_eq!(
        error,
        "“one” and “other” have the same GUID, 0x0000000000000007; give one of them another"
    );
}

/// Adapters with GUIDs as small as a port's number, which readers take for one.
#[test]
fn small_guids_are_stable_once_written() {
    let mut builder = FabricBuilder::new("small");
    let switch = builder.add_switch(Switch::new("sw", 4)).unwrap();
    for (port, guid) in (1..).zip([0x2c, 0x2d, u64::MAX]) {
        let host = Host {
            guid: Some(7),
            adapter_guid: Some(guid),
            ..Host::new(format!("h{port}"))
        };
        let host = builder.add_host(host).unwrap();
        let port = PortNumber::new(port);
        builder.attach_host(host, switch, port).unwrap();
    }
    let fabric = builder.build().unwrap();
    for format in FORMATS {
        let text = write(&fabric, format).unwrap();
        let back = found(&text).fabric;
        assert_eq!(write(&back, format).unwrap(), text, "{format}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_fabric_comes_back_from_every_format(fabric in any_fabric(NAME)) {
        for format in FORMATS {
            match write(&fabric, format) {
                Ok(_) => drop(check(&fabric, format)),
                // A name that holds a mark of the format, or a switch without a cable in a list of
                // cables.
                Err(error) => {
                    let text = error.to_string();
                    let is_unwired = text.contains(" cannot hold switch “")
                        && text.contains("it has no cable")
                        && format == FormatName::SubnetList;
                    prop_assert!(is_unwired || text.contains(" cannot hold the name “"), "{}", text);
                }
            }
        }
    }
}
