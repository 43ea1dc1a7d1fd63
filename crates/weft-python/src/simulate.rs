//! The stage `simulate`: one run, measured, and messages in a network that is otherwise idle.

use crate::arrays::array;
use crate::errors::Outcome;
use crate::fabric::PyFabric;
use crate::hardware::PyHardware;
use crate::interrupt::{PyCancel, Stop, run_until};
use crate::routing::PyRouting;
use crate::workload::offered;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;
use weft::{
    Column, FIGURES, Fabric, Figure, Hardware, LATENCY_PARTS, LatencyPart, Measurement, Network,
    RoutedFabric, RunParameters, Value,
};
use weft_engine::WaitingPacket;

/// A network that a run asks something.
pub(crate) struct Asked {
    routed: Arc<RoutedFabric>,
    hardware: Hardware,
    stop: Stop,
}

impl Asked {
    pub(crate) fn of(
        fabric: &PyFabric,
        routing: &PyRouting,
        hardware: &PyHardware,
        cancel: Option<&PyCancel>,
    ) -> Outcome<Self> {
        Ok(Self {
            routed: routing.routed_on(fabric)?,
            hardware: hardware.inner.clone(),
            stop: Stop::heeding(cancel),
        })
    }

    /// Asks it detached from the interpreter, and tells when to stop.
    pub(crate) fn run<T: Send + 'static>(
        self,
        py: Python<'_>,
        ask: impl FnOnce(&Network<'_>, &Stop) -> Result<T, weft::Error> + Send + 'static,
    ) -> Outcome<T> {
        let stop = self.stop.clone();
        let answer = run_until(&stop, py, move || {
            let network = Network::new(&self.routed, &self.hardware)?;
            ask(&network, &self.stop)
        })??;
        Ok(answer)
    }
}

/// Simulates one load; the figures of `weft.simulate` by name. What is not given is as the core has
/// it by default.
#[pyfunction]
#[pyo3(signature = (
    fabric, routing, hardware, traffic, *,
    precision_latency, precision_accepted, min_packets, max_packets, pool_interval_ns, threads, cancel
))]
#[expect(
    clippy::too_many_arguments,
    reason = "each is an argument of the Python function"
)]
pub(crate) fn simulate<'py>(
    py: Python<'py>,
    fabric: &PyFabric,
    routing: &PyRouting,
    hardware: &PyHardware,
    traffic: &Bound<'py, PyAny>,
    precision_latency: Option<f64>,
    precision_accepted: Option<f64>,
    min_packets: Option<u64>,
    max_packets: Option<u64>,
    pool_interval_ns: Option<f64>,
    threads: usize,
    cancel: Option<&PyCancel>,
) -> Outcome<Bound<'py, PyDict>> {
    let traffic = offered(traffic)?;
    let default = RunParameters::default();
    let parameters = RunParameters {
        precision_latency: precision_latency.unwrap_or(default.precision_latency),
        precision_accepted: precision_accepted.unwrap_or(default.precision_accepted),
        min_packets,
        max_packets,
        pool_interval_ns,
    };
    let asked = Asked::of(fabric, routing, hardware, cancel)?;
    let measured = asked.run(py, move |network, stop| {
        let network = network.clone().on_threads(threads);
        network.simulate(&traffic, &parameters, &mut |_| stop.flow())
    })?;
    let values = PyDict::new(py);
    for figure in FIGURES {
        values.set_item(figure.name, value(py, &fabric.inner, &measured, figure)?)?;
    }
    Ok(values)
}

/// A figure's value: a number, a text, an array in its shape, or members by name.
fn value<'py>(
    py: Python<'py>,
    fabric: &Fabric,
    measured: &Measurement,
    figure: &Figure,
) -> PyResult<Bound<'py, PyAny>> {
    let extents = || measured.extents(figure);
    match (figure.value)(measured) {
        Value::Text(text) => text.into_bound_py_any(py),
        Value::Real(number) => number.into_bound_py_any(py),
        Value::Integer(number) => number.into_bound_py_any(py),
        Value::Waiting(packets) => {
            waiting(py, fabric, packets, measured.lane_count())?.into_bound_py_any(py)
        }
        Value::Latency(latency) => {
            let parts = PyDict::new(py);
            for part in LATENCY_PARTS {
                match (part.value)(latency) {
                    Value::Integer(count) => parts.set_item(part.name, count)?,
                    Value::Real(time_ns) => parts.set_item(part.name, time_ns)?,
                    _ => unreachable!("parts of a latency are numbers"),
                }
            }
            Ok(parts.into_any())
        }
        Value::Reals(numbers) => array(py, numbers.to_vec(), &extents()),
        Value::Integers(numbers) => array(py, numbers.to_vec(), &extents()),
        Value::Histogram(bins) => {
            let members = PyDict::new(py);
            members.set_item("lower_edges_ns", &bins.lower_edges_ns)?;
            members.set_item("counts", &bins.counts)?;
            Ok(members.into_any())
        }
    }
}

/// Members of `weft.simulate.WaitingPacket` by name, of each packet.
pub(crate) fn waiting<'py>(
    py: Python<'py>,
    fabric: &Fabric,
    packets: &[WaitingPacket],
    lane_count: usize,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let members = |packet: &WaitingPacket| {
        let [held, wanted] = packet.describe(fabric, lane_count);
        let dict = PyDict::new(py);
        dict.set_item("held", held)?;
        dict.set_item("wanted", wanted)?;
        dict.set_item("source", &fabric.host(packet.source).name)?;
        dict.set_item("destination", &fabric.host(packet.destination).name)?;
        dict.set_item("sequence", packet.sequence)?;
        Ok(dict)
    };
    packets.iter().map(members).collect()
}

/// The table of figures: of each what is known of it by name of the fact.
#[pyfunction]
pub(crate) fn figures(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let entry = |figure: &Figure| {
        let columns = figure.columns();
        let columns = columns.iter().map(|column| column_members(py, column));
        let dict = PyDict::new(py);
        dict.set_item("name", figure.name)?;
        dict.set_item("kind", figure.kind.name())?;
        dict.set_item("axes", figure.shape.axes().to_vec())?;
        dict.set_item("unit", figure.unit)?;
        dict.set_item("summary", figure.summary())?;
        dict.set_item("details", figure.details())?;
        dict.set_item("columns", columns.collect::<PyResult<Vec<_>>>()?)?;
        Ok(dict)
    };
    FIGURES.iter().map(entry).collect()
}

fn column_members<'py>(py: Python<'py>, column: &Column) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("name", &column.name)?;
    dict.set_item("kind", column.kind.name())?;
    dict.set_item("unit", column.unit)?;
    dict.set_item("summary", &column.summary)?;
    dict.set_item("part", column.part)?;
    Ok(dict)
}

/// The parts of a latency: name, kind and what each is.
#[pyfunction]
pub(crate) fn latency_parts() -> Vec<(&'static str, &'static str, String)> {
    let entry = |part: &LatencyPart| (part.name, part.kind.name(), part.summary());
    LATENCY_PARTS.iter().map(entry).collect()
}

/// Precision of the latencies and of the accepted load at which a run ends by default.
#[pyfunction]
pub(crate) fn default_precision() -> (f64, f64) {
    let default = RunParameters::default();
    (default.precision_latency, default.precision_accepted)
}

/// Packets after which a run ends in any case by default, where so many hosts send.
#[pyfunction]
pub(crate) fn packets_allowed(sending_hosts: usize) -> u64 {
    RunParameters::default().packets_allowed(sending_hosts)
}

/// Packets that must be delivered in the window by default, where so many hosts send.
#[pyfunction]
pub(crate) fn packets_needed(sending_hosts: usize) -> u64 {
    RunParameters::default().packets_needed(sending_hosts)
}

/// The t that a variable with so many degrees of freedom stays within with a probability; see
/// `weft.statistics`.
#[pyfunction]
pub(crate) fn student_quantile(confidence: f64, degrees: u32) -> f64 {
    weft_engine::statistics::two_sided_quantile(confidence, degrees)
}

/// Latencies in an idle network; see `weft.idle_latency`.
#[pyfunction]
pub(crate) fn idle_latency(
    py: Python<'_>,
    fabric: &PyFabric,
    routing: &PyRouting,
    hardware: &PyHardware,
    source: String,
    destination: String,
    payload_bytes: Vec<u32>,
) -> Outcome<Vec<Option<f64>>> {
    let asked = Asked::of(fabric, routing, hardware, None)?;
    asked.run(py, move |network, _| {
        network.idle_latencies_ns([&source, &destination], &payload_bytes)
    })
}
