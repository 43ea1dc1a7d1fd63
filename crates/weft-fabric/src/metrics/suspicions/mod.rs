//! What looks like a fault: parts of a fabric that differ from most of their kind.
//!
//! A fabric says nothing of what it was meant to be, but its regularity does: where most switches of
//! a kind agree, one that differs is worth a walk to the rack.

mod missing;
mod peers;
mod slow;

use super::connected_parts;
use crate::{Fabric, LinkId, LinkRate, PortNumber, SwitchId};
use peers::Peers;
use std::cmp::Reverse;

/// Something that looks like a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Suspicion {
    /// Switches that cannot reach the part with most hosts.
    IsolatedPart {
        /// The switches of the part.
        switches: Vec<SwitchId>,
        /// Hosts on them.
        hosts: usize,
    },
    /// A switch has fewer links to switches than most of its kind.
    FewerLinks {
        /// The switch.
        switch: SwitchId,
        /// Links it has.
        found: usize,
        /// Links most of its kind have.
        expected: usize,
        /// Switches of its kind that have these.
        agreeing: usize,
        /// Switches of its kind, itself included.
        peers: usize,
        /// Its ports without a cable on which most of its kind have a link to a switch.
        dark_ports: Vec<PortNumber>,
    },
    /// Two switches are joined by fewer links than most switches like the first are to the second.
    MissingLinks {
        /// The switch with fewer links than its kind.
        switch: SwitchId,
        /// The other.
        neighbour: SwitchId,
        /// Links between the two.
        found: usize,
        /// Links most switches with the same neighbours have to the second.
        expected: usize,
        /// Dark ports of the first where the cables may belong; empty when nothing points to any.
        ports: Vec<PortNumber>,
        /// The same of the second.
        neighbour_ports: Vec<PortNumber>,
    },
    /// A link is slower than most of its kind, or than others between the same two switches.
    SlowLink {
        /// The link.
        link: LinkId,
        /// Its width and speed.
        found: LinkRate,
        /// Those of the others.
        expected: LinkRate,
    },
    /// A cable leads from a switch back to itself.
    SelfLink {
        /// The link.
        link: LinkId,
    },
}

/// Gathers all that looks like a fault, one kind after the other, each in the order of ids.
///
/// Shapes: `levels` has one entry per switch, as [`super::levels`] gives it; switches of different
/// levels are of different kinds.
pub fn suspicions(fabric: &Fabric, levels: &[Option<u32>]) -> Vec<Suspicion> {
    let peers = Peers::of(fabric, levels);
    let mut all = isolated_parts(fabric);
    all.extend(missing::too_few(fabric, &peers));
    all.extend(slow::too_low(fabric, levels));
    all.extend(self_links(fabric));
    all
}

fn isolated_parts(fabric: &Fabric) -> Vec<Suspicion> {
    let mut parts: Vec<(usize, Vec<SwitchId>)> = connected_parts(fabric)
        .into_iter()
        .map(|part| (part.iter().map(|&s| fabric.hosts_of(s).len()).sum(), part))
        .collect();
    parts.sort_by_key(|(hosts, part)| Reverse((*hosts, part.len())));
    let apart = parts.into_iter().skip(1);
    apart
        .map(|(hosts, switches)| Suspicion::IsolatedPart { switches, hosts })
        .collect()
}

fn self_links(fabric: &Fabric) -> impl Iterator<Item = Suspicion> {
    let loops = fabric.link_ids().filter(|&id| is_self_link(fabric, id));
    loops.map(|link| Suspicion::SelfLink { link })
}

/// Tells whether a cable leads from a switch back to itself.
fn is_self_link(fabric: &Fabric, id: LinkId) -> bool {
    let [a, b] = fabric.link(id).ends.map(|end| end.node);
    a == b
}
