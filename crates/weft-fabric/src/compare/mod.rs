//! Two fabrics compared cable by cable: a plan and what was found, or a fabric before and after.

mod changes;
mod colours;
mod likeness;
mod matching;
mod numbered;

use crate::{Fabric, HostId, LinkRate, Node, ServiceReason, SwitchId};
use numbered::Side;

pub use matching::MatchedBy;

/// A port in the two fabrics; a node that one of them lacks has none there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ComparedEnd {
    /// The node in the first fabric.
    pub planned: Option<Node>,
    /// The node in the second.
    pub found: Option<Node>,
    /// The port's number.
    pub port: u8,
}

/// The ends of a cable.
pub type ComparedCable = [ComparedEnd; 2];

/// Something in which the second fabric differs from the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The second lacks a node, and all its cables.
    MissingNode {
        /// The node in the first.
        node: Node,
        /// Its cables there.
        cables: Vec<ComparedCable>,
    },
    /// The first lacks a node, and all its cables.
    AddedNode {
        /// The node in the second.
        node: Node,
        /// Its cables there.
        cables: Vec<ComparedCable>,
    },
    /// The second lacks a cable.
    Missing {
        /// The cable.
        cable: ComparedCable,
    },
    /// Two cables have exchanged an end.
    Swapped {
        /// As they are in the first.
        planned: [ComparedCable; 2],
        /// As they are in the second.
        found: [ComparedCable; 2],
    },
    /// A cable has one end where it was and the other elsewhere.
    Moved {
        /// As it is in the first.
        planned: ComparedCable,
        /// As it is in the second, the end that stayed first.
        found: ComparedCable,
    },
    /// The first lacks a cable.
    Added {
        /// The cable.
        cable: ComparedCable,
    },
    /// A cable has another rate.
    Rate {
        /// The cable.
        cable: ComparedCable,
        /// Its rate in the first.
        planned: LinkRate,
        /// Its rate in the second.
        found: LinkRate,
    },
}

/// How two fabrics differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// By what nodes of both were found to be the same.
    pub matched: MatchedBy,
    /// The switches of the first that are taken for one of the second by their place alone, though fewer
    /// than half of the cables of either to switches agree: what is told of these may be another's.
    pub uncertain: Vec<SwitchId>,
    /// Cables that are in both, whatever their rates.
    pub same_cables: usize,
    /// Parts of switches that are ends of cables within, such as aggregation nodes, where one fabric lists some and the
    /// other none at all, as plans do: they are no changes.
    pub unlisted_parts: usize,
    /// In what they differ: nodes, cables that are missing, swapped, moved, added, rates.
    pub changes: Vec<Change>,
}

/// Compares two fabrics. Nodes are the same when they have the same GUID, else the same name, else when
/// they stand in the same place between others, by the numbers of ports; rates are compared where both
/// are known.
pub fn compare(planned: &Fabric, found: &Fabric) -> Comparison {
    let sides = [Side::of(planned), Side::of(found)];
    let matching = matching::matched(&sides[0], &sides[1]);
    let mut comparison = changes::changes(&sides[0], &sides[1], &matching);
    let [none_planned, none_found] =
        [planned, found].map(|fabric| !fabric.host_ids().any(|host| is_part(fabric, host)));
    let all = comparison.changes.len();
    comparison.changes.retain(|change| match *change {
        Change::AddedNode {
            node: Node::Host(host),
            ..
        } => !(none_planned && is_part(found, host)),
        Change::MissingNode {
            node: Node::Host(host),
            ..
        } => !(none_found && is_part(planned, host)),
        _ => true,
    });
    comparison.unlisted_parts = all - comparison.changes.len();
    comparison
}

/// Whether a host is a part of a switch, by its adapter or its description.
fn is_part(fabric: &Fabric, host: HostId) -> bool {
    matches!(
        fabric.host(host).service,
        Some(ServiceReason::InsideSwitch | ServiceReason::Description)
    )
}

/// A number that tells the wirings of fabrics apart, whatever their names and the order of their
/// nodes: it depends on kinds of nodes, and on which ports of switches the cables join. Fabrics wired alike
/// have the same; rates do not count.
///
/// Nodes that look alike from everywhere are not told apart, so that some regular fabrics with as many
/// nodes of each kind share one.
pub fn wiring_fingerprint(fabric: &Fabric) -> u64 {
    colours::wiring(&Side::of(fabric))
}
