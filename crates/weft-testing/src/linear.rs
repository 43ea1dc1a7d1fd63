//! A solver of linear programs in Rust, for the tests.

use microlp::{ComparisonOp, OptimizationDirection, Problem};
use weft_routing::{LinearError, LinearProgram, LinearSolver};

/// Microlp: a simplex method, so its optima are corners.
#[derive(Clone, Copy, Debug)]
pub struct Microlp;

impl LinearSolver for Microlp {
    fn solve(&self, program: &LinearProgram) -> Result<Vec<f64>, LinearError> {
        let mut problem = Problem::new(OptimizationDirection::Minimize);
        let bounds = program.lower.iter().zip(&program.upper);
        let columns: Vec<_> = program
            .costs
            .iter()
            .zip(bounds)
            .map(|(&cost, (&lower, &upper))| problem.add_var(cost, (lower, upper)))
            .collect();
        let mut sums = vec![Vec::new(); program.row_lower.len()];
        for (&column, ends) in columns.iter().zip(program.starts.windows(2)) {
            for entry in ends[0] as usize..ends[1] as usize {
                sums[program.rows[entry] as usize].push((column, program.values[entry]));
            }
        }
        let bounds = program.row_lower.iter().zip(&program.row_upper);
        for (sum, (&lower, &upper)) in sums.into_iter().zip(bounds) {
            if lower.total_cmp(&upper).is_eq() {
                problem.add_constraint(sum, ComparisonOp::Eq, upper);
                continue;
            }
            if upper.is_finite() {
                problem.add_constraint(sum.as_slice(), ComparisonOp::Le, upper);
            }
            if lower.is_finite() {
                problem.add_constraint(sum, ComparisonOp::Ge, lower);
            }
        }
        let solved = problem.solve();
        let outcome = solved.map_err(|error| LinearError::Failed(error.to_string()))?;
        let solution = outcome
            .into_solution()
            .unwrap_or_else(|_| unreachable!("the solver has no limit of time"));
        Ok(columns
            .into_iter()
            .map(|column| solution.var_value(column))
            .collect())
    }
}
