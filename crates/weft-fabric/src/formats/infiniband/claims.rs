//! Adapters to whose port several switch ports lead.
//!
//! A tool that takes a GUID for one device lists one record for two adapters that were given the same. Their switches tell
//! them apart: a port has one cable, so that each further port of a switch which leads to it has another adapter.

use super::super::ReadNote;
use super::wiring::End;
use super::{Gathering, Mark, Node, NodeKey, NodeKind, PortLines, Rivals};
use std::collections::BTreeMap;

/// A port of a switch that leads to a port of an adapter, and where the file says so.
type Claim = (Mark, End);

impl<'a> Gathering<'a> {
    /// Gives each port of a switch that leads to a port of an adapter which another has an adapter of its own, and takes
    /// lines that tell of it from the ones that contradict each other.
    pub(super) fn part_claimed(&mut self, rivals: &mut Rivals<'a>, notes: &mut Vec<ReadNote>) {
        // By adapter: further devices with its GUID, each with its node and the ports that are taken of it.
        let mut twins: BTreeMap<usize, Vec<(usize, Vec<u8>)>> = BTreeMap::new();
        let claims = self.claims();
        let claimed_by = self.claimed_by(&claims);
        for (end, claims) in claims {
            let is_clear = claims.iter().all(|(_, claim)| {
                let others = claimed_by.get(claim).into_iter().flatten();
                !rivals.is_of(*claim) && others.copied().all(|node| node == end.0)
            });
            let Some(kept) = self.kept(end, &claims, rivals).filter(|_| is_clear) else {
                continue;
            };
            for (mark, claim) in claims.into_iter().filter(|&(mark, _)| mark != kept) {
                self.note_twin(claim, end, [mark, kept], notes);
                rivals.remove(end, claim);
                let of_adapter = twins.entry(end.0).or_default();
                let twin = self.twin_for(end, of_adapter);
                if let Some(entry) = self.nodes[claim.0].ports.get_mut(claim.1) {
                    entry.peer = Some(twin);
                }
            }
        }
    }

    /// By port of an adapter with a GUID, where there are several: the ports of switches that lead there, in the order of
    /// the file.
    fn claims(&self) -> BTreeMap<End, Vec<Claim>> {
        let mut claims: BTreeMap<End, Vec<Claim>> = BTreeMap::new();
        let switches = self.nodes.iter().enumerate();
        for (node, record) in switches.filter(|(_, node)| node.kind == NodeKind::Switch) {
            for entry in record.ports.iter() {
                let key = entry.line.peer.key;
                let has_guid = matches!(key, NodeKey::Guid(..) | NodeKey::PortGuid(_));
                let peer = entry.peer.filter(|_| has_guid);
                let peer = peer.filter(|&peer| self.nodes[peer].kind == NodeKind::Adapter);
                if let Some(peer) = peer {
                    let of_port = claims.entry((peer, entry.line.peer.port)).or_default();
                    of_port.push((entry.mark, (node, entry.line.port)));
                }
            }
        }
        claims.retain(|_, of_port| of_port.len() > 1);
        for of_port in claims.values_mut() {
            of_port.sort_unstable();
        }
        claims
    }

    /// By port of a switch that is among the claims: the nodes whose first lines of a port lead there.
    fn claimed_by(&self, claims: &BTreeMap<End, Vec<Claim>>) -> BTreeMap<End, Vec<usize>> {
        let ends = claims.values().flatten().map(|&(_, end)| (end, Vec::new()));
        let mut claimed_by: BTreeMap<End, Vec<usize>> = ends.collect();
        for (node, record) in self.nodes.iter().enumerate() {
            for entry in record.ports.iter() {
                let far = entry.peer.map(|peer| (peer, entry.line.peer.port));
                if let Some(nodes) = far.and_then(|far| claimed_by.get_mut(&far)) {
                    nodes.push(node);
                }
            }
        }
        claimed_by
    }

    /// Where the file tells of the cable that an adapter's port keeps: the one that the adapter lists, or the first where
    /// it lists none. `None` where it lists another.
    fn kept(&self, end: End, claims: &[Claim], rivals: &Rivals<'a>) -> Option<Mark> {
        let Some(first) = self.nodes[end.0].ports.get(end.1) else {
            return claims.first().map(|&(mark, _)| mark);
        };
        let listed = std::iter::once(first).chain(rivals.of(end));
        let mut listed = listed.filter_map(|entry| Some((entry.peer?, entry.line.peer.port)));
        listed.find_map(|far| {
            let claim = claims.iter().find(|&&(_, claim)| claim == far);
            claim.map(|&(mark, _)| mark)
        })
    }

    /// A further device with the GUID of an adapter whose port is free, which is added where there is none.
    fn twin_for(&mut self, (adapter, port): End, twins: &mut Vec<(usize, Vec<u8>)>) -> usize {
        let free = twins.iter_mut().find(|(_, taken)| !taken.contains(&port));
        if let Some((node, taken)) = free {
            taken.push(port);
            return *node;
        }
        let node = self.nodes.len();
        self.nodes.push(twin_of(&self.nodes[adapter]));
        twins.push((node, vec![port]));
        node
    }

    fn note_twin(&self, claim: End, end: End, [mark, kept]: [Mark; 2], notes: &mut Vec<ReadNote>) {
        let name = |(node, port): End| {
            let node = &self.nodes[node];
            format!("{}[{port}]", node.description.unwrap_or(node.id))
        };
        notes.push(ReadNote {
            line: Some(mark.line),
            text: format!("{} – {}", name(claim), name(end)),
            reason: format!(
                "another port of a switch leads there, too (line {}); taken for two devices with one GUID: give one of \
                 them another, or discover the fabric again if cables were moved meanwhile",
                kept.line
            ),
        });
    }
}

/// Another device with the GUID of an adapter, of whose ports nothing is known.
fn twin_of<'a>(node: &Node<'a>) -> Node<'a> {
    Node {
        kind: node.kind,
        id: node.id,
        guid: node.guid,
        lids: None,
        description: node.description,
        port_count: node.port_count,
        system_image: node.system_image,
        device: node.device,
        mark: None,
        ports: PortLines::default(),
    }
}
