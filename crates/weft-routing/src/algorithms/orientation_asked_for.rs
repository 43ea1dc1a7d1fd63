//! The orientation that parameters ask for.

use crate::error::RoutingError;
use crate::form::PairNames;
use crate::orient::{Orientation, RootProblem, RootRule, choose_root, opensm_roots, tops};
use crate::parameters::Parameters;
use crate::paths::{PathSpace, ShortestPaths, TurnRule};
use rayon::prelude::*;
use weft_fabric::{Fabric, SwitchId};
use weft_registry::Suggestion;

impl Parameters {
    /// Orients the fabric by distance from the root or roots asked for.
    pub(super) fn orientation(
        &self,
        fabric: &Fabric,
        part: &[SwitchId],
    ) -> Result<Orientation, RoutingError> {
        let rule: RootRule = self.parsed("root");
        orient(fabric, part, &rule, self.seed())
            .map_err(|problem| self.root_error("root", fabric, part, &rule, problem))
    }

    /// Orients the fabric depth first from the root asked for.
    pub(super) fn depth_first_orientation(
        &self,
        fabric: &Fabric,
        part: &[SwitchId],
    ) -> Result<Orientation, RoutingError> {
        let rule: RootRule = self.parsed("root");
        let root = choose_root(fabric, part, &rule, self.seed())
            .map_err(|problem| self.root_error("root", fabric, part, &rule, problem))?;
        Ok(Orientation::depth_first(fabric, root))
    }

    /// Orients the fabric as the parameter `orientation` says.
    pub(super) fn chosen_orientation(
        &self,
        fabric: &Fabric,
        part: &[SwitchId],
    ) -> Result<Orientation, RoutingError> {
        let depth_first = [("breadth_first", false), ("depth_first", true)];
        if !self.choice("orientation", &depth_first) {
            return self.orientation(fabric, part);
        }
        if self.parsed::<RootRule>("root").is_of_several() {
            let expected = format!(
                "one root for orientation=depth_first: {}",
                RootRule::EXPECTED
            );
            return Err(self.invalid("root", expected).into());
        }
        self.depth_first_orientation(fabric, part)
    }

    pub(super) fn root_error(
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
                other: name(part[0]),
            },
            RootProblem::NoneFound => RoutingError::NoRootFound {
                rule: rule.to_string(),
                fabric: fabric.name().to_owned(),
            },
            RootProblem::Unjoined(from, to) => RoutingError::RootsUnjoined {
                roots: rule.to_string(),
                pair: PairNames::of_switches(fabric, [from, to]),
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

/// Orients a fabric from the root or roots that a rule chooses among the switches of `part`.
///
/// Of the roots found by `opensm` and `tops`, taken by ascending id, one that would leave some pair
/// of switches with hosts without a legal route is passed over.
fn orient(
    fabric: &Fabric,
    part: &[SwitchId],
    rule: &RootRule,
    seed: u64,
) -> Result<Orientation, RootProblem> {
    let found = roots_by_rule(fabric, part, rule, seed)?;
    if !rule.is_of_several() {
        return Ok(Orientation::from_root(fabric, found[0]));
    }
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

/// The roots that a rule chooses among the switches of `part`, one where the rule is for one; none of `opensm`
/// and `tops` where there are none.
pub(super) fn roots_by_rule(
    fabric: &Fabric,
    part: &[SwitchId],
    rule: &RootRule,
    seed: u64,
) -> Result<Vec<SwitchId>, RootProblem> {
    let chosen = |rule| choose_root(fabric, part, rule, seed);
    match rule {
        RootRule::Opensm => Ok(opensm_roots(fabric, part)),
        RootRule::Tops => Ok(tops(fabric, part)),
        RootRule::Several(rules) => rules.iter().map(chosen).collect(),
        one => Ok(vec![chosen(one)?]),
    }
}

/// The first pair of switches with hosts that no legal route joins.
fn unjoined(fabric: &Fabric, orientation: &Orientation) -> Option<(SwitchId, SwitchId)> {
    let space = PathSpace::new(fabric, Some(orientation), TurnRule::Forbidden);
    let with_hosts: Vec<SwitchId> = fabric.switches_with_hosts().collect();
    let missing = |&from: &SwitchId| {
        let paths = ShortestPaths::from(&space, from.number());
        let links = |to: SwitchId| paths.distances().links_to(&space, to.number());
        let apart = |to: &&SwitchId| links(**to).is_none();
        with_hosts.iter().find(apart).map(|&to| (from, to))
    };
    with_hosts.par_iter().find_map_first(missing)
}
