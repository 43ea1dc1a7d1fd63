//! Lists of cables whose ends are named, and that say of nodes little else.

use super::super::{FormatError, ReadNote, Source};
use super::{
    CableEnd, Gathering, Mark, Node, NodeKey, NodeKind, PortLines, Rate, finish, unlisted_ports,
};
use crate::{Fabric, LinkRate};
use std::collections::{BTreeMap, BTreeSet};

/// A cable between two named nodes.
#[derive(Clone, Debug)]
pub(crate) struct NamedCable {
    pub(crate) ends: [NamedEnd; 2],
    pub(crate) rate: Option<LinkRate>,
    pub(crate) mark: Mark,
    /// What the file says of it.
    pub(crate) text: String,
}

/// One end of such a cable.
#[derive(Clone, Debug)]
pub(crate) struct NamedEnd {
    pub(crate) name: String,
    /// The node's GUID; nodes without are known by name.
    pub(crate) guid: Option<u64>,
    /// The kind of node, where the file tells.
    pub(crate) kind: Option<NodeKind>,
    pub(crate) port: u8,
}

/// Names of devices that are channel adapters have one of these.
const ADAPTERS: [&str; 4] = ["HCA", "hfi1_", "mlx4_", "mlx5_"];

/// Makes the fabric of a list of cables. A node of which nothing tells the kind is a switch if it has several
/// wired ports, and a channel adapter if it has one. Nothing tells how many ports a switch has: it has those that
/// have a cable, as it has or as another in its place has.
pub(crate) fn finish_cables(
    source: Source<'_>,
    cables: &[NamedCable],
    notes: &mut Vec<ReadNote>,
) -> Result<Fabric, FormatError> {
    let kinds = kinds(cables);
    // The strings of the cables live as long as what is gathered from them.
    let mut gathering = Gathering::new(source);
    let mut laid = BTreeSet::new();
    for cable in cables {
        let [a, b] = [&cable.ends[0], &cable.ends[1]].map(|end| (key(end), end.port));
        // The other end tells of the cable as well.
        if laid.contains(&(b, a)) && !laid.contains(&(a, b)) {
            laid.insert((a, b));
            continue;
        }
        laid.insert((a, b));
        for end in &cable.ends {
            let key = key(end);
            if let Some(&index) = gathering.index.get(&key) {
                let known = &mut gathering.nodes[index];
                known.port_count = known.port_count.max(even(end.port));
            } else {
                let node = Node {
                    kind: kinds.get(&key).copied().unwrap_or(NodeKind::Adapter),
                    id: &end.name,
                    guid: end.guid,
                    lids: None,
                    description: Some(end.name.as_str()),
                    port_count: even(end.port),
                    system_image: None,
                    device: None,
                    mark: Some(cable.mark),
                    ports: PortLines::default(),
                };
                gathering.add_node(key, node);
            }
        }
        let ends = [&cable.ends[0], &cable.ends[1]].map(|end| CableEnd {
            key: key(end),
            port: end.port,
            guid: None,
            lids: None,
        });
        let rate = cable.rate.map_or(Rate::Absent, Rate::Known);
        gathering.join(ends, rate, &cable.text, cable.mark, notes);
    }
    let Gathering { nodes, index, .. } = &mut gathering;
    let ends = cables.iter().map(|cable| {
        let [a, b] = &cable.ends;
        [a, b].map(|end| index[&key(end)])
    });
    unlisted_ports::even_out(nodes, ends);
    finish(source, gathering, notes)
}

/// How many ports a node at least has: switches have even numbers of them to the outside, and one more is
/// that of an adapter inside.
fn even(port: u8) -> u8 {
    port + port % 2
}

fn key(end: &NamedEnd) -> NodeKey<'_> {
    end.guid.map_or(NodeKey::Id(&end.name), NodeKey::PortGuid)
}

/// The kind of each node, told or guessed.
fn kinds(cables: &[NamedCable]) -> BTreeMap<NodeKey<'_>, NodeKind> {
    let mut kinds: BTreeMap<NodeKey<'_>, NodeKind> = BTreeMap::new();
    let mut ports: BTreeMap<NodeKey<'_>, BTreeSet<u8>> = BTreeMap::new();
    for end in cables.iter().flat_map(|cable| &cable.ends) {
        ports.entry(key(end)).or_default().insert(end.port);
        let is_adapter = || ADAPTERS.iter().any(|word| end.name.contains(word));
        if let Some(kind) = end
            .kind
            .or_else(|| is_adapter().then_some(NodeKind::Adapter))
        {
            kinds.entry(key(end)).or_insert(kind);
        }
    }
    for (key, ports) in ports {
        kinds.entry(key).or_insert(if ports.len() > 1 {
            NodeKind::Switch
        } else {
            NodeKind::Adapter
        });
    }
    kinds
}
