//! The ways to one switch, and further switches led there over those that are.

use crate::paths::{Edge, NO_EDGE, PathSpace};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use weft_fabric::{PortNumber, SwitchId};

/// Entries by which switches send to one of them: the edge that each goes on by, and which of them lead there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WaysToOne {
    to: u32,
    /// Per switch: an edge out of it, or none.
    next: Vec<u32>,
    /// Per switch: the links of its way, if entries lead there from it.
    links: Vec<Option<u32>>,
}

/// Ways to one switch, to which further ones are joined.
pub(crate) trait Leads {
    /// The switch that ways lead to.
    fn to(&self) -> u32;

    /// The edge that a switch goes on by, whether or not that leads there; or [`NO_EDGE`].
    fn next(&self, at: u32) -> u32;

    /// The links of the way from a switch, if it is led there.
    fn links(&self, at: u32) -> Option<u32>;

    /// Links of which no way from a switch has fewer, known at once.
    fn least_links(&self, _at: u32) -> u32 {
        0
    }

    /// Tells whether a switch is not led there and may be.
    fn is_open(&self, at: u32) -> bool;

    /// Lets a switch go on by an edge.
    fn set_next(&mut self, at: u32, edge: u32);

    /// Notes that a switch is led there by its edge, on a way of so many links.
    fn set_links(&mut self, at: u32, links: u32);
}

/// Who joins switches to ways.
pub(crate) trait Joins {
    /// What is tried first; of equals, the lowest edge.
    type Order: Ord + Copy;

    /// When a switch that has no way is tried by an edge to one that has, for so many links; `None` where it may not go by it.
    fn order<W: Leads>(&self, ways: &W, at: u32, edge: u32, links: u32) -> Option<Self::Order>;

    /// Tells whether switches may go by an edge.
    fn may_go(&self, _edge: u32) -> bool {
        true
    }

    /// What [`order`](Self::order) is at least, where that takes long to find.
    fn at_best<W: Leads>(&self, ways: &W, at: u32, edge: u32, links: u32) -> Option<Self::Order> {
        self.order(ways, at, edge, links)
    }

    /// Holds the way of a switch, given by its edges, and tells whether that could be.
    fn join(&mut self, at: u32, path: &[u32]) -> bool;
}

/// Who joins switches to ways, each by fewest links first.
pub(crate) trait JoinsNearest {
    /// What every channel has to carry at least, as less than that counts as much.
    fn least_load(&self) -> u64 {
        0
    }

    /// What the channel of an edge has to carry: of equally long ways that is tried first whose busiest channel has least.
    /// It never falls.
    fn load(&self, _edge: u32) -> u64 {
        0
    }

    /// Whether an edge is tried after others of as much load; of equals, the lowest is tried first.
    fn comes_later<W: Leads>(&self, _ways: &W, _at: u32, _edge: u32) -> bool {
        false
    }

    /// Tells whether switches may go by an edge.
    fn may_go(&self, _edge: u32) -> bool {
        true
    }

    /// Holds the way of a switch, given by its edges, and tells whether that could be.
    fn join(&mut self, at: u32, path: &[u32]) -> bool;
}

impl WaysToOne {
    /// The ways that entries give, each the edge that a switch goes on by or [`NO_EDGE`].
    pub(crate) fn new(space: &PathSpace, to: SwitchId, mut next: Vec<u32>) -> Self {
        let to = to.number();
        next[to as usize] = NO_EDGE;
        let mut ways = Self {
            to,
            links: vec![None; next.len()],
            next,
        };
        ways.links[to as usize] = Some(0);
        let mut is_met = vec![false; ways.next.len()];
        let mut met = Vec::new();
        for start in (0..).take(ways.next.len()) {
            let mut at = start;
            while ways.links[at as usize].is_none() && !is_met[at as usize] {
                is_met[at as usize] = true;
                met.push(at);
                match ways.next[at as usize] {
                    NO_EDGE => break,
                    edge => at = space.edge(edge).to,
                }
            }
            let mut links = ways.links[at as usize];
            for at in met.drain(..).rev() {
                links = links.map(|links| links + 1);
                ways.links[at as usize] = links;
            }
        }
        ways
    }

    /// The ways where one switch goes on by another edge, or by none.
    pub(crate) fn with_entry(&self, space: &PathSpace, at: u32, edge: u32) -> Self {
        let mut next = self.next.clone();
        next[at as usize] = edge;
        Self::new(space, SwitchId::new(self.to), next)
    }

    /// The port that a switch goes on by.
    pub(crate) fn port(&self, space: &PathSpace, at: u32) -> Option<PortNumber> {
        match self.next(at) {
            NO_EDGE => None,
            edge => Some(space.edge(edge).port),
        }
    }

    /// Tells whether a switch is led there, as the one itself is.
    pub(crate) fn is_joined(&self, at: u32) -> bool {
        self.links[at as usize].is_some()
    }

    /// The edges of the way from a switch; `None` where entries do not lead there.
    pub(crate) fn path(&self, space: &PathSpace, from: u32) -> Option<Vec<u32>> {
        self.is_joined(from)
            .then(|| edges(self, space, from).collect())
    }

    /// Leads switches that have no way over neighbours that have one; see [`grow`].
    pub(crate) fn grow<J: Joins>(&mut self, space: &PathSpace, by: &mut J) {
        let switches = (0..).take(self.next.len());
        let apart: Vec<u32> = switches.filter(|&at| !self.is_joined(at)).collect();
        grow(self, space, &apart, by);
    }
}

impl Leads for WaysToOne {
    fn to(&self) -> u32 {
        self.to
    }

    fn next(&self, at: u32) -> u32 {
        self.next[at as usize]
    }

    fn links(&self, at: u32) -> Option<u32> {
        self.links[at as usize]
    }

    fn is_open(&self, at: u32) -> bool {
        !self.is_joined(at)
    }

    fn set_next(&mut self, at: u32, edge: u32) {
        self.next[at as usize] = edge;
    }

    fn set_links(&mut self, at: u32, links: u32) {
        self.links[at as usize] = Some(links);
    }
}

/// The edges that entries lead over from a switch that is joined or one away from one.
pub(super) fn edges<W: Leads>(ways: &W, space: &PathSpace, from: u32) -> impl Iterator<Item = u32> {
    let mut at = from;
    std::iter::from_fn(move || {
        let edge = (at != ways.to()).then(|| ways.next(at))?;
        at = space.edge(edge).to;
        Some(edge)
    })
}

/// Leads switches that have no way, those given, over neighbours that have one, those first that `by` puts first, where
/// it can hold that. Where none can be held, the entry of before stays.
pub(crate) fn grow<W: Leads, J: Joins>(ways: &mut W, space: &PathSpace, apart: &[u32], by: &mut J) {
    let mut open = BinaryHeap::new();
    let mut waiting = 0;
    for &at in apart.iter().filter(|&&at| ways.is_open(at)) {
        waiting += 1;
        for edge in space.edge_ids(at).filter(|&edge| by.may_go(edge)) {
            if let Some(links) = ways.links(space.edge(edge).to) {
                open.extend(entry(ways, at, edge, links, by).map(Reverse));
            }
        }
    }
    let mut path = Vec::new();
    while waiting > 0
        && let Some(Reverse((order, edge))) = open.pop()
    {
        let at = space.tail(edge);
        let Some(links) = ways.links(space.edge(edge).to) else {
            continue;
        };
        if !ways.is_open(at) {
            continue;
        }
        // It may be behind others, by what was joined meanwhile too.
        let now = by.order(ways, at, edge, links + 1);
        if let Some(now) = now.filter(|now| *now > order) {
            open.push(Reverse((now, edge)));
            continue;
        }
        let before = ways.next(at);
        let is_joined = now.is_some() && {
            ways.set_next(at, edge);
            path.clear();
            path.extend(edges(ways, space, at));
            by.join(at, &path)
        };
        if !is_joined {
            ways.set_next(at, before);
            continue;
        }
        ways.set_links(at, links + 1);
        waiting -= 1;
        let is_tried = |back: &&Edge| ways.is_open(back.to) && by.may_go(back.reverse);
        for back in space.edges_of(at).iter().filter(is_tried) {
            open.extend(entry(ways, back.to, back.reverse, links + 1, by).map(Reverse));
        }
    }
}

/// What is tried when of a switch and an edge to a neighbour whose way has so many links.
fn entry<W: Leads, J: Joins>(
    ways: &W,
    at: u32,
    edge: u32,
    links: u32,
    by: &J,
) -> Option<(J::Order, u32)> {
    let order = by.at_best(ways, at, edge, links + 1)?;
    Some((order, edge))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::TurnRule;
    use weft_fabric::generate::ring;

    /// Joins all but some, the nearest first.
    struct AllBut(Vec<u32>);

    impl Joins for AllBut {
        type Order = u32;

        fn order<W: Leads>(&self, _: &W, _: u32, _: u32, links: u32) -> Option<u32> {
            Some(links)
        }

        fn join(&mut self, at: u32, path: &[u32]) -> bool {
            assert!(!path.is_empty());
            !self.0.contains(&at)
        }
    }

    #[test]
    fn entries_that_lead_round_or_nowhere_are_no_ways() {
        let ring = ring(6, 1).unwrap();
        let space = PathSpace::new(&ring, None, TurnRule::Free);
        let edge = |from: u32, to: u32| {
            let mut edges = space.edge_ids(from);
            edges.find(|&edge| space.edge(edge).to == to).unwrap()
        };
        // 2 → 1 → 0; 3 and 4 send to one another; 5 has no entry.
        let next = vec![
            edge(0, 5),
            edge(1, 0),
            edge(2, 1),
            edge(3, 4),
            edge(4, 3),
            NO_EDGE,
        ];
        let mut ways = WaysToOne::new(&space, SwitchId::new(0), next);
        let links: Vec<_> = (0..6).map(|at| ways.links(at)).collect();
        assert_eq!(links, [Some(0), Some(1), Some(2), None, None, None]);
        assert_eq!(ways.path(&space, 2), Some(vec![edge(2, 1), edge(1, 0)]));
        assert_eq!([ways.path(&space, 4), ways.path(&space, 5)], [None, None]);
        assert_eq!(ways.path(&space, 0), Some(Vec::new()));
        // 4 cannot be joined by either neighbour, and keeps its entry.
        ways.grow(&space, &mut AllBut(vec![4]));
        assert_eq!(ways.next[3..], [edge(3, 2), edge(4, 3), edge(5, 0)]);
        assert!(!ways.is_joined(4));
        assert_eq!(ways.links(3), Some(3));
    }
}
