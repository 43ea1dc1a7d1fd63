//! Adaptive fat tree: every port up until the destination is below, then every port down to it.

use super::{Algorithm, DefaultSet, Offer, RouteFunction, ftree};
use crate::error::RoutingError;
use crate::form::{AdaptiveRoutes, GroupMaker, LidState, Routes};
use crate::orient::routed_part;
use crate::parameters::{LIDS, Parameters};
use crate::paths::{PathSpace, TurnRule};
use crate::shape::FatTree;
use weft_fabric::{Fabric, PortNumber, SwitchId};

/// Fat-tree routing with a choice.
///
/// A switch that has a leaf below it sends down to it by every child from which it is as near; all others send up by
/// every parent from which it is as near. So no packet ever turns from down to up, whatever it chooses. Hosts above the
/// leaves are reached by the routes of `ftree` alone.
pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "ar_ftree",
    title: "adaptive fat tree",
    summary: "Lets a packet take, at every switch of a fat tree, any port up until its host is below, and any port \
              down to it from there; those that may not choose take the port of ftree.",
    further: "Hosts above the leaves, such as storage on cores, are reached without a choice.",
    source: "NVIDIA, MLNX_OFED and UFM documentation, “Adaptive Routing”: the engine of this name; static ports as \
             by ftree",
    parameters: &[LIDS],
    offers: &[Offer::new(DefaultSet::Adaptive, 20, "")],
    route: RouteFunction::Adaptive(route),
    ..ftree::ALGORITHM
};

/// Links where there is no way.
const NO_WAY: u32 = u32::MAX;

fn route(fabric: &Fabric, parameters: &mut Parameters) -> Result<AdaptiveRoutes, RoutingError> {
    let state: LidState = parameters.lid_state();
    let Routes::Tables(tables) = ftree::route(fabric, parameters)? else {
        unreachable!("its routes are tables")
    };
    let part = routed_part(fabric)?;
    let space = PathSpace::new(fabric, None, TurnRule::Free);
    let tree = FatTree::of(fabric, &space, &part)?;
    let mut groups = GroupMaker::new(fabric);
    for &leaf in tree.leaves() {
        let ways = Ways::to(&space, &tree, leaf);
        for at in part.iter().copied().filter(|at| at.number() != leaf) {
            groups.set(
                at,
                SwitchId::new(leaf),
                ways.ports(&space, &tree, at.number()),
            );
        }
    }
    Ok(AdaptiveRoutes::Groups(
        groups.around(fabric, &tables, state),
    ))
}

/// The links to a leaf, down alone and up and then down.
struct Ways {
    down: Vec<u32>,
    up: Vec<u32>,
}

impl Ways {
    fn to(space: &PathSpace, tree: &FatTree, leaf: u32) -> Self {
        let mut ways = Self {
            down: vec![NO_WAY; space.switch_count()],
            up: vec![NO_WAY; space.switch_count()],
        };
        ways.down[leaf as usize] = 0;
        for level in 1..=tree.height() {
            for &at in tree.level(level) {
                let below = tree
                    .downs(space, at)
                    .map(|edge| ways.down[space.edge(edge).to as usize]);
                ways.down[at as usize] = below.min().unwrap_or(NO_WAY).saturating_add(1);
            }
        }
        for level in (0..=tree.height()).rev() {
            for &at in tree.level(level) {
                let over = tree
                    .ups(at)
                    .iter()
                    .map(|&edge| ways.links(space.edge(edge).to));
                ways.up[at as usize] = over.min().unwrap_or(NO_WAY).saturating_add(1);
            }
        }
        ways
    }

    /// The links of the way that packets take from a switch: down where they can.
    fn links(&self, at: u32) -> u32 {
        let [down, up] = [&self.down, &self.up].map(|links| links[at as usize]);
        if down == NO_WAY { up } else { down }
    }

    /// The ports of a switch that lead on as near as any.
    fn ports(&self, space: &PathSpace, tree: &FatTree, at: u32) -> Vec<PortNumber> {
        let is_below = self.down[at as usize] != NO_WAY;
        let edges: Vec<u32> = if is_below {
            tree.downs(space, at).collect()
        } else {
            tree.ups(at).to_vec()
        };
        let links_from = |edge: u32| {
            let next = space.edge(edge).to;
            if is_below {
                self.down[next as usize]
            } else {
                self.links(next)
            }
        };
        let nearer = |edge: &u32| links_from(*edge).checked_add(1) == Some(self.links(at));
        let nearer = edges.into_iter().filter(nearer);
        nearer.map(|edge| space.edge(edge).port).collect()
    }
}
