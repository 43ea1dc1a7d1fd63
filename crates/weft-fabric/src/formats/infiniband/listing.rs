//! Files that list every port of a switch, wired or not, a line each.

use super::super::{ReadNote, Source};
use super::{Gathering, Lids, Mark, Node, NodeKey, NodeKind, PortLines};
use std::collections::BTreeSet;

/// The nodes of such a file as far as they are read.
pub(crate) struct Listing<'a> {
    pub(crate) gathering: Gathering<'a>,
    /// Per node: the ports that have a line.
    pub(crate) listed: Vec<BTreeSet<u8>>,
}

/// What a line says of the node it belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Listed<'a> {
    pub(crate) key: NodeKey<'a>,
    pub(crate) kind: NodeKind,
    pub(crate) id: &'a str,
    pub(crate) guid: Option<u64>,
    pub(crate) lids: Option<Lids>,
    pub(crate) description: Option<&'a str>,
    pub(crate) mark: Mark,
}

impl<'a> Listing<'a> {
    pub(crate) fn new(source: Source<'a>) -> Self {
        Self {
            gathering: Gathering::new(source),
            listed: Vec::new(),
        }
    }

    /// The index of a node, which is added when it is new; port `port` counts as listed.
    pub(crate) fn list(&mut self, node: &Listed<'a>, port: u8) -> usize {
        let index = match self.gathering.index.get(&node.key) {
            Some(&index) => index,
            None => self.gathering.add_node(
                node.key,
                Node {
                    kind: node.kind,
                    id: node.id,
                    guid: node.guid,
                    lids: None,
                    description: None,
                    port_count: port,
                    mark: Some(node.mark),
                    system_image: None,
                    device: None,
                    ports: PortLines::default(),
                },
            ),
        };
        self.listed
            .resize(self.gathering.nodes.len(), BTreeSet::new());
        self.listed[index].insert(port);
        let known = &mut self.gathering.nodes[index];
        known.port_count = known.port_count.max(port);
        known.lids = known.lids.or(node.lids);
        let description = node.description.filter(|text| !text.is_empty());
        known.description = known.description.or(description);
        index
    }

    /// Leaves out adapters' ports without a cable, which are no hosts.
    pub(crate) fn forget_unwired_adapters(&mut self) {
        let is_kept = |node: &Node<'_>| node.kind != NodeKind::Adapter || !node.ports.is_empty();
        let Gathering {
            nodes,
            index,
            entries,
            twins,
            rivals,
            ..
        } = &mut self.gathering;
        let mut kept = 0;
        let places: Vec<Option<usize>> = nodes
            .iter()
            .map(|node| {
                is_kept(node).then(|| {
                    kept += 1;
                    kept - 1
                })
            })
            .collect();
        nodes.retain(is_kept);
        index.retain(|_, node| places[*node].map(|place| *node = place).is_some());
        entries.retain_mut(|(node, _)| places[*node].map(|place| *node = place).is_some());
        rivals.renumber(&places);
        for twins in twins.values_mut() {
            twins.retain_mut(|node| places[*node].map(|place| *node = place).is_some());
        }
        let rivals = rivals.in_order_mut().into_iter().map(|(_, rival)| rival);
        let entries = nodes.iter_mut().flat_map(|node| node.ports.iter_mut());
        for entry in entries.chain(rivals) {
            entry.peer = entry.peer.and_then(|peer| places[peer]);
        }
    }

    /// Notes switches some of whose ports have no line.
    pub(crate) fn note_gaps(&self, notes: &mut Vec<ReadNote>) {
        for (node, listed) in self.gathering.nodes.iter().zip(&self.listed) {
            let gaps: Vec<String> = (1..=node.port_count)
                .filter(|port| node.kind == NodeKind::Switch && !listed.contains(port))
                .map(|port| port.to_string())
                .collect();
            if gaps.is_empty() {
                continue;
            }
            let plural = if gaps.len() == 1 { "port" } else { "ports" };
            notes.push(ReadNote {
                line: node.mark.map(|mark| mark.line),
                text: format!("switch “{}”", node.description.unwrap_or(node.id)),
                reason: format!(
                    "{plural} {} of it, which should be listed wired or not, have no line; the \
                     file may have lost some",
                    gaps.join(", ")
                ),
            });
        }
    }
}
