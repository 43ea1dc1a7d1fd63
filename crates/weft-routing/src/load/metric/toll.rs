//! Bounds that know of one lane: of every circle of channels, routes have to leave out a turn, or to stop at it.
//!
//! Where packets never deadlock on one lane, no channels wait for one another in a circle. So of every circle some turn is
//! made by no route that does not stop there. Whoever has no other shortest way then goes a longer one, or stops, which
//! costs as much as it is said to. Of circles that share no turn, or share what it costs to leave a turn out, the
//! cheapest turns add up:
//!
//! ```text
//! Σ load × weight + stops × cost  ≥  Σ shortest lengths + Σ over circles: price
//!
//! over the circles with a turn: Σ price ≤ Σ over pairs that have no other shortest way: min(cost, what others are longer / turns)
//! ```

use super::BoundedRoutes;
use super::two_shortest::{NONE, TwoShortest};
use crate::paths::PathSpace;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Sources that are added up by one thread; sums are the same with any number of threads.
const SOURCES_AT_ONCE: usize = 16;

/// A circle of edges, and what it costs all routes that it has to be broken.
pub(super) type Circle = (Vec<u32>, u64);

/// What routes cost together at least, in weights.
#[derive(Debug, Default)]
pub(super) struct Toll {
    pub(super) lengths: u128,
    /// Lengths, and the prices of circles.
    pub(super) sum: u128,
    pub(super) circles: Vec<Circle>,
}

/// Adds up shortest lengths, and what circles cost.
///
/// Finding circles ends after so many looks at turns. Shapes: `weights`, per edge; `between`, per switch and switch. Without
/// `stop_cost`, in weights, no route stops.
pub(super) fn toll(
    space: &PathSpace,
    between: &[u64],
    routes: BoundedRoutes,
    weights: &[u32],
    stop_cost: Option<u64>,
    most_looks: u64,
) -> Toll {
    let switches = space.switch_count();
    let sources: Vec<u32> = (0..).take(switches).collect();
    let of_some = |sources: &[u32]| {
        let mut ways = TwoShortest::new(space, routes);
        let mut prices = vec![0_u64; space.turn_count()];
        let mut sum = 0_u128;
        for &source in sources {
            let sent = &between[source as usize * switches..][..switches];
            sum += add_prices(&mut ways, source, weights, sent, stop_cost, &mut prices);
        }
        (sum, prices)
    };
    let chunk = SOURCES_AT_ONCE.max(switches.div_ceil(SOURCES_AT_ONCE));
    let parts: Vec<_> = sources.par_chunks(chunk).map(of_some).collect();
    let mut prices = vec![0_u64; space.turn_count()];
    let mut lengths = 0;
    for (part, of_part) in parts {
        lengths += part;
        for (price, more) in prices.iter_mut().zip(of_part) {
            *price += more;
        }
    }
    let circles = Circles::new(space, prices).found(most_looks);
    let prices: u128 = circles.iter().map(|&(_, price)| u128::from(price)).sum();
    Toll {
        lengths,
        sum: lengths + prices,
        circles,
    }
}

/// Adds to the price of each turn what leaving it out costs those that a switch sends to, and returns the sum of what is
/// sent times its length.
fn add_prices(
    ways: &mut TwoShortest<'_>,
    source: u32,
    weights: &[u32],
    sent: &[u64],
    stop_cost: Option<u64>,
    prices: &mut [u64],
) -> u128 {
    let space = ways.space();
    ways.reach(source, weights);
    let mut sum = 0;
    for (to, &sent) in (0..).zip(sent) {
        let [length, second] = ways.lengths[to as usize];
        if to == source || sent == 0 || length == NONE {
            continue;
        }
        sum += u128::from(sent) * u128::from(length);
        let turns = ways.way_to(to).count() as u64 - 1;
        let detour = (second != NONE).then(|| (second - length) / turns.max(1));
        let Some(price) = detour.into_iter().chain(stop_cost).min() else {
            continue;
        };
        let mut wanted = None;
        for held in ways.way_to(to) {
            if let Some(wanted) = wanted.replace(held) {
                prices[space.turn_place(held, wanted)] += price * sent;
            }
        }
    }
    sum
}

/// Circles that pay for turns, the shortest first.
struct Circles<'a> {
    space: &'a PathSpace,
    /// Per turn: what is left of what leaving it out costs.
    left: Vec<u64>,
    /// Per edge: that by which it was come to from the edge that is looked at, and in which search.
    before: Vec<u32>,
    seen_in: Vec<u32>,
    search: u32,
    looks: u64,
}

impl<'a> Circles<'a> {
    fn new(space: &'a PathSpace, left: Vec<u64>) -> Self {
        let edges = space.edge_count();
        Self {
            space,
            left,
            before: vec![0; edges],
            seen_in: vec![0; edges],
            search: 0,
            looks: 0,
        }
    }

    /// Takes the shortest circle again and again, and what its cheapest turn has left.
    fn found(mut self, most_looks: u64) -> Vec<Circle> {
        let mut found = Vec::new();
        let edges = (0..).take(self.space.edge_count());
        let mut open: BinaryHeap<Reverse<(usize, u32)>> =
            edges.map(|edge| Reverse((0, edge))).collect();
        while let Some(Reverse((length, edge))) = open.pop() {
            if self.looks > most_looks {
                break;
            }
            let Some(circle) = self.through(edge) else {
                continue;
            };
            if circle.len() > length {
                open.push(Reverse((circle.len(), edge)));
                continue;
            }
            let places = self.turns(&circle);
            let price = places.iter().map(|&place| self.left[place]).min();
            let price = price.unwrap_or(0);
            for place in places {
                self.left[place] -= price;
            }
            found.push((circle, price));
            open.push(Reverse((length, edge)));
        }
        found
    }

    fn turns(&self, circle: &[u32]) -> Vec<usize> {
        let next = circle.iter().cycle().skip(1);
        let turns = circle.iter().zip(next);
        turns
            .map(|(&held, &wanted)| self.space.turn_place(held, wanted))
            .collect()
    }

    /// A shortest circle through an edge by turns that have something left.
    fn through(&mut self, first: u32) -> Option<Vec<u32>> {
        self.search += 1;
        let mut queue = VecDeque::from([first]);
        while let Some(held) = queue.pop_front() {
            for wanted in self.space.edge_ids(self.space.edge(held).to) {
                self.looks += 1;
                if self.left[self.space.turn_place(held, wanted)] == 0 {
                    continue;
                }
                if wanted == first {
                    let back = |&edge: &u32| (edge != first).then(|| self.before[edge as usize]);
                    let mut circle: Vec<u32> = std::iter::successors(Some(held), back).collect();
                    circle.reverse();
                    return Some(circle);
                }
                if self.seen_in[wanted as usize] != self.search {
                    self.seen_in[wanted as usize] = self.search;
                    self.before[wanted as usize] = held;
                    queue.push_back(wanted);
                }
            }
        }
        None
    }
}
