//! Parts of a fabric as fabrics of their own.

use crate::{Fabric, FabricBuilder, HostId, Layout, Node, SwitchId};

impl Fabric {
    /// The part of the fabric that consists of the nodes `keeps` tells, of hosts those alone whose switch is
    /// among them, and the links between these: in their order, with names and ports as they are.
    ///
    /// # Panics
    /// When no switch is kept.
    #[must_use]
    pub fn part(&self, name: &str, keeps: impl Fn(Node) -> bool) -> Self {
        let mut builder = FabricBuilder::new(name);
        // Invariant: a part of a fabric breaks no rule that the whole keeps.
        let sound = "what a fabric holds can be added again";
        let mut switches: Vec<Option<SwitchId>> = vec![None; self.switch_count()];
        for switch in self.switch_ids().filter(|&id| keeps(Node::Switch(id))) {
            switches[switch.index()] = builder.add_switch(self.switch(switch).clone()).ok();
            debug_assert!(switches[switch.index()].is_some(), "{sound}");
        }
        let mut hosts: Vec<Option<HostId>> = vec![None; self.host_count()];
        for host in self.host_ids().filter(|&id| keeps(Node::Host(id))) {
            if switches[self.host_switch(host).index()].is_some() {
                hosts[host.index()] = builder.add_host(self.host(host).clone()).ok();
                debug_assert!(hosts[host.index()].is_some(), "{sound}");
            }
        }
        for link in self.link_ids().map(|id| self.link(id)) {
            let [a, b] = link.ends.map(|end| {
                let node = match end.node {
                    Node::Switch(switch) => switches[switch.index()].map(Node::Switch),
                    Node::Host(host) => hosts[host.index()].map(Node::Host),
                };
                node.map(|node| node.at(end.port.number()))
            });
            if let (Some(a), Some(b)) = (a, b) {
                let added = builder.add_link(a, b, link.cable);
                debug_assert!(added.is_ok(), "{sound}");
            }
        }
        builder.set_layout(if switches.iter().all(Option::is_some) {
            self.layout().clone()
        } else {
            Layout::Unstructured
        });
        match builder.build() {
            Ok(part) => part,
            Err(error) => panic!("{sound}: {error}"),
        }
    }
}
