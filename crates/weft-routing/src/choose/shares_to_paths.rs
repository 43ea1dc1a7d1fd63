//! From shares of paths to one path per route.

use crate::form::{Endpoints, PairGranularity, RouteRow};
use crate::paths::{Candidates, PathSpace};
use std::cmp::Reverse;
use weft_fabric::narrow;

/// Times all routes are visited at most; few fabrics need half of it until no route moves.
const MOST_SWEEPS: usize = 32;
/// What a solver's share may lack of a whole number of routes.
const TOLERANCE: f64 = 1e-6;

/// Gives every route one of its candidate paths: as many routes of a pair each path as its
/// share says, of fractions the largest; then routes move, one after the other, off the most loaded
/// channels or, without loading one as much, to where the loads' sum of squares is less, until none
/// does.
///
/// No move raises the largest load.
///
/// Shapes: a row per source, as output ports; `shares` a list per pair with a number per path.
pub(crate) fn place(
    space: &PathSpace,
    endpoints: &Endpoints,
    pairs: &[Candidates],
    shares: &[Vec<f64>],
) -> Vec<RouteRow> {
    let is_per_host = endpoints.granularity() == PairGranularity::Host;
    let mut load = vec![0_u64; space.edge_count()];
    let mut chosen: Vec<Vec<u32>> = Vec::with_capacity(pairs.len());
    for (pair, shares) in pairs.iter().zip(shares) {
        let routes = if is_per_host { pair.weight } else { 1 };
        let paths = apportion(shares, routes);
        for &path in &paths {
            for &edge in &pair.paths[path as usize] {
                load[edge as usize] += pair.weight / routes;
            }
        }
        chosen.push(paths);
    }
    for _ in 0..MOST_SWEEPS {
        let mut has_moved = false;
        let largest = load.iter().copied().max().unwrap_or(0);
        for (pair, chosen) in pairs.iter().zip(&mut chosen) {
            if pair.paths.len() > 1 {
                let weight = pair.weight / chosen.len() as u64;
                for path in chosen {
                    has_moved |= improve(pair, weight, path, &mut load, largest);
                }
            }
        }
        if !has_moved {
            break;
        }
    }
    rows(space, endpoints, pairs, &chosen)
}

/// Divides routes among paths in proportion to shares, fractions by the largest remainder.
fn apportion(shares: &[f64], routes: u64) -> Vec<u32> {
    let exact = |share: &f64| share * routes as f64 + TOLERANCE;
    let mut order: Vec<usize> = (0..shares.len()).collect();
    let remainder = |path: usize| exact(&shares[path]).fract();
    order.sort_by(|&a, &b| remainder(b).total_cmp(&remainder(a)).then(a.cmp(&b)));
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of the routes, from 0 to their number"
    )]
    let mut counts: Vec<u64> = shares.iter().map(|share| exact(share) as u64).collect();
    let given: u64 = counts.iter().sum();
    for (&path, _) in order.iter().cycle().zip(given..routes) {
        counts[path] += 1;
    }
    let paths = (0..).zip(counts);
    paths
        .flat_map(|(path, count)| (0..count).map(move |_| path))
        .collect()
}

/// Moves one route of a pair to a better path, if there is one.
fn improve(pair: &Candidates, weight: u64, path: &mut u32, load: &mut [u64], largest: u64) -> bool {
    let now = *path as usize;
    for &edge in &pair.paths[now] {
        load[edge as usize] -= weight;
    }
    let cost = |path: usize| {
        let loads = pair.paths[path].iter().map(|&edge| load[edge as usize]);
        let squares = loads.clone().map(|load| u128::from(2 * load + weight));
        let most = loads.max().unwrap_or(0) + weight;
        (most.max(largest.saturating_sub(1)), squares.sum::<u128>())
    };
    let paths = 0..pair.paths.len();
    let Some(best) = paths.min_by_key(|&path| (cost(path), Reverse(path == now))) else {
        unreachable!("a pair with a route has a path");
    };
    for &edge in &pair.paths[best] {
        load[edge as usize] += weight;
    }
    *path = narrow(best, "routes have counted the paths in 32 bits");
    best != now
}

fn rows(
    space: &PathSpace,
    endpoints: &Endpoints,
    pairs: &[Candidates],
    chosen: &[Vec<u32>],
) -> Vec<RouteRow> {
    let switches = space.switch_count();
    let mut pair_of = vec![usize::MAX; switches * switches];
    for (number, pair) in pairs.iter().enumerate() {
        pair_of[pair.from as usize * switches + pair.to as usize] = number;
    }
    // The place of each endpoint among those of its switch.
    let mut met = vec![0_usize; switches];
    let place: Vec<usize> = (0..endpoints.count())
        .map(|index| {
            let met = &mut met[endpoints.switch(index) as usize];
            *met += 1;
            *met - 1
        })
        .collect();
    space.rows(endpoints, |source, destination| {
        let [from, to] = [source, destination].map(|end| endpoints.switch(end) as usize);
        let pair = pair_of[from * switches + to];
        let route = place[source] * met[to] + place[destination];
        Some(&pairs[pair].paths[chosen[pair][route] as usize])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_are_divided_by_the_largest_remainder() {
        assert_eq!(apportion(&[0.5, 0.25, 0.25], 4), [0, 0, 1, 2]);
        assert_eq!(apportion(&[0.5, 0.5], 1), [0]);
        assert_eq!(apportion(&[0.2, 0.75, 0.05], 2), [1, 1]);
        // A solver's 0.333333 and 0.666667 of 3 are meant as 1 and 2.
        assert_eq!(apportion(&[0.333_333_1, 0.666_666_9], 3), [0, 1, 1]);
        assert_eq!(apportion(&[1.0], 5), [0; 5]);
    }
}
