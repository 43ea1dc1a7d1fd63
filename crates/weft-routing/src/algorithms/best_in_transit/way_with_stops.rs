//! One way: its channels, its stops, and what it costs.

use super::carried_loads::{Hop, Ledger};
use super::stopping_order::ChannelOrder;
use crate::paths::PathSpace;

/// Most channels behind a packet, as far as its last stop, that make a difference.
pub(super) const MOST_HELD: u32 = 7;

/// What every turn of a way costs if it has to stop there.
///
/// Shapes: one entry per turn; how much more than stopping wherever is best, infinite where it cannot.
/// Time O(L³) for L links.
pub(super) fn costs_of_stops(way: &[Hop], space: &PathSpace, ledger: &Ledger) -> Vec<f64> {
    let links = way.len();
    let stop = |at: usize| ledger.stops[space.tail(way[at].edge) as usize];
    // The least that everything before a channel costs that is taken after a stop, and from it on.
    let mut before = vec![0.0; links + 1];
    for end in 1..=links {
        let from = |start: usize| {
            let stop = if start == 0 { 0.0 } else { stop(start) };
            before[start] + stop + waits(&way[start..end], ledger)
        };
        before[end] = (0..end).map(from).fold(f64::INFINITY, f64::min);
    }
    let mut after = vec![0.0; links + 1];
    for start in (0..links).rev() {
        let to = |end: usize| {
            let stop = if end == links { 0.0 } else { stop(end) };
            waits(&way[start..end], ledger) + stop + after[end]
        };
        after[start] = (start + 1..=links).map(to).fold(f64::INFINITY, f64::min);
    }
    let cost = |at: usize| before[at] + stop(at) + after[at] - after[0];
    (1..links).map(cost).collect()
}

/// Stops a way where that is cheapest, at all turns that descend and maybe at others, and tells
/// whether it can stop wherever it has to.
/// As [`costs_of_stops`].
pub(super) fn place_stops(
    way: &mut [Hop],
    space: &PathSpace,
    order: &ChannelOrder,
    ledger: &Ledger,
) -> bool {
    let links = way.len();
    // From every channel on that is taken after a stop: the least cost, and where the next stop is.
    let mut after = vec![(0.0, links); links + 1];
    for start in (0..links).rev() {
        let mut best = (f64::INFINITY, links);
        for end in start + 1..=links {
            let mut cost = waits(&way[start..end], ledger) + after[end].0;
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

/// The cost of a way, stops included.
pub(super) fn cost(way: &[Hop], space: &PathSpace, ledger: &Ledger) -> f64 {
    let mut sum = 0.0;
    for part in way.chunk_by(|_, hop| !hop.is_after_stop) {
        sum += waits(part, ledger);
    }
    for hop in way {
        sum += ledger.edges[hop.edge as usize];
        if hop.is_after_stop {
            sum += ledger.stops[space.tail(hop.edge) as usize];
        }
    }
    sum
}

/// What it costs that a packet may wait for each channel of a part without a stop.
fn waits(part: &[Hop], ledger: &Ledger) -> f64 {
    let wait =
        |(held, hop): (u32, &Hop)| ledger.waits[hop.edge as usize] * f64::from(held.min(MOST_HELD));
    (0..).zip(part).map(wait).sum()
}
