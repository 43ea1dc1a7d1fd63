//! The stage `simulate`: what hosts get through to one another.

use crate::errors::IntoException;
use crate::fabric::PyFabric;
use crate::hardware::PyHardware;
use crate::interrupt::{PyCancel, Stop, run};
use crate::routing::PyRouting;
use crate::workload::offered;
use numpy::PyArray1;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use weft::{Network, Transfers};

/// Bandwidth of each host in bytes per ns, and the switches a packet traversed; see
/// `weft.bandwidth`. `targets` are numbers of hosts, or `traffic` gives each host one destination.
#[pyfunction]
#[pyo3(signature = (
    fabric, routing, hardware, *, targets, traffic, messages, message_bytes, messaging, cancel
))]
#[expect(
    clippy::too_many_arguments,
    reason = "each is an argument of the Python function"
)]
pub(crate) fn bandwidth<'py>(
    py: Python<'py>,
    fabric: &PyFabric,
    routing: &PyRouting,
    hardware: &PyHardware,
    targets: Option<Vec<Option<u32>>>,
    traffic: Option<&Bound<'py, PyAny>>,
    messages: u32,
    message_bytes: u64,
    messaging: BTreeMap<String, f64>,
    cancel: Option<&PyCancel>,
) -> PyResult<(Bound<'py, PyArray1<f64>>, f64)> {
    routing.check_made_for(py, fabric)?;
    let traffic = traffic.map(offered).transpose()?;
    let (hardware, made) = (hardware.inner.clone(), routing.made.clone());
    let fabric = Arc::clone(&fabric.inner);
    let stop = Stop::heeding(cancel);
    let polled = stop.clone();
    let found = run(py, &stop, move || {
        let network = Network::new(&fabric, &made, &hardware)?;
        let destinations = match (targets, traffic) {
            (None, Some(traffic)) => weft::one_destination_each(&fabric, &traffic)?,
            (targets, _) => targets.unwrap_or_default(),
        };
        let asked = Transfers {
            destinations: &destinations,
            messages,
            message_bytes,
            messaging: weft::messaging(&hardware, &messaging)?,
        };
        network.bandwidth(&asked, &mut |_| polled.flow())
    })?
    .map_err(|error: weft::Error| error.into_exception(py))?;
    let host_bytes_per_ns = PyArray1::from_vec(py, found.host_bytes_per_ns);
    Ok((host_bytes_per_ns, found.mean_switches))
}
