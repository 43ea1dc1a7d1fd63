//! The stage `hardware`: parameters in physical units.

use crate::errors::Outcome;
use crate::registry;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;
use weft_model::hardware::{Hardware, PRESETS, Parameter, Preset};
use weft_registry::Value;

/// Parameters of switches, cables and NICs in physical units; immutable and free of contradictions.
///
/// Made by :func:`weft.hardware` and :func:`weft.read_hardware`; what the parameters mean tells
/// :func:`weft.hardware_parameters`.
#[pyclass(name = "Hardware", module = "weft._core", frozen, eq)]
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PyHardware {
    pub(crate) inner: Hardware,
}

impl PyHardware {
    fn checked(mut inner: Hardware, changes: &BTreeMap<String, String>) -> Outcome<Self> {
        for (name, value) in changes {
            inner = inner.with(name, value)?;
        }
        inner.check()?;
        Ok(Self { inner })
    }
}

#[pymethods]
impl PyHardware {
    /// Name of the preset the parameters started from.
    #[getter]
    fn preset(&self) -> &str {
        self.inner.preset_name()
    }

    /// How packets pass switches: `wormhole` or `cut_through`.
    #[getter]
    fn switching(&self) -> &str {
        self.inner.switching()
    }

    /// Time of one flit on a channel, in nanoseconds.
    #[getter]
    fn cycle_ns(&self) -> f64 {
        self.inner.cycle_ns()
    }

    /// Rate of a channel in bytes per nanosecond.
    #[getter]
    fn link_rate_bytes_per_ns(&self) -> f64 {
        self.inner.link_rate_bytes_per_ns()
    }

    /// Values of all parameters by name, in the unit the name says.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for parameter in self.inner.parameters() {
            let name = parameter.spec.name;
            match parameter.value {
                Value::Number(number) => dict.set_item(name, number)?,
                Value::Whole(number) => dict.set_item(name, number)?,
                Value::Word(word) => dict.set_item(name, word)?,
            }
        }
        Ok(dict)
    }

    /// Write all parameters as TOML, each with its meaning.
    ///
    /// Returns
    /// -------
    /// str
    ///     Text that :func:`weft.read_hardware` reads back.
    fn to_toml(&self) -> String {
        self.inner.to_toml()
    }

    fn __repr__(&self) -> String {
        let parameters = self.inner.parameters();
        let changed = parameters.iter().filter(|p| p.is_changed());
        let changed = changed.map(|p| format!(", {}={}", p.spec.name, p.value));
        format!(
            "<Hardware {}{}>",
            self.inner.preset_name(),
            changed.collect::<String>()
        )
    }
}

/// A preset with changes, each a value as text by parameter name.
#[pyfunction]
pub(crate) fn hardware(preset: &str, changes: BTreeMap<String, String>) -> Outcome<PyHardware> {
    PyHardware::checked(Hardware::preset(preset)?, &changes)
}

/// Hardware from a TOML text with changes, each a value as text by parameter name.
#[pyfunction]
pub(crate) fn read_hardware(
    text: &str,
    source_name: &str,
    changes: BTreeMap<String, String>,
) -> Outcome<PyHardware> {
    PyHardware::checked(Hardware::from_toml(text, source_name)?, &changes)
}

/// The presets: name and what it is.
#[pyfunction]
pub(crate) fn hardware_presets() -> Vec<(&'static str, &'static str)> {
    let preset = |preset: &Preset| (preset.name, preset.summary);
    PRESETS.iter().map(preset).collect()
}

/// What is known of each parameter of a preset, by name of the fact.
#[pyfunction]
pub(crate) fn hardware_parameters<'py>(
    py: Python<'py>,
    preset: &str,
) -> Outcome<Vec<Bound<'py, PyDict>>> {
    let hardware = Hardware::preset(preset)?;
    let parameters = hardware.parameters().into_iter();
    let known =
        parameters.map(|Parameter { spec, .. }| registry::parameter(py, &spec, spec.default));
    Ok(known.collect::<PyResult<_>>()?)
}
