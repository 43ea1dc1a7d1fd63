//! The fingerprint is stable between releases and changes with every part of a fabric.

use weft_fabric::generate::mesh;
use weft_fabric::{
    Cable, CableLength, Fabric, FabricBuilder, Host, Layout, LidRange, Node, PortKind, PortNumber,
    ServiceReason, Switch,
};

/// One switch with one looped cable and one host, all details variable.
#[derive(Clone, Default)]
struct Details {
    name: String,
    layout: Layout,
    switch_name: String,
    more_ports: u8,
    switch_guid: Option<u64>,
    host_name: String,
    host_guid: Option<u64>,
    adapter_guid: Option<u64>,
    system_guid: Option<u64>,
    lids: Option<LidRange>,
    service: Option<ServiceReason>,
    host_port: u8,
    cable: Cable,
}

impl Details {
    fn build(&self) -> Fabric {
        let mut builder = FabricBuilder::new(self.name.clone());
        builder.set_layout(self.layout.clone());
        let switch = builder
            .add_switch(Switch {
                system_guid: self.system_guid,
                name: format!("s{}", self.switch_name),
                port_count: 4 + self.more_ports,
                guid: self.switch_guid,
                lids: self.lids,
            })
            .unwrap();
        let host = builder
            .add_host(Host {
                name: format!("h{}", self.host_name),
                guid: self.host_guid,
                adapter_guid: self.adapter_guid,
                lids: self.lids,
                service: self.service,
            })
            .unwrap();
        let end = |port| Node::Switch(switch).at(port);
        builder.add_link(end(3), end(4), self.cable).unwrap();
        builder
            .attach_host(host, switch, PortNumber::new(1 + self.host_port))
            .unwrap();
        builder.build().unwrap()
    }
}

fn grid(extents: &[u32]) -> Layout {
    let extents = extents.to_vec();
    Layout::Grid { extents }
}

#[test]
fn every_detail_changes_the_fingerprint() {
    let with = |change: fn(&mut Details)| {
        let mut details = Details::default();
        change(&mut details);
        details
    };
    let variants = [
        with(|_| {}),
        with(|details| details.name = "n".into()),
        with(|details| details.layout = grid(&[1, 1])),
        with(|details| details.layout = grid(&[1])),
        with(|details| details.switch_name = "s".into()),
        with(|details| details.more_ports = 1),
        with(|details| details.switch_guid = Some(0)),
        with(|details| details.switch_guid = Some(1)),
        with(|details| details.host_name = "h".into()),
        with(|details| details.host_guid = Some(0)),
        with(|details| details.host_port = 1),
        with(|details| details.service = Some(ServiceReason::Told)),
        with(|details| details.service = Some(ServiceReason::Place)),
        with(|details| details.cable.rate = "4xHDR".parse().ok()),
        with(|details| details.cable.rate = "2xHDR".parse().ok()),
        with(|details| details.cable.length = CableLength::from_metres(10.0)),
        with(|details| details.cable.port_kind = Some(PortKind::Lan)),
    ];
    let mut fingerprints: Vec<u64> = variants
        .iter()
        .map(|details| details.build().fingerprint())
        .collect();
    assert_eq!(fingerprints[0], Details::default().build().fingerprint());
    fingerprints.sort_unstable();
    fingerprints.dedup();
    assert_eq!(fingerprints.len(), variants.len());
}

#[test]
fn lids_adapters_and_systems_leave_the_fingerprint_as_it_is() {
    let base = Details::default();
    for other in [
        Details {
            lids: LidRange::new(12, 2),
            ..base.clone()
        },
        Details {
            adapter_guid: Some(1),
            ..base.clone()
        },
        Details {
            system_guid: Some(1),
            ..base.clone()
        },
    ] {
        assert_ne!(other.build(), base.build());
        assert_eq!(other.build().fingerprint(), base.build().fingerprint());
    }
}

/// The value was computed from the definition by other means; stored results rely on it.
#[test]
fn the_fingerprint_is_the_documented_hash() {
    assert_eq!(mesh(1, 1, 1).unwrap().fingerprint(), 0xd2c7_aa0a_6076_72e9);
}
