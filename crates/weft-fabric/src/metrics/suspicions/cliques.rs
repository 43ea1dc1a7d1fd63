//! Groups whose switches are joined each to each other, as those of a dragonfly.

use super::super::graph::SwitchGraph;
use super::Suspicion;
use super::exchanges::exchanges;
use super::group_cable::Cable;
use super::peers::is_most;
use super::spines::{Counts, PlaceRule};
use super::tally::Tally;
use crate::{Fabric, LinkId, SwitchId};
use std::collections::{BTreeMap, BTreeSet};

/// Fewer groups than this have no count in common.
const FEWEST_GROUPS: usize = 3;

/// Of the pairs of a group so many of so many are joined at least.
const JOINED: [usize; 2] = [3, 4];

/// Finds cables of a fabric without levels that were plugged in crosswise, by how many most groups have between them;
/// cables of `told` are left alone.
pub(super) fn crossed(
    fabric: &Fabric,
    levels: &[Option<u32>],
    told: &BTreeSet<LinkId>,
) -> Vec<Suspicion> {
    if levels.iter().any(Option::is_some) {
        return Vec::new();
    }
    let Some(group_of) = groups(&SwitchGraph::of(fabric)) else {
        return Vec::new();
    };
    let cables = cables(fabric, &group_of);
    let mut tally = Tally::of(fabric, &group_of, &cables, PlaceRule::default());
    exchanges(&mut tally, &cables, told)
}

/// The cables between two switches of groups, each once.
pub(super) fn cables(fabric: &Fabric, group_of: &[Option<usize>]) -> Vec<Cable> {
    let of_switch = |here: SwitchId| {
        let hops = fabric
            .hops(here)
            .iter()
            .filter(move |hop| hop.switch > here);
        let hops = hops.filter(|hop| group_of[hop.switch.index()].is_some());
        hops.map(move |hop| Cable {
            link: hop.channel.link(),
            ends: [
                (here, hop.port),
                (hop.switch, fabric.target(hop.channel).port),
            ],
        })
    };
    let in_groups = fabric
        .switch_ids()
        .filter(|at| group_of[at.index()].is_some());
    in_groups.flat_map(of_switch).collect()
}

/// Per switch its group: switches of one are joined to most of what the others of it are joined to, and the groups are of
/// one size, mostly. `None` where switches form none.
fn groups(graph: &SwitchGraph) -> Option<Vec<Option<usize>>> {
    let switches = 0..graph.switch_count();
    let shared: Vec<Vec<usize>> =
        (switches.clone().map(|at| shared_by_neighbour(graph, at))).collect();
    // Of the pairs of a group most have as many neighbours in common; those of two groups have others.
    let mut counts: Counts<usize> = BTreeMap::new();
    for &common in shared.iter().flatten() {
        *counts.entry(common).or_default() += 1;
    }
    let (usual, _) = counts.into_iter().max_by_key(|&(_, pairs)| pairs)?;
    if usual == 0 {
        return None;
    }
    let mut group_of: Vec<Option<usize>> = vec![None; graph.switch_count()];
    let mut members: Vec<Vec<usize>> = Vec::new();
    for first in switches {
        if group_of[first].is_some() {
            continue;
        }
        let group = members.len();
        let mut own = vec![first];
        group_of[first] = Some(group);
        let mut next = 0;
        while let Some(&at) = own.get(next) {
            next += 1;
            for (near, &common) in graph.of_switch(at).iter().zip(&shared[at]) {
                let there = near.switch as usize;
                if common >= usual && group_of[there].is_none() {
                    group_of[there] = Some(group);
                    own.push(there);
                }
            }
        }
        members.push(own);
    }
    attach(graph, &mut members, &mut group_of);
    let mut sizes: Counts<usize> = BTreeMap::new();
    for own in &members {
        *sizes.entry(own.len()).or_default() += 1;
    }
    let (&size, &agreeing) = sizes.iter().max_by_key(|&(_, count)| count)?;
    let is_joined = |own: &Vec<usize>| {
        let joined = own.iter().map(|&at| {
            let near = graph.of_switch(at).iter();
            near.filter(|near| group_of[near.switch as usize] == group_of[at])
                .count()
        });
        JOINED[1] * joined.sum::<usize>() >= JOINED[0] * own.len() * (own.len() - 1)
    };
    let are_groups = members.len() >= FEWEST_GROUPS
        && size > 2
        && is_most(agreeing, members.len())
        && members.iter().all(is_joined);
    are_groups.then_some(group_of)
}

/// Puts switches of no group, which lack cables to some of their own, into the one that they are joined to most of.
fn attach(graph: &SwitchGraph, members: &mut Vec<Vec<usize>>, group_of: &mut [Option<usize>]) {
    let largest = members.iter().map(Vec::len).max().unwrap_or(0);
    let is_small = |own: &Vec<usize>| own.len() == 1;
    let small = members.iter().filter(|own| is_small(own)).flatten();
    let joined = small.filter_map(|&at| {
        let mut counts: Counts<usize> = BTreeMap::new();
        for near in graph.of_switch(at) {
            let group = group_of[near.switch as usize]?;
            *counts.entry(group).or_default() += 1;
        }
        let of_groups = counts.into_iter();
        let may_be = |&(group, count): &(usize, usize)| {
            let own = &members[group];
            !is_small(own) && 2 * count >= own.len()
        };
        // By the share of the group.
        let share = |&(group, count): &(usize, usize)| largest * count / members[group].len();
        let (group, _) = of_groups.filter(may_be).max_by_key(share)?;
        Some((at, group))
    });
    for (at, group) in joined.collect::<Vec<_>>() {
        group_of[at] = Some(group);
    }
    for own in members.iter_mut() {
        own.clear();
    }
    for (at, group) in group_of.iter().enumerate() {
        if let Some(group) = group {
            members[*group].push(at);
        }
    }
    members.retain(|own| !own.is_empty());
}

/// Per neighbour of a switch: neighbours that both have.
fn shared_by_neighbour(graph: &SwitchGraph, at: usize) -> Vec<usize> {
    let own: BTreeSet<u32> = graph.of_switch(at).iter().map(|near| near.switch).collect();
    let common = |there: u32| {
        let theirs = graph.of_switch(there as usize).iter();
        theirs.filter(|near| own.contains(&near.switch)).count()
    };
    graph
        .of_switch(at)
        .iter()
        .map(|near| common(near.switch))
        .collect()
}
