//! Loads that no routing of one path per pair can stay below.

use crate::error::RoutingError;
use crate::form::endpoints::Endpoints;
use crate::form::pair_granularity::PairGranularity;
use crate::linear_program::{LinearError, LinearSolver};
use crate::load::host_demand::{Demand, demand_by_weights};
use crate::load::throughput_bound::least_largest_flow;
use crate::orient::orientation::routed_part;
use crate::paths::path_space::{PathSpace, TurnRule};
use rayon::prelude::*;
use weft_fabric::{Fabric, HostId, SwitchId};

/// Farthest links from a switch at which a cut around it is counted.
const MOST_RADIUS: u32 = 1;

/// Most columns of a linear program that a bound is worth: a few seconds.
const MOST_COLUMNS: usize = 1 << 14;

/// What a solver of linear programs may be off by, relatively.
const TOLERANCE: f64 = 1e-6;

/// A number of routes that no routing keeps every channel between switches below, when each
/// host has one route to every other.
///
/// It is the largest of the mean if all were shortest, the mean over the channels out of, or into, a
/// switch or a switch and its neighbours, and on fabrics of up to 2¹⁴ switches times channels, if there
/// is a solver, what traffic that may split over all paths leaves at least on some channel.
///
/// # Errors
/// As [`routed_part`], and [`RoutingError::Linear`].
///
/// # Complexity
/// Time O(S·(E + S·d)) for S switches, E links and d links of a switch, and the linear program.
pub fn load_bound(fabric: &Fabric, solver: &dyn LinearSolver) -> Result<u64, RoutingError> {
    bound_of(fabric, None, solver)
}

/// The same for the sum of weights over a channel, where `weight(source, destination)` is what
/// one host sends to another.
///
/// # Errors
/// As [`load_bound`].
pub fn load_bound_for_weights(
    fabric: &Fabric,
    weight: impl Fn(HostId, HostId) -> u16,
    solver: &dyn LinearSolver,
) -> Result<u64, RoutingError> {
    bound_of(fabric, Some(&demand_by_weights(fabric, weight)), solver)
}

fn bound_of(
    fabric: &Fabric,
    demand: Option<&[u64]>,
    solver: &dyn LinearSolver,
) -> Result<u64, RoutingError> {
    let part = routed_part(fabric)?;
    let space = PathSpace::new(fabric, None, TurnRule::Free);
    let endpoints = Endpoints::new(fabric, PairGranularity::Host);
    let hosts = endpoints.hosts_per_switch(space.switch_count());
    let demand = demand.map_or(Demand::PerHost(&hosts), Demand::PerPair);
    let between = between(&space, &endpoints, demand);
    let (least, _) = least_load(&space, &part, &between);
    if part.len() * space.edge_count() > MOST_COLUMNS {
        return Ok(least);
    }
    match least_largest_flow(&space, &part, &between, solver) {
        Err(LinearError::NoSolver) => Ok(least),
        Err(error) => Err(error.into()),
        Ok(flow) => Ok(least.max(whole(flow * (1.0 - TOLERANCE)))),
    }
}

/// The least whole number from a load up.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "loads are below 2^53 and not negative"
)]
fn whole(load: f64) -> u64 {
    load.max(0.0).ceil() as u64
}

/// Per switch and switch, what the hosts of the one send to those of the other.
pub(crate) fn between(space: &PathSpace, endpoints: &Endpoints, demand: Demand<'_>) -> Vec<u64> {
    let (switches, count) = (space.switch_count(), endpoints.count());
    let mut between = vec![0_u64; switches * switches];
    for from in 0..switches {
        for destination in 0..count {
            let to = endpoints.switch(destination) as usize;
            between[from * switches + to] += demand.of(from, destination, count);
        }
    }
    between
}

/// A load that the largest of no routing is below, and a sum that no routing's loads are below:
/// the sum if every route is as short as the fabric allows; of the largest, its mean, and for the
/// surroundings of every switch, alone and with its neighbours, the mean over the channels that lead out
/// of them or into them.
///
/// # Complexity
/// Time O(S·(E + S)) for S switches and E links.
pub(crate) fn least_load(space: &PathSpace, part: &[SwitchId], between: &[u64]) -> (u64, u64) {
    let around = |&switch: &SwitchId| around(space, switch.number(), between);
    let all: Vec<(u64, u64)> = part.par_iter().map(around).collect();
    let channels = part.iter().map(|s| space.edges_of(s.number()).len() as u64);
    let length: u64 = all.iter().map(|found| found.0).sum();
    let mean = length.div_ceil(channels.sum::<u64>().max(1));
    let cut = all.iter().map(|found| found.1).max();
    (mean.max(cut.unwrap_or(0)), length)
}

/// The sum of the links of the shortest ways of all that a switch sends, and the largest mean
/// over the channels around it.
fn around(space: &PathSpace, switch: u32, between: &[u64]) -> (u64, u64) {
    let switches = space.switch_count();
    let mut links = vec![u32::MAX; switches];
    links[switch as usize] = 0;
    let mut queue = vec![switch];
    let mut place = 0;
    let (mut length, mut most) = (0, 0);
    let mut inside = vec![false; switches];
    // Channels out of the surroundings, and what must go out and come in.
    let (mut channels, mut sent, mut heard) = (0_i64, 0_i64, 0_i64);
    let mut radius = 0;
    while let Some(&at) = queue.get(place) {
        place += 1;
        let far = links[at as usize];
        length += u64::from(far) * between[switch as usize * switches + at as usize];
        if far > radius {
            most = most.max(mean([sent, heard], channels));
            radius = far;
        }
        for edge in space.edges_of(at) {
            if links[edge.to as usize] == u32::MAX {
                links[edge.to as usize] = far + 1;
                queue.push(edge.to);
            }
        }
        if far > MOST_RADIUS {
            continue;
        }
        inside[at as usize] = true;
        for edge in space.edges_of(at) {
            channels += if inside[edge.to as usize] { -1 } else { 1 };
        }
        for other in (0..switches).filter(|&other| other != at as usize) {
            let [out, back] = [[at as usize, other], [other, at as usize]]
                .map(|[from, to]| between[from * switches + to].cast_signed());
            if inside[other] {
                (sent, heard) = (sent - back, heard - out);
            } else {
                (sent, heard) = (sent + out, heard + back);
            }
        }
    }
    (length, most)
}

/// The larger of two flows over so many channels each; 0 over none.
fn mean([sent, heard]: [i64; 2], channels: i64) -> u64 {
    let most = sent.max(heard).max(0).unsigned_abs();
    if channels > 0 {
        most.div_ceil(channels.unsigned_abs())
    } else {
        0
    }
}
