//! One way: its channels, its stops, and what it costs.

use super::carried_loads::{Hop, Ledger};
use super::stopping_order::ChannelOrder;
use crate::paths::PathSpace;

/// Most channels behind a packet, as far as its last stop, that make a difference.
pub(super) const MOST_HELD: u32 = 7;

/// Where ways stop and what that costs, one way after the other, with what that needs again and again.
#[derive(Clone, Debug, Default)]
pub(super) struct Cutting {
    /// Per channel: the least that everything before it costs if it is taken after a stop.
    before: Vec<f64>,
    /// Per channel that is taken after a stop: the least cost from it on, and where the next stop is.
    after: Vec<(f64, usize)>,
    costs: Vec<f64>,
}

impl Cutting {
    /// What every turn of a way costs if it has to stop there.
    ///
    /// Shapes: one entry per turn; how much more than stopping wherever is best, infinite where it cannot.
    /// Time O(L²) for L links.
    pub(super) fn costs_of_stops(
        &mut self,
        way: &[Hop],
        space: &PathSpace,
        ledger: &Ledger,
    ) -> &[f64] {
        let links = way.len();
        let stop = |at: usize| ledger.stops[space.tail(way[at].edge) as usize];
        let Self {
            before,
            after,
            costs,
        } = self;
        before.clear();
        before.resize(links + 1, f64::INFINITY);
        for start in 0..links {
            let so_far = if start == 0 {
                0.0
            } else {
                before[start] + stop(start)
            };
            for (end, waits) in waits_to(way, start, ledger) {
                before[end] = before[end].min(so_far + waits);
            }
        }
        after.clear();
        after.resize(links + 1, (0.0, links));
        for start in (0..links).rev() {
            after[start].0 = f64::INFINITY;
            for (end, waits) in waits_to(way, start, ledger) {
                let stop = if end == links { 0.0 } else { stop(end) };
                after[start].0 = after[start].0.min(waits + stop + after[end].0);
            }
        }
        let cost = |at: usize| before[at] + stop(at) + after[at].0 - after[0].0;
        costs.clear();
        costs.extend((1..links).map(cost));
        costs
    }

    /// Stops a way where that is cheapest, at all turns that descend and maybe at others, and tells
    /// whether it can stop wherever it has to.
    /// As [`costs_of_stops`](Self::costs_of_stops).
    pub(super) fn place_stops(
        &mut self,
        way: &mut [Hop],
        space: &PathSpace,
        order: &ChannelOrder,
        ledger: &Ledger,
    ) -> bool {
        let links = way.len();
        let after = &mut self.after;
        after.clear();
        after.resize(links + 1, (0.0, links));
        for start in (0..links).rev() {
            let mut best = (f64::INFINITY, links);
            for (end, waits) in waits_to(way, start, ledger) {
                let mut cost = waits + after[end].0;
                if end < links {
                    cost += ledger.stops[space.tail(way[end].edge) as usize];
                }
                if cost < best.0 {
                    best = (cost, end);
                }
                if end < links && order.descends(way[end - 1].edge, way[end].edge) {
                    break;
                }
            }
            after[start] = best;
        }
        if after[0].0 == f64::INFINITY {
            return false;
        }
        let mut next = after[0].1;
        for (at, hop) in way.iter_mut().enumerate() {
            hop.is_after_stop = at == next;
            if at == next {
                next = after[at].1;
            }
        }
        true
    }
}

/// The end of every part of a way from a channel on, and what it costs to wait for the channels before
/// the end without a stop.
fn waits_to(way: &[Hop], start: usize, ledger: &Ledger) -> impl Iterator<Item = (usize, f64)> {
    let held = (0..).map(|held: u32| f64::from(held.min(MOST_HELD)));
    let each = way[start..].iter().zip(held);
    (start + 1..).zip(each.scan(0.0, |sum, (hop, held)| {
        *sum += ledger.waits[hop.edge as usize] * held;
        Some(*sum)
    }))
}

/// The cost of a way, stops included.
pub(super) fn cost(way: &[Hop], space: &PathSpace, ledger: &Ledger) -> f64 {
    let mut sum = 0.0;
    for part in way.chunk_by(|_, hop| !hop.is_after_stop) {
        sum += waits_to(part, 0, ledger)
            .last()
            .map_or(0.0, |(_, waits)| waits);
    }
    for hop in way {
        sum += ledger.edges[hop.edge as usize];
        if hop.is_after_stop {
            sum += ledger.stops[space.tail(hop.edge) as usize];
        }
    }
    sum
}
