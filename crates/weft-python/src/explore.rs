//! Questions about a fabric, as the page asks them.

use crate::fabric::PyFabric;
use crate::interrupt::run;
use pyo3::prelude::*;
use std::sync::Arc;
use weft_explore::Explorer;

/// A fabric that questions are asked of, in JSON; `weft.explore` documents it.
#[pyclass(name = "Explorer", module = "weft._core", frozen)]
#[derive(Debug)]
pub(crate) struct PyExplorer {
    inner: Arc<Explorer>,
}

#[pymethods]
impl PyExplorer {
    #[new]
    fn new(fabric: &PyFabric) -> Self {
        Self {
            inner: Arc::new(Explorer::new(Arc::clone(&fabric.inner))),
        }
    }

    /// Answers a question, or tells in the member `error` why it has no answer.
    fn ask(&self, py: Python<'_>, question: String) -> PyResult<String> {
        let explorer = Arc::clone(&self.inner);
        run(py, move || explorer.ask(&question))
    }

    fn __repr__(&self) -> String {
        format!("<Explorer of {}>", self.inner.fabric().name())
    }
}
