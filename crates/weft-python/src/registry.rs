//! What stands in registries, as the records that `weft.fabric.parameter` holds.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use weft_registry::{Entry, Spec};

/// What is known of a parameter, by name of the fact.
pub(crate) fn parameter<'py>(
    py: Python<'py>,
    spec: &Spec,
    default: Option<&str>,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("name", spec.name)?;
    dict.set_item("kind", spec.kind.to_string())?;
    dict.set_item("default", default)?;
    dict.set_item("summary", spec.summary)?;
    dict.set_item("example", spec.example)?;
    dict.set_item("type", spec.kind.name())?;
    dict.set_item("unit", spec.unit)?;
    dict.set_item("source", spec.source)?;
    Ok(dict)
}

/// What is known of an entry, by name of the fact.
pub(crate) fn entry<'py, Make>(
    py: Python<'py>,
    entry: &Entry<Make>,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("name", entry.name)?;
    dict.set_item("title", entry.title)?;
    dict.set_item("summary", entry.summary)?;
    dict.set_item("source", entry.source)?;
    let specs = entry.parameters.iter();
    let parameters = specs.map(|spec| parameter(py, spec, spec.default));
    dict.set_item("parameters", parameters.collect::<PyResult<Vec<_>>>()?)?;
    Ok(dict)
}
