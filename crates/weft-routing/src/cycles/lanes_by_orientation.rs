//! Lanes for paths that are found in several orientations at once.

use crate::form::{Endpoints, Lane, RouteRow};
use crate::paths::PathSpace;
use crate::random::stream;
use rand::RngExt;
use weft_fabric::{PortNumber, narrow};

/// Puts every route on lanes, one for each orientation of the space, numbered by `lane_of`.
///
/// Where a path may begin in several orientations, it begins in that whose lanes have carried least
/// so far: the sum, over its channels, of the packets that took the channel's lane anywhere, if every
/// host sent one to every other. Equals are drawn.
///
/// Shapes: `rows` holds paths that the space permits, a row per source; the result, the same paths.
pub(crate) fn put_on_lanes(
    space: &PathSpace,
    endpoints: &Endpoints,
    rows: &[RouteRow],
    lane_of: impl Fn(u8) -> Lane,
    seed: u64,
) -> Vec<RouteRow> {
    let mut carried = [0_u64; PathSpace::MOST_ORIENTATIONS as usize];
    let mut random = stream(seed, "lanes", 0);
    let mut laned = Vec::with_capacity(rows.len());
    let (mut orientations, mut best) = (Vec::new(), Vec::new());
    for (source, row) in rows.iter().enumerate() {
        let mut laned_row = RouteRow::default();
        for (destination, path) in row.routes().enumerate() {
            let mut least = None;
            for start in space.starts(endpoints.switch(source)) {
                if !follow(space, start, path, &mut orientations) {
                    continue;
                }
                let carried: u64 = orientations.iter().map(|&o| carried[o as usize]).sum();
                let cost = (carried, random.random::<u32>());
                if least.is_none_or(|least| cost < least) {
                    least = Some(cost);
                    std::mem::swap(&mut best, &mut orientations);
                }
            }
            for &orientation in &best {
                carried[orientation as usize] += endpoints.host_pairs(source, destination);
            }
            let lanes = best.iter().map(|&orientation| lane_of(orientation));
            laned_row.push_on_lanes(path.iter().copied().zip(lanes));
        }
        laned.push(laned_row);
    }
    laned
}

/// Follows a path from a state, notes the orientation of every step, and tells whether the space
/// permits it.
fn follow(space: &PathSpace, start: u32, path: &[PortNumber], orientations: &mut Vec<u8>) -> bool {
    orientations.clear();
    let (mut here, mut phase) = space.place(start);
    for &port in path {
        let edge = space.edge(space.edge_at(here, port));
        let Some((after, _)) = space.turn(here, phase, edge.ups()) else {
            return false;
        };
        orientations.push(narrow(after / 2, "there are 16 orientations at most"));
        (here, phase) = (edge.to, after);
    }
    true
}
