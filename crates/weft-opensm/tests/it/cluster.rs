//! Fabrics as a discovery would give them.

use weft_fabric::{Fabric, FabricBuilder, Host, LidRange, Node, PortNumber, Switch, SwitchId};

/// A host: its name, the GUIDs of port and adapter, its first LID and the bits in which its LIDs
/// differ, and the switch and port it hangs on.
pub(crate) type HostRow<'a> = (&'a str, [u64; 2], (u16, u8), (u32, u8));

/// Switches of eight ports, each with name, GUID and LID, hosts, and links between ports of switches.
pub(crate) fn cluster(
    switches: &[(&str, u64, u16)],
    hosts: &[HostRow<'_>],
    links: &[[(u32, u8); 2]],
) -> Fabric {
    cluster_of_ports(8, switches, hosts, links)
}

/// The same of switches with so many ports.
pub(crate) fn cluster_of_ports(
    ports: u8,
    switches: &[(&str, u64, u16)],
    hosts: &[HostRow<'_>],
    links: &[[(u32, u8); 2]],
) -> Fabric {
    let mut builder = FabricBuilder::new("cluster");
    for &(name, guid, lid) in switches {
        let switch = Switch {
            guid: Some(guid),
            lids: LidRange::new(lid, 0),
            ..Switch::new(name, ports)
        };
        builder.add_switch(switch).unwrap();
    }
    for &(name, [guid, adapter], (lid, bits), (switch, port)) in hosts {
        let host = Host {
            guid: Some(guid),
            adapter_guid: Some(adapter),
            lids: LidRange::new(lid, bits),
            ..Host::new(name)
        };
        let host = builder.add_host(host).unwrap();
        builder
            .attach_host(host, SwitchId::new(switch), PortNumber::new(port))
            .unwrap();
    }
    for &ends in links {
        let [from, to] = ends.map(|(switch, port)| Node::Switch(SwitchId::new(switch)).at(port));
        builder.add_link(from, to, None).unwrap();
    }
    builder.build().unwrap()
}

pub(crate) fn without_lids(fabric: Fabric) -> Fabric {
    let [switches, hosts] = [fabric.switch_count(), fabric.host_count()].map(|n| vec![None; n]);
    fabric.with_lids(switches, hosts)
}
