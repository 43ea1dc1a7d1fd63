//! Orders of the channels on one lane whose ascending paths join all switches without a root that they meet at.

use super::may_be_grid;
use crate::algorithms::torus_2qos::MOST_DIMENSIONS;
use crate::cycles::{Dependencies, places_of, segment_turns};
use crate::paths::PathSpace;
use crate::shape::{Grid, Way};
use weft_fabric::{Fabric, SwitchId};

/// The orders to begin with, ranks per edge: that of dimensions on a mesh or torus, and that of segments.
///
/// A tree's turns, which negotiations begin with else, join all pairs by its root alone: what routes cannot agree on
/// ends up there, and the sparser and larger a network is, the more that is. These have no such place.
pub(super) fn joining_orders(
    fabric: &Fabric,
    space: &PathSpace,
    part: &[SwitchId],
) -> Vec<Vec<u32>> {
    let by_dimensions = by_dimensions(fabric, space, part).into_iter();
    by_dimensions.chain(by_segments(space)).collect()
}

/// The turns that segments leave, made an order; none if they closed a cycle, which they never do.
fn by_segments(space: &PathSpace) -> Option<Vec<u32>> {
    let mut graph = Dependencies::new(space.edge_count());
    for (held, wanted) in segment_turns(space).pairs() {
        graph.add(held, wanted);
    }
    graph.ranks()
}

/// Along one dimension after the other; a ring is open each way at a position where ways may end but not go on. These
/// are next to each other: one way or the other still leads between every two, and where the number is even, the fullest
/// link carries less than if both were the same: on a ring of four 2 pairs for 2.5, of eight 12 for 12.5. None where
/// switches form no mesh or torus.
fn by_dimensions(fabric: &Fabric, space: &PathSpace, part: &[SwitchId]) -> Option<Vec<u32>> {
    let grid =
        may_be_grid(fabric).then(|| Grid::with_gaps(fabric, part, MOST_DIMENSIONS).ok())??;
    let mut edges: Vec<(usize, u32, u32)> = Vec::with_capacity(space.edge_count());
    for &switch in part {
        for dimension in 0..grid.dimensions() {
            let position = grid.position(switch, dimension);
            let extent = grid.extent(dimension);
            let beside = u32::from(grid.is_closed(dimension));
            for (way, place) in [
                (Way::Forth, position),
                (Way::Back, (extent + beside - position) % extent),
            ] {
                let links = grid.links(switch, dimension, way).iter();
                let edge = |port| space.edge_at(switch.number(), port);
                edges.extend(links.map(|hop| (dimension, place, edge(hop.port))));
            }
        }
    }
    edges.sort_unstable();
    let edges: Vec<u32> = edges.into_iter().map(|(_, _, edge)| edge).collect();
    (edges.len() == space.edge_count()).then(|| places_of(&edges))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::TurnRule;
    use weft_fabric::generate::{irregular, mesh, torus};

    /// Whether an ascending path leads from every switch to every other.
    fn joins(space: &PathSpace, ranks: &[u32]) -> bool {
        let edges = places_of(ranks);
        (0_u32..).take(space.switch_count()).all(|to| {
            let mut leads = vec![false; space.switch_count()];
            leads[to as usize] = true;
            // The latest channel first: what leads on from its end comes after it.
            for &edge in edges.iter().rev() {
                let at = space.edge(space.edge(edge).reverse).to;
                leads[at as usize] |= leads[space.edge(edge).to as usize];
            }
            leads.into_iter().all(|leads| leads)
        })
    }

    fn orders_of(fabric: &Fabric) -> (PathSpace, Vec<Vec<u32>>) {
        let part: Vec<SwitchId> = fabric.switch_ids().collect();
        let space = PathSpace::new(fabric, None, TurnRule::Free);
        let orders = joining_orders(fabric, &space, &part);
        (space, orders)
    }

    #[test]
    fn all_switches_are_joined() {
        for (fabric, count) in [
            (torus(5, 4, 1).unwrap(), 2),
            (torus(6, 3, 1).unwrap(), 2),
            (mesh(5, 4, 1).unwrap(), 2),
            (
                irregular(&weft_fabric::generate::IrregularParameters::default()).unwrap(),
                1,
            ),
        ] {
            let (space, orders) = orders_of(&fabric);
            assert_eq!(orders.len(), count);
            assert!(orders.iter().all(|ranks| joins(&space, ranks)));
        }
    }

    /// On a ring of five, forth a way may end at the first switch, and back at the second, but not go on.
    #[test]
    fn rings_are_open_each_way() {
        let ring = torus(5, 1, 1).unwrap();
        let (space, orders) = orders_of(&ring);
        let on = |from: u32, to: u32| {
            let mut edges = space.edge_ids(from);
            edges.find(|&edge| space.edge(edge).to == to).unwrap()
        };
        let ranks = &orders[0];
        let ascends = |path: [u32; 3]| {
            ranks[on(path[0], path[1]) as usize] < ranks[on(path[1], path[2]) as usize]
        };
        assert!(
            [[0, 1, 2], [3, 4, 0], [3, 2, 1], [1, 0, 4], [0, 4, 3]]
                .into_iter()
                .all(ascends)
        );
        assert!(![[4, 0, 1], [2, 1, 0]].into_iter().any(ascends));
    }
}
