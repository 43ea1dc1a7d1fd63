//! A solver of linear programs in Rust, for the tests.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};
use weft_routing::{LinearError, LinearProgram, LinearSolver};

/// Clarabel: an interior-point method, so its optima lie amid the best solutions where those of the
/// simplex method lie at a corner.
#[derive(Clone, Copy, Debug)]
pub struct Clarabel;

impl LinearSolver for Clarabel {
    fn solve(&self, program: &LinearProgram) -> Result<Vec<f64>, LinearError> {
        let columns = program.costs.len();
        // Every finite bound is a row of its own: equalities first, then what must not be exceeded.
        let mut equal = Vec::new();
        let mut most = Vec::new();
        let mut entries: Vec<Vec<(usize, f64)>> = vec![Vec::new(); program.row_lower.len()];
        for column in 0..columns {
            let [start, end] = [0, 1].map(|next| program.starts[column + next] as usize);
            for entry in start..end {
                entries[program.rows[entry] as usize].push((column, program.values[entry]));
            }
        }
        entries.extend((0..columns).map(|column| vec![(column, 1.0)]));
        let lower = program.row_lower.iter().chain(&program.lower);
        let upper = program.row_upper.iter().chain(&program.upper);
        for ((row, &lower), &upper) in entries.into_iter().zip(lower).zip(upper) {
            let negated = row
                .iter()
                .map(|&(column, value)| (column, -value))
                .collect();
            if lower.total_cmp(&upper).is_eq() {
                equal.push((row, upper));
                continue;
            }
            if upper.is_finite() {
                most.push((row, upper));
            }
            if lower.is_finite() {
                most.push((negated, -lower));
            }
        }
        let cones = [
            SupportedConeT::ZeroConeT(equal.len()),
            SupportedConeT::NonnegativeConeT(most.len()),
        ];
        let (mut places, mut right) = ((Vec::new(), Vec::new(), Vec::new()), Vec::new());
        for (place, (row, bound)) in equal.into_iter().chain(most).enumerate() {
            right.push(bound);
            for (column, value) in row {
                places.0.push(place);
                places.1.push(column);
                places.2.push(value);
            }
        }
        let matrix =
            CscMatrix::new_from_triplets(right.len(), columns, places.0, places.1, places.2);
        let settings = DefaultSettings {
            verbose: false,
            ..DefaultSettings::default()
        };
        let no_squares = CscMatrix::zeros((columns, columns));
        let solver = DefaultSolver::new(
            &no_squares,
            &program.costs,
            &matrix,
            &right,
            &cones,
            settings,
        );
        let mut solver = solver.map_err(|error| LinearError::Failed(error.to_string()))?;
        solver.solve();
        match solver.solution.status {
            SolverStatus::Solved | SolverStatus::AlmostSolved => Ok(solver.solution.x),
            other => Err(LinearError::Failed(format!("{other:?}"))),
        }
    }
}
