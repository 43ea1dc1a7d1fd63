//! What no routing can do better: loads that the fullest channel of none is below, and the throughput that
//! none exceeds.

use crate::error::RoutingError;
use crate::form::Endpoints;
use crate::linear_solver::{LinearError, LinearProgram, LinearSolver};
use crate::load::Demand;
use crate::load::cuts::{ROOM, fullest_cut, room};
use crate::orient::routed_part;
use crate::paths::{PathSpace, TurnRule, links_from};
use rayon::prelude::*;
use weft_fabric::{Fabric, SwitchId, narrow};

/// The whole part of a load.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "loads are below 2^53 and not negative"
)]
pub(crate) fn whole(load: f64) -> u64 {
    load as u64
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
/// of them or into them. A channel's load is what it carries times its [slowness](PathSpace::slowness).
/// Time O(S·(E + S)) for S switches and E links.
pub(crate) fn least_load(space: &PathSpace, part: &[SwitchId], between: &[u64]) -> (u64, u64) {
    let of_switch = |&switch: &SwitchId| length_from(space, switch.number(), between);
    let length: u64 = part.par_iter().map(of_switch).sum();
    let edges = part.iter().flat_map(|s| space.edge_ids(s.number()));
    let room = edges.clone().map(|edge| room(space, edge)).sum();
    let cut = fullest_cut(space, between);
    let fastest = edges.map(|edge| space.slowness(edge)).min();
    (
        mean(length, room).max(mean(cut.flow, cut.room)),
        length * fastest.unwrap_or(1),
    )
}

/// The sum of the links of the shortest ways of all that a switch sends.
fn length_from(space: &PathSpace, switch: u32, between: &[u64]) -> u64 {
    let switches = space.switch_count();
    let sent = &between[switch as usize * switches..][..switches];
    let links = links_from(space, switch);
    let reached = links.iter().zip(sent).filter(|&(&far, _)| far != u32::MAX);
    reached.map(|(&far, sent)| u64::from(far) * sent).sum()
}

/// The load of channels that carry a flow together, by their room; 0 without any.
fn mean(flow: u64, room: u64) -> u64 {
    if room == 0 {
        return 0;
    }
    let load = (u128::from(flow) * u128::from(ROOM)).div_ceil(room.into());
    narrow(load, "flows times the slowness of a channel are loads")
}

/// The largest load that any routing of a fabric can bear when every host sends to all
/// others alike, as a fraction of the link rate, the same for all links; at most 1.
///
/// Traffic may split over all paths of any length, as no single routing of one path per pair does,
/// and deadlock is left aside; so no routing's
/// [`saturation_bound`](crate::LoadFigures::saturation_bound) is above it.
///
/// # Errors
/// [`RoutingError::NoHost`], [`RoutingError::Disconnected`] and [`RoutingError::Linear`].
///
/// # Complexity
/// As [`least_largest_flow`].
pub fn throughput_bound(fabric: &Fabric, solver: &dyn LinearSolver) -> Result<f64, RoutingError> {
    let compute = fabric.compute_part();
    let fabric = &*compute;
    let part = routed_part(fabric)?;
    let space = PathSpace::new(fabric, None, TurnRule::Free);
    let hosts = |switch| fabric.hosts_of(SwitchId::from_index(switch)).len() as u64;
    let switches = 0..space.switch_count();
    let between: Vec<u64> = switches
        .clone()
        .flat_map(|from| switches.clone().map(move |to| hosts(from) * hosts(to)))
        .collect();
    let largest = least_largest_flow(&space, &part, &between, solver)?;
    let others = fabric.host_count() as f64 - 1.0;
    Ok(if largest > others {
        others / largest
    } else {
        1.0
    })
}

/// The least that the largest load of a channel can be when what switches send one another
/// may split over all paths of any length; 0 where nothing is sent.
///
/// ```text
/// minimise L   with   flow of each source kept at every switch,   Σ flow over a channel ≤ L
/// ```
///
/// Shapes: `between`, per switch and switch what the one sends to the other; what a switch sends itself
/// counts nowhere.
/// A linear program of S·C columns and S² rows for S switches and C channels between them.
/// Source: Cherkasova, Kotov, Rokicki, "Fibre channel fabrics: evaluation and design", HICSS 1996, which
/// derives such a bound; the program is the textbook one of several commodities.
pub(crate) fn least_largest_flow(
    space: &PathSpace,
    part: &[SwitchId],
    between: &[u64],
    solver: &dyn LinearSolver,
) -> Result<f64, LinearError> {
    let flow =
        |from: SwitchId, to: SwitchId| between[from.index() * space.switch_count() + to.index()];
    let sent = |from: SwitchId| -> u64 {
        let others = part.iter().filter(|&&to| to != from);
        others.map(|&to| flow(from, to)).sum()
    };
    let sources: Vec<SwitchId> = part.iter().copied().filter(|&s| sent(s) > 0).collect();
    let Some(most) = sources.iter().map(|&source| sent(source)).max() else {
        return Ok(0.0);
    };
    // Flows in parts of the largest that one switch sends, so that all numbers are of one size.
    let unit = most as f64;

    let too_large = |_| LinearError::TooLarge;
    let count = u32::try_from(part.len() * sources.len()).map_err(too_large)?;
    let mut place = vec![0_u32; space.switch_count()];
    for (number, switch) in (0..).zip(part) {
        place[switch.index()] = number;
    }
    // What leaves a switch less what enters it: at the source all it sends, elsewhere minus what is
    // sent there.
    let mut rest = Vec::with_capacity(count as usize);
    for &source in &sources {
        for &switch in part {
            rest.push(if switch == source {
                sent(source) as f64 / unit
            } else {
                -(flow(source, switch) as f64) / unit
            });
        }
    }
    let edges: Vec<u32> = part
        .iter()
        .flat_map(|&switch| space.edge_ids(switch.number()))
        .collect();
    let mut lower = rest.clone();
    lower.resize(rest.len() + edges.len(), f64::NEG_INFINITY);
    rest.resize(lower.len(), 0.0);
    let mut program = LinearProgram::with_rows(lower, rest);
    for first_row in (0..count).step_by(part.len()) {
        for (row, &edge) in (count..).zip(&edges) {
            let back = space.edge(edge).reverse;
            let ends = [back, edge].map(|edge| space.edge(edge).to as usize);
            let [out, into] = ends.map(|switch| first_row + place[switch]);
            program.push_column(0.0, [(out, 1.0), (into, -1.0), (row, 1.0)])?;
        }
    }
    let rows = (count..).take(edges.len());
    program.push_column(1.0, rows.map(|row| (row, -1.0)))?;
    let solution = solver.solve(&program)?;
    Ok(solution.last().copied().unwrap_or(0.0) * unit)
}
