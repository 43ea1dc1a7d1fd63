//! Fat trees found in the links alone: the level of every switch and the order of its channels up.

mod leaf_order;
mod least_loaded_ways;

pub(crate) use least_loaded_ways::Flows;

use crate::error::RoutingError;
use crate::paths::PathSpace;
use weft_fabric::{Fabric, SwitchId};

/// Level of a switch that is not joined to any host.
const NO_LEVEL: u32 = u32::MAX;

/// A tree of switches whose hosts hang on the lowest alone, whole or damaged.
///
/// The level of a switch is its distance from the nearest switch with hosts, its leaf; every link
/// joins neighbouring levels, so routes that go up and then down never wait in a circle.
#[derive(Clone, Debug)]
pub(crate) struct FatTree {
    /// Per switch.
    levels: Vec<u32>,
    /// Per level: its switches.
    by_level: Vec<Vec<u32>>,
    /// Leaves, those of one part of the tree next to each other.
    leaves: Vec<u32>,
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
        let levels = levels(space, part);
        if let Some(reason) = level_link(fabric, space, part, &levels) {
            return Err(no_tree(fabric, reason));
        }
        let of_part = part.iter().map(|switch| levels[switch.index()]);
        let height = of_part.max().unwrap_or(0) as usize;
        let mut by_level = vec![Vec::new(); height + 1];
        for switch in part {
            by_level[levels[switch.index()] as usize].push(switch.number());
        }
        let classes = leaf_order::classes(space, &levels, &by_level);
        let ups = (0..)
            .take(space.switch_count())
            .map(|at| leaf_order::ups(space, &levels, &classes, at))
            .collect();
        Ok(Self {
            leaves: leaf_order::leaves(space, &levels, &by_level),
            levels,
            by_level,
            ups,
        })
    }

    pub(crate) fn leaves(&self) -> &[u32] {
        &self.leaves
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
    /// Parents come in the same order from every switch below: by their own parents, and by ids at the
    /// top. So the n-th channels of siblings lead to one parent, and the n-th parents in different
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

/// The distance of every switch of a part from the nearest one with hosts.
fn levels(space: &PathSpace, part: &[SwitchId]) -> Vec<u32> {
    let mut levels = vec![NO_LEVEL; space.switch_count()];
    let with_hosts = part.iter().map(|switch| switch.number());
    let mut queue: Vec<u32> = with_hosts.filter(|&at| space.has_host(at)).collect();
    for &leaf in &queue {
        levels[leaf as usize] = 0;
    }
    let mut place = 0;
    while let Some(&at) = queue.get(place) {
        place += 1;
        for edge in space.edges_of(at) {
            if levels[edge.to as usize] == NO_LEVEL {
                levels[edge.to as usize] = levels[at as usize] + 1;
                queue.push(edge.to);
            }
        }
    }
    levels
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
