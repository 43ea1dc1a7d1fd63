//! What looks like a fault: parts of a fabric that differ from most of their kind.
//!
//! A fabric says nothing of what it was meant to be, but its regularity does: where most switches of
//! a kind agree, one that differs is worth a walk to the rack.

mod accepted;
mod addresses;
mod among;
mod asymmetry;
mod balance;
mod between_groups;
mod cliques;
mod crossed_counts;
mod crossed_groups;
mod exchanges;
mod group_cable;
mod missing;
mod numbering;
mod one_end;
mod pattern;
mod peers;
mod places_by_ports;
mod port_rule;
mod ports;
mod restored;
mod settled;
mod slow;
mod spines;
mod surroundings;
mod swapped;
mod tally;
mod trunks;
mod usual;

use super::{JoinedGroups, connected_parts};
use crate::{Fabric, LinkId, LinkRate, Node, PortNumber, SwitchId};
use pattern::Pattern;
use peers::Peers;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// An end of a cable that is not there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MissingEnd {
    /// The switch.
    pub switch: SwitchId,
    /// Its port without a cable where the cable belongs; where nothing tells which, all that may be.
    pub ports: Vec<PortNumber>,
}

/// A cable that may be meant instead of another, with its ends.
pub type OtherCable = (LinkId, [(SwitchId, PortNumber); 2]);

/// Something that looks like a fault. The kinds stand in the order of what they cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Suspicion {
    /// Switches that cannot reach the part with most hosts.
    IsolatedPart {
        /// The switches of the part.
        switches: Vec<SwitchId>,
        /// Hosts on them.
        hosts: usize,
    },
    /// Links that only one end tells of, though the other tells of its own: packets may pass one way
    /// only.
    OneWay {
        /// The links.
        links: Vec<LinkId>,
    },
    /// Nodes without a valid LID, while most have one: no packet is addressed to them.
    NoLid {
        /// The nodes.
        nodes: Vec<Node>,
    },
    /// Nodes that share a LID with another.
    SharedLids {
        /// The nodes.
        nodes: Vec<Node>,
    },
    /// Nodes that share a GUID with another: managers of the subnet take them for one, or refuse to start.
    SharedGuids {
        /// The nodes.
        nodes: Vec<Node>,
    },
    /// Links beside which their source lists another at one of their ports: a GUID that two devices have, or a cable that
    /// was moved while the fabric was discovered.
    Disputed {
        /// The links that were taken.
        links: Vec<LinkId>,
    },
    /// Links of one kind that are slower than most of it, or than others between the same two
    /// switches.
    SlowLinks {
        /// The links.
        links: Vec<LinkId>,
        /// Their width and speed.
        found: LinkRate,
        /// Those of the others.
        expected: LinkRate,
    },
    /// A cable between two switches is missing, by what switches like them have.
    MissingCable {
        /// Its ends.
        ends: [MissingEnd; 2],
    },
    /// Cables are missing between switches of which nothing tells which lack one.
    MissingAmong {
        /// Cables.
        count: usize,
        /// Whether these are not all that the switches lack: there may be more, or some were made with fewer.
        is_least: bool,
        /// The switches that each of them may lead from and to.
        ends: [Vec<MissingEnd>; 2],
    },
    /// Two cables were plugged in crosswise, by what switches like theirs have.
    SwappedCables {
        /// The links as they are.
        links: [LinkId; 2],
        /// Of each, others that may be meant instead, where the number of links alone tells: between the same two switches,
        /// or the same two groups. Each has its ends in the order of those that `belong` takes apart: of the first cable
        /// the first end of the first that belongs and the second of the second, of the second cable the others.
        others: [Vec<OtherCable>; 2],
        /// The ports that each of the two cables belongs in.
        belong: [[(SwitchId, PortNumber); 2]; 2],
    },
    /// Cables that lead from a switch back to itself.
    SelfLinks {
        /// The links.
        links: Vec<LinkId>,
    },
    /// Switches of a kind that have fewer links to switches than most of it, though no cable is known
    /// to be missing, or fewer than they lack.
    Asymmetry {
        /// The switches, each with the links it has.
        switches: Vec<(SwitchId, usize)>,
        /// Of each, the ports without a cable on which most of the kind have a link to a switch.
        dark_ports: Vec<Vec<PortNumber>>,
        /// Links most of the kind have.
        expected: usize,
        /// Switches of the kind that have these.
        agreeing: usize,
        /// Switches of the kind.
        peers: usize,
    },
    /// Ports without a cable in which switches like theirs have a link to another switch, which has no
    /// port left for it.
    IdlePorts {
        /// The switches and their ports.
        ports: Vec<(SwitchId, Vec<PortNumber>)>,
    },
}

/// Gathers all that looks like a fault, what costs most first: one kind after the other, each in the
/// order of ids.
///
/// Shapes: `levels` has one entry per switch, as [`super::levels`] gives it; switches of different
/// levels are of different kinds.
pub fn suspicions(fabric: &Fabric, levels: &[Option<u32>]) -> Vec<Suspicion> {
    let levels = &levels_of_twins(fabric, levels);
    let peers = Peers::of(fabric, levels);
    let mut group_of = groups_of_spines(fabric, &JoinedGroups::of(fabric, levels));
    let mut pattern = Pattern::of(fabric, &peers, levels, &group_of);
    let crossed = swapped::swapped(fabric, &pattern, BTreeSet::new());
    let crossed = swapped_links(&crossed);
    if !crossed.is_empty() {
        let groups = JoinedGroups::without(fabric, levels, &crossed);
        group_of = groups_of_spines(fabric, &groups);
    }
    pattern.pass_over(crossed);
    let mut all = isolated_parts(fabric);
    let one_way = fabric
        .link_ids()
        .filter(|&id| fabric.link(id).cable.is_one_way);
    all.extend(of_links(one_way, |links| Suspicion::OneWay { links }));
    all.extend(addresses::doubtful(fabric));
    let disputed = fabric
        .link_ids()
        .filter(|&id| fabric.link(id).cable.is_disputed);
    all.extend(of_links(disputed, |links| Suspicion::Disputed { links }));
    all.extend(slow::too_low(fabric, &peers));
    all.extend(missing::too_few(fabric, &peers, &pattern, &group_of));
    all.extend(cliques::crossed(fabric, levels, &swapped_links(&all)));
    all.extend(swapped::swapped(fabric, &pattern, swapped_links(&all)));
    let loops = fabric.link_ids().filter(|&id| is_self_link(fabric, id));
    all.extend(of_links(loops, |links| Suspicion::SelfLinks { links }));
    all.sort_by_key(rank);
    all
}

/// Per switch: its group, of spines that join groups alone.
fn groups_of_spines(fabric: &Fabric, groups: &JoinedGroups) -> Vec<Option<usize>> {
    let of_spine = |id| groups.group(id).filter(|_| groups.is_spine(id));
    fabric.switch_ids().map(of_spine).collect()
}

/// The links that are told to be swapped, or may be meant.
fn swapped_links(all: &[Suspicion]) -> BTreeSet<LinkId> {
    let told = all.iter().filter_map(|found| match found {
        Suspicion::SwappedCables { links, others, .. } => Some((links, others)),
        _ => None,
    });
    let told = told.flat_map(|(links, others)| {
        let others = others.iter().flatten().map(|&(link, _)| link);
        others.chain(links.iter().copied())
    });
    told.collect()
}

/// The levels of switches, of those which stand above all that they are joined to the level of most switches with as many
/// ports that these are joined to, where it is lower and no others stand so high: a switch in the middle that has
/// lost its cables down hangs on the tops alone.
fn levels_of_twins(fabric: &Fabric, levels: &[Option<u32>]) -> Vec<Option<u32>> {
    let mut adjusted = levels.to_vec();
    let mut heights: BTreeMap<u32, usize> = BTreeMap::new();
    for level in levels.iter().flatten() {
        *heights.entry(*level).or_default() += 1;
    }
    for switch in fabric.switch_ids() {
        let Some(height) = levels[switch.index()].filter(|height| heights[height] == 1) else {
            continue;
        };
        let near = || fabric.hops(switch).iter().map(|hop| hop.switch);
        if !near().all(|near| levels[near.index()].is_some_and(|level| level < height)) {
            continue;
        }
        let ports = fabric.switch(switch).port_count;
        let is_like = |at: &SwitchId| *at != switch && fabric.switch(*at).port_count == ports;
        let twins: BTreeSet<SwitchId> = near()
            .flat_map(|near| fabric.hops(near).iter().map(|hop| hop.switch))
            .filter(is_like)
            .collect();
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        for level in twins.iter().filter_map(|twin| levels[twin.index()]) {
            *counts.entry(level).or_default() += 1;
        }
        let most = counts.into_iter().max_by_key(|&(_, count)| count);
        if let Some((level, count)) = most
            && level < height
            && peers::is_most(count, twins.len())
        {
            adjusted[switch.index()] = Some(level);
        }
    }
    adjusted
}

/// The place of a kind of suspicions: first what keeps packets from arriving, then what keeps them
/// waiting, then what may be meant.
fn rank(suspicion: &Suspicion) -> (u8, usize) {
    match suspicion {
        Suspicion::IsolatedPart { hosts, .. } => (0, usize::MAX - hosts),
        Suspicion::OneWay { .. } => (1, 0),
        Suspicion::NoLid { .. } => (2, 0),
        Suspicion::SharedLids { .. } => (3, 0),
        Suspicion::SharedGuids { .. } => (4, 0),
        Suspicion::Disputed { .. } => (5, 0),
        // The more links the worse, whatever they join.
        Suspicion::SlowLinks { links, .. } => (6, usize::MAX - links.len()),
        Suspicion::MissingCable { .. } => (7, 0),
        Suspicion::MissingAmong { .. } => (8, 0),
        Suspicion::SwappedCables { .. } => (9, 0),
        Suspicion::SelfLinks { .. } => (10, 0),
        Suspicion::Asymmetry { .. } => (11, 0),
        Suspicion::IdlePorts { .. } => (12, 0),
    }
}

fn isolated_parts(fabric: &Fabric) -> Vec<Suspicion> {
    let mut parts: Vec<(usize, Vec<SwitchId>)> = connected_parts(fabric)
        .into_iter()
        .map(|part| (part.iter().map(|&s| fabric.compute_hosts_of(s)).sum(), part))
        .collect();
    parts.sort_by_key(|(hosts, part)| Reverse((*hosts, part.len())));
    let apart = parts.into_iter().skip(1);
    apart
        .map(|(hosts, switches)| Suspicion::IsolatedPart { switches, hosts })
        .collect()
}

/// One suspicion of all links, if there is any.
fn of_links(
    links: impl Iterator<Item = LinkId>,
    told: impl FnOnce(Vec<LinkId>) -> Suspicion,
) -> Option<Suspicion> {
    let links: Vec<LinkId> = links.collect();
    (!links.is_empty()).then(|| told(links))
}

/// Tells whether a cable leads from a switch back to itself.
fn is_self_link(fabric: &Fabric, id: LinkId) -> bool {
    let [a, b] = fabric.link(id).ends.map(|end| end.node);
    a == b
}
