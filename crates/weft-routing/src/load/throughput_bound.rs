//! What no routing of a fabric can exceed, by a linear program.

use crate::error::RoutingError;
use crate::linear_program::{LinearError, LinearProgram, LinearSolver};
use crate::orient::orientation::routed_part;
use crate::paths::path_space::{PathSpace, TurnRule};
use weft_fabric::{Fabric, SwitchId};

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
///
/// # Errors
/// [`LinearError`] of the solver.
///
/// # Complexity
/// A linear program of S·C columns and S² rows for S switches and C channels between them.
///
/// # Source
/// Cherkasova, Kotov, Rokicki, "Fibre channel fabrics: evaluation and design", HICSS 1996, which
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
