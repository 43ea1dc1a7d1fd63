//! Traffic spread over candidate paths so that the most loaded channel carries least, by a linear
//! program.

use crate::linear_solver::{LinearError, LinearProgram, LinearSolver};
use crate::paths::Candidates;

/// Cost of all links that packets cross, where the largest load costs about 1: of equally good
/// spreads the one with shortest paths is taken.
const COST_OF_LENGTH: f64 = 1e-4;

/// The share of each candidate path in its pair's traffic such that the largest load of a
/// channel is least when all hosts send to all others alike.
///
/// ```text
/// minimise L   with   Σ share of a pair's paths = 1,   Σ weight · share over a channel ≤ L
/// ```
///
/// Shapes: a list per pair with a share per path, from 0 to 1; they sum to 1.
/// Source: Cherkasova, Kotov, Rokicki, "Fibre channel fabrics: evaluation and design", HICSS 1996, as
/// Flich, López, Malumbres, Duato report it.
pub(crate) fn spread(
    edge_count: usize,
    pairs: &[Candidates],
    solver: &dyn LinearSolver,
) -> Result<Vec<Vec<f64>>, LinearError> {
    let links: f64 = pairs
        .iter()
        .map(|pair| pair.weight as f64 * pair.paths[0].len() as f64)
        .sum();
    // Loads in units of about the mean, so that all numbers of the program are of one size.
    let unit = links / edge_count as f64;
    let has_choice = |pair: &&Candidates| pair.paths.len() > 1;
    let choices = pairs.iter().filter(has_choice).count();
    if choices == 0 {
        return Ok(pairs.iter().map(|_| vec![1.0]).collect());
    }
    // What pairs without a choice put on the channels stands on the right side.
    let mut room = vec![0.0; edge_count];
    for pair in pairs.iter().filter(|pair| !has_choice(pair)) {
        for &edge in &pair.paths[0] {
            room[edge as usize] -= pair.weight as f64 / unit;
        }
    }
    let mut lower = vec![1.0; choices];
    let mut upper = vec![1.0; choices];
    lower.resize(choices + edge_count, f64::NEG_INFINITY);
    upper.extend(room);
    let mut program = LinearProgram::with_rows(lower, upper);
    let row_of_edge = u32::try_from(choices).map_err(|_| LinearError::TooLarge)?;
    for (row, pair) in (0..).zip(pairs.iter().filter(has_choice)) {
        let weight = pair.weight as f64;
        for path in &pair.paths {
            let loads = path.iter().map(|&edge| (row_of_edge + edge, weight / unit));
            let cost = COST_OF_LENGTH * weight * path.len() as f64 / links;
            program.push_column(cost, std::iter::once((row, 1.0)).chain(loads))?;
        }
    }
    let edges = (row_of_edge..).take(edge_count);
    program.push_column(1.0, edges.map(|row| (row, -1.0)))?;
    let solution = solver.solve(&program)?;

    let mut values = solution.into_iter();
    let share = |pair: &Candidates| {
        if pair.paths.len() == 1 {
            return vec![1.0];
        }
        let shares: Vec<f64> = values.by_ref().take(pair.paths.len()).collect();
        // A solver keeps to bounds and sums within its tolerance only.
        let shares = shares.into_iter().map(|share| share.clamp(0.0, 1.0));
        let sum: f64 = shares.clone().sum();
        shares.map(|share| share / sum).collect()
    };
    Ok(pairs.iter().map(share).collect())
}
