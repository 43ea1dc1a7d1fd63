//! The switches that a rule for the root comes to, and the orientation that parameters ask for.

use crate::error::RoutingError;
use crate::orient::orientation::Orientation;
use crate::orient::root_rule::RootRule;
use crate::parameters::Parameters;
use crate::paths::path_space::{PathSpace, TurnRule};
use crate::paths::shortest_paths::ShortestPaths;
use crate::random::stream;
use rand::RngExt;
use rayon::prelude::*;
use weft_fabric::{Fabric, SwitchId, metrics};
use weft_registry::Suggestion;

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

/// Orients a fabric from the root or roots that a rule chooses among the switches of `part`.
///
/// Of the roots found by `opensm` and `tops`, taken by ascending id, one that would leave some pair
/// of switches with hosts without a legal route is passed over.
pub(crate) fn orient(
    fabric: &Fabric,
    part: &[SwitchId],
    rule: &RootRule,
    seed: u64,
) -> Result<Orientation, RootProblem> {
    let found = match rule {
        RootRule::Opensm => opensm_roots(fabric, part),
        RootRule::Tops => tops(fabric, part),
        RootRule::Several(rules) => {
            let each = rules
                .iter()
                .map(|rule| choose_root(fabric, part, rule, seed));
            each.collect::<Result<Vec<_>, _>>()?
        }
        _ => {
            let root = choose_root(fabric, part, rule, seed)?;
            return Ok(Orientation::from_root(fabric, root));
        }
    };
    let Some((&first, others)) = found.split_first() else {
        return Err(RootProblem::NoneFound);
    };
    let together = Orientation::from_roots(fabric, first, others);
    match (unjoined(fabric, &together), rule) {
        (None, _) => Ok(together),
        (Some((from, to)), RootRule::Several(_)) => Err(RootProblem::Unjoined(from, to)),
        (Some(_), _) => {
            let mut kept: Vec<SwitchId> = Vec::new();
            let mut best = Orientation::from_root(fabric, first);
            for &root in others {
                kept.push(root);
                let larger = Orientation::from_roots(fabric, first, &kept);
                if unjoined(fabric, &larger).is_none() {
                    best = larger;
                } else {
                    kept.pop();
                }
            }
            Ok(best)
        }
    }
}

/// Chooses one root.
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
    let least = |cost: &(dyn Fn(SwitchId) -> u64 + Sync)| {
        let costs = part.par_iter().map(|&switch| (cost(switch), switch));
        costs.min().map(|(_, switch)| switch)
    };
    let distance_sum = |switch: SwitchId| -> u64 {
        let distances = metrics::distances_from(fabric, switch);
        part.iter()
            .map(|other| u64::from(distances[other.index()]))
            .sum()
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
        RootRule::MinAverage => given(least(&distance_sum)),
        RootRule::MaxAverage => given(least(&|s| u64::MAX - distance_sum(s))),
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
///
/// # Source
/// `OpenSM`, `osm_ucast_updn.c`, the search for root nodes by least hops.
fn opensm_roots(fabric: &Fabric, part: &[SwitchId]) -> Vec<SwitchId> {
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

/// The switches farthest from the nearest switch with hosts; none where all have hosts.
fn tops(fabric: &Fabric, part: &[SwitchId]) -> Vec<SwitchId> {
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

/// The first pair of switches with hosts that no legal route joins.
fn unjoined(fabric: &Fabric, orientation: &Orientation) -> Option<(SwitchId, SwitchId)> {
    let space = PathSpace::new(fabric, Some(orientation), TurnRule::Forbidden);
    let with_hosts: Vec<SwitchId> = fabric
        .switch_ids()
        .filter(|&switch| !fabric.hosts_of(switch).is_empty())
        .collect();
    let missing = |&from: &SwitchId| {
        let paths = ShortestPaths::from(&space, from.number());
        let links = |to: SwitchId| paths.distances().links_to(&space, to.number());
        let apart = |to: &&SwitchId| links(**to).is_none();
        with_hosts.iter().find(apart).map(|&to| (from, to))
    };
    with_hosts.par_iter().find_map_first(missing)
}

impl Parameters {
    /// Orients the fabric by distance from the root or roots asked for.
    ///
    /// # Errors
    /// [`RoutingError::Parameters`] when the fabric has no such switch,
    /// [`RoutingError::RootApart`] when it has no way to the hosts,
    /// [`RoutingError::NoRootFound`] and [`RoutingError::RootsUnjoined`] of several roots.
    pub(crate) fn orientation(
        &self,
        fabric: &Fabric,
        part: &[SwitchId],
    ) -> Result<Orientation, RoutingError> {
        let rule = self.root_rule();
        orient(fabric, part, &rule, self.seed())
            .map_err(|problem| self.root_error("root", fabric, part, &rule, problem))
    }

    /// Orients the fabric depth first from the root asked for.
    ///
    /// # Errors
    /// As [`Parameters::orientation`] of one root.
    pub(crate) fn depth_first_orientation(
        &self,
        fabric: &Fabric,
        part: &[SwitchId],
    ) -> Result<Orientation, RoutingError> {
        let rule = self.root_rule();
        let root = choose_root(fabric, part, &rule, self.seed())
            .map_err(|problem| self.root_error("root", fabric, part, &rule, problem))?;
        Ok(Orientation::depth_first(fabric, root))
    }

    /// Orients the fabric as the parameter `orientation` says.
    ///
    /// # Errors
    /// As [`Parameters::orientation`], and [`RoutingError::Parameters`] of several roots for a
    /// depth-first search.
    pub(crate) fn chosen_orientation(
        &self,
        fabric: &Fabric,
        part: &[SwitchId],
    ) -> Result<Orientation, RoutingError> {
        let depth_first = [("breadth_first", false), ("depth_first", true)];
        if !self.choice("orientation", &depth_first) {
            return self.orientation(fabric, part);
        }
        if self.root_rule().is_of_several() {
            let expected = format!(
                "one root for orientation=depth_first: {}",
                RootRule::EXPECTED
            );
            return Err(self.invalid("root", expected).into());
        }
        self.depth_first_orientation(fabric, part)
    }

    fn root_rule(&self) -> RootRule {
        self.parsed("root")
    }

    pub(crate) fn root_error(
        &self,
        parameter: &'static str,
        fabric: &Fabric,
        part: &[SwitchId],
        rule: &RootRule,
        problem: RootProblem,
    ) -> RoutingError {
        let name = |switch: SwitchId| fabric.switch(switch).name.clone();
        match problem {
            RootProblem::Apart(root) => RoutingError::RootApart {
                root: name(root),
                other: part
                    .first()
                    .map_or_else(String::new, |&switch| name(switch)),
            },
            RootProblem::NoneFound => RoutingError::NoRootFound {
                rule: rule.to_string(),
                fabric: fabric.name().to_owned(),
            },
            RootProblem::Unjoined(from, to) => RoutingError::RootsUnjoined {
                roots: rule.to_string(),
                source_switch: name(from),
                destination_switch: name(to),
            },
            RootProblem::NoSuchSwitch(rule) => {
                let expected = match rule {
                    RootRule::Name(_) => "name: and the name of a switch of the fabric".to_owned(),
                    _ => format!("a switch number from 0 to {}", fabric.switch_count() - 1),
                };
                let suggestion = match &rule {
                    RootRule::Name(found) => {
                        let names = fabric.switch_ids().map(|s| fabric.switch(s).name.as_str());
                        Suggestion::nearest(found, names)
                    }
                    _ => Suggestion::default(),
                };
                self.invalid_near(parameter, expected, suggestion).into()
            }
        }
    }
}
