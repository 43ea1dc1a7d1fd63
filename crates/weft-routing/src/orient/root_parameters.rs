//! The orientation that the parameters of an algorithm ask for.

use crate::error::RoutingError;
use crate::orient::orientation::Orientation;
use crate::orient::root_rule::RootRule;
use crate::orient::roots::{RootProblem, choose_root, orient};
use crate::parameters::Parameters;
use weft_fabric::{Fabric, SwitchId};
use weft_registry::Suggestion;

impl Parameters {
    /// Orients the fabric by distance from the root or roots asked for.
    ///
    /// # Errors
    /// [`RoutingError::InvalidValue`] when the fabric has no such switch,
    /// [`RoutingError::RootApart`] when it has no way to the hosts,
    /// [`RoutingError::NoRootFound`] and [`RoutingError::RootsUnjoined`] of several roots.
    pub(crate) fn orientation(
        &self,
        fabric: &Fabric,
        part: &[SwitchId],
    ) -> Result<Orientation, RoutingError> {
        let rule = self.root_rule()?;
        orient(fabric, part, &rule, self.seed()?)
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
        let rule = self.root_rule()?;
        let root = choose_root(fabric, part, &rule, self.seed()?)
            .map_err(|problem| self.root_error("root", fabric, part, &rule, problem))?;
        Ok(Orientation::depth_first(fabric, root))
    }

    /// Orients the fabric as the parameter `orientation` says.
    ///
    /// # Errors
    /// As [`Parameters::orientation`], and [`RoutingError::InvalidValue`] of several roots for a
    /// depth-first search.
    pub(crate) fn chosen_orientation(
        &self,
        fabric: &Fabric,
        part: &[SwitchId],
    ) -> Result<Orientation, RoutingError> {
        let depth_first = [("breadth_first", false), ("depth_first", true)];
        if !self.choice("orientation", &depth_first)? {
            return self.orientation(fabric, part);
        }
        if self.root_rule()?.is_of_several() {
            let expected = format!(
                "one root for orientation=depth_first: {}",
                RootRule::EXPECTED
            );
            return Err(self.invalid_with("root", expected, |_| Suggestion::default()));
        }
        self.depth_first_orientation(fabric, part)
    }

    fn root_rule(&self) -> Result<RootRule, RoutingError> {
        self.parse("root", |text| text.parse().ok())
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
                self.invalid_with(parameter, expected, |_| match &rule {
                    RootRule::Name(found) => {
                        let names = fabric.switch_ids().map(|s| fabric.switch(s).name.as_str());
                        Suggestion::nearest(found, names)
                    }
                    _ => Suggestion::default(),
                })
            }
        }
    }
}
