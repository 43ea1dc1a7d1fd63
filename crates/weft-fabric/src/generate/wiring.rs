//! Fabrics from a list of links: every switch takes its ports in the order of the links.

use crate::builder::FabricBuilder;
use crate::error::FabricError;
use crate::fabric::{Endpoint, Fabric, Host, Layout, Node, Switch};
use crate::ids::{PortNumber, SwitchId};
use crate::narrow::narrow;

/// Hosts and links of a fabric, without the numbers of ports.
#[derive(Clone, Debug)]
pub(super) struct Wiring {
    /// Hosts on each switch, on its first ports.
    pub(super) hosts: Vec<u32>,
    /// Switches each link joins. A switch's ports follow those of its hosts in this order.
    pub(super) links: Vec<[u32; 2]>,
    /// Drawing hint.
    pub(super) layout: Layout,
}

impl Wiring {
    /// Has the same number of hosts on every switch, and no link yet.
    pub(super) fn uniform(switches: u32, hosts_per_switch: u32) -> Self {
        Self {
            hosts: vec![hosts_per_switch; switches as usize],
            links: Vec::new(),
            layout: Layout::Unstructured,
        }
    }

    /// Builds the fabric. All switches have as many ports as the one that needs most.
    pub(super) fn build(self, name: String) -> Result<Fabric, FabricError> {
        let mut next_ports: Vec<u32> = self.hosts.iter().map(|hosts| hosts + 1).collect();
        let mut needed: Vec<u32> = self.hosts.clone();
        for end in self.links.iter().flatten() {
            needed[*end as usize] += 1;
        }
        let needed = needed.into_iter().max().unwrap_or(0).max(1);
        let port_count = u8::try_from(needed)
            .ok()
            .filter(|&count| count <= PortNumber::MAX);
        let Some(port_count) = port_count else {
            return Err(FabricError::TooManyPorts {
                needed: u64::from(needed),
                limit: PortNumber::MAX,
            });
        };
        let mut builder = FabricBuilder::new(name);
        builder.set_layout(self.layout);
        for switch in 0..self.hosts.len() {
            builder.add_switch(Switch::new(format!("sw{switch}"), port_count))?;
        }
        let mut number = 0_u64;
        for (switch, &hosts) in self.hosts.iter().enumerate() {
            for port in 1..=hosts {
                let host = builder.add_host(Host::new(format!("host{number}")))?;
                number += 1;
                builder.attach_host(host, SwitchId::from_index(switch), port_number(port))?;
            }
        }
        for ends in self.links {
            let [a, b] = ends.map(|switch| {
                let port = next_ports[switch as usize];
                next_ports[switch as usize] += 1;
                Endpoint {
                    node: Node::Switch(SwitchId::new(switch)),
                    port: port_number(port),
                }
            });
            builder.add_link(a, b, None)?;
        }
        builder.build()
    }
}

fn port_number(number: u32) -> PortNumber {
    PortNumber::new(narrow(
        number,
        "no switch needs more ports than `build` has allowed",
    ))
}
