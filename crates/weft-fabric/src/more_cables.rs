//! A fabric with one more cable.

use crate::{Cable, Endpoint, Fabric, FabricBuilder, FabricError, Node, PortNumber, SwitchId};
use std::collections::BTreeMap;

/// Ports of the largest switches that have no inner one.
const MOST_WITHOUT_INNER: u8 = 36;

impl Fabric {
    /// The ports of a switch that a cable could be plugged into and none is, ascending.
    ///
    /// Switches with an odd number of ports beyond 36, as Switch-IB 2 and Quantum have (37, 41, 65), have an inner
    /// one, the last, that no cable fits: the one to their aggregation node.
    pub fn free_ports(&self, switch: SwitchId) -> Vec<PortNumber> {
        let count = self.switch(switch).port_count;
        let outer = if count > MOST_WITHOUT_INNER {
            count - count % 2
        } else {
            count
        };
        let ports = (1..=outer).map(PortNumber::new);
        ports
            .filter(|&port| self.outgoing_at(switch, port).is_none())
            .collect()
    }

    /// A cable as most of those from two switches to others are, of the same rate.
    pub fn usual_cable(&self, switches: [SwitchId; 2]) -> Cable {
        let mut counts = BTreeMap::new();
        for hop in switches.iter().flat_map(|&switch| self.hops(switch)) {
            let rate = self.link(hop.channel.link()).cable.rate;
            *counts.entry(rate).or_insert(0) += 1;
        }
        let usual = counts.into_iter().max_by_key(|&(_, count)| count);
        usual.map_or(Cable::UNKNOWN, |(rate, _)| rate.into())
    }

    /// The fabric with one more cable between two ports of switches, the last of its links; all else keeps its
    /// number, name and port.
    ///
    /// # Errors
    /// Those of [`FabricBuilder::add_link`], where a port is taken or not there.
    pub fn with_cable(
        &self,
        ends: [(SwitchId, PortNumber); 2],
        cable: Cable,
    ) -> Result<Self, FabricError> {
        let mut builder = FabricBuilder::new(self.name());
        builder.set_layout(self.layout().clone());
        for id in self.switch_ids() {
            builder.add_switch(self.switch(id).clone())?;
        }
        for id in self.host_ids() {
            builder.add_host(self.host(id).clone())?;
        }
        for id in self.link_ids() {
            let link = self.link(id);
            builder.add_link(link.ends[0], link.ends[1], link.cable)?;
        }
        let [one, other] = ends.map(|(switch, port)| Endpoint {
            node: Node::Switch(switch),
            port,
        });
        builder.add_link(one, other, cable)?;
        builder.build()
    }
}
