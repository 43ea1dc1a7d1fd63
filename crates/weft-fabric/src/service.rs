//! Service ends: what hangs on a fabric and computes nothing.
//!
//! Adapters inside switches, management, storage and gateways are reached like every end, but they
//! do not send as compute ends do, and their places say nothing of the shape of a fabric: an
//! aggregation node on every spine makes no spine a leaf. What counts traffic or levels counts
//! [compute ends](Fabric::compute_hosts) alone.

use crate::{Fabric, HostId, Node, ServiceReason, SwitchId};
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
        let part = self.part(self.name(), |node| match node {
            Node::Switch(_) => true,
            Node::Host(host) => !self.is_service(host),
        });
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

    /// The same fabric in which these ends alone compute.
    ///
    /// # Panics
    /// When one of them is no host of the fabric.
    #[must_use]
    pub fn with_compute(self, compute: &[HostId]) -> Self {
        let others = self
            .hosts
            .iter()
            .map(|host| host.service.or(Some(ServiceReason::Told)));
        let mut reasons: Vec<Option<ServiceReason>> = others.collect();
        for host in compute {
            reasons[host.index()] = None;
        }
        self.with_service(reasons)
    }
}
