//! Linear programs solved by HiGHS, which Python brings where it is installed.

use crate::arrays::row;
use crate::errors::{Exception, Outcome};
use crate::interrupt::Stop;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use std::sync::{Arc, OnceLock};
use weft_routing::{LinearError, LinearProgram, LinearSolver};

/// HiGHS, called by way of `weft._linear`.
///
/// A run that needs it is detached from the interpreter and attaches for the call alone; while HiGHS
/// works, others have the interpreter.
#[derive(Clone, Debug)]
pub(crate) struct Highs {
    stop: Stop,
    /// What is said where it was needed and is not installed.
    lacking: Arc<OnceLock<String>>,
}

impl Highs {
    /// Solves until the run it serves should end.
    pub(crate) fn new(stop: Stop) -> Self {
        Self {
            stop,
            lacking: Arc::default(),
        }
    }

    /// Tells whether the run had what it needed.
    ///
    /// # Errors
    /// `EnvironmentFailure` where a program was to be solved and HiGHS is not installed.
    pub(crate) fn require(&self) -> Outcome<()> {
        let lacking = self.lacking.get();
        lacking.map_or(
            Ok(()),
            |text| Err(Exception::Environment.told(text.clone())),
        )
    }
}

impl LinearSolver for Highs {
    fn solve(&self, program: &LinearProgram) -> Result<Vec<f64>, LinearError> {
        if self.stop.is_requested() {
            return Err(LinearError::Interrupted);
        }
        // No attaching to an interpreter that has been asked to end.
        let solved = Python::try_attach(|py| match lacking(py)? {
            Some(text) => {
                // Whichever was first says the same.
                self.lacking.get_or_init(|| text);
                Ok(None)
            }
            None => solve(py, program).map(Some),
        });
        let solved = solved.ok_or(LinearError::Interrupted)?;
        let solution = solved.map_err(|error: PyErr| LinearError::Failed(error.to_string()))?;
        solution.ok_or(LinearError::NoSolver)
    }
}

/// What is said where HiGHS is not installed.
fn lacking(py: Python<'_>) -> PyResult<Option<String>> {
    py.import("weft._extras")?
        .call_method1("lacking", ("highspy",))?
        .extract()
}

fn solve(py: Python<'_>, program: &LinearProgram) -> PyResult<Vec<f64>> {
    let numbers = |values: &[f64]| row(py, values.iter().copied());
    let places = |values: &[u32]| row(py, values.iter().copied());
    let solution = py.import("weft._linear")?.call_method1(
        "solve",
        (
            numbers(&program.costs)?,
            (numbers(&program.lower)?, numbers(&program.upper)?),
            (numbers(&program.row_lower)?, numbers(&program.row_upper)?),
            (
                places(&program.starts)?,
                places(&program.rows)?,
                numbers(&program.values)?,
            ),
        ),
    )?;
    Ok(solution.cast::<PyArray1<f64>>()?.to_vec()?)
}
