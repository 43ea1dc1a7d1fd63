//! Messages in a network that is otherwise idle.

use crate::errors::{Exception, IntoException};
use crate::fabric::PyFabric;
use crate::hardware::PyHardware;
use crate::interrupt::{Stop, run};
use crate::machine::{Machine, SimulateError};
use crate::routing::PyRouting;
use pyo3::prelude::*;
use std::sync::Arc;
use weft_engine::wormhole::idle_latency_cycles;
use weft_registry::Suggestion;

/// Latencies in an idle network; see `weft.idle_latency`.
#[pyfunction]
pub(crate) fn idle_latency(
    py: Python<'_>,
    fabric: &PyFabric,
    routing: &PyRouting,
    hardware: &PyHardware,
    source: &str,
    destination: &str,
    payload_bytes: Vec<u32>,
) -> PyResult<Vec<Option<f64>>> {
    routing.check_made_for(py, fabric)?;
    let machine =
        Machine::on(&hardware.inner, &fabric.inner).map_err(|error| error.into_exception(py))?;
    let Machine::Wormhole { model, cycle_ns } = machine else {
        let text = format!(
            "hardware {} is no wormhole hardware; choose myrinet",
            hardware.inner.preset_name()
        );
        return Err(Exception::Hardware.with_text(py, text));
    };
    let fabric = Arc::clone(&fabric.inner);
    let host = |name: &str| {
        let found = fabric.host_ids().find(|&id| fabric.host(id).name == name);
        found.ok_or_else(|| {
            let names = fabric.host_ids().map(|id| fabric.host(id).name.as_str());
            let suggestion = Suggestion::nearest(name, names);
            let text = format!("found host “{name}”, expected one of the fabric{suggestion}");
            Exception::Input.with_text(py, text)
        })
    };
    let pair = [host(source)?, host(destination)?];
    if pair[0] == pair[1] {
        let text = format!("source and destination are both “{source}”; expected two hosts");
        return Err(Exception::Input.with_text(py, text));
    }
    let routing = routing.fixed(py, "the latency of an idle network")?;
    let stop = Stop::heeding(None);
    let simulated = Arc::clone(&fabric);
    let outcome: Result<Vec<Option<f64>>, SimulateError> = run(py, &stop, move || {
        let routes = routing.routes.to_source_routes(&simulated)?;
        let latency = |&bytes: &u32| {
            let cycles = idle_latency_cycles(&simulated, &routes, &model, pair, bytes)?;
            Ok(cycles.map(|cycles| cycles as f64 * cycle_ns))
        };
        payload_bytes.iter().map(latency).collect()
    })?;
    outcome.map_err(|error| error.into_exception(py))
}
