//! Linear programs, and what solves them.
//!
//! The routings that need one build it here and hand it to whatever solver the caller has: the
//! Python package brings `HiGHS`, the tests a solver in Rust.

use std::fmt;

/// A linear program: find values of the columns, each between its bounds, such that every row's sum
/// lies between its bounds and the total cost is least.
///
/// Shapes: `costs`, `lower`, `upper` per column; `row_lower`, `row_upper` per row; the entries of
/// column `j` are those from `starts[j]` to `starts[j + 1]` of `rows` and `values`, so `starts` is
/// one longer than `costs`. Bounds may be infinite.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinearProgram {
    /// Per column: cost of one unit.
    pub costs: Vec<f64>,
    /// Per column: least value.
    pub lower: Vec<f64>,
    /// Per column: largest value.
    pub upper: Vec<f64>,
    /// Per row: least sum.
    pub row_lower: Vec<f64>,
    /// Per row: largest sum.
    pub row_upper: Vec<f64>,
    /// Per column, and one more: where its entries begin.
    pub starts: Vec<u32>,
    /// Per entry: its row.
    pub rows: Vec<u32>,
    /// Per entry: what one unit of the column adds to the row.
    pub values: Vec<f64>,
}

impl LinearProgram {
    /// A program without columns over rows with the given bounds.
    pub(crate) fn with_rows(row_lower: Vec<f64>, row_upper: Vec<f64>) -> Self {
        Self {
            row_lower,
            row_upper,
            starts: vec![0],
            ..Self::default()
        }
    }

    /// Appends a column of values from 0 up, with the rows it adds to.
    pub(crate) fn push_column(
        &mut self,
        cost: f64,
        entries: impl IntoIterator<Item = (u32, f64)>,
    ) -> Result<(), LinearError> {
        self.costs.push(cost);
        self.lower.push(0.0);
        self.upper.push(f64::INFINITY);
        for (row, value) in entries {
            self.rows.push(row);
            self.values.push(value);
        }
        let end = i32::try_from(self.rows.len()).map_err(|_| LinearError::TooLarge)?;
        self.starts.push(end.unsigned_abs());
        Ok(())
    }
}

/// A linear program was not solved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LinearError {
    /// There is no solver.
    #[error("no solver of linear programs is at hand; route from Python, which brings HiGHS")]
    NoSolver,
    /// The caller does not want the solution any more.
    #[error("the solution of a linear program was no longer wanted")]
    Interrupted,
    /// The program has more entries than solvers can number.
    #[error("the linear program has more than 2^31 entries; route a smaller fabric")]
    TooLarge,
    /// The solver ended without a solution.
    #[error("the solver of linear programs ended without a solution: {0}")]
    Failed(String),
}

/// What solves linear programs.
pub trait LinearSolver: fmt::Debug + Sync {
    /// Finds the values of the columns at an optimum. Equal programs have equal solutions.
    ///
    /// # Errors
    /// [`LinearError`].
    fn solve(&self, program: &LinearProgram) -> Result<Vec<f64>, LinearError>;
}

/// The solver of those who have none.
#[derive(Clone, Copy, Debug)]
pub struct NoSolver;

impl LinearSolver for NoSolver {
    fn solve(&self, _: &LinearProgram) -> Result<Vec<f64>, LinearError> {
        Err(LinearError::NoSolver)
    }
}
