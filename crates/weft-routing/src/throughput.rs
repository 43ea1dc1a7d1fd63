//! What no routing of a fabric can exceed.

use crate::error::RoutingError;
use crate::linear::{LinearError, LinearProgram, LinearSolver};
use crate::orientation::routed_part;
use crate::path_space::{PathSpace, TurnRule};
use weft_fabric::{Fabric, SwitchId};

/// This is the largest load that any routing of a fabric can bear when every host sends to all
/// others alike, as a fraction of the link rate, the same for all links; at most 1.
///
/// Traffic may split over all paths of any length, as no single routing of one path per pair does,
/// and deadlock is left aside; so no routing's
/// [`saturation_bound`](crate::LoadFigures::saturation_bound) is above it.
///
/// ```text
/// minimise L   with   flow of each source kept at every switch,   Σ flow over a channel ≤ L
/// ```
///
/// # Errors
/// [`RoutingError::NoHost`], [`RoutingError::Disconnected`] and [`RoutingError::Linear`].
///
/// # Complexity
/// A linear program of S·C columns and S² rows for S switches and C channels between them.
///
/// # Source
/// Cherkasova, Kotov, Rokicki, "Fibre channel fabrics: evaluation and design", HICSS 1996, which
/// derives such a bound; the program is the textbook one of several commodities.
pub fn throughput_bound(fabric: &Fabric, solver: &dyn LinearSolver) -> Result<f64, RoutingError> {
    let part = routed_part(fabric)?;
    let space = PathSpace::new(fabric, None, TurnRule::Free);
    let hosts = |switch: SwitchId| fabric.hosts_of(switch).len() as f64;
    let sources: Vec<SwitchId> = part.iter().copied().filter(|&s| hosts(s) > 0.0).collect();
    if sources.len() < 2 {
        return Ok(1.0);
    }
    let all: f64 = sources.iter().map(|&source| hosts(source)).sum();

    let too_large = |_| LinearError::TooLarge;
    let count = u32::try_from(part.len() * sources.len()).map_err(too_large)?;
    let mut place = vec![0_u32; space.switch_count()];
    for (number, switch) in (0..).zip(&part) {
        place[switch.index()] = number;
    }
    // What leaves a switch less what enters it: at the source all its traffic to others, elsewhere
    // minus what the hosts there get; flows count in routes per host of the fabric.
    let mut rest = Vec::with_capacity(count as usize);
    for &source in &sources {
        for &switch in &part {
            let kept = if switch == source { all } else { 0.0 };
            rest.push(hosts(source) * (kept - hosts(switch)) / all);
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
    let largest = solution.last().copied().unwrap_or(0.0) * all;
    Ok(((all - 1.0) / largest).min(1.0))
}
