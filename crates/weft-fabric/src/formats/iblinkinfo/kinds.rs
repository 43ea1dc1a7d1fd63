//! Which nodes are switches, in lines that do not say it.

use super::super::infiniband::{Listing, NodeKey, NodeKind};
use std::collections::{BTreeMap, BTreeSet};

/// Tells switches from channel adapters where only the ports tell: all ports of a switch have
/// one GUID, and each of an adapter has its own. Of nodes that only others name, in blocks, the
/// description and the LID take the GUID's place.
pub(super) fn tell_kinds(listing: &mut Listing<'_>) {
    let mut ports: BTreeMap<NodeKey<'_>, BTreeSet<u8>> = BTreeMap::new();
    for (&key, &index) in &listing.gathering.index {
        ports.insert(key, listing.listed[index].clone());
    }
    let gathering = &mut listing.gathering;
    for entry in gathering.port_lines() {
        let peer = &entry.line.peer;
        ports.entry(peer.key).or_default().insert(peer.port);
    }
    let is_switch = |key: &NodeKey<'_>| ports.get(key).is_some_and(|ports| ports.len() > 1);
    for (key, &index) in &gathering.index {
        let node = &mut gathering.nodes[index];
        if let NodeKey::PortGuid(guid) = *key
            && node.kind == NodeKind::Adapter
            && is_switch(key)
        {
            node.kind = NodeKind::Switch;
            node.guid = Some(guid);
        }
    }
    for (node, port) in gathering.entries.clone() {
        if let Some(entry) = gathering.nodes[node].ports.get_mut(port) {
            let is_switch = is_switch(&entry.line.peer.key);
            entry.line.peer.kind = Some(if is_switch {
                NodeKind::Switch
            } else {
                NodeKind::Adapter
            });
        }
    }
}
