//! The stage `simulate`: what hosts get through to one another.

use crate::arrays::row;
use crate::errors::Outcome;
use crate::fabric::PyFabric;
use crate::hardware::PyHardware;
use crate::interrupt::PyCancel;
use crate::routing::PyRouting;
use crate::simulate::Asked;
use crate::workload::offered;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use weft::Transfers;

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
) -> Outcome<(Bound<'py, PyAny>, f64)> {
    let asked = Asked::of(fabric, routing, hardware, cancel)?;
    let traffic = traffic.map(offered).transpose()?;
    let (wired, layer) = (Arc::clone(&fabric.inner), hardware.inner.clone());
    let found = asked.run(py, move |network, stop| {
        let destinations = match (targets, traffic) {
            (None, Some(traffic)) => weft::one_destination_each(&wired, &traffic)?,
            (targets, _) => targets.unwrap_or_default(),
        };
        let asked = Transfers {
            destinations: &destinations,
            messages,
            message_bytes,
            messaging: weft::messaging(&layer, &messaging)?,
        };
        network.bandwidth(&asked, &mut |_| stop.flow())
    })?;
    let host_bytes_per_ns = row(py, found.host_bytes_per_ns)?;
    Ok((host_bytes_per_ns, found.mean_switches))
}
