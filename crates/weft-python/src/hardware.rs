//! The stage `hardware`: parameters in physical units.

use crate::errors::IntoException;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;
use weft_model::hardware::{Hardware, HardwareError, PARAMETERS, PRESETS, ParameterValue};

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
    fn checked(
        hardware: Hardware,
        changes: &BTreeMap<String, String>,
    ) -> Result<Self, HardwareError> {
        let changed = changes
            .iter()
            .try_fold(hardware, |hardware, (name, value)| {
                hardware.with(name, value)
            })?;
        changed.wormhole()?;
        Ok(Self { inner: changed })
    }
}

#[pymethods]
impl PyHardware {
    /// Name of the preset the parameters started from.
    #[getter]
    fn preset(&self) -> &str {
        self.inner.preset
    }

    /// Time of one flit (byte) on a channel, in nanoseconds.
    #[getter]
    fn cycle_ns(&self) -> f64 {
        self.inner.cycle_ns
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
        for spec in PARAMETERS {
            match spec.value(&self.inner) {
                ParameterValue::Number(number) => dict.set_item(spec.name, number)?,
                ParameterValue::Count(count) => dict.set_item(spec.name, count)?,
                ParameterValue::Choice(name) => dict.set_item(spec.name, name)?,
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
        let preset = Hardware::preset(self.inner.preset);
        let changed = PARAMETERS.iter().filter_map(|spec| {
            let value = spec.value(&self.inner);
            let same = preset
                .as_ref()
                .is_ok_and(|preset| spec.value(preset) == value);
            (!same).then(|| format!(", {}={value}", spec.name))
        });
        format!(
            "<Hardware {}{}>",
            self.inner.preset,
            changed.collect::<String>()
        )
    }
}

/// A preset with changes, each a value as text by parameter name.
#[pyfunction]
pub(crate) fn hardware(
    py: Python<'_>,
    preset: &str,
    changes: BTreeMap<String, String>,
) -> PyResult<PyHardware> {
    Hardware::preset(preset)
        .and_then(|hardware| PyHardware::checked(hardware, &changes))
        .map_err(|error| error.into_exception(py))
}

/// Hardware from a TOML text with changes, each a value as text by parameter name.
#[pyfunction]
pub(crate) fn read_hardware(
    py: Python<'_>,
    text: &str,
    source_name: &str,
    changes: BTreeMap<String, String>,
) -> PyResult<PyHardware> {
    Hardware::from_toml(text, source_name)
        .and_then(|hardware| PyHardware::checked(hardware, &changes))
        .map_err(|error| error.into_exception(py))
}

/// Names of the presets.
#[pyfunction]
pub(crate) fn hardware_presets() -> Vec<&'static str> {
    PRESETS.to_vec()
}

/// What is known of each parameter, by name of the fact.
#[pyfunction]
pub(crate) fn hardware_parameters(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let entry = |spec: &weft_model::hardware::ParameterSpec| {
        let dict = PyDict::new(py);
        dict.set_item("name", spec.name)?;
        dict.set_item("type", spec.kind.name())?;
        dict.set_item("unit", spec.unit)?;
        dict.set_item("range", spec.kind.to_string())?;
        dict.set_item("default", spec.default.to_string())?;
        dict.set_item("summary", spec.summary)?;
        dict.set_item("source", spec.source)?;
        Ok(dict)
    };
    PARAMETERS.iter().map(entry).collect()
}
