//! Groups of leaves and spines whose spines are joined, as in a dragonfly+.

use crate::error::RoutingError;
use std::collections::BTreeSet;
use weft_fabric::{Fabric, Hop, SwitchId, metrics};

/// Leaves, which have hosts, below spines, which have none and are joined to spines of other groups.
#[derive(Clone, Debug)]
pub(crate) struct JoinedGroups {
    /// Per switch: the number of its group.
    groups: Vec<usize>,
    is_spine: Vec<bool>,
}

impl JoinedGroups {
    /// Finds the groups that the switches of a part form: without the links between their spines it falls apart.
    pub(crate) fn of(fabric: &Fabric, part: &[SwitchId]) -> Result<Self, RoutingError> {
        let no_groups = |reason| RoutingError::NoJoinedGroups {
            fabric: fabric.name().to_owned(),
            reason,
        };
        let levels = metrics::levels(fabric);
        let between: BTreeSet<_> = metrics::links_between_groups(fabric, &levels)
            .into_iter()
            .collect();
        if between.is_empty() {
            return Err(no_groups(
                "no links join the spines of most pairs of groups".to_owned(),
            ));
        }
        let top = part.iter().filter_map(|at| levels[at.index()]).max();
        let mut found = Self {
            groups: vec![usize::MAX; fabric.switch_count()],
            is_spine: levels.iter().map(|level| *level == top).collect(),
        };
        let mut count = 0;
        for &first in part {
            if found.groups[first.index()] != usize::MAX {
                continue;
            }
            let mut open = vec![first];
            found.groups[first.index()] = count;
            while let Some(at) = open.pop() {
                for hop in fabric.hops(at) {
                    let is_within = !between.contains(&hop.channel.link());
                    if is_within && found.groups[hop.switch.index()] == usize::MAX {
                        found.groups[hop.switch.index()] = count;
                        open.push(hop.switch);
                    }
                }
            }
            count += 1;
        }
        found.check(fabric, part).map_err(no_groups)?;
        Ok(found)
    }

    /// The number of a switch's group.
    pub(crate) fn group(&self, switch: SwitchId) -> usize {
        self.groups[switch.index()]
    }

    /// Whether a switch is of those that join groups; else it is a leaf.
    pub(crate) fn is_spine(&self, switch: SwitchId) -> bool {
        self.is_spine[switch.index()]
    }

    /// Whether a link of a switch leads to another group.
    pub(crate) fn leaves_group(&self, from: SwitchId, hop: &Hop) -> bool {
        self.group(from) != self.group(hop.switch)
    }

    /// Makes sure that hosts hang on leaves alone, and that within a group leaves are joined with spines alone.
    fn check(&self, fabric: &Fabric, part: &[SwitchId]) -> Result<(), String> {
        for &at in part {
            let name = &fabric.switch(at).name;
            if self.is_spine(at)
                && let Some(&host) = fabric.hosts_of(at).first()
            {
                let host = &fabric.host(host).name;
                return Err(format!("“{host}” hangs on the spine “{name}”"));
            }
            let mut within = fabric
                .hops(at)
                .iter()
                .filter(|hop| !self.leaves_group(at, hop));
            if let Some(hop) = within.find(|hop| self.is_spine(hop.switch) == self.is_spine(at)) {
                let other = &fabric.switch(hop.switch).name;
                return Err(format!(
                    "a link joins “{name}” and “{other}” of one group, neither of which is above the other"
                ));
            }
        }
        Ok(())
    }
}
