//! Levels of tree-like fabrics, and how much narrower each is than what hangs below it.

use super::connected_parts;
use super::graph::SwitchGraph;
use crate::{Fabric, LinkRate, Node, SwitchId};

/// A switch is a leaf from a fifth of the hosts of the fullest switch on: a lone service host on a
/// spine does not pull the spine down to the leaves.
const LEAF_SHARE: usize = 5;
/// A part is no tree any more when more than a twentieth of its pairs of neighbours lie within a
/// level.
const SAME_LEVEL_SHARE: usize = 20;

/// The level of every switch: 0 for the leaves, which have the hosts, then the links up
/// from the nearest leaf; `None` in parts of the fabric that are not tree-like (there is one level
/// only, no host, or too many links within a level).
pub fn levels(fabric: &Fabric) -> Vec<Option<u32>> {
    let graph = SwitchGraph::of(fabric);
    let mut levels = vec![None; fabric.switch_count()];
    for part in connected_parts(fabric) {
        level_part(fabric, &graph, &part, &mut levels);
    }
    levels
}

fn level_part(fabric: &Fabric, graph: &SwitchGraph, part: &[SwitchId], levels: &mut [Option<u32>]) {
    let hosts = |switch: SwitchId| fabric.hosts_of(switch).len();
    let fullest = part.iter().map(|&switch| hosts(switch)).max().unwrap_or(0);
    let is_leaf = |switch: &SwitchId| hosts(*switch) > 0 && LEAF_SHARE * hosts(*switch) >= fullest;
    let mut order: Vec<SwitchId> = part.iter().copied().filter(is_leaf).collect();
    if order.is_empty() || order.len() == part.len() {
        return;
    }
    for leaf in &order {
        levels[leaf.index()] = Some(0);
    }
    let mut next = 0;
    while let Some(&switch) = order.get(next) {
        next += 1;
        let above = levels[switch.index()].map(|level| level + 1);
        for neighbour in graph.of_switch(switch.index()) {
            let there = SwitchId::new(neighbour.switch);
            if levels[there.index()].is_none() {
                levels[there.index()] = above;
                order.push(there);
            }
        }
    }
    let (mut within, mut all) = (0, 0);
    for switch in part {
        for neighbour in graph.of_switch(switch.index()) {
            all += 1;
            within += usize::from(levels[neighbour.switch as usize] == levels[switch.index()]);
        }
    }
    if SAME_LEVEL_SHARE * within > all {
        for switch in part {
            levels[switch.index()] = None;
        }
    }
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
    /// Hosts on them.
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
