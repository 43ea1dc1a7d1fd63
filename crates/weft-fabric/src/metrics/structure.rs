//! What the switches of a fabric form, beyond levels: groups whose spines are joined, or a projective plane.

use super::graph::SwitchGraph;
use super::{JoinedGroups, connected_parts, levels};
use crate::{Fabric, SwitchId};
use std::collections::BTreeMap;

/// Of so many links of a `PolarFly` one may be missing.
const MISSING_SHARE: usize = 20;
/// Smaller ones are told from others by chance alone.
const LEAST_ORDER: usize = 3;

/// What the switches of a fabric form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Structure {
    /// Groups of leaves and spines, most of which are joined by links of their spines.
    DragonflyPlus {
        /// Per group: its leaves.
        leaves: Vec<Vec<SwitchId>>,
        /// Per group: its spines.
        spines: Vec<Vec<SwitchId>>,
        /// The pairs of groups that links join.
        joined_pairs: usize,
        /// The fewest and the most links of such a pair.
        links_of_pair: [usize; 2],
    },
    /// The points of a projective plane with a polarity: every two reach each other by one way of two links or less.
    PolarFly {
        /// The order q of the plane: q² + q + 1 switches, which have q + 1 links, or q.
        order: usize,
        /// Links that are not there.
        missing_links: usize,
        /// Where none is missing, clusters of switches: the first of those that have q links, and the others each of a
        /// switch, which comes first, and neighbours of it that are joined in pairs.
        clusters: Vec<Vec<SwitchId>>,
    },
}

impl Structure {
    /// The switches that belong together: groups, or clusters.
    pub fn groups(&self) -> Vec<Vec<SwitchId>> {
        match self {
            Self::DragonflyPlus { leaves, spines, .. } => {
                let both = leaves.iter().zip(spines);
                both.map(|(leaves, spines)| [&leaves[..], spines].concat())
                    .collect()
            }
            Self::PolarFly { clusters, .. } => clusters.clone(),
        }
    }
}

/// What the switches of the largest part of a fabric form, if it is one of these.
///
/// # Complexity
/// Links of neighbours of all switches, where their number is that of a plane; else as [`levels`](super::levels()).
pub fn structure(fabric: &Fabric) -> Option<Structure> {
    let parts = connected_parts(fabric);
    let part = parts
        .iter()
        .max_by_key(|part| (part.len(), std::cmp::Reverse(part[0])))?;
    let graph = SwitchGraph::of(fabric);
    polar_fly(&graph, part).or_else(|| dragonfly_plus(fabric, part))
}

/// Groups of two levels.
/// Source: Shpiner et al., “Dragonfly+: low cost topology for scaling datacenters”, `HiPINEB` 2017.
fn dragonfly_plus(fabric: &Fabric, part: &[SwitchId]) -> Option<Structure> {
    let levels = levels(fabric);
    if part.iter().filter_map(|at| levels[at.index()]).max() != Some(1) {
        return None;
    }
    let joined = JoinedGroups::of(fabric, &levels);
    let mut groups: BTreeMap<usize, [Vec<SwitchId>; 2]> = BTreeMap::new();
    for &at in part {
        let [leaves, spines] = groups.entry(joined.group(at)?).or_default();
        if levels[at.index()] == Some(0) {
            leaves.push(at);
        } else {
            spines.push(at);
        }
    }
    let mut pairs: BTreeMap<[usize; 2], usize> = BTreeMap::new();
    for &at in part {
        for hop in fabric.hops(at) {
            let [here, there] = [at, hop.switch].map(|end| joined.group(end));
            if let (Some(here), Some(there)) = (here, there)
                && here < there
            {
                *pairs.entry([here, there]).or_default() += 1;
            }
        }
    }
    let (leaves, spines) = groups
        .into_values()
        .map(|[leaves, spines]| (leaves, spines))
        .unzip();
    let fewest = pairs.values().copied().min()?;
    let most = pairs.values().copied().max()?;
    Some(Structure::DragonflyPlus {
        leaves,
        spines,
        joined_pairs: pairs.len(),
        links_of_pair: [fewest, most],
    })
}

/// No two switches have two neighbours in common, none has more than q + 1, and there are as many links as that permits, or
/// nearly: such a graph is that of a polarity.
///
/// Sources: Lakhotia et al., “`PolarFly`: a cost-effective and flexible low-diameter topology”, SC 2022, section IV, of the
/// clusters section V; Füredi, “On the number of edges of quadrilateral-free graphs”, Journal of Combinatorial Theory B 68,
/// 1996.
fn polar_fly(graph: &SwitchGraph, part: &[SwitchId]) -> Option<Structure> {
    let points = |q: usize| q * q + q + 1;
    let order = (LEAST_ORDER..part.len()).find(|&q| points(q) >= part.len())?;
    if points(order) != part.len() {
        return None;
    }
    let near = |at: SwitchId| graph.of_switch(at.index()).iter().map(|one| one.switch);
    let arcs: usize = part.iter().map(|&at| near(at).count()).sum();
    let whole = order * (order + 1) * (order + 1) / 2;
    let missing_links = whole.checked_sub(arcs / 2)?;
    if MISSING_SHARE * missing_links > whole {
        return None;
    }
    let mut reached_from = vec![None; graph.switch_count()];
    for &at in part {
        if near(at).count() > order + 1 {
            return None;
        }
        let links = near(at).flat_map(|via| near(SwitchId::new(via)));
        for to in links.filter(|&to| to != at.number()) {
            if reached_from[to as usize].replace(at) == Some(at) {
                return None;
            }
        }
    }
    let clusters = if missing_links == 0 {
        clusters(graph, part, order)
    } else {
        Vec::new()
    };
    Some(Structure::PolarFly {
        order,
        missing_links,
        clusters,
    })
}

/// The switches that have q links, and around each neighbour of the first of these a cluster.
fn clusters(graph: &SwitchGraph, part: &[SwitchId], order: usize) -> Vec<Vec<SwitchId>> {
    let near = |at: SwitchId| {
        let row = graph.of_switch(at.index()).iter();
        row.map(|one| SwitchId::new(one.switch))
    };
    let is_quadric = |at: SwitchId| near(at).count() == order;
    let quadrics: Vec<SwitchId> = part.iter().copied().filter(|&at| is_quadric(at)).collect();
    let centres: Vec<SwitchId> = quadrics
        .first()
        .map_or(Vec::new(), |&at| near(at).collect());
    let around = |centre: SwitchId| {
        let mut cluster = vec![centre];
        for at in near(centre).filter(|&at| !is_quadric(at)) {
            if cluster.contains(&at) {
                continue;
            }
            let partner = near(at).find(|&other| near(centre).any(|beside| beside == other));
            cluster.push(at);
            cluster.extend(partner);
        }
        cluster
    };
    let clusters = centres.into_iter().map(around);
    std::iter::once(quadrics.clone()).chain(clusters).collect()
}
