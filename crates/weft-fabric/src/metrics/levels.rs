//! Levels of tree-like fabrics, and how much narrower each is than what hangs below it.

use super::between_leaves;
use super::connected_parts;
use super::graph::SwitchGraph;
use super::hung_leaves;
use super::joined_groups;
use super::light_spines;
use crate::{Fabric, LinkRate, Node, SwitchId};
use std::collections::BTreeMap;

/// A switch is a leaf from a fifth of the hosts of the fullest switch on, unless it has half of these or less
/// and no more than a fifth as many as links to switches: a few ends on a spine do not pull it down to
/// the leaves.
const LEAF_SHARE: usize = 5;
/// A part is no tree any more when more than a twentieth of its pairs of neighbours lie within a
/// level.
const SAME_LEVEL_SHARE: usize = 20;
/// From one of so many compute ends on, what seems to hang higher is a group beside others.
const LIFTED_SHARE: usize = 3;
/// So many groups whose spines are joined to those of all others are groups beside each other: in a tree none is joined
/// to another but by what both hang on.
const SURE_GROUPS: usize = 3;

/// The level of every switch: 0 for the leaves, which have the compute ends, then the links up
/// from the nearest leaf; leaves that hang on higher levels than the others are on the level below the
/// switches they hang on; `None` in parts of the fabric that are not tree-like (there is one level
/// only, no compute end, or too many links within a level).
///
/// Groups of leaves and spines whose spines are joined, as those of a dragonfly+, have their spines on one level.
///
/// A few ends out of place count by what most switches say: a leaf with few ends is one where most of
/// its level have some, and a spine with a lone end is none.
pub fn levels(fabric: &Fabric) -> Vec<Option<u32>> {
    let graph = SwitchGraph::of(fabric);
    let mut levels = vec![None; fabric.switch_count()];
    for part in connected_parts(fabric) {
        level_part(fabric, &graph, &part, &mut levels);
    }
    levels
}

fn level_part(fabric: &Fabric, graph: &SwitchGraph, part: &[SwitchId], levels: &mut [Option<u32>]) {
    let hosts = |switch: SwitchId| fabric.compute_hosts_of(switch);
    let fullest = part.iter().map(|&switch| hosts(switch)).max().unwrap_or(0);
    let is_full = |switch: &SwitchId| {
        let own = hosts(*switch);
        let is_few = 2 * own <= fullest && LEAF_SHARE * own <= fabric.hops(*switch).len();
        own > 0 && LEAF_SHARE * own >= fullest && !is_few
    };
    let mut leaves: Vec<SwitchId> = part.iter().copied().filter(is_full).collect();
    let odd = light_spines::among(fabric, graph, part, &leaves);
    leaves.retain(|leaf| !odd.contains(leaf));
    let between = between_leaves::with_ends(fabric, graph, part, &leaves);
    leaves.retain(|leaf| !between.contains(leaf));
    loop {
        if leaves.is_empty() || leaves.len() == part.len() {
            break;
        }
        for switch in part {
            levels[switch.index()] = None;
        }
        graph.distances_from(&leaves, levels);
        let lighter = lighter_leaves(fabric, graph, part, &leaves, levels);
        if lighter.is_empty() {
            break;
        }
        leaves.extend(lighter);
    }
    if leaves.is_empty() {
        return;
    }
    let mut is_leveled = false;
    if leaves.len() < part.len() {
        let from_leaves = levels.to_vec();
        let lifted = hung_leaves::lift(fabric, graph, part, &leaves, levels);
        let ends = |switches: &[SwitchId]| switches.iter().map(|&s| hosts(s)).sum::<usize>();
        let has_few_lifted = LIFTED_SHARE * ends(&lifted) < ends(part);
        let of_part = |switch: &SwitchId| graph.of_switch(switch.index()).len();
        let all: usize = part.iter().map(of_part).sum();
        let most = all / SAME_LEVEL_SHARE;
        is_leveled = same_level_pairs(graph, part, levels) <= most;
        let is_of_groups = |[groups, within]: [usize; 2]| {
            within <= most && (groups >= SURE_GROUPS || !(is_leveled && has_few_lifted))
        };
        if joined_groups::pairs_within(graph, part, &from_leaves).is_some_and(is_of_groups) {
            levels.copy_from_slice(&from_leaves);
            is_leveled = true;
        }
    }
    if !is_leveled {
        for switch in part {
            levels[switch.index()] = None;
        }
    }
}

/// Counts the pairs of neighbours on one level, in both orders.
fn same_level_pairs(graph: &SwitchGraph, part: &[SwitchId], levels: &[Option<u32>]) -> usize {
    let of_switch = |switch: &SwitchId| {
        let around = graph.of_switch(switch.index()).iter();
        let is_level = |there: u32| levels[there as usize] == levels[switch.index()];
        around.filter(|near| is_level(near.switch)).count()
    };
    part.iter().map(of_switch).sum()
}

/// The links from every switch to the nearest of some leaves; `None` of those that none is joined to.
pub fn levels_above(fabric: &Fabric, leaves: &[SwitchId]) -> Vec<Option<u32>> {
    let mut levels = vec![None; fabric.switch_count()];
    SwitchGraph::of(fabric).distances_from(leaves, &mut levels);
    levels
}

/// The switches with compute ends on levels beyond that above the leaves, where most have some: leaves
/// with fewer ends than others, which hang on the same spines.
fn lighter_leaves(
    fabric: &Fabric,
    graph: &SwitchGraph,
    part: &[SwitchId],
    leaves: &[SwitchId],
    levels: &[Option<u32>],
) -> Vec<SwitchId> {
    let mut by_level: BTreeMap<u32, Vec<SwitchId>> = BTreeMap::new();
    for &switch in part {
        if let Some(level) = levels[switch.index()].filter(|&level| level > 1) {
            by_level.entry(level).or_default().push(switch);
        }
    }
    let has_hosts = |switch: &SwitchId| fabric.compute_hosts_of(*switch) > 0;
    let with_some: Vec<SwitchId> = by_level
        .values()
        .flatten()
        .copied()
        .filter(has_hosts)
        .collect();
    let between = between_leaves::with_ends(fabric, graph, part, &[leaves, &with_some].concat());
    let mut lighter = Vec::new();
    for switches in by_level.into_values() {
        let with: Vec<SwitchId> = switches.iter().copied().filter(has_hosts).collect();
        if with.iter().all(|switch| between.contains(switch)) {
            continue;
        }
        if 2 * with.len() > switches.len() {
            lighter.extend(with);
        }
    }
    lighter
}

/// Links counted, and their data rates added up while all are known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capacity {
    /// Links.
    pub links: usize,
    /// Data rate of all together, each way, in Gbit/s; `None` where the rate of one is unknown.
    pub gbit_per_s: Option<f64>,
}

impl Capacity {
    const NONE: Self = Self {
        links: 0,
        gbit_per_s: Some(0.0),
    };

    /// Adds up the links between ends of the given kind.
    pub(super) fn of(fabric: &Fabric, is_meant: impl Fn([Node; 2]) -> bool) -> Self {
        let mut sum = Self::NONE;
        for link in fabric.link_ids().map(|id| fabric.link(id)) {
            if is_meant(link.ends.map(|end| end.node)) {
                sum.add(link.cable.rate.map(LinkRate::data_gbit_per_s));
            }
        }
        sum
    }

    fn add(&mut self, gbit_per_s: Option<f64>) {
        self.links += 1;
        self.gbit_per_s = self
            .gbit_per_s
            .zip(gbit_per_s)
            .map(|(sum, more)| sum + more);
    }

    fn plus(mut self, other: Self) -> Self {
        self.links += other.links;
        self.gbit_per_s = self
            .gbit_per_s
            .zip(other.gbit_per_s)
            .map(|(sum, more)| sum + more);
        self
    }

    /// How many times as much this is as `other`: by rate where all rates are known, by
    /// number of links otherwise; `None` where `other` is nothing.
    pub fn over(self, other: Self) -> Option<f64> {
        let (mine, its) = self
            .gbit_per_s
            .zip(other.gbit_per_s)
            .unwrap_or((self.links as f64, other.links as f64));
        (its > 0.0).then(|| mine / its)
    }
}

/// What a level of a tree-like fabric has.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// Switches.
    pub switches: usize,
    /// Compute ends on them.
    pub hosts: usize,
    /// Host links of this level and all below.
    pub injection: Capacity,
    /// Links to the level below, and to hosts.
    pub down: Capacity,
    /// Links to the level above.
    pub up: Capacity,
    /// What the hosts on this level and below can inject over what the links up can carry; `None`
    /// for the top.
    pub oversubscription: Option<f64>,
    /// The switch with links up whose links down, hosts included, can carry most over these, and
    /// that quotient; the first of equals.
    pub narrowest: Option<(SwitchId, f64)>,
}

/// The levels of a fabric from the leaves up, switches without a level left out; none
/// where no part is tree-like.
///
/// Shapes: `levels` has one entry per switch, as [`levels`] gives it.
pub fn level_figures(fabric: &Fabric, levels: &[Option<u32>]) -> Vec<Level> {
    let Some(top) = levels.iter().flatten().max() else {
        return Vec::new();
    };
    let mut injection = Capacity::NONE;
    (0..=*top)
        .map(|level| {
            let mut figures = Level {
                switches: 0,
                hosts: 0,
                injection: Capacity::NONE,
                down: Capacity::NONE,
                up: Capacity::NONE,
                oversubscription: None,
                narrowest: None,
            };
            let here = fabric
                .switch_ids()
                .filter(|s| levels[s.index()] == Some(level));
            for switch in here {
                let [hosts, down, up] = capacities(fabric, levels, switch, level);
                figures.switches += 1;
                figures.hosts += hosts.links;
                injection = injection.plus(hosts);
                figures.down = figures.down.plus(down);
                figures.up = figures.up.plus(up);
                if let Some(quotient) = down.over(up)
                    && figures.narrowest.is_none_or(|(_, most)| quotient > most)
                {
                    figures.narrowest = Some((switch, quotient));
                }
            }
            figures.injection = injection;
            figures.oversubscription = injection.over(figures.up);
            figures
        })
        .collect()
}

/// The links of a switch to hosts, downwards (hosts included) and upwards.
fn capacities(
    fabric: &Fabric,
    levels: &[Option<u32>],
    switch: SwitchId,
    level: u32,
) -> [Capacity; 3] {
    let [mut hosts, mut down, mut up] = [Capacity::NONE; 3];
    for &channel in fabric.outgoing(switch) {
        let rate = fabric.link(channel.link()).cable.rate;
        let gbit_per_s = rate.map(LinkRate::data_gbit_per_s);
        match fabric.target(channel).node {
            Node::Host(host) if fabric.is_service(host) => {}
            Node::Host(_) => {
                hosts.add(gbit_per_s);
                down.add(gbit_per_s);
            }
            Node::Switch(other) => match levels[other.index()] {
                Some(there) if there < level => down.add(gbit_per_s),
                Some(there) if there > level => up.add(gbit_per_s),
                _ => {}
            },
        }
    }
    [hosts, down, up]
}
