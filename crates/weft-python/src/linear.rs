//! Linear programs solved by HiGHS, which Python brings.

use crate::interrupt::Stop;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use weft_routing::{LinearError, LinearProgram, LinearSolver};

/// HiGHS, called by way of `weft._linear`.
///
/// A run that needs it is detached from the interpreter and attaches for the call alone; while HiGHS
/// works, others have the interpreter.
#[derive(Debug)]
pub(crate) struct Highs {
    stop: Stop,
}

impl Highs {
    /// Solves until the run it serves should end.
    pub(crate) fn new(stop: Stop) -> Self {
        Self { stop }
    }
}

impl LinearSolver for Highs {
    fn solve(&self, program: &LinearProgram) -> Result<Vec<f64>, LinearError> {
        if self.stop.is_requested() {
            return Err(LinearError::Interrupted);
        }
        // No attaching to an interpreter that has been asked to end.
        let solved = Python::try_attach(|py| solve(py, program));
        solved
            .ok_or(LinearError::Interrupted)?
            .map_err(|error| LinearError::Failed(error.to_string()))
    }
}

fn solve(py: Python<'_>, program: &LinearProgram) -> PyResult<Vec<f64>> {
    let numbers = |values: &[f64]| PyArray1::from_slice(py, values);
    let places = |values: &[u32]| PyArray1::from_slice(py, values);
    let solution = py.import("weft._linear")?.call_method1(
        "solve",
        (
            numbers(&program.costs),
            (numbers(&program.lower), numbers(&program.upper)),
            (numbers(&program.row_lower), numbers(&program.row_upper)),
            (
                places(&program.starts),
                places(&program.rows),
                numbers(&program.values),
            ),
        ),
    )?;
    Ok(solution.cast::<PyArray1<f64>>()?.to_vec()?)
}
