//! Questions about a fabric, as the page asks them.

use crate::errors::Outcome;
use crate::fabric::PyFabric;
use crate::interrupt::run;
use crate::routing::PyRouting;
use pyo3::prelude::*;
use std::sync::Arc;
use weft_explore::Explorer;

/// A fabric that questions are asked of, in JSON; the reference lists questions and answers.
///
/// Parameters
/// ----------
/// fabric : Fabric
///     The network.
/// routings : sequence of Routing, optional
///     Routes of it that are given, not made: states name them by their labels. After failures they are
///     repaired.
/// patterns : sequence of (str, str), optional
///     Patterns that read a file, as states name them, and what stands in it.
#[pyclass(name = "Explorer", module = "weft._core", frozen)]
#[derive(Debug)]
pub(crate) struct PyExplorer {
    inner: Arc<Explorer>,
}

#[pymethods]
impl PyExplorer {
    #[new]
    #[pyo3(signature = (fabric, routings = Vec::new(), patterns = Vec::new()))]
    fn new(
        fabric: &PyFabric,
        routings: Vec<Bound<'_, PyRouting>>,
        patterns: Vec<(String, String)>,
    ) -> Outcome<Self> {
        let mut explorer = Explorer::new(Arc::clone(&fabric.inner));
        for routing in routings {
            let (_, made) = routing.get().on(fabric)?;
            explorer.add_routes(routing.get().label(), made);
        }
        for (pattern, text) in patterns {
            explorer.add_pattern(pattern, text);
        }
        let inner = Arc::new(explorer);
        Ok(Self { inner })
    }

    /// Answer a question.
    ///
    /// Parameters
    /// ----------
    /// question : str
    ///     A JSON object.
    ///
    /// Returns
    /// -------
    /// str
    ///     The answer, a JSON object; its member ``error`` tells why there is none.
    fn ask(&self, py: Python<'_>, question: String) -> PyResult<String> {
        let explorer = Arc::clone(&self.inner);
        run(py, move || explorer.ask(&question))
    }

    fn __repr__(&self) -> String {
        format!("<Explorer of {}>", self.inner.fabric().name())
    }
}
