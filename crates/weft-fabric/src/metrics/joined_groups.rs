//! Groups of leaves and spines whose spines are joined, as in a dragonfly+.

use super::connected_parts;
use super::graph::{Neighbour, SwitchGraph};
use crate::{Fabric, LinkId, Node, SwitchId};
use std::collections::BTreeSet;

/// Of all pairs of groups, so many of so many are joined at least.
const JOINED: [usize; 2] = [3, 4];

/// Groups of leaves and spines, whose spines are joined to those of other groups.
#[derive(Clone, Debug)]
pub struct JoinedGroups {
    /// Per switch: the number of its group; `None` in parts that form none.
    group_of: Vec<Option<usize>>,
    is_spine: Vec<bool>,
}

impl JoinedGroups {
    /// Finds the groups that the switches of each part form: without the links between switches of the highest level a
    /// part falls apart, and most pairs of what is left are joined by them.
    ///
    /// Shapes: `levels` has one entry per switch, as [`levels`](super::levels()) gives it.
    pub fn of(fabric: &Fabric, levels: &[Option<u32>]) -> Self {
        Self::without(fabric, levels, &BTreeSet::new())
    }

    /// Finds the groups by other links than some, such as those plugged in crosswise between two groups, by which these
    /// would be one.
    pub(super) fn without(
        fabric: &Fabric,
        levels: &[Option<u32>],
        links: &BTreeSet<LinkId>,
    ) -> Self {
        let mut found = Self {
            group_of: vec![None; fabric.switch_count()],
            is_spine: vec![false; fabric.switch_count()],
        };
        let graph = SwitchGraph::without(fabric, links);
        let mut first = 0;
        for part in connected_parts(fabric) {
            let Some(group_of) = groups(&graph, &part, levels) else {
                continue;
            };
            let top = part.iter().filter_map(|at| levels[at.index()]).max();
            for at in part.iter().map(|at| at.index()) {
                found.group_of[at] = group_of[at].map(|group| first + group);
                found.is_spine[at] = levels[at] == top;
            }
            first += part.len();
        }
        found
    }

    /// The number of the group of a switch; `None` where the switches of its part form none.
    pub fn group(&self, switch: SwitchId) -> Option<usize> {
        self.group_of[switch.index()]
    }

    /// Whether a switch is of those that join groups.
    pub fn is_spine(&self, switch: SwitchId) -> bool {
        self.is_spine[switch.index()]
    }

    /// The links that join groups.
    pub fn links_between(&self, fabric: &Fabric) -> Vec<LinkId> {
        let is_between = |id: &LinkId| match fabric.link(*id).ends.map(|end| end.node) {
            [Node::Switch(one), Node::Switch(other)] => {
                let are_spines = self.is_spine(one) && self.is_spine(other);
                are_spines && self.group(one) != self.group(other)
            }
            _ => false,
        };
        fabric.link_ids().filter(is_between).collect()
    }
}

/// The groups, and the pairs of neighbours on one level, in both orders, but for those that join the tops of groups;
/// `None` where switches form no groups.
pub(super) fn pairs_within(
    graph: &SwitchGraph,
    part: &[SwitchId],
    levels: &[Option<u32>],
) -> Option<[usize; 2]> {
    let group_of = groups(graph, part, levels)?;
    let last = part.iter().filter_map(|at| group_of[at.index()]).max()?;
    let of_switch = |at: &SwitchId| {
        let is_within = |near: &&Neighbour| {
            let other = near.switch as usize;
            levels[at.index()] == levels[other] && group_of[at.index()] == group_of[other]
        };
        graph.of_switch(at.index()).iter().filter(is_within).count()
    };
    Some([last + 1, part.iter().map(of_switch).sum()])
}

/// Per switch of a part its group; `None` where they form none.
/// Source: Shpiner et al., “Dragonfly+: low cost topology for scaling datacenters”, `HiPINEB` 2017.
fn groups(
    graph: &SwitchGraph,
    part: &[SwitchId],
    levels: &[Option<u32>],
) -> Option<Vec<Option<usize>>> {
    let top = part.iter().filter_map(|at| levels[at.index()]).max()?;
    let is_top = |switch: usize| levels[switch] == Some(top);
    let mut group_of: Vec<Option<usize>> = vec![None; graph.switch_count()];
    let mut count = 0;
    let mut joins = Vec::new();
    for first in part.iter().map(|at| at.index()) {
        if group_of[first].is_some() {
            continue;
        }
        group_of[first] = Some(count);
        let mut open = vec![first];
        while let Some(at) = open.pop() {
            for other in graph.of_switch(at).iter().map(|near| near.switch as usize) {
                if is_top(at) && is_top(other) {
                    joins.push([at, other]);
                } else if group_of[other].is_none() {
                    group_of[other] = Some(count);
                    open.push(other);
                }
            }
        }
        count += 1;
    }
    let joined = joins.into_iter().map(|ends| ends.map(|at| group_of[at]));
    let joined: BTreeSet<_> = joined.filter(|[one, other]| one != other).collect();
    let pairs = count * (count - 1);
    let are_joined = count > 1 && JOINED[1] * joined.len() >= JOINED[0] * pairs;
    are_joined.then_some(group_of)
}
