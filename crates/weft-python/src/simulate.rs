//! The stage `simulate`: one run of the engine, measured.

use crate::errors::IntoException;
use crate::fabric::PyFabric;
use crate::hardware::PyHardware;
use crate::interrupt::{PyCancel, Stop, run};
use crate::machine::{Machine, Task};
use crate::routing::PyRouting;
use crate::workload;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ops::ControlFlow;
use std::sync::Arc;
use weft_engine::WaitingPacket;
use weft_engine::measurement::{LatencySummary, Measurement};
use weft_engine::run::{Conditions, RunParameters};
use weft_fabric::Fabric;
use weft_model::workload::Workload;
use weft_routing::Lane;

/// The members of a measurement, and its arrays, both by name.
type Members<'py> = (Bound<'py, PyDict>, Bound<'py, PyDict>);

/// Simulates one load; see `weft.simulate`.
#[pyfunction]
#[pyo3(signature = (
    fabric, routing, hardware, traffic, *,
    precision_latency, precision_accepted, min_packets, max_packets, pool_interval_ns, cancel
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
    pool_interval_ns: Option<f64>,
    cancel: Option<&PyCancel>,
) -> PyResult<Members<'py>> {
    routing.check_made_for(py, fabric)?;
    let machine =
        Machine::on(&hardware.inner, &fabric.inner).map_err(|error| error.into_exception(py))?;
    let (cycle_ns, flit_bytes) = (machine.cycle_ns(), machine.flit_bytes());
    let traffic = workload::prepare(traffic, &fabric.inner, cycle_ns, flit_bytes)?;
    let traffic = traffic
        .on_links(&fabric.inner, machine.channels())
        .map_err(|error| error.into_exception(py))?;
    let fabric = Arc::clone(&fabric.inner);
    let made = routing.made.clone();
    let conditions = Conditions::of(&fabric, &traffic, cycle_ns, flit_bytes);
    let parameters = RunParameters {
        precision_latency,
        precision_accepted,
        min_packets,
        max_packets,
        pool_interval_ns,
    };
    let stop = Stop::heeding(cancel);
    let polled = stop.clone();
    let simulated = Arc::clone(&fabric);
    let outcome = run(py, &stop, move || {
        let workload = Workload::Traffic(traffic);
        let mut on_progress = |_| {
            if polled.is_requested() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let task = Task {
            fabric: &simulated,
            workload: &workload,
            conditions: &conditions,
            parameters: &parameters,
        };
        machine.measure(&task, &made, &mut on_progress)
    })?;
    match outcome {
        Ok(measurement) => members(py, &fabric, &conditions, measurement),
        Err(error) => Err(error.into_exception(py)),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "seven digits are enough for a share"
)]
fn members<'py>(
    py: Python<'py>,
    fabric: &Fabric,
    conditions: &Conditions,
    measured: Measurement,
) -> PyResult<Members<'py>> {
    let values = PyDict::new(py);
    values.set_item("reason", measured.reason.name())?;
    values.set_item("reason_text", measured.reason_text)?;
    let waiting = measured
        .waiting_cycle
        .iter()
        .map(|packet| waiting_packet(py, fabric, packet, measured.lane_count));
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
    let loads = measured.host_accepted_bytes_per_cycle.iter();
    let loads = loads.map(|&bytes| bytes / conditions.link_bytes_per_cycle as f32);
    let host_accepted = PyArray1::from_vec(py, loads.collect());
    arrays.set_item("host_accepted_load", host_accepted)?;
    let buffer_mean_bytes = measured.buffer_mean_flits.iter();
    let buffer_mean_bytes = buffer_mean_bytes.map(|&flits| flits * conditions.flit_bytes as f32);
    let buffer_max_bytes = measured.buffer_max_flits.iter();
    let buffer_max_bytes = buffer_max_bytes.map(|&flits| flits * conditions.flit_bytes);
    let shape = [fabric.channel_count(), usize::from(measured.lane_count)];
    for (name, figures) in [
        ("lane_utilization", measured.lane_utilization),
        ("lane_blocked", measured.lane_blocked),
        ("buffer_mean_bytes", buffer_mean_bytes.collect()),
    ] {
        arrays.set_item(name, PyArray1::from_vec(py, figures).reshape(shape)?)?;
    }
    let buffer_max = PyArray1::from_vec(py, buffer_max_bytes.collect());
    arrays.set_item("buffer_max_bytes", buffer_max.reshape(shape)?)?;
    arrays.set_item(
        "pool_mean_bytes",
        PyArray1::from_vec(py, measured.pool_mean_bytes),
    )?;
    arrays.set_item(
        "pool_max_bytes",
        PyArray1::from_vec(py, measured.pool_max_bytes),
    )?;
    if let Some(series) = measured.pool_series {
        values.set_item("pool_interval_ns", series.interval_ns)?;
        let shape = [
            series.max_bytes.len() / series.host_count.max(1),
            series.host_count,
        ];
        let mean = PyArray1::from_vec(py, series.mean_bytes).reshape(shape)?;
        arrays.set_item("pool_series_mean_bytes", mean)?;
        let max = PyArray1::from_vec(py, series.max_bytes).reshape(shape)?;
        arrays.set_item("pool_series_max_bytes", max)?;
    }
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

pub(crate) fn waiting_packet<'py>(
    py: Python<'py>,
    fabric: &Fabric,
    packet: &WaitingPacket,
    lane_count: u8,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let describe = |channel, lane: Lane| match lane_count {
        0 | 1 => fabric.describe_channel(channel),
        _ => format!("{} on lane {lane}", fabric.describe_channel(channel)),
    };
    dict.set_item("held", describe(packet.holds, packet.holds_lane))?;
    dict.set_item("wanted", describe(packet.wants, packet.wants_lane))?;
    dict.set_item("source", &fabric.host(packet.source).name)?;
    dict.set_item("destination", &fabric.host(packet.destination).name)?;
    dict.set_item("sequence", packet.sequence)?;
    Ok(dict)
}
