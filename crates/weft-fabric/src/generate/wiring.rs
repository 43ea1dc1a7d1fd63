//! Fabrics from a list of links: every switch takes its ports in the order of the links.

use super::population::{populated, port};
use crate::{Fabric, FabricError, Layout, Node, SwitchId};

/// Hosts and links of a fabric, without the numbers of ports.
#[derive(Clone, Debug, Default)]
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
            ..Self::default()
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
        let port_count = port(needed).number();
        let mut builder = populated(name, self.layout, port_count, &self.hosts)?;
        for ends in self.links {
            let [a, b] = ends.map(|switch| {
                let port_number = port(next_ports[switch as usize]);
                next_ports[switch as usize] += 1;
                Node::Switch(SwitchId::new(switch)).at(port_number.number())
            });
            builder.add_link(a, b, None)?;
        }
        builder.build()
    }
}
