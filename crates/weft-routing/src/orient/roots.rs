//! The switches that a rule for the root comes to.

use crate::orient::{Orientation, RootRule};
use crate::random::stream;
use rand::RngExt;
use rayon::prelude::*;
use weft_fabric::{Fabric, SwitchId, metrics};

/// Why a rule yields no root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RootProblem {
    /// The fabric has no switch with this number or name.
    NoSuchSwitch(RootRule),
    /// The switch is not joined to the switches with hosts.
    Apart(SwitchId),
    /// No switch meets the rule.
    NoneFound,
    /// With these roots no legal route leads from the first switch to the second.
    Unjoined(SwitchId, SwitchId),
}

pub(crate) fn choose_root(
    fabric: &Fabric,
    part: &[SwitchId],
    rule: &RootRule,
    seed: u64,
) -> Result<SwitchId, RootProblem> {
    let given = |id: Option<SwitchId>| match id {
        None => Err(RootProblem::NoSuchSwitch(rule.clone())),
        Some(id) if part.binary_search(&id).is_err() => Err(RootProblem::Apart(id)),
        Some(id) => Ok(id),
    };
    let least = |cost: &dyn Fn(SwitchId) -> u64| {
        let costs = part.iter().map(|&switch| (cost(switch), switch));
        costs.min().map(|(_, switch)| switch)
    };
    match rule {
        RootRule::Id(id) => given(fabric.switch_ids().nth(*id as usize)),
        RootRule::Name(name) => given(
            fabric
                .switch_ids()
                .find(|&id| fabric.switch(id).name == *name),
        ),
        RootRule::Random => {
            let drawn = stream(seed, "root", 0).random_range(0..part.len());
            Ok(part[drawn])
        }
        RootRule::MaxDegree => given(least(&|s| u64::MAX - fabric.hops(s).len() as u64)),
        RootRule::MinAverage => {
            let sums = metrics::distance_sums(fabric, part);
            given(least(&|s| sums[s.index()]))
        }
        RootRule::MaxAverage => {
            let sums = metrics::distance_sums(fabric, part);
            given(least(&|s| u64::MAX - sums[s.index()]))
        }
        RootRule::Opensm | RootRule::Tops | RootRule::Several(_) => Err(RootProblem::NoneFound),
    }
}

/// The switch of a part that is nearest to all of it, the lowest id of equals.
pub(crate) fn nearest_to_all(fabric: &Fabric, part: &[SwitchId]) -> SwitchId {
    let Ok(root) = choose_root(fabric, part, &RootRule::MinAverage, 0) else {
        unreachable!("of the switches of a part one is nearest to all");
    };
    root
}

/// The switches that `OpenSM` takes for roots: of the numbers of hosts at each distance,
/// exactly one is above 90 % of all hosts and exactly one above 5 %.
/// Source: `OpenSM`, `osm_ucast_updn.c`, the search for root nodes by least hops.
pub(crate) fn opensm_roots(fabric: &Fabric, part: &[SwitchId]) -> Vec<SwitchId> {
    let hosts = fabric.host_count();
    let is_root = |switch: &&SwitchId| {
        let mut at_distance = vec![0_usize; part.len()];
        let distances = metrics::distances_from(fabric, **switch);
        for other in part {
            at_distance[distances[other.index()] as usize] += fabric.hosts_of(*other).len();
        }
        let bars_above = |percent: usize| {
            at_distance
                .iter()
                .filter(|&&n| 100 * n > percent * hosts)
                .count()
        };
        bars_above(90) == 1 && bars_above(5) == 1
    };
    part.par_iter().filter(is_root).copied().collect()
}

/// The switches of the highest level of a tree, which a few hosts out of place do not change; where the
/// fabric is none, those farthest from the nearest switch with hosts. None where all have hosts.
pub(crate) fn tops(fabric: &Fabric, part: &[SwitchId]) -> Vec<SwitchId> {
    let levels = metrics::levels(fabric);
    let level = |switch: &SwitchId| levels[switch.index()];
    if part.iter().all(|switch| level(switch).is_some()) {
        let top = part.iter().map(level).max();
        return part
            .iter()
            .copied()
            .filter(|s| Some(level(s)) == top)
            .collect();
    }
    let with_hosts: Vec<SwitchId> = part
        .iter()
        .copied()
        .filter(|&switch| !fabric.hosts_of(switch).is_empty())
        .collect();
    let Some((&first, others)) = with_hosts.split_first() else {
        return Vec::new();
    };
    // Levels below several roots are just distances to the nearest of several switches.
    let heights = Orientation::from_roots(fabric, first, others);
    let most = part.iter().map(|&switch| heights.level(switch)).max();
    let at_top = |switch: &SwitchId| Some(heights.level(*switch)) == most && most != Some(0);
    part.iter().copied().filter(at_top).collect()
}
