//! Fabrics from their parts, and random ones.

use proptest::prelude::*;
use std::ops::Range;
use weft_fabric::degrade::{Chosen, Failures, Keep, degrade};
use weft_fabric::generate::{IrregularLinks, IrregularParameters, irregular};
use weft_fabric::{
    Cable, Endpoint, Fabric, FabricBuilder, Host, LinkId, Node, PortNumber, ServiceReason, Switch,
    SwitchId,
};

/// A fabric from its parts: links between switches in port order, and hosts per switch. Hosts come
/// after the switch links, so that neither order is taken for granted.
pub fn fabric_of(hosts: &[usize], links: &[(usize, usize)]) -> Fabric {
    let mut ports = vec![0_u8; hosts.len()];
    let mut builder = FabricBuilder::new("test");
    for index in 0..hosts.len() {
        let name = format!("sw{index}");
        builder.add_switch(Switch::new(name, 254)).unwrap();
    }
    let mut next_port = |switch: usize| {
        ports[switch] += 1;
        PortNumber::new(ports[switch])
    };
    for &(a, b) in links {
        let ends = [a, b].map(|switch| {
            Node::Switch(SwitchId::from_index(switch)).at(next_port(switch).number())
        });
        builder.add_link(ends[0], ends[1], None).unwrap();
    }
    for (switch, &count) in hosts.iter().enumerate() {
        for _ in 0..count {
            let port = next_port(switch);
            let name = format!("host{switch}-{port}");
            let host = builder.add_host(Host::new(name)).unwrap();
            builder
                .attach_host(host, SwitchId::from_index(switch), port)
                .unwrap();
        }
    }
    builder.build().unwrap()
}

/// The same fabric with rates for its links, such as `4xHDR`; those without one have none.
pub fn with_rates(fabric: &Fabric, rate: impl Fn(LinkId) -> Option<&'static str>) -> Fabric {
    let mut builder = FabricBuilder::new(fabric.name());
    for switch in fabric.switch_ids() {
        builder.add_switch(fabric.switch(switch).clone()).unwrap();
    }
    for host in fabric.host_ids() {
        builder.add_host(fabric.host(host).clone()).unwrap();
    }
    for link in fabric.link_ids() {
        let cable = Cable {
            rate: rate(link).map(|rate| rate.parse().unwrap()),
            ..Cable::default()
        };
        let [one, other] = fabric.link(link).ends;
        builder.add_link(one, other, cable).unwrap();
    }
    builder.build().unwrap()
}

/// Switches in a ring, one host each, on port 3.
pub fn ring_of(switches: usize) -> Fabric {
    let links: Vec<_> = (0..switches).map(|s| (s, (s + 1) % switches)).collect();
    fabric_of(&vec![1; switches], &links)
}

/// The first port of a switch that leads to another.
pub fn port_to(fabric: &Fabric, from: usize, to: usize) -> PortNumber {
    let mut hops = fabric.hops(SwitchId::from_index(from)).iter();
    hops.find(|hop| hop.switch.index() == to).unwrap().port
}

/// A fabric without so many percent of its links, drawn by a seed; of parts the largest.
pub fn with_links_cut(fabric: &Fabric, percent: u32, seed: u64) -> Fabric {
    let failures = Failures {
        links: Chosen {
            names: Vec::new(),
            share: Some(format!("{percent}%").parse().unwrap()),
        },
        seed,
        keep: Keep::LargestPart,
        ..Failures::default()
    };
    degrade(fabric, &failures).unwrap().fabric
}

/// Connected fabrics of one to nine switches: a random tree and random further links, among them
/// parallel links and cables from a switch to itself; leaves; `least_hosts` to three hosts a switch,
/// one altogether at least.
pub fn fabrics(least_hosts: usize) -> impl Strategy<Value = Fabric> {
    (1_usize..=9).prop_flat_map(move |switches| {
        (
            prop::collection::vec(least_hosts..=3, switches),
            prop::collection::vec(any::<prop::sample::Index>(), switches - 1),
            prop::collection::vec((0..switches, 0..switches), 0..=2 * switches),
        )
            .prop_map(|(mut hosts, parents, further)| {
                if hosts.iter().all(|&count| count == 0) {
                    hosts[0] = 1;
                }
                let tree = parents
                    .iter()
                    .enumerate()
                    .map(|(i, p)| (p.index(i + 1), i + 1));
                let links: Vec<_> = tree.chain(further).collect();
                fabric_of(&hosts, &links)
            })
    })
}

/// The irregular network of so many switches by this seed, all else as by default.
pub fn irregular_of(switches: u32, seed: u64) -> Fabric {
    let parameters = IrregularParameters {
        switches,
        seed,
        ..IrregularParameters::default()
    };
    irregular(&parameters).unwrap()
}

/// Irregular networks of so many switches with so many links each, longer than those of [`fabrics`] but
/// without parallel links: one to three hosts a switch.
pub fn irregular_fabrics(
    switches: Range<u32>,
    degree: Range<u32>,
) -> impl Strategy<Value = Fabric> {
    (switches, degree, 1_u32..4, any::<u64>()).prop_map(|(switches, degree, hosts, seed)| {
        let parameters = IrregularParameters {
            switches,
            hosts_per_switch: hosts,
            ports_per_switch: hosts + degree,
            links: IrregularLinks::RandomCount,
            seed,
        };
        irregular(&parameters).unwrap()
    })
}

/// The same fabric with a service end more on every switch, at the port after those that it has.
pub fn with_service_on_every_switch(fabric: &Fabric) -> Fabric {
    let mut builder = FabricBuilder::new(fabric.name());
    builder.set_layout(fabric.layout().clone());
    let next_port = |id: SwitchId| {
        let wired = fabric.outgoing(id).iter();
        let ports = wired.map(|&channel| fabric.source(channel).port.number());
        ports.max().unwrap_or(0) + 1
    };
    for id in fabric.switch_ids() {
        let mut switch = fabric.switch(id).clone();
        switch.port_count = switch.port_count.max(next_port(id));
        builder.add_switch(switch).unwrap();
    }
    for host in fabric.host_ids().map(|id| fabric.host(id)) {
        builder.add_host(host.clone()).unwrap();
    }
    for link in fabric.link_ids().map(|id| fabric.link(id)) {
        builder
            .add_link(link.ends[0], link.ends[1], link.cable)
            .unwrap();
    }
    for id in fabric.switch_ids() {
        let mut host = Host::new(format!("inside {}", fabric.switch(id).name));
        host.service = Some(ServiceReason::InsideSwitch);
        let host = builder.add_host(host).unwrap();
        let port = PortNumber::new(next_port(id));
        builder.attach_host(host, id, port).unwrap();
    }
    builder.build().unwrap()
}

/// The same fabric, the last switch first.
pub fn with_switches_reversed(fabric: &Fabric) -> Fabric {
    let mut builder = FabricBuilder::new(fabric.name());
    for id in (0..fabric.switch_count()).rev().map(SwitchId::from_index) {
        builder.add_switch(fabric.switch(id).clone()).unwrap();
    }
    for host in fabric.host_ids().map(|id| fabric.host(id)) {
        builder.add_host(host.clone()).unwrap();
    }
    let turned = |end: Endpoint| match end.node {
        Node::Switch(id) => Endpoint {
            node: Node::Switch(SwitchId::from_index(fabric.switch_count() - 1 - id.index())),
            ..end
        },
        Node::Host(_) => end,
    };
    for link in fabric.link_ids().map(|id| fabric.link(id)) {
        let [one, other] = link.ends.map(turned);
        builder.add_link(one, other, link.cable).unwrap();
    }
    builder.build().unwrap()
}
