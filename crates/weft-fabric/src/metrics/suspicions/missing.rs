//! Cables that are not there.

use super::Suspicion;
use super::peers::{Peers, is_most};
use crate::{Fabric, PortNumber, SwitchId};
use std::collections::{BTreeMap, BTreeSet};

/// The switches with fewer links than their kind, and the links they lack.
pub(super) fn too_few(fabric: &Fabric, peers: &Peers) -> Vec<Suspicion> {
    let mut fewer = Vec::new();
    let mut poor = Vec::new();
    for kind in &peers.kinds {
        let Some((expected, agreeing)) = kind.links else {
            continue;
        };
        for &switch in &kind.switches {
            let found = fabric.hops(switch).len();
            if found < expected {
                poor.push((switch, expected));
                fewer.push(Suspicion::FewerLinks {
                    switch,
                    found,
                    expected,
                    agreeing,
                    peers: kind.switches.len(),
                    dark_ports: peers.dark_ports(fabric, switch),
                });
            }
        }
    }
    let mut told = BTreeSet::new();
    for (switch, expected) in poor {
        for missing in missing_links(fabric, peers, switch, expected) {
            if let Suspicion::MissingLinks { neighbour, .. } = missing
                && told.insert([switch.min(neighbour), switch.max(neighbour)])
            {
                fewer.push(missing);
            }
        }
    }
    fewer
}

/// Links from one switch to each of its neighbours.
fn links_to(fabric: &Fabric, switch: SwitchId) -> BTreeMap<SwitchId, usize> {
    let mut links = BTreeMap::new();
    for hop in fabric.hops(switch) {
        *links.entry(hop.switch).or_default() += 1;
    }
    links
}

/// Fewer twins than this may be alike by chance.
const FEWEST_TWINS: usize = 2;

/// The links a switch lacks that most of its twins have: switches of its kind that share half of
/// the links expected of it, or more. A link is missing only where both ends have a port for it.
fn missing_links(
    fabric: &Fabric,
    peers: &Peers,
    switch: SwitchId,
    expected: usize,
) -> Vec<Suspicion> {
    let own = links_to(fabric, switch);
    let candidates: BTreeSet<SwitchId> = own
        .keys()
        .flat_map(|&neighbour| fabric.hops(neighbour))
        .map(|hop| hop.switch)
        .filter(|&other| other != switch && peers.are_alike(other, switch))
        .collect();
    let twins: Vec<(SwitchId, BTreeMap<SwitchId, usize>)> = candidates
        .into_iter()
        .map(|other| (other, links_to(fabric, other)))
        .filter(|(_, links)| {
            let shared =
                |(id, count): (&SwitchId, &usize)| (*count).min(*own.get(id).unwrap_or(&0));
            2 * links.iter().map(shared).sum::<usize>() >= expected
        })
        .collect();
    let has_room = |switch: SwitchId| {
        fabric.outgoing(switch).len() < usize::from(fabric.switch(switch).port_count)
    };
    if twins.len() < FEWEST_TWINS || !has_room(switch) {
        return Vec::new();
    }
    let neighbours: BTreeSet<SwitchId> =
        twins.iter().flat_map(|(_, l)| l.keys()).copied().collect();
    let dark_ports = peers.dark_ports(fabric, switch);
    let mut missing = Vec::new();
    for neighbour in neighbours
        .into_iter()
        .filter(|&id| id != switch && has_room(id))
    {
        let found = own.get(&neighbour).copied().unwrap_or(0);
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for (_, links) in &twins {
            *counts
                .entry(links.get(&neighbour).copied().unwrap_or(0))
                .or_default() += 1;
        }
        let most = counts.into_iter().max_by_key(|&(_, twins)| twins);
        if let Some((expected, agreeing)) = most
            && expected > found
            && is_most(agreeing, twins.len())
        {
            missing.push(Suspicion::MissingLinks {
                switch,
                neighbour,
                found,
                expected,
                ports: likely_ports(fabric, &twins, neighbour, &dark_ports),
                neighbour_ports: peers.dark_ports(fabric, neighbour),
            });
        }
    }
    missing
}

/// The dark ports on which most twins have their link to the neighbour; all dark ports
/// where the twins' ports do not agree.
fn likely_ports(
    fabric: &Fabric,
    twins: &[(SwitchId, BTreeMap<SwitchId, usize>)],
    neighbour: SwitchId,
    dark_ports: &[PortNumber],
) -> Vec<PortNumber> {
    let leads_there = |twin: SwitchId, port: PortNumber| {
        let hop = fabric.hops(twin).iter().find(|hop| hop.port == port);
        hop.is_some_and(|hop| hop.switch == neighbour)
    };
    let likely: Vec<PortNumber> = dark_ports
        .iter()
        .copied()
        .filter(|&port| {
            let agreeing = twins.iter().filter(|(twin, _)| leads_there(*twin, port));
            is_most(agreeing.count(), twins.len())
        })
        .collect();
    if likely.is_empty() {
        dark_ports.to_vec()
    } else {
        likely
    }
}
