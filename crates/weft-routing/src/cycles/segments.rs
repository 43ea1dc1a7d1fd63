//! A network parted into segments, each of which forbids one turn.

use crate::paths::{PathSpace, Turns};
use std::collections::VecDeque;

/// Number of a link or switch that belongs to no segment yet.
const NONE: u32 = u32::MAX;

/// The turns that segments leave.
///
/// A segment is a way over links and switches that belong to none yet, from a switch that does to one
/// that does. The first of a subnet begins and ends at one switch. Of a segment with switches of its own
/// the middle one forbids the turn from its one link to its other, both ways. One without, a link
/// between two switches of earlier segments, forbids the turns between it and earlier links at that of
/// its ends which has fewer of them. Links on no circle belong to no segment, and nothing is forbidden
/// at their ends; what is behind them is a subnet of its own.
///
/// No cycle of turns is left: take the last segment of which a cycle has a link. The cycle has all of
/// it, as its own switches have no links but its own and those of later segments; so it takes the turn
/// that is forbidden. And all pairs stay joined: from either end, the switches of a segment are reached
/// up to where its turn is forbidden.
///
/// Shapes: switches come in the order of their ids, subnet by subnet; links by ascending ports.
/// Time O(E·(S + E)) for S switches and E links at worst.
/// Source: Mejía, Flich, Duato, Reinemo, Skeie, "Segment-based routing: an efficient fault-tolerant routing
/// algorithm for meshes and tori", IPDPS 2006. It follows links depth first and leaves open where in a
/// segment its turn is forbidden; here segments are the shortest there are, whose routes are shorter on
/// every network tried, and forbid it in the middle.
pub(crate) fn segment_turns(space: &PathSpace) -> Turns<'_> {
    let mut parting = Parting {
        space,
        segment_of: vec![NONE; space.edge_count()],
        subnet_of: vec![NONE; space.switch_count()],
        segments: 0,
        turns: Turns::all(space),
    };
    for first in (0..).take(space.switch_count()) {
        parting.part_from(first);
    }
    parting.turns
}

struct Parting<'a> {
    space: &'a PathSpace,
    /// Per edge: the segment of its link.
    segment_of: Vec<u32>,
    /// Per switch: the switch that begins its subnet.
    subnet_of: Vec<u32>,
    segments: u32,
    turns: Turns<'a>,
}

impl Parting<'_> {
    /// Finds all segments of the subnet that a switch begins; none if it belongs to one already.
    fn part_from(&mut self, first: u32) {
        if self.subnet_of[first as usize] != NONE {
            return;
        }
        self.subnet_of[first as usize] = first;
        // Switches of the subnet in the order in which they were visited.
        let mut subnet = vec![first];
        let mut place = 0;
        while let Some(&at) = subnet.get(place) {
            let mut edges = self.space.edge_ids(at);
            let found = edges.find_map(|edge| self.segment_from(edge));
            match found {
                // Earlier switches have nothing left: a link they had would lead here, or is on no
                // circle.
                None => place += 1,
                Some(segment) => subnet.extend(self.add(first, &segment)),
            }
        }
    }

    /// The shortest segment that begins with an edge, by its edges; `None` if there is none.
    fn segment_from(&self, start: u32) -> Option<Vec<u32>> {
        let space = self.space;
        if self.segment_of[start as usize] != NONE {
            return None;
        }
        let subnet = self.subnet_of[space.tail(start) as usize];
        let mut before: Vec<u32> = vec![NONE; space.edge_count()];
        let mut met = vec![false; space.switch_count()];
        let mut queue = VecDeque::from([start]);
        while let Some(edge) = queue.pop_front() {
            let to = space.edge(edge).to;
            if self.subnet_of[to as usize] == subnet {
                let mut segment = vec![edge];
                while segment[segment.len() - 1] != start {
                    segment.push(before[segment[segment.len() - 1] as usize]);
                }
                segment.reverse();
                return Some(segment);
            }
            if self.subnet_of[to as usize] != NONE || std::mem::replace(&mut met[to as usize], true)
            {
                continue;
            }
            for next in space.edge_ids(to) {
                let is_back = next == space.edge(edge).reverse;
                let is_left =
                    self.segment_of[next as usize] == NONE && before[next as usize] == NONE;
                if is_left && !is_back && !met[space.edge(next).to as usize] {
                    before[next as usize] = edge;
                    queue.push_back(next);
                }
            }
        }
        None
    }

    /// Adds a segment, forbids its turn, and lists its own switches.
    fn add(&mut self, subnet: u32, segment: &[u32]) -> Vec<u32> {
        let space = self.space;
        for &edge in segment {
            self.segment_of[edge as usize] = self.segments;
            self.segment_of[space.edge(edge).reverse as usize] = self.segments;
        }
        self.segments += 1;
        let inner = &segment[..segment.len() - 1];
        let own: Vec<u32> = inner.iter().map(|&edge| space.edge(edge).to).collect();
        for &switch in &own {
            self.subnet_of[switch as usize] = subnet;
        }
        if own.is_empty() {
            self.forbid_at_an_end(segment[0]);
        } else {
            let middle = (own.len() - 1) / 2;
            self.forbid(segment[middle], segment[middle + 1]);
        }
        own
    }

    /// Forbids a turn from a link to the next, and the same the other way.
    fn forbid(&mut self, held: u32, wanted: u32) {
        let back = |edge: u32| self.space.edge(edge).reverse;
        self.turns.set(held, wanted, false);
        self.turns.set(back(wanted), back(held), false);
    }

    /// Forbids the turns between the link of a segment without switches and earlier links at one
    /// of its ends.
    fn forbid_at_an_end(&mut self, edge: u32) {
        let space = self.space;
        let own = self.segment_of[edge as usize];
        let is_earlier = |other: &u32| self.segment_of[*other as usize] < own;
        let earlier = |into: u32| -> Vec<u32> {
            space
                .edge_ids(space.edge(into).to)
                .filter(is_earlier)
                .collect()
        };
        let sides = [edge, space.edge(edge).reverse].map(|into| (earlier(into), into));
        if let Some((links, into)) = sides.into_iter().min_by_key(|(links, _)| links.len()) {
            for wanted in links {
                self.forbid(into, wanted);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::TurnRule;
    use weft_fabric::Fabric;
    use weft_fabric::generate::{k_ary_n_tree, mesh, ring};

    /// Turns forbidden by switches, each once: from, at, to.
    fn forbidden(fabric: &Fabric) -> Vec<[u32; 3]> {
        let space = PathSpace::new(fabric, None, TurnRule::Free);
        let (all, left) = (Turns::all(&space), segment_turns(&space));
        let missing = all
            .pairs()
            .filter(|&(held, wanted)| !left.permits(held, wanted));
        let switches = missing
            .map(|(held, wanted)| [space.tail(held), space.edge(held).to, space.edge(wanted).to]);
        let once = switches.filter(|[from, _, to]| from < to);
        once.collect()
    }

    #[test]
    fn a_ring_is_one_segment_with_its_turn_in_the_middle() {
        // 0 – 1 – 2 – 3 – 4 – 0: the middle of its own switches is 2.
        assert_eq!(forbidden(&ring(5, 1).unwrap()), [[1, 2, 3]]);
    }

    /// 0 1 2 over 3 4 5: the circle 0 – 1 – 4 – 3 comes first, whose middle is 4; then 1 – 2 – 5 – 4 with
    /// the turn at 2.
    #[test]
    fn a_mesh_has_a_segment_for_every_square() {
        let mesh = mesh(3, 2, 1).unwrap();
        assert_eq!(forbidden(&mesh), [[1, 2, 5], [1, 4, 3]]);
    }

    #[test]
    fn links_on_no_circle_forbid_nothing() {
        assert_eq!(forbidden(&mesh(5, 1, 1).unwrap()).len(), 0);
        // Two leaves and two tops: one circle.
        let tree = k_ary_n_tree(2, 2).unwrap();
        assert_eq!(forbidden(&tree).len(), 1);
    }
}
