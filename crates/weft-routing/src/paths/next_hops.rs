//! The channels that lead nearer to one switch.

use crate::paths::{Edge, PathSpace};
use weft_fabric::narrow;

/// The ways that lead nearer to a switch, of every switch that a path leads from.
///
/// The trees towards all hosts of the switch choose among the same ways.
#[derive(Clone, Debug)]
pub(crate) struct NextHops {
    /// Switches by ascending links, that which the ways lead to left out.
    order: Vec<u32>,
    /// Per place in `order`: where its ways begin; then their number.
    offsets: Vec<u32>,
    ways: Vec<Way>,
}

/// A way out of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Way {
    pub(crate) edge: u32,
    /// The switch it leads to.
    pub(crate) to: u32,
}

impl NextHops {
    /// The ways of all shortest paths to a switch.
    /// Time O(S + E) for S switches and E edges.
    pub(crate) fn to(space: &PathSpace, switch: u32) -> Self {
        let mut links = vec![u32::MAX; space.switch_count()];
        links[switch as usize] = 0;
        let mut order = vec![switch];
        let mut place = 0;
        while let Some(&at) = order.get(place) {
            place += 1;
            // Links lead both ways.
            for edge in space.edges_of(at) {
                if links[edge.to as usize] == u32::MAX {
                    links[edge.to as usize] = links[at as usize] + 1;
                    order.push(edge.to);
                }
            }
        }
        order.remove(0);
        Self::of(space, order, |at, edge| {
            links[edge.to as usize] < links[at as usize]
        })
    }

    /// The ways out of switches in this order that fulfil a condition.
    pub(crate) fn of(
        space: &PathSpace,
        order: Vec<u32>,
        is_way: impl Fn(u32, &Edge) -> bool,
    ) -> Self {
        let (mut offsets, mut ways) = (vec![0], Vec::new());
        for &at in &order {
            let all = space.edge_ids(at).zip(space.edges_of(at));
            let nearer = all.filter(|(_, edge)| is_way(at, edge));
            ways.extend(nearer.map(|(id, edge)| Way {
                edge: id,
                to: edge.to,
            }));
            offsets.push(narrow(ways.len(), "edges have numbers of 32 bits"));
        }
        Self {
            order,
            offsets,
            ways,
        }
    }

    /// All other switches, the nearest first.
    pub(crate) fn switches(&self) -> impl DoubleEndedIterator<Item = u32> + Clone {
        self.order.iter().copied()
    }

    /// All other switches, the nearest first, each with its ways by ascending port.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (u32, &[Way])> {
        let places = self.order.iter().enumerate();
        places.map(|(place, &at)| (at, self.ways_at(place)))
    }

    /// The switch that so many others are nearer than, with its ways by ascending port.
    #[inline]
    pub(crate) fn get(&self, place: usize) -> Option<(u32, &[Way])> {
        let at = *self.order.get(place)?;
        Some((at, self.ways_at(place)))
    }

    fn ways_at(&self, place: usize) -> &[Way] {
        let ends = [self.offsets[place], self.offsets[place + 1]].map(|end| end as usize);
        &self.ways[ends[0]..ends[1]]
    }

    /// The other switches but so many of the nearest.
    pub(crate) fn switches_from(&self, place: usize) -> &[u32] {
        &self.order[place..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::TurnRule;
    use weft_fabric::generate::mesh;

    #[test]
    fn on_a_ring_of_four_both_ways_lead_to_the_one_opposite() {
        // 0 1
        // 2 3
        let square = mesh(2, 2, 1).unwrap();
        let space = PathSpace::new(&square, None, TurnRule::Free);
        let nearer = NextHops::to(&space, 3);
        let found: Vec<(u32, Vec<u32>)> = nearer
            .iter()
            .map(|(at, ways)| (at, ways.iter().map(|way| way.to).collect()))
            .collect();
        let mut near: Vec<u32> = found[..2].iter().map(|(at, _)| *at).collect();
        near.sort_unstable();
        assert_eq!(near, [1, 2]);
        assert!(found[..2].iter().all(|(_, to)| to == &[3]));
        assert_eq!(found[2].0, 0);
        let mut to = found[2].1.clone();
        to.sort_unstable();
        assert_eq!(to, [1, 2]);
        for (at, ways) in nearer.iter() {
            for way in ways {
                assert_eq!(
                    [space.tail(way.edge), space.edge(way.edge).to],
                    [at, way.to]
                );
            }
        }
    }
}
