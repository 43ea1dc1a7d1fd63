//! The stage `simulate`: one run of the engine, measured.

use crate::errors::{Exception, IntoException};
use crate::fabric::PyFabric;
use crate::hardware::PyHardware;
use crate::interrupt::{PyCancel, Stop, run};
use crate::routing::PyRouting;
use crate::workload;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ops::ControlFlow;
use std::sync::Arc;
use weft_engine::WaitingPacket;
use weft_engine::measurement::{LatencySummary, Measurement};
use weft_engine::run::{Conditions, RunError, RunParameters};
use weft_engine::wormhole::{Engine, EngineError};
use weft_fabric::Fabric;
use weft_model::hardware::Hardware;
use weft_model::workload::Workload;
use weft_routing::{RoutesTooLarge, RoutingError};

/// A run gave no measurement.
enum SimulateError {
    Routes(RoutesTooLarge),
    Engine(EngineError),
    Run(RunError),
}

/// The members of a measurement, and its arrays, both by name.
type Members<'py> = (Bound<'py, PyDict>, Bound<'py, PyDict>);

/// Simulates one load; see `weft.simulate`.
#[pyfunction]
#[pyo3(signature = (
    fabric, routing, hardware, traffic, *,
    precision_latency, precision_accepted, min_packets, max_packets, cancel
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
    precision_latency: f64,
    precision_accepted: f64,
    min_packets: Option<u64>,
    max_packets: Option<u64>,
    cancel: Option<&PyCancel>,
) -> PyResult<Members<'py>> {
    routing.check_made_for(py, fabric)?;
    let Hardware::Wormhole(hardware) = &hardware.inner else {
        let text = format!(
            "hardware {} has virtual lanes, which no engine simulates; choose myrinet",
            hardware.inner.preset_name()
        );
        return Err(Exception::Hardware.with_text(py, text));
    };
    let (model, cycle_ns) = hardware
        .wormhole_on(&fabric.inner)
        .map_err(|error| error.into_exception(py))?;
    let traffic = workload::prepare(traffic, &fabric.inner, cycle_ns)?;
    let traffic = traffic
        .on_links(&fabric.inner, &model.channels)
        .map_err(|error| error.into_exception(py))?;
    let fabric = Arc::clone(&fabric.inner);
    let routing = Arc::clone(&routing.inner);
    let conditions = Conditions::of(&fabric, &traffic, cycle_ns);
    let parameters = RunParameters {
        precision_latency,
        precision_accepted,
        min_packets,
        max_packets,
    };
    let stop = Stop::heeding(cancel);
    let polled = stop.clone();
    let simulated = Arc::clone(&fabric);
    let outcome = run(py, &stop, move || {
        let workload = Workload::Traffic(traffic);
        let routes = routing
            .routes
            .to_source_routes(&simulated)
            .map_err(SimulateError::Routes)?;
        let mut engine =
            Engine::new(&simulated, &routes, &model, &workload).map_err(SimulateError::Engine)?;
        let mut on_progress = |_| {
            if polled.is_requested() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        weft_engine::run::run(&mut engine, &conditions, &parameters, &mut on_progress)
            .map_err(SimulateError::Run)
    })?;
    match outcome {
        Ok(measurement) => members(py, &fabric, measurement),
        Err(SimulateError::Routes(error)) => Err(RoutingError::from(error).into_exception(py)),
        Err(SimulateError::Engine(error)) => Err(error.into_exception(py)),
        Err(SimulateError::Run(error)) => Err(error.into_exception(py)),
    }
}

fn members<'py>(py: Python<'py>, fabric: &Fabric, measured: Measurement) -> PyResult<Members<'py>> {
    let values = PyDict::new(py);
    values.set_item("reason", measured.reason.name())?;
    values.set_item("reason_text", measured.reason_text)?;
    let waiting = measured
        .waiting_cycle
        .iter()
        .map(|packet| waiting_packet(py, fabric, packet));
    values.set_item("waiting_cycle", waiting.collect::<PyResult<Vec<_>>>()?)?;
    values.set_item("offered_load", measured.offered_load)?;
    values.set_item("accepted_load", measured.accepted_load)?;
    values.set_item(
        "accepted_load_half_width",
        measured.accepted_load_half_width,
    )?;
    let (offered, accepted) = (
        measured.offered_bytes_per_ns_per_switch,
        measured.accepted_bytes_per_ns_per_switch,
    );
    values.set_item("offered_bytes_per_ns_per_switch", offered)?;
    values.set_item("accepted_bytes_per_ns_per_switch", accepted)?;
    values.set_item(
        "generation_latency_ns",
        summary(py, &measured.generation_latency_ns)?,
    )?;
    values.set_item(
        "network_latency_ns",
        summary(py, &measured.network_latency_ns)?,
    )?;
    values.set_item("longest_wait_ns", measured.longest_wait_ns)?;
    let histogram = PyDict::new(py);
    histogram.set_item(
        "lower_edges_ns",
        measured.generation_histogram.lower_edges_ns,
    )?;
    histogram.set_item("counts", measured.generation_histogram.counts)?;
    values.set_item("generation_histogram", histogram)?;
    values.set_item("mean_switches", measured.mean_switches)?;
    values.set_item("mean_in_transit_stops", measured.mean_in_transit_stops)?;
    values.set_item("warm_up_ns", measured.warm_up_ns)?;
    values.set_item("window_ns", measured.window_ns)?;
    values.set_item("delivered_packets", measured.delivered_packets)?;
    values.set_item("pool_overflows", measured.pool_overflows)?;
    values.set_item("dropped_packets", measured.dropped_packets)?;
    values.set_item("damaged_packets", measured.damaged_packets)?;
    values.set_item("timed_out_packets", measured.timed_out_packets)?;
    values.set_item("events", measured.events)?;
    values.set_item("packet_hops", measured.packet_hops)?;
    values.set_item("flit_hops", measured.flit_hops)?;
    values.set_item("simulated_cycles", measured.simulated_cycles)?;

    let arrays = PyDict::new(py);
    let utilization = PyArray1::from_vec(py, measured.channel_utilization);
    arrays.set_item("channel_utilization", utilization)?;
    arrays.set_item(
        "channel_blocked",
        PyArray1::from_vec(py, measured.channel_blocked),
    )?;
    arrays.set_item(
        "pool_mean_bytes",
        PyArray1::from_vec(py, measured.pool_mean_bytes),
    )?;
    arrays.set_item(
        "pool_max_bytes",
        PyArray1::from_vec(py, measured.pool_max_bytes),
    )?;
    Ok((values, arrays))
}

fn summary<'py>(py: Python<'py>, latency: &LatencySummary) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("mean", latency.mean)?;
    dict.set_item("mean_half_width", latency.mean_half_width)?;
    dict.set_item("p50", latency.p50)?;
    dict.set_item("p95", latency.p95)?;
    dict.set_item("p99", latency.p99)?;
    dict.set_item("max", latency.max)?;
    dict.set_item("count", latency.count)?;
    Ok(dict)
}

fn waiting_packet<'py>(
    py: Python<'py>,
    fabric: &Fabric,
    packet: &WaitingPacket,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("held", fabric.describe_channel(packet.holds))?;
    dict.set_item("wanted", fabric.describe_channel(packet.wants))?;
    dict.set_item("source", &fabric.host(packet.source).name)?;
    dict.set_item("destination", &fabric.host(packet.destination).name)?;
    dict.set_item("sequence", packet.sequence)?;
    Ok(dict)
}
