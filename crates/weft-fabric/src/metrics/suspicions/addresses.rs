//! Identifiers that are missing, or that several nodes have.

use super::Suspicion;
use crate::{Fabric, Node};
use std::collections::BTreeMap;

/// Finds nodes without a LID beside others with one, LIDs of several nodes and GUIDs of several.
pub(super) fn doubtful(fabric: &Fabric) -> Vec<Suspicion> {
    let switches = fabric.switch_ids().map(|id| {
        let switch = fabric.switch(id);
        (Node::Switch(id), switch.lids, switch.guid)
    });
    let hosts = fabric.host_ids().map(|id| {
        let host = fabric.host(id);
        (Node::Host(id), host.lids, host.guid)
    });
    let nodes: Vec<_> = switches.chain(hosts).collect();
    let (mut without, mut by_lid, mut by_guid) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
    for &(node, lids, guid) in &nodes {
        match lids {
            None => without.push(node),
            Some(lids) => {
                for lid in lids.lids() {
                    by_lid.entry(lid).or_insert_with(Vec::new).push(node);
                }
            }
        }
        if let Some(guid) = guid {
            by_guid.entry(guid).or_insert_with(Vec::new).push(node);
        }
    }
    let shared_lids = shared(by_lid);
    let shared_guids = shared(by_guid);
    let mut all = Vec::new();
    if !without.is_empty() && 2 * without.len() < nodes.len() {
        all.push(Suspicion::NoLid { nodes: without });
    }
    if !shared_lids.is_empty() {
        all.push(Suspicion::SharedLids { nodes: shared_lids });
    }
    if !shared_guids.is_empty() {
        all.push(Suspicion::SharedGuids {
            nodes: shared_guids,
        });
    }
    all
}

fn shared<K>(nodes: BTreeMap<K, Vec<Node>>) -> Vec<Node> {
    let several = nodes.into_values().filter(|nodes| nodes.len() > 1);
    let mut all: Vec<Node> = several.flatten().collect();
    all.sort_unstable();
    all.dedup();
    all
}
