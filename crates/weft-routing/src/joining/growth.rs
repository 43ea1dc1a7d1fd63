//! Switches led to one of them over those that are, the nearest first.

use super::ways_to_one::{JoinsNearest, Leads, WaysToOne, edges};
use crate::paths::{NO_EDGE, PathSpace};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use weft_fabric::narrow;

/// The links of a switch that is not to be led.
const CLOSED: u32 = 0;

/// The links of a switch none of whose neighbours is led yet.
const UNKNOWN: u32 = u32::MAX;

/// Room in which switches are led, to one after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Growth {
    /// Per switch that waits: the links by which it is tried next, or [`UNKNOWN`]; else [`CLOSED`].
    links: Vec<u32>,
    /// By links: switches that are tried by so many, and some that wait for others meanwhile.
    tried: Vec<Vec<u32>>,
    /// Edges by which switches are tried, those of one together.
    edges: Vec<Candidate>,
    turns: Vec<Turn>,
    /// Of each switch the edge that it begins with, in order.
    first: Vec<Next>,
    /// What is tried next of those whose first was refused or put off.
    open: BinaryHeap<Reverse<Next>>,
    path: Vec<u32>,
}

/// When an edge is tried, and whose turn it is.
type Next = (Candidate, u32);

/// An edge by which a switch may be tried, in the order in which they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    /// What the busiest channel of its path had to carry when that was last asked for.
    load: u64,
    comes_later: bool,
    edge: u32,
}

/// A switch that is tried by ways of some links.
#[derive(Clone, Debug)]
struct Turn {
    at: u32,
    /// Its edges that come later, by place.
    rest: Range<usize>,
}

impl Growth {
    /// Leads switches that have no way, those given, over neighbours that have one, by fewest links first and then by
    /// least load, where `by` can hold that. Where none can be held, the entry of before stays.
    ///
    /// All ways of so many links are tried before any of more: who is led by one of them is a neighbour for the next.
    /// Time in proportion to the ports of these switches, but for what is refused or put off, as loads grow.
    pub(crate) fn lead<W: Leads, J: JoinsNearest>(
        &mut self,
        ways: &mut W,
        space: &PathSpace,
        apart: &[u32],
        by: &mut J,
    ) {
        self.links.resize(space.switch_count(), CLOSED);
        let mut waiting = 0;
        for &at in apart.iter().filter(|&&at| ways.is_open(at)) {
            waiting += usize::from(self.links[at as usize] == CLOSED);
            self.links[at as usize] = UNKNOWN;
        }
        for &at in apart.iter().filter(|&&at| ways.is_open(at)) {
            let links = self.next_links(ways, space, at, by, 1);
            self.put(at, links);
        }
        let mut links = 1;
        while waiting > 0 && (links as usize) < self.tried.len() {
            self.begin(ways, space, by, links);
            waiting -= self.try_all(ways, space, by, links);
            links += 1;
        }
        self.tried.iter_mut().for_each(Vec::clear);
        for &at in apart {
            self.links[at as usize] = CLOSED;
        }
    }

    /// The fewest links by which a switch can be tried, of so many at least.
    fn next_links<W: Leads, J: JoinsNearest>(
        &self,
        ways: &W,
        space: &PathSpace,
        at: u32,
        by: &J,
        at_least: u32,
    ) -> Option<u32> {
        let edges = space.edge_ids(at).map(|edge| (edge, space.edge(edge).to));
        let led = edges.filter(|&(edge, to)| self.links[to as usize] == CLOSED && by.may_go(edge));
        let bounded = led.map(|(_, to)| (to, ways.least_links(to)));
        // Who is nearest most likely is so by its way, too; then those that are farther need not be asked.
        let first = bounded.clone().map(|of| of.1).min()?;
        let mut least = UNKNOWN;
        for is_first in [true, false] {
            for (to, bound) in bounded.clone() {
                if (bound == first) == is_first
                    && bound < least
                    && let Some(links) = ways.links(to).filter(|&links| links + 1 >= at_least)
                {
                    least = least.min(links);
                }
            }
        }
        (least != UNKNOWN).then(|| least + 1)
    }

    /// Lets a switch wait for its turn by so many links, if it can be tried by any.
    fn put(&mut self, at: u32, links: Option<u32>) {
        self.links[at as usize] = links.unwrap_or(UNKNOWN);
        if let Some(links) = links {
            if self.tried.len() <= links as usize {
                self.tried.resize(links as usize + 1, Vec::new());
            }
            self.tried[links as usize].push(at);
        }
    }

    /// Collects the edges by which switches are tried by so many links.
    fn begin<W: Leads, J: JoinsNearest>(
        &mut self,
        ways: &W,
        space: &PathSpace,
        by: &J,
        links: u32,
    ) {
        self.edges.clear();
        self.first.clear();
        self.turns.clear();
        let mut tried = std::mem::take(&mut self.tried[links as usize]);
        // Some wait for as many links again, after fewer.
        tried.sort_unstable();
        tried.dedup();
        for &at in &tried {
            if self.links[at as usize] != links {
                continue;
            }
            let start = self.edges.len();
            for edge in space.edge_ids(at) {
                let to = space.edge(edge).to;
                if self.links[to as usize] == CLOSED
                    && by.may_go(edge)
                    && ways.least_links(to) < links
                    && ways.links(to) == Some(links - 1)
                {
                    self.edges.push(Candidate {
                        load: by.least_load(),
                        comes_later: by.comes_later(ways, at, edge),
                        edge,
                    });
                }
            }
            let number = narrow(self.turns.len(), "there are fewer than switches");
            self.turns.push(Turn {
                at,
                rest: start..self.edges.len(),
            });
            let first = self.take_least(number);
            self.first.extend(first.map(|first| (first, number)));
        }
        self.tried[links as usize] = tried;
        self.first.sort_unstable();
    }

    /// Tries all switches by so many links, and returns how many are led.
    fn try_all<W: Leads, J: JoinsNearest>(
        &mut self,
        ways: &mut W,
        space: &PathSpace,
        by: &mut J,
        links: u32,
    ) -> usize {
        let (mut begun, mut led) = (0, 0);
        while let Some((of, turn)) = self.next(&mut begun) {
            let at = self.turns[turn as usize].at;
            let load = self.follow(ways, space, by, of.edge);
            if load > of.load {
                self.put_off(ways, space, by, (Candidate { load, ..of }, turn));
            } else if by.join(at, &self.path) {
                led += 1;
                self.links[at as usize] = CLOSED;
                ways.set_next(at, of.edge);
                ways.set_links(at, links);
                for back in space.edges_of(at) {
                    if self.links[back.to as usize] > links + 1 && by.may_go(back.reverse) {
                        self.put(back.to, Some(links + 1));
                    }
                }
            } else if let Some(next) = self.take_least(turn) {
                self.open.push(Reverse((next, turn)));
            } else {
                let later = self.next_links(ways, space, at, by, links + 1);
                self.put(at, later);
            }
        }
        led
    }

    /// Collects the path by an edge, and returns what its busiest channel carries.
    fn follow<W: Leads, J: JoinsNearest>(
        &mut self,
        ways: &W,
        space: &PathSpace,
        by: &J,
        edge: u32,
    ) -> u64 {
        self.path.clear();
        self.path.extend(path(ways, space, edge));
        let loads = self.path.iter().map(|&edge| by.load(edge));
        loads.max().unwrap_or(0)
    }

    /// Takes what is tried next.
    fn next(&mut self, begun: &mut usize) -> Option<Next> {
        let open = self.open.peek().map(|open| open.0);
        if let Some(&first) = self.first.get(*begun)
            && open.is_none_or(|open| first < open)
        {
            *begun += 1;
            return Some(first);
        }
        self.open.pop();
        open
    }

    /// Puts an edge among those that its switch is tried by later, as its load has grown, and opens what comes first now.
    fn put_off<W: Leads, J: JoinsNearest>(
        &mut self,
        ways: &W,
        space: &PathSpace,
        by: &J,
        (of, turn): Next,
    ) {
        let rest = &mut self.turns[turn as usize].rest;
        let mut best = of;
        for candidate in &mut self.edges[rest.clone()] {
            if *candidate < best {
                candidate.load = busiest(ways, space, by, candidate.edge, best.load);
                best = best.min(*candidate);
            }
        }
        rest.start -= 1;
        self.edges[rest.start] = of;
        let next = self.take_least(turn).map(|next| Reverse((next, turn)));
        self.open.extend(next);
    }

    /// Takes the edge of a switch that comes first of all that come later.
    fn take_least(&mut self, turn: u32) -> Option<Candidate> {
        let rest = &mut self.turns[turn as usize].rest;
        let (first, others) = self.edges[rest.clone()].split_first_mut()?;
        if let Some(least) = others.iter_mut().min()
            && least < first
        {
            std::mem::swap(least, first);
        }
        rest.start += 1;
        Some(*first)
    }
}

impl WaysToOne {
    /// Leads switches that have neither a way nor an entry over neighbours that have a way, the nearest first.
    pub(crate) fn lead_nearest<J: JoinsNearest>(&mut self, space: &PathSpace, by: &mut J) {
        let switches = (0..).take(space.switch_count());
        let apart = switches.filter(|&at| !self.is_joined(at) && self.next(at) == NO_EDGE);
        let apart: Vec<u32> = apart.collect();
        Growth::default().lead(self, space, &apart, by);
    }
}

/// The path by an edge and then by what switches go on by.
fn path<W: Leads>(ways: &W, space: &PathSpace, edge: u32) -> impl Iterator<Item = u32> {
    std::iter::once(edge).chain(edges(ways, space, space.edge(edge).to))
}

/// What the busiest channel of the path by an edge carries, or where that is more than is asked for, what some channel does.
fn busiest<W: Leads, J: JoinsNearest>(
    ways: &W,
    space: &PathSpace,
    by: &J,
    edge: u32,
    at_most: u64,
) -> u64 {
    let mut load = 0;
    for edge in path(ways, space, edge) {
        load = load.max(by.load(edge));
        if load > at_most {
            break;
        }
    }
    load
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::TurnRule;
    use proptest::prelude::*;
    use weft_fabric::SwitchId;
    use weft_fabric::generate::{JellyfishParameters, jellyfish};

    /// Loads channels by so much with each switch led over them, and refuses the first switches of some edges.
    #[derive(Clone)]
    struct Loading<'s> {
        space: &'s PathSpace,
        loads: Vec<u64>,
        weights: Vec<u64>,
        later: Vec<bool>,
        refused: Vec<bool>,
        /// All that was tried, and how that ended.
        tried: Vec<(u32, u32, bool)>,
    }

    impl JoinsNearest for Loading<'_> {
        fn least_load(&self) -> u64 {
            2
        }

        fn load(&self, edge: u32) -> u64 {
            self.loads[edge as usize].max(self.least_load())
        }

        fn comes_later<W: Leads>(&self, _: &W, _: u32, edge: u32) -> bool {
            self.later[edge as usize]
        }

        fn may_go(&self, edge: u32) -> bool {
            edge % 7 != 3
        }

        fn join(&mut self, at: u32, path: &[u32]) -> bool {
            let is_held = !path.iter().any(|&edge| self.refused[(edge + at) as usize]);
            self.tried.push((at, path[0], is_held));
            if is_held {
                for &edge in path {
                    self.loads[edge as usize] += self.weights[at as usize];
                }
            }
            is_held
        }
    }

    /// Always tries the edge that comes first of all that were not tried, by definition.
    fn lead_by_definition(ways: &mut WaysToOne, apart: &[u32], by: &mut Loading<'_>) {
        let space = by.space;
        let mut is_tried = vec![false; space.edge_count()];
        loop {
            let open = apart.iter().filter(|&&at| ways.is_open(at));
            let edges = open.flat_map(|&at| space.edge_ids(at).map(move |edge| (at, edge)));
            let edges = edges.filter(|&(_, edge)| by.may_go(edge) && !is_tried[edge as usize]);
            let ordered = edges.filter_map(|(at, edge)| {
                let over = space.edge(edge).to;
                let mut path = vec![edge];
                path.extend(ways.path(space, over)?);
                let load = path.iter().map(|&edge| by.load(edge)).max()?;
                Some(((path.len(), load, by.later[edge as usize], edge), at, path))
            });
            let Some(((links, .., edge), at, path)) = ordered.min() else {
                return;
            };
            is_tried[edge as usize] = true;
            if by.join(at, &path) {
                ways.set_next(at, edge);
                ways.set_links(at, links.try_into().unwrap());
            }
        }
    }

    proptest! {
        /// What is tried, in which order, and what comes of it is as defined.
        #[test]
        fn edges_are_tried_in_order(
            seed in 0_u64..1_000,
            switches in 8_u32..24,
            led in prop::collection::vec(any::<bool>(), 24),
            loads in prop::collection::vec(0_u64..6, 24 * 5),
            weights in prop::collection::vec(0_u64..3, 24),
            later in prop::collection::vec(any::<bool>(), 24 * 5),
            refused in prop::collection::vec(0_u8..12, 24 * 6),
        ) {
            let switches = switches & !1;
            let parameters = JellyfishParameters { switches, degree: 5, hosts_per_switch: 1, seed };
            let fabric = jellyfish(&parameters).unwrap();
            let space = PathSpace::new(&fabric, None, TurnRule::Free);
            let by = Loading {
                space: &space,
                loads,
                weights,
                later,
                refused: refused.into_iter().map(|of| of == 0).collect(),
                tried: Vec::new(),
            };
            let mut ways = WaysToOne::new(&space, SwitchId::new(0), vec![NO_EDGE; switches as usize]);
            // Some are led already, by whatever ways, and loads and refusals begin then.
            let all: Vec<u32> = (1..switches).collect();
            lead_by_definition(&mut ways, &all, &mut by.clone());
            let kept = |at: u32| led[at as usize] && ways.is_joined(at);
            let next = (0..switches).map(|at| if kept(at) { ways.next(at) } else { NO_EDGE });
            let ways = WaysToOne::new(&space, SwitchId::new(0), next.collect());
            let apart: Vec<u32> = all.into_iter().filter(|&at| !ways.is_joined(at)).collect();
            let (mut defined, mut by_definition) = (ways.clone(), by.clone());
            lead_by_definition(&mut defined, &apart, &mut by_definition);
            let mut growth = Growth::default();
            for _ in 0..2 {
                let (mut led, mut by) = (ways.clone(), by.clone());
                growth.lead(&mut led, &space, &apart, &mut by);
                prop_assert_eq!(&by.tried, &by_definition.tried);
                prop_assert_eq!(&led, &defined);
            }
        }
    }
}
