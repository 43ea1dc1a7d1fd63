//! A fabric as InfiniBand's tools list it: what the writers write.

use super::super::FormatName;
use super::super::error::WriteError;
use super::identities::{Adapter, Adapters, Identities};
use super::records::NodeKind;
use crate::fabric::{Endpoint, Fabric, Node};
use crate::ids::PortNumber;
use crate::lids::LidRange;
use crate::rate::{Lanes, LinkRate};

/// All nodes: switches in order, then adapters in the order of their hosts.
pub(in super::super) struct Subnet {
    pub(in super::super) nodes: Vec<SubnetNode>,
}

/// A switch, or an adapter with the hosts that are its ports.
pub(in super::super) struct SubnetNode {
    pub(in super::super) kind: NodeKind,
    pub(in super::super) name: String,
    pub(in super::super) guid: u64,
    pub(in super::super) port_count: u8,
    /// Ports by ascending number: all of a switch, the wired ones of an adapter.
    pub(in super::super) ports: Vec<SubnetPort>,
}

/// A port of a node. All ports of a switch have the switch's GUID and LIDs.
pub(in super::super) struct SubnetPort {
    pub(in super::super) number: u8,
    pub(in super::super) guid: u64,
    pub(in super::super) lids: Option<LidRange>,
    pub(in super::super) cable: Option<SubnetCable>,
}

/// Where a cable leads.
pub(in super::super) struct SubnetCable {
    /// Index of the node at the other end.
    node: usize,
    /// Index of the port among that node's.
    port: usize,
    /// Where it is known in InfiniBand's words.
    pub(in super::super) rate: Option<Lanes>,
}

impl Subnet {
    /// Lists a fabric.
    ///
    /// # Errors
    /// When a name cannot stand in the format, which `is_held` tells besides what holds for all, or
    /// two nodes have the same GUID.
    pub(in super::super) fn new(
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
                port_count: ports.iter().map(|port| port.number).max().unwrap_or(1),
                ports,
            });
        }
        Ok(Self { nodes })
    }

    /// All ports with their nodes, in order.
    pub(in super::super) fn ports(&self) -> impl Iterator<Item = (&SubnetNode, &SubnetPort)> {
        self.nodes
            .iter()
            .flat_map(|node| node.ports.iter().map(move |port| (node, port)))
    }

    /// The node and the port at the other end of a cable.
    pub(in super::super) fn far(&self, cable: &SubnetCable) -> (&SubnetNode, &SubnetPort) {
        let node = &self.nodes[cable.node];
        (node, &node.ports[cable.port])
    }
}

impl SubnetPort {
    /// The first LID, or 0 where none is known.
    pub(in super::super) fn lid(&self) -> u16 {
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
