//! Loads that no routing of one path per pair can stay below.

use super::balance::Demand;
use crate::endpoints::Endpoints;
use crate::error::RoutingError;
use crate::orientation::routed_part;
use crate::path_space::{PathSpace, TurnRule};
use crate::routes::PairGranularity;
use rayon::prelude::*;
use weft_fabric::{Fabric, SwitchId};

/// Farthest links from a switch at which a cut around it is counted.
const MOST_RADIUS: u32 = 1;

/// This is a number of routes that no routing keeps every channel between switches below, when each
/// host has one route to every other: the mean if all were shortest, and the mean over the channels
/// out of, or into, a switch or a switch and its neighbours.
///
/// # Errors
/// As [`routed_part`].
///
/// # Complexity
/// Time O(S·(E + S·d)) for S switches, E links and d links of a switch.
pub fn load_bound(fabric: &Fabric) -> Result<u64, RoutingError> {
    let part = routed_part(fabric)?;
    let space = PathSpace::new(fabric, None, TurnRule::Free);
    let endpoints = Endpoints::new(fabric, PairGranularity::Host);
    let hosts = endpoints.hosts_per_switch(space.switch_count());
    let demand = Demand::PerHost(&hosts);
    Ok(least_load(&space, &part, &endpoints, demand).0)
}

/// This is a load that the largest of no routing is below, and a sum that no routing's
/// loads are below: the sum if every route is as short as the fabric allows; of the largest, its mean, and for
/// the surroundings of every switch, alone and with its neighbours, the mean over the channels that lead
/// out of them or into them.
///
/// # Complexity
/// Time O(S·(E + S)), for demands of pairs O(S·h) more, for S switches, E links and h hosts.
pub(crate) fn least_load(
    space: &PathSpace,
    part: &[SwitchId],
    endpoints: &Endpoints,
    demand: Demand<'_>,
) -> (u64, u64) {
    let count = endpoints.count();
    // What the hosts of a switch send to those of another.
    let mut between = vec![0_u64; space.switch_count() * space.switch_count()];
    for from in 0..space.switch_count() {
        for destination in 0..count {
            let to = endpoints.switch(destination) as usize;
            between[from * space.switch_count() + to] += demand.of(from, destination, count);
        }
    }
    let around = |&switch: &SwitchId| around(space, switch.number(), &between);
    let all: Vec<(u64, u64)> = part.par_iter().map(around).collect();
    let channels = part.iter().map(|s| space.edges_of(s.number()).len() as u64);
    let length: u64 = all.iter().map(|found| found.0).sum();
    let mean = length.div_ceil(channels.sum::<u64>().max(1));
    let cut = all.iter().map(|found| found.1).max();
    (mean.max(cut.unwrap_or(0)), length)
}

/// This is the sum of the links of the shortest ways of all that a switch sends, and the largest mean
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

/// This is the larger of two flows over so many channels each; 0 over none.
fn mean([sent, heard]: [i64; 2], channels: i64) -> u64 {
    match u64::try_from(channels) {
        Ok(channels) if channels > 0 => sent.max(heard).max(0).unsigned_abs().div_ceil(channels),
        _ => 0,
    }
}
