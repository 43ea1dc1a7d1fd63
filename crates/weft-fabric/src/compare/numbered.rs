//! A fabric as nodes with ports: switches first, then hosts, each by its number.

use crate::{Endpoint, Fabric, HostId, Node, SwitchId};
use std::collections::BTreeMap;

/// A port of a node: the node's number, the port's.
pub(super) type Socket = (usize, u8);

/// One of two fabrics that are compared.
pub(super) struct Side<'f> {
    pub(super) fabric: &'f Fabric,
    /// Per node: the far end of the cable in each port.
    pub(super) far: Vec<BTreeMap<u8, Socket>>,
}

impl<'f> Side<'f> {
    pub(super) fn of(fabric: &'f Fabric) -> Self {
        let mut far = vec![BTreeMap::new(); fabric.switch_count() + fabric.host_count()];
        let mut side = Self {
            fabric,
            far: Vec::new(),
        };
        for link in fabric.link_ids().map(|id| fabric.link(id)) {
            let [a, b] = link.ends.map(|end| side.socket(end));
            far[a.0].insert(a.1, b);
            far[b.0].insert(b.1, a);
        }
        side.far = far;
        side
    }

    pub(super) fn socket(&self, end: Endpoint) -> Socket {
        let node = match end.node {
            Node::Switch(id) => id.index(),
            Node::Host(id) => self.fabric.switch_count() + id.index(),
        };
        (node, end.port.number())
    }

    pub(super) fn node(&self, number: usize) -> Node {
        match number.checked_sub(self.fabric.switch_count()) {
            None => Node::Switch(SwitchId::from_index(number)),
            Some(host) => Node::Host(HostId::from_index(host)),
        }
    }

    pub(super) fn count(&self) -> usize {
        self.far.len()
    }

    pub(super) fn is_switch(&self, number: usize) -> bool {
        number < self.fabric.switch_count()
    }

    pub(super) fn guid(&self, number: usize) -> Option<u64> {
        match self.node(number) {
            Node::Switch(id) => self.fabric.switch(id).guid,
            Node::Host(id) => self.fabric.host(id).guid,
        }
    }

    pub(super) fn name(&self, number: usize) -> &'f str {
        self.fabric.node_name(self.node(number))
    }
}
