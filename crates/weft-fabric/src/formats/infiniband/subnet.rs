//! A fabric as InfiniBand's tools list it: what the writers write.

use super::super::{FormatName, WriteError};
use super::identities::{Adapter, Identities};
use super::{Adapters, NodeKind};
use crate::{Endpoint, Fabric, Lanes, LidRange, LinkRate, Node, PortNumber};

/// All nodes: switches in order, then adapters in the order of their hosts.
pub(crate) struct Subnet {
    pub(crate) nodes: Vec<SubnetNode>,
}

/// A switch, or an adapter with the hosts that are its ports.
pub(crate) struct SubnetNode {
    pub(crate) kind: NodeKind,
    pub(crate) name: String,
    pub(crate) guid: u64,
    /// That of the system it is a part of: its own where none is known.
    pub(crate) system_guid: u64,
    pub(crate) port_count: u8,
    /// Ports by ascending number: all of a switch, the wired ones of an adapter.
    pub(crate) ports: Vec<SubnetPort>,
}

/// A port of a node. All ports of a switch have the switch's GUID and LIDs.
pub(crate) struct SubnetPort {
    pub(crate) number: u8,
    pub(crate) guid: u64,
    pub(crate) lids: Option<LidRange>,
    pub(crate) cable: Option<SubnetCable>,
}

/// Where a cable leads.
pub(crate) struct SubnetCable {
    /// Index of the node at the other end.
    node: usize,
    /// Index of the port among that node's.
    port: usize,
    /// Where it is known in InfiniBand's words.
    pub(crate) rate: Option<Lanes>,
}

impl Subnet {
    /// Lists a fabric.
    pub(crate) fn new(
        fabric: &Fabric,
        format: FormatName,
        adapters: Adapters,
        is_held: impl Fn(&str) -> bool,
    ) -> Result<Self, WriteError> {
        let switches = fabric.switch_ids().map(|id| &fabric.switch(id).name);
        let hosts = fabric.host_ids().map(|id| &fabric.host(id).name);
        for name in switches.chain(hosts) {
            if name.chars().any(char::is_control) || name.trim() != name || !is_held(name) {
                return Err(WriteError::CannotHold {
                    format,
                    what: format!("the name “{}”", name.escape_debug()),
                    reason: "it would be read as another or as none; give the node another name"
                        .to_owned(),
                });
            }
        }
        let identities = Identities::new(fabric, adapters)?;
        let places = Places::new(fabric, &identities.adapters);
        let mut nodes = Vec::with_capacity(fabric.switch_count() + identities.adapters.len());
        for (id, &guid) in fabric.switch_ids().zip(&identities.switches) {
            let switch = fabric.switch(id);
            let ports = (1..=switch.port_count).map(|number| SubnetPort {
                number,
                guid,
                lids: switch.lids,
                cable: fabric
                    .outgoing_at(id, PortNumber::new(number))
                    .map(|channel| {
                        let rate = fabric.link(channel.link()).cable.rate;
                        places.cable(fabric.target(channel), rate)
                    }),
            });
            nodes.push(SubnetNode {
                kind: NodeKind::Switch,
                name: switch.name.clone(),
                guid,
                system_guid: switch.system_guid.unwrap_or(guid),
                port_count: switch.port_count,
                ports: ports.collect(),
            });
        }
        for Adapter { name, guid, ports } in identities.adapters {
            let ports: Vec<SubnetPort> = ports
                .into_iter()
                .map(|(host, guid)| {
                    let channel = fabric.injection_channel(host);
                    let rate = fabric.link(channel.link()).cable.rate;
                    SubnetPort {
                        number: fabric.source(channel).port.number(),
                        guid,
                        lids: fabric.host(host).lids,
                        cable: Some(places.cable(fabric.target(channel), rate)),
                    }
                })
                .collect();
            nodes.push(SubnetNode {
                kind: NodeKind::Adapter,
                name,
                guid,
                system_guid: guid,
                port_count: ports.iter().map(|port| port.number).max().unwrap_or(1),
                ports,
            });
        }
        Ok(Self { nodes })
    }

    /// All ports with their nodes, in order.
    pub(crate) fn ports(&self) -> impl Iterator<Item = (&SubnetNode, &SubnetPort)> {
        self.nodes
            .iter()
            .flat_map(|node| node.ports.iter().map(move |port| (node, port)))
    }

    /// The node and the port at the other end of a cable.
    pub(crate) fn far(&self, cable: &SubnetCable) -> (&SubnetNode, &SubnetPort) {
        let node = &self.nodes[cable.node];
        (node, &node.ports[cable.port])
    }
}

impl SubnetPort {
    /// The first LID, or 0 where none is known.
    pub(crate) fn lid(&self) -> u16 {
        self.lids.map_or(0, LidRange::base)
    }
}

/// Where each host stands among the nodes.
struct Places {
    /// Per host: index of its node, index of its port there.
    hosts: Vec<(usize, usize)>,
}

impl Places {
    fn new(fabric: &Fabric, adapters: &[Adapter]) -> Self {
        let mut hosts = vec![(0, 0); fabric.host_count()];
        for (index, adapter) in adapters.iter().enumerate() {
            for (port, (host, _)) in adapter.ports.iter().enumerate() {
                hosts[host.index()] = (fabric.switch_count() + index, port);
            }
        }
        Self { hosts }
    }

    fn cable(&self, far: Endpoint, rate: Option<LinkRate>) -> SubnetCable {
        let (node, port) = match far.node {
            Node::Switch(switch) => (switch.index(), far.port.index() - 1),
            Node::Host(host) => self.hosts[host.index()],
        };
        let rate = rate.and_then(LinkRate::lanes);
        SubnetCable { node, port, rate }
    }
}
