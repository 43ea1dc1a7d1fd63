//! How long ways are: by their links, or by lengths of the channels.

use crate::paths::PathSpace;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Lengths of the channels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lengths<'a> {
    /// Per edge; 1 each where empty.
    of_edges: &'a [u32],
    /// By how much ways differ that count as equally long.
    pub(crate) slack: u32,
}

impl<'a> Lengths<'a> {
    /// A link each.
    pub(crate) const LINKS: Self = Self {
        of_edges: &[],
        slack: 0,
    };

    /// These, from 1 on.
    pub(crate) fn by(of_edges: &'a [u32], slack: u32) -> Self {
        Self { of_edges, slack }
    }

    pub(crate) fn of(self, edge: u32) -> u32 {
        self.of_edges.get(edge as usize).copied().unwrap_or(1)
    }

    /// Per switch: the length of its shortest way to another; `u32::MAX` where there is none.
    /// Time O(E log S) for S switches and E edges.
    pub(crate) fn distances_to(self, space: &PathSpace, to: u32) -> Vec<u32> {
        if self.of_edges.is_empty() {
            return links_from(space, to);
        }
        let mut distances = vec![u32::MAX; space.switch_count()];
        distances[to as usize] = 0;
        let mut open = BinaryHeap::from([Reverse((0, to))]);
        while let Some(Reverse((distance, at))) = open.pop() {
            if distance > distances[at as usize] {
                continue;
            }
            for back in space.edges_of(at) {
                let beyond = distance + self.of(back.reverse);
                if beyond < distances[back.to as usize] {
                    distances[back.to as usize] = beyond;
                    open.push(Reverse((beyond, back.to)));
                }
            }
        }
        distances
    }
}

/// Per switch: the links of a shortest way to it, which are as many as those of one back, as cables lead both ways;
/// `u32::MAX` where none leads.
/// Time O(E) for E edges.
pub(crate) fn links_from(space: &PathSpace, switch: u32) -> Vec<u32> {
    let mut links = vec![u32::MAX; space.switch_count()];
    links[switch as usize] = 0;
    let mut queue = vec![switch];
    let mut place = 0;
    while let Some(&at) = queue.get(place) {
        place += 1;
        let beyond = links[at as usize] + 1;
        for edge in space.edges_of(at) {
            if links[edge.to as usize] == u32::MAX {
                links[edge.to as usize] = beyond;
                queue.push(edge.to);
            }
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::TurnRule;
    use weft_fabric::generate::ring;

    /// Of a ring of five, the link from 1 to 0 is as long as three others.
    #[test]
    fn a_long_channel_is_gone_around_where_the_way_round_is_shorter() {
        let space = PathSpace::new(&ring(5, 1).unwrap(), None, TurnRule::Free);
        assert_eq!(Lengths::LINKS.distances_to(&space, 0), [0, 1, 2, 2, 1]);
        let long = |edge: u32| [space.tail(edge), space.edge(edge).to] == [1, 0];
        let lengths: Vec<u32> = (0..10).map(|edge| if long(edge) { 3 } else { 1 }).collect();
        let lengths = Lengths::by(&lengths, 0);
        assert_eq!(lengths.distances_to(&space, 0), [0, 3, 3, 2, 1]);
        assert_eq!(lengths.distances_to(&space, 1), [1, 0, 1, 2, 2]);
    }
}
