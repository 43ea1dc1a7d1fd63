//! The ways to one switch, and further switches led there over those that are.

use crate::paths::{Edge, NO_EDGE, PathSpace};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
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

    /// Whether shorter ways of a switch always come before its longer ones, and none is tried earlier by what was joined
    /// meanwhile.
    const NEAREST_FIRST: bool = false;

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
fn edges<W: Leads>(ways: &W, space: &PathSpace, from: u32) -> impl Iterator<Item = u32> {
    let mut at = from;
    std::iter::from_fn(move || {
        let edge = (at != ways.to()).then(|| ways.next(at))?;
        at = space.edge(edge).to;
        Some(edge)
    })
}

/// The edges by which a switch can be joined at first, as they are tried.
struct Begun {
    /// Those that are not among what is open yet, by place among all that begin.
    rest: Range<usize>,
    /// The edge that was put there last.
    last: u32,
    /// Whether it is known of the others, too, when they are tried, as the first was behind others.
    are_weighed: bool,
    /// How many of its shortest ways were not refused, and their links, where longer ones wait for these.
    nearest: Option<(usize, u32)>,
}

/// Leads switches that have no way, those given, over neighbours that have one, those first that `by` puts first, where
/// it can hold that. Where none can be held, the entry of before stays.
pub(crate) fn grow<W: Leads, J: Joins>(ways: &mut W, space: &PathSpace, apart: &[u32], by: &mut J) {
    // Of each switch in the order in which they are tried: of those which it begins with one at a time is open.
    let mut begin: Vec<(J::Order, u32)> = Vec::new();
    let mut begun: Vec<(u32, Begun)> = Vec::new();
    let mut open = BinaryHeap::new();
    let mut waiting = 0;
    let mut found = Vec::new();
    for &at in apart.iter().filter(|&&at| ways.is_open(at)) {
        waiting += 1;
        let mut least = None;
        if J::NEAREST_FIRST {
            least = nearest(ways, space, at, by, &mut found);
        } else {
            found.extend(candidates(ways, space, at, by));
        }
        let first = begin.len();
        let begins = found.drain(..);
        begin.extend(begins.filter_map(|(edge, links)| entry(ways, at, edge, links, by)));
        begin[first..].sort_unstable();
        let nearest = least.map(|least| (begin.len() - first, least));
        if let Some(&(order, edge)) = begin.get(first) {
            open.push(Reverse((order, edge)));
            let of = Begun {
                rest: first + 1..begin.len(),
                last: edge,
                are_weighed: false,
                nearest,
            };
            begun.push((at, of));
        }
    }
    begun.sort_unstable_by_key(|of| of.0);
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
        let of = begun.binary_search_by_key(&at, |of| of.0);
        let mut of = of.ok().map(|place| &mut begun[place].1);
        if let Some(of) = of.as_mut().filter(|of| of.last == edge) {
            if J::NEAREST_FIRST && !of.are_weighed && now.is_some_and(|now| now > order) {
                of.are_weighed = true;
                let rest = &mut begin[of.rest.clone()];
                for (order, edge) in rest.iter_mut() {
                    let now = by.order(ways, at, *edge, links + 1);
                    *order = now.unwrap_or(*order);
                }
                rest.sort_unstable();
            }
            if let Some(&(order, edge)) = of.rest.next().map(|place| &begin[place]) {
                of.last = edge;
                open.push(Reverse((order, edge)));
            }
        }
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
            if let Some(nearest) = of.map(|of| &mut of.nearest)
                && let Some((count, least)) = nearest
                && links == *least
            {
                *count = count.saturating_sub(1);
                if *count == 0 {
                    let least = *least;
                    *nearest = None;
                    let longer = candidates(ways, space, at, by).filter(|of| of.1 > least);
                    let longer =
                        longer.filter_map(|(edge, links)| entry(ways, at, edge, links, by));
                    open.extend(longer.map(Reverse));
                }
            }
            continue;
        }
        ways.set_links(at, links + 1);
        waiting -= 1;
        if waiting == 0 {
            break;
        }
        // Who waits for shorter ways is tried by this one with all others that are longer.
        let waits_for_shorter = |at: u32| {
            let of = begun.binary_search_by_key(&at, |of| of.0).ok();
            let nearest = of.and_then(|place| begun[place].1.nearest);
            nearest.is_some_and(|(_, least)| least < links + 1)
        };
        let is_tried = |back: &&Edge| {
            ways.is_open(back.to) && by.may_go(back.reverse) && !waits_for_shorter(back.to)
        };
        for back in space.edges_of(at).iter().filter(is_tried) {
            let next = entry(ways, back.to, back.reverse, links + 1, by);
            open.extend(next.map(Reverse));
        }
    }
}

/// The edges of a switch to neighbours that have a way, with the links of that.
fn candidates<W: Leads, J: Joins>(
    ways: &W,
    space: &PathSpace,
    at: u32,
    by: &J,
) -> impl Iterator<Item = (u32, u32)> {
    let edges = space.edge_ids(at).filter(|&edge| by.may_go(edge));
    edges.filter_map(|edge| Some((edge, ways.links(space.edge(edge).to)?)))
}

/// Collects those of the [`candidates`] whose ways have fewest links, and returns these.
fn nearest<W: Leads, J: Joins>(
    ways: &W,
    space: &PathSpace,
    at: u32,
    by: &J,
    found: &mut Vec<(u32, u32)>,
) -> Option<u32> {
    let edges = space.edge_ids(at).filter(|&edge| by.may_go(edge));
    let bounded = edges.map(|edge| (edge, ways.least_links(space.edge(edge).to)));
    let first = bounded.clone().map(|of| of.1).min()?;
    let mut least = u32::MAX;
    for is_first in [true, false] {
        for (edge, bound) in bounded.clone() {
            if (bound == first) == is_first
                && bound <= least
                && let Some(links) = ways.links(space.edge(edge).to)
            {
                least = least.min(links);
                found.push((edge, links));
            }
        }
    }
    found.retain(|of| of.1 == least);
    (!found.is_empty()).then_some(least)
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
