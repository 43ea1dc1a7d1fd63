//! Fat trees found in the links and ends alone: the level of every switch and the order of its channels up.

mod leaf_order;
mod least_loaded_ways;
mod turning;

pub(crate) use least_loaded_ways::Flows;
pub(crate) use turning::widest_leaf;

use crate::choose::sort_as_manager;
use crate::error::RoutingError;
use crate::paths::PathSpace;
use weft_fabric::{Fabric, SwitchId, metrics};

/// Level of a switch that is not joined to any host.
const NO_LEVEL: u32 = u32::MAX;

/// A tree of switches, whole or damaged: every link joins neighbouring levels.
///
/// Where that holds with every switch that has hosts at the bottom, the level of a switch is its distance
/// from the nearest of these, its leaf. Else levels are those that most ends tell, as
/// [`metrics::levels`] finds them, and the hosts of higher switches hang where they hang: storage on the
/// cores, ends on modules of a director.
#[derive(Clone, Debug)]
pub(crate) struct FatTree {
    /// Per switch.
    levels: Vec<u32>,
    /// Per level: its switches.
    by_level: Vec<Vec<u32>>,
    /// Leaves, those of one part of the tree next to each other.
    leaves: Vec<u32>,
    /// The switches with hosts on higher levels.
    higher: Vec<u32>,
    /// Per switch: channels to parents, see [`FatTree::ups`].
    ups: Vec<Vec<u32>>,
}

impl FatTree {
    /// Finds the tree that the switches of a part form.
    /// Time O(n·(S + E)) for n levels, S switches and E links.
    pub(crate) fn of(
        fabric: &Fabric,
        space: &PathSpace,
        part: &[SwitchId],
    ) -> Result<Self, RoutingError> {
        let levels = even_levels(fabric, space, part)?;
        let of_part = part.iter().map(|switch| levels[switch.index()]);
        let height = of_part.max().unwrap_or(0) as usize;
        let mut by_level = vec![Vec::new(); height + 1];
        for switch in part {
            by_level[levels[switch.index()] as usize].push(switch.number());
        }
        let places = leaf_order::places(fabric, space, &levels, &by_level);
        let classes = leaf_order::classes(space, &levels, &by_level, &places);
        let ups = (0..)
            .take(space.switch_count())
            .map(|at| leaf_order::ups(space, &levels, &classes, &places, at))
            .collect();
        let is_higher = |at: &u32| space.has_host(*at) && levels[*at as usize] > 0;
        let mut higher = part.to_vec();
        sort_as_manager(fabric, &mut higher);
        let higher = higher.iter().map(|switch| switch.number());
        Ok(Self {
            higher: higher.filter(is_higher).collect(),
            leaves: leaf_order::leaves(space, &levels, &by_level, &places),
            levels,
            by_level,
            ups,
        })
    }

    pub(crate) fn leaves(&self) -> &[u32] {
        &self.leaves
    }

    /// The switches with hosts that are no leaves, in the manager's order.
    pub(crate) fn higher(&self) -> &[u32] {
        &self.higher
    }

    /// Counts the levels above the leaves.
    pub(crate) fn height(&self) -> usize {
        self.by_level.len() - 1
    }

    /// The switches of a level by ascending ids.
    pub(crate) fn level(&self, level: usize) -> &[u32] {
        &self.by_level[level]
    }

    /// The level of a switch; `None` of one that is not joined to any host.
    pub(crate) fn level_of(&self, switch: u32) -> Option<usize> {
        let level = self.levels[switch as usize];
        (level != NO_LEVEL).then_some(level as usize)
    }

    /// The channels from a switch to its parents: first one to each, then a second to those
    /// with parallel links, and so on.
    ///
    /// Parents come in the same order from every switch below: by their own parents, and at the top as they are
    /// met from the first leaf. So the n-th channels of siblings lead to one parent, and the n-th parents in different
    /// parts of a whole tree have the same parents.
    pub(crate) fn ups(&self, switch: u32) -> &[u32] {
        &self.ups[switch as usize]
    }

    /// The channels from a switch to its children by ascending port.
    pub(crate) fn downs<'a>(
        &'a self,
        space: &'a PathSpace,
        switch: u32,
    ) -> impl Iterator<Item = u32> + 'a {
        let level = self.levels[switch as usize];
        let to = |edge: &u32| self.levels[space.edge(*edge).to as usize];
        space.edge_ids(switch).filter(move |e| to(e) < level)
    }
}

pub(crate) fn no_tree(fabric: &Fabric, reason: String) -> RoutingError {
    RoutingError::NoFatTree {
        fabric: fabric.name().to_owned(),
        reason,
    }
}

/// Per switch, the level that most ends tell, or [`NO_LEVEL`].
pub(crate) fn levels_told(fabric: &Fabric) -> Vec<u32> {
    or_none(metrics::levels(fabric))
}

fn or_none(levels: Vec<Option<u32>>) -> Vec<u32> {
    let levels = levels.into_iter();
    levels.map(|level| level.unwrap_or(NO_LEVEL)).collect()
}

/// The level of every switch of a part.
fn even_levels(
    fabric: &Fabric,
    space: &PathSpace,
    part: &[SwitchId],
) -> Result<Vec<u32>, RoutingError> {
    let has_host = |switch: &SwitchId| space.has_host(switch.number());
    let with_hosts: Vec<SwitchId> = part.iter().copied().filter(has_host).collect();
    let levels = or_none(metrics::levels_above(fabric, &with_hosts));
    let Some(reason) = level_link(fabric, space, part, &levels) else {
        return Ok(levels);
    };
    let levels = levels_told(fabric);
    let is_even = |&at: &SwitchId| {
        let here = levels[at.index()];
        let mut around = space.edges_of(at.number()).iter();
        here != NO_LEVEL && around.all(|edge| levels[edge.to as usize].abs_diff(here) == 1)
    };
    if part.iter().all(is_even) {
        Ok(levels)
    } else {
        Err(no_tree(fabric, reason))
    }
}

/// Tells of the first link between two switches of one level.
fn level_link(
    fabric: &Fabric,
    space: &PathSpace,
    part: &[SwitchId],
    levels: &[u32],
) -> Option<String> {
    let all = part.iter().flat_map(|&from| {
        let edges = space.edges_of(from.number()).iter();
        edges.map(move |edge| (from, SwitchId::new(edge.to)))
    });
    let mut level = all.filter(|(from, to)| levels[from.index()] == levels[to.index()]);
    let (one, other) = level.next()?;
    let name = |switch: SwitchId| &fabric.switch(switch).name;
    let (one_name, other_name) = (name(one), name(other));
    Some(match levels[one.index()] {
        0 => format!(
            "“{one_name}” and “{other_name}” are joined and both have hosts, which a tree has at its \
             lowest switches alone"
        ),
        links => format!(
            "“{one_name}” and “{other_name}” are joined and are both {links} links from the nearest \
             host's switch"
        ),
    })
}
