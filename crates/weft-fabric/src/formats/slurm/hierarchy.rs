//! The hierarchy that Slurm is told of.
//!
//! Switches with hosts are the leaves. The others are taken by level, their distance from the
//! nearest leaf: all that are joined through switches up to one level become one switch of the
//! hierarchy, so that the spines of a pod, or of the whole cluster, stand together as the one parent
//! Slurm wants. A level that joins nothing anew is left out. Where leaves are joined to each other,
//! as in a torus or a dragonfly, there is no tree: then every part of the fabric has its leaves
//! under one switch, which is what Slurm's guide advises for want of better.

use super::super::disjoint_sets::DisjointSets;
use super::super::levels::{joined_peers, levels};
use super::super::{FormatName, WriteError};
use super::names::{SwitchNames, node_name};
use crate::{Fabric, SwitchId};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// Adapters that one node may have; hosts with more in common than that share no node.
const MOST_ADAPTERS: usize = 16;

/// Names a remark lists before it only counts.
const LISTED: usize = 6;

/// A switch with nodes.
pub(super) struct Leaf<'a> {
    pub(super) name: String,
    /// A comment with the name that Slurm does not take, where there is one.
    pub(super) comment: String,
    pub(super) nodes: Vec<&'a str>,
}

/// A switch with switches below it.
pub(super) struct Parent {
    pub(super) name: String,
    pub(super) children: Vec<String>,
}

/// Leaves, the parents above them from the lowest, and what is worth telling, one line each.
pub(super) struct Hierarchy<'a> {
    pub(super) leaves: Vec<Leaf<'a>>,
    pub(super) parents: Vec<Parent>,
    pub(super) remarks: Vec<String>,
}

/// Finds the hierarchy.
pub(super) fn hierarchy(fabric: &Fabric, format: FormatName) -> Result<Hierarchy<'_>, WriteError> {
    let mut remarks = Vec::new();
    let mut names = SwitchNames::default();
    let (switches, leaves) = leaves(fabric, format, &mut names, &mut remarks)?;
    let levels = levels(fabric, &switches);
    let level = |switch: SwitchId| levels[switch.index()];
    let top = levels.iter().flatten().copied().max().unwrap_or(0);
    let are_leaves = |a, b| level(a) == Some(0) && level(b) == Some(0);
    let steps: Vec<RangeInclusive<u32>> = match joined_peers(fabric, are_leaves) {
        None => (1..=top).map(|level| level..=level).collect(),
        Some(joined) => {
            let [a, b] = joined.map(|switch| one_line(&fabric.switch(switch).name));
            remarks.push(format!(
                "The fabric is no tree: {a} and {b} both have nodes and are joined. Slurm is told \
                 which nodes share a switch, and nothing of distances between switches."
            ));
            vec![1..=top.max(1)]
        }
    };

    let mut parts = DisjointSets::new(fabric.switch_count());
    // What stands for each part so far, by one of its switches.
    let heads = switches.iter().map(|switch| switch.index());
    let mut heads: BTreeMap<usize, String> = heads
        .zip(leaves.iter().map(|leaf| leaf.name.clone()))
        .collect();
    let mut parents = Vec::new();
    for step in steps {
        let (from, to) = (Some(*step.start()), Some(*step.end()));
        join_up_to(fabric, &mut parts, |switch| {
            level(switch).is_some() && level(switch) <= to
        });
        let mut below: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for (switch, name) in std::mem::take(&mut heads) {
            below.entry(parts.of(switch)).or_default().push(name);
        }
        let several = below.values().filter(|children| children.len() > 1).count() > 1;
        let mut number = 0;
        for (part, mut children) in below {
            if children.len() == 1 {
                heads.extend(children.pop().map(|only| (part, only)));
                continue;
            }
            let merged: Vec<SwitchId> = fabric
                .switch_ids()
                .filter(|&id| level(id) >= from && level(id) <= to && parts.of(id.index()) == part)
                .collect();
            let step = step.end();
            let name = match merged.as_slice() {
                [only] => names.of(fabric, *only),
                _ if several => names.unique(&format!("level{step}-{number}")),
                _ => names.unique(&format!("level{step}")),
            };
            number += 1;
            if merged.len() > 1 {
                let merged = merged.iter().map(|&id| fabric.switch(id).name.as_str());
                remarks.push(format!("{name} stands for {}.", listed(merged)));
            }
            heads.insert(part, name.clone());
            parents.push(Parent { name, children });
        }
    }
    if heads.len() > 1 {
        let listed_heads = listed(heads.values().map(String::as_str));
        remarks.push(format!(
            "The fabric is in {} parts, under {listed_heads}; no job spans them.",
            heads.len()
        ));
    }
    Ok(Hierarchy {
        leaves,
        parents,
        remarks,
    })
}

/// Joins the parts of all neighbours within a set of switches.
fn join_up_to(fabric: &Fabric, parts: &mut DisjointSets, within: impl Fn(SwitchId) -> bool) {
    for switch in fabric.switch_ids().filter(|&switch| within(switch)) {
        for hop in fabric.hops(switch) {
            if within(hop.switch) {
                parts.join(switch.index(), hop.switch.index());
            }
        }
    }
}

/// The switches with nodes, and the nodes of each, every node once.
fn leaves<'a>(
    fabric: &'a Fabric,
    format: FormatName,
    names: &mut SwitchNames,
    remarks: &mut Vec<String>,
) -> Result<(Vec<SwitchId>, Vec<Leaf<'a>>), WriteError> {
    let mut adapters: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut elsewhere, mut inner) = (BTreeSet::new(), 0);
    let (mut switches, mut leaves) = (Vec::new(), Vec::new());
    for switch in fabric.switch_ids() {
        let mut nodes: Vec<&str> = Vec::new();
        for &host in fabric.hosts_of(switch) {
            if fabric.is_service(host) {
                inner += 1;
                continue;
            }
            let node = node_name(fabric, host, format)?;
            let count = adapters.entry(node).or_insert(0);
            *count += 1;
            if *count == 1 {
                nodes.push(node);
            } else if !nodes.contains(&node) {
                elsewhere.insert(node);
            }
        }
        if !nodes.is_empty() {
            let name = names.of(fabric, switch);
            let full = &fabric.switch(switch).name;
            let comment = if *full == name {
                String::new()
            } else {
                format!("  # {}", one_line(full))
            };
            switches.push(switch);
            leaves.push(Leaf {
                name,
                comment,
                nodes,
            });
        }
    }
    if let Some((node, count)) = adapters.iter().find(|&(_, &count)| count > MOST_ADAPTERS) {
        return Err(WriteError::CannotHold {
            format,
            what: format!("{count} hosts whose names start with “{node}”"),
            reason: "a node is called by the first word of its adapters' names, and these seem to \
                     bear the adapter's own; give them the nodes' names, as rdma-ndd does, and \
                     discover the fabric again"
                .to_owned(),
        });
    }
    if leaves.is_empty() {
        return Err(WriteError::CannotHold {
            format,
            what: "a fabric without hosts".to_owned(),
            reason: "Slurm places jobs on nodes, and there is none".to_owned(),
        });
    }
    if inner > 0 {
        remarks.push(format!(
            "{inner} service ends (adapters inside switches and the like) are no nodes and left out."
        ));
    }
    if !elsewhere.is_empty() {
        remarks.push(format!(
            "Nodes with adapters at several switches stand under the first: {}.",
            listed(elsewhere.into_iter())
        ));
    }
    Ok((switches, leaves))
}

/// Names in a row, the first few of many.
fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let mut names: Vec<String> = names.map(one_line).collect();
    let more = names.len().saturating_sub(LISTED);
    if more > 0 {
        names.truncate(LISTED);
        names.push(format!("{more} more"));
    }
    names.join(", ")
}

/// A name that does not end the comment it stands in.
fn one_line(name: &str) -> String {
    let shown = |c: char| if c.is_control() { ' ' } else { c };
    name.chars().map(shown).collect()
}
