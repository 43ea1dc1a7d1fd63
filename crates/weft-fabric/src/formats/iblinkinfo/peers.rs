//! Which node a block means by a LID and a description.

use super::super::error::FormatError;
use super::super::infiniband::{Entry, Gathering, Lids, Node, NodeKey, NodeKind, Peer};
use std::collections::BTreeMap;

/// Finds the node at the other end of each line of a block: the one of this description and
/// LID, or, where several have the description and no LID tells them apart, the one whose own line
/// leads back here. Nodes without lines of their own are left to be found later.
pub(super) fn find_peers(gathering: &mut Gathering<'_>) -> Result<(), FormatError> {
    let mut by_description: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, node) in gathering.nodes.iter().enumerate() {
        let description = node.description.unwrap_or("");
        by_description.entry(description).or_default().push(index);
    }
    let mut found = Vec::new();
    for &(here, port) in &gathering.entries {
        if let Some(entry) = gathering.nodes[here].ports.get(port)
            && let Some(peer) = meant(gathering, &by_description, here, entry)?
        {
            found.push((here, port, peer));
        }
    }
    for (node, port, peer) in found {
        if let Some(entry) = gathering.nodes[node].ports.get_mut(port) {
            entry.peer = Some(peer);
        }
    }
    let mut rivals = std::mem::take(&mut gathering.rivals);
    for (here, rival) in rivals.in_order_mut() {
        rival.peer = meant(gathering, &by_description, here, rival)?;
    }
    gathering.rivals = rivals;
    Ok(())
}

/// The node that a line of a block leads to, if the line has no more of it than its description and LID and it has lines of
/// its own.
fn meant(
    gathering: &Gathering<'_>,
    by_description: &BTreeMap<&str, Vec<usize>>,
    here: usize,
    entry: &Entry<'_>,
) -> Result<Option<usize>, FormatError> {
    let peer = &entry.line.peer;
    let NodeKey::Described(_, description) = peer.key else {
        return Ok(None);
    };
    let named = by_description
        .get(description)
        .map_or(&[][..], Vec::as_slice);
    let possible: Vec<usize> = named
        .iter()
        .copied()
        .filter(|&index| may_be(&gathering.nodes[index], peer))
        .collect();
    if possible.len() < 2 {
        return Ok(possible.first().copied());
    }
    let here = &gathering.nodes[here];
    let leads_back =
        |index: &usize| leads_to(&gathering.nodes[*index], peer, here, entry.line.port);
    let mut back = possible.iter().copied().filter(leads_back);
    match (back.next(), back.next()) {
        (Some(one), None) => Ok(Some(one)),
        _ => Err(ambiguous(gathering, entry, possible.len())),
    }
}

/// Tells whether nothing but the description speaks against a node.
fn may_be(node: &Node<'_>, peer: &Peer<'_>) -> bool {
    let lids: Option<Lids> = match node.kind {
        NodeKind::Switch => node.lids,
        _ => (node.ports.get(peer.port)).and_then(|entry| entry.line.lids),
    };
    match (lids, peer.lids) {
        (Some(ours), Some(theirs)) => ours == theirs,
        _ => true,
    }
}

/// Tells whether the line of a node's port that a peer names leads back.
fn leads_to(node: &Node<'_>, peer: &Peer<'_>, here: &Node<'_>, port: u8) -> bool {
    node.ports.get(peer.port).is_some_and(|back| {
        let back = &back.line.peer;
        back.port == port && back.description.unwrap_or("") == here.description.unwrap_or("")
    })
}

fn ambiguous(gathering: &Gathering<'_>, entry: &Entry<'_>, count: usize) -> FormatError {
    let peer = &entry.line.peer;
    let name = peer.description.unwrap_or("");
    gathering.source.unexpected(
        entry.mark.offset,
        format!(
            "a link to port {} of “{name}”, which {count} nodes are called",
            peer.port
        ),
        "the node's GUID: write the file again with iblinkinfo -l, which adds it",
    )
}
