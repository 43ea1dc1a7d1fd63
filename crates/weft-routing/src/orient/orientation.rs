//! Which end of each link is up: a total order of the switches, by levels or depth first.

use crate::error::RoutingError;
use crate::orient::depth_first_order;
use weft_fabric::{Fabric, SwitchId, metrics};

/// The up*/down* orientation of a fabric: a total order of the switches, up toward the root.
///
/// The up end of a link is the end nearer a root, of equally near ends the one with the lower id; or,
/// depth first, the end visited earlier. As every up channel descends in one total order, no cycle of channels consists of up channels
/// alone, nor of down channels alone: routes that never turn from down to up cannot deadlock.
///
/// # Source
/// Schroeder et al., "Autonet: a high-speed, self-configuring local area network using
/// point-to-point links", IEEE JSAC 9(8), 1991.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Orientation {
    root: SwitchId,
    /// Per switch: links to the nearest root, or its number in the order of visits.
    levels: Vec<u32>,
}

impl Orientation {
    /// Orients a fabric by the levels of a breadth-first search from `root`.
    pub fn from_root(fabric: &Fabric, root: SwitchId) -> Self {
        Self {
            root,
            levels: metrics::distances_from(fabric, root),
        }
    }

    /// Orients a fabric by each switch's distance from the nearest of several roots.
    ///
    /// No order of the switches forbids fewer minimal routes of a tree whose top switches are all
    /// roots. Two roots are joined by no legal route, nor are switches below different roots alone.
    pub fn from_roots(fabric: &Fabric, first: SwitchId, others: &[SwitchId]) -> Self {
        let mut orientation = Self::from_root(fabric, first);
        for &root in others {
            let distances = metrics::distances_from(fabric, root);
            for (level, distance) in orientation.levels.iter_mut().zip(distances) {
                *level = distance.min(*level);
            }
        }
        orientation
    }

    /// Orients a fabric by the order in which a depth-first search from `root` visits the
    /// switches: next the neighbour with most links to switches visited, of equal ones that farthest
    /// from all switches on average, then that with the lowest id.
    ///
    /// # Complexity
    /// Time O(S·(S + E)) for S switches and E links.
    ///
    /// # Source
    /// Sancho, Robles, Duato, "A new methodology to compute deadlock-free routing tables for
    /// irregular networks", CANPC 2000; the rule is reconstructed from published distances.
    pub fn depth_first(fabric: &Fabric, root: SwitchId) -> Self {
        Self {
            root,
            levels: depth_first_order::visits(fabric, root),
        }
    }

    /// The root, of several the one named or found first.
    pub fn root(&self) -> SwitchId {
        self.root
    }

    /// A switch's distance from the nearest root in links, or the number of switches visited
    /// before it in a depth-first search; `u32::MAX` where there is no way.
    pub fn level(&self, switch: SwitchId) -> u32 {
        self.levels[switch.index()]
    }

    /// A switch's place in the order; less is further up.
    pub fn key(&self, switch: SwitchId) -> (u32, SwitchId) {
        (self.level(switch), switch)
    }

    /// Tells whether a link is taken upward from `from` to `to`.
    pub fn is_up(&self, from: SwitchId, to: SwitchId) -> bool {
        self.key(to) < self.key(from)
    }
}

/// Makes sure that all switches with hosts are joined and lists the switches of their part in
/// ascending order.
///
/// # Errors
/// [`RoutingError::NoHost`] and [`RoutingError::Disconnected`].
pub fn routed_part(fabric: &Fabric) -> Result<Vec<SwitchId>, RoutingError> {
    let mut parts = Vec::new();
    for part in metrics::connected_parts(fabric) {
        if let Some(with_host) = part
            .iter()
            .copied()
            .find(|&s| !fabric.hosts_of(s).is_empty())
        {
            parts.push((with_host, part));
        }
    }
    let name = |switch: SwitchId| fabric.switch(switch).name.clone();
    match parts.as_slice() {
        [] => Err(RoutingError::NoHost {
            fabric: fabric.name().to_owned(),
        }),
        [(first, _), (second, _), ..] => Err(RoutingError::Disconnected {
            fabric: fabric.name().to_owned(),
            parts: parts.len(),
            first: name(*first),
            second: name(*second),
        }),
        [(_, part)] => {
            let mut part = part.clone();
            part.sort_unstable();
            Ok(part)
        }
    }
}
