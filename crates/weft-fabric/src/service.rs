//! Service ends: what hangs on a fabric and computes nothing.
//!
//! Adapters inside switches, management, storage and gateways are reached like every end, but they
//! do not send as compute ends do, and their places say nothing of the shape of a fabric: an
//! aggregation node on every spine makes no spine a leaf. What counts traffic or levels counts
//! [compute ends](Fabric::compute_hosts) alone.

use crate::{Fabric, FabricBuilder, HostId, Node, ServiceReason, SwitchId};
use std::borrow::Cow;

impl Fabric {
    /// Tells whether an end is a service end.
    #[inline]
    pub fn is_service(&self, host: HostId) -> bool {
        self.host(host).service.is_some()
    }

    /// Tells whether any end is a service end.
    pub fn has_service(&self) -> bool {
        self.host_ids().any(|host| self.is_service(host))
    }

    /// The ids of the hosts that are no service ends, in order.
    pub fn compute_hosts(&self) -> impl DoubleEndedIterator<Item = HostId> + Clone + '_ {
        let hosts = (0..self.host_count()).map(HostId::from_index);
        hosts.filter(|&host| !self.is_service(host))
    }

    /// Counts the hosts of a switch that are no service ends.
    pub fn compute_hosts_of(&self, switch: SwitchId) -> usize {
        let hosts = self.hosts_of(switch).iter();
        hosts.filter(|&&host| !self.is_service(host)).count()
    }

    /// The same fabric without its service ends: all switches and the links between them, and the
    /// compute ends in their order, with ports and names as they are.
    pub fn compute_part(&self) -> Cow<'_, Self> {
        if !self.has_service() {
            return Cow::Borrowed(self);
        }
        let mut builder = FabricBuilder::new(self.name());
        builder.set_layout(self.layout().clone());
        // Invariant: a part of a fabric breaks no rule that the whole keeps.
        let sound = "what a fabric holds can be added again";
        for switch in self.switch_ids() {
            let added = builder.add_switch(self.switch(switch).clone());
            debug_assert!(added.is_ok(), "{sound}");
        }
        let mut numbers = vec![None; self.host_count()];
        for (number, host) in self.compute_hosts().enumerate() {
            let added = builder.add_host(self.host(host).clone());
            debug_assert!(added.is_ok(), "{sound}");
            numbers[host.index()] = Some(HostId::from_index(number));
        }
        for link in self.link_ids().map(|id| self.link(id)) {
            let [a, b] = link.ends.map(|end| {
                let node = match end.node {
                    Node::Switch(_) => Some(end.node),
                    Node::Host(host) => numbers[host.index()].map(Node::Host),
                };
                node.map(|node| node.at(end.port.number()))
            });
            if let (Some(a), Some(b)) = (a, b) {
                let added = builder.add_link(a, b, link.cable);
                debug_assert!(added.is_ok(), "{sound}");
            }
        }
        let Ok(part) = builder.build() else {
            unreachable!("{sound}");
        };
        Cow::Owned(part)
    }

    /// The same fabric with other service ends, and no others.
    ///
    /// Shapes: an entry per host, in order.
    ///
    /// # Panics
    /// When there are more or fewer.
    #[must_use]
    pub fn with_service(mut self, reasons: Vec<Option<ServiceReason>>) -> Self {
        assert_eq!(reasons.len(), self.hosts.len());
        for (host, reason) in self.hosts.iter_mut().zip(reasons) {
            host.service = reason;
        }
        self
    }
}
