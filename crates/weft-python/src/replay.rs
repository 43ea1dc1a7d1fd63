//! The stage `simulate`: programs, from their beginning to their end.

use crate::errors::IntoException;
use crate::fabric::PyFabric;
use crate::hardware::PyHardware;
use crate::interrupt::{PyCancel, Stop, run};
use crate::routing::PyRouting;
use crate::simulate::waiting;
use crate::trace::{Kind, PyTrace};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;
use std::sync::Arc;
use weft::{Fabric, Network, RankTimes, Replayed};
use weft_fabric::HostId;
use weft_model::workload::program::{self, Algorithms, Region, Samples, Tasks};

/// The tasks of a trace, or of a region of it.
fn tasks(
    py: Python<'_>,
    trace: &PyTrace,
    region: &str,
    algorithms: &BTreeMap<String, String>,
) -> PyResult<Tasks> {
    let mut chosen = Algorithms::default();
    for (operation, algorithm) in algorithms {
        chosen
            .choose(operation, algorithm)
            .map_err(|error| error.into_exception(py))?;
    }
    match trace.0.clone() {
        Kind::Graph(graph) => Ok(Tasks::from(graph)),
        Kind::Actions(trace) => {
            let region: Region = region
                .parse()
                .map_err(|error: program::RegionError| error.into_exception(py))?;
            Tasks::of_trace(trace, &region, chosen).map_err(|error| error.into_exception(py))
        }
    }
}

/// The packets that the messages of a trace make, with so many bytes in each.
#[pyfunction]
pub(crate) fn trace_packets(
    py: Python<'_>,
    trace: &PyTrace,
    region: &str,
    algorithms: BTreeMap<String, String>,
    packet_bytes: u32,
) -> PyResult<u64> {
    Ok(tasks(py, trace, region, &algorithms)?.packet_count(packet_bytes))
}

/// Simulates a program; see `weft.replay`.
#[pyfunction]
#[pyo3(signature = (
    fabric, routing, hardware, trace, *,
    region, algorithms, messaging, hosts, one_in, most_per_rank, cancel
))]
#[expect(
    clippy::too_many_arguments,
    reason = "each is an argument of the Python function"
)]
pub(crate) fn replay_trace<'py>(
    py: Python<'py>,
    fabric: &PyFabric,
    routing: &PyRouting,
    hardware: &PyHardware,
    trace: &PyTrace,
    region: &str,
    algorithms: BTreeMap<String, String>,
    messaging: BTreeMap<String, f64>,
    hosts: Vec<u32>,
    one_in: u64,
    most_per_rank: usize,
    cancel: Option<&PyCancel>,
) -> PyResult<Bound<'py, PyDict>> {
    routing.check_made_for(py, fabric)?;
    let tasks = tasks(py, trace, region, &algorithms)?;
    let hosts: Vec<HostId> = hosts.into_iter().map(HostId::new).collect();
    let samples = Samples {
        one_in,
        most_per_rank,
    };
    let (hardware, made) = (hardware.inner.clone(), routing.made.clone());
    let fabric = Arc::clone(&fabric.inner);
    let stop = Stop::heeding(cancel);
    let polled = stop.clone();
    let simulated_on = Arc::clone(&fabric);
    let replayed = run(py, &stop, move || {
        let network = Network::new(&simulated_on, &made, &hardware)?;
        let messaging = weft::messaging(&hardware, &messaging)?;
        network.replay(tasks, &messaging, &hosts, samples, &mut |_| polled.flow())
    })?
    .map_err(|error: weft::Error| error.into_exception(py))?;
    members(py, &fabric, replayed)
}

/// A figure of each rank: its name, and how it is read.
type RankFigure = (&'static str, fn(&RankTimes) -> f64);

fn members<'py>(
    py: Python<'py>,
    fabric: &Fabric,
    replayed: Replayed,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let (packets, lanes) = (replayed.waiting_cycle(), replayed.lane_count);
    dict.set_item("end", replayed.end_name())?;
    dict.set_item("waiting_cycle", waiting(py, fabric, packets, lanes)?)?;
    dict.set_item("simulated_ns", replayed.simulated_ns)?;
    let of_ranks: [RankFigure; 6] = [
        ("finish_ns", |rank| rank.finish_ns),
        ("computing_ns", |rank| rank.computing_ns),
        ("sending_ns", |rank| rank.sending_ns),
        ("receiving_ns", |rank| rank.receiving_ns),
        ("waiting_acknowledgement_ns", |rank| {
            rank.waiting_acknowledgement_ns
        }),
        ("waiting_packet_ns", |rank| rank.waiting_packet_ns),
    ];
    for (name, of) in of_ranks {
        let times = replayed.ranks.iter().map(of).collect();
        dict.set_item(name, PyArray1::from_vec(py, times))?;
    }
    dict.set_item("sent_messages", replayed.sent_messages)?;
    dict.set_item("received_messages", replayed.received_messages)?;
    dict.set_item("delivered_packets", replayed.delivered_packets)?;
    dict.set_item("payload_bytes", replayed.payload_bytes)?;
    dict.set_item("mean_latency_ns", replayed.mean_latency_ns)?;
    dict.set_item("max_latency_ns", replayed.max_latency_ns)?;
    dict.set_item("mean_switches", replayed.mean_switches)?;
    dict.set_item("lost_packets", replayed.lost_packets)?;
    let blocked = replayed.blocked.into_iter();
    let blocked = blocked.map(|task| (task.rank, task.work, task.file, task.line));
    dict.set_item("blocked", blocked.collect::<Vec<_>>())?;
    dict.set_item("unclaimed", replayed.unclaimed)?;
    let spans = replayed.spans.iter().map(|span| {
        let ends = (span.sent_ns, span.there_ns);
        (ends.0, ends.1, span.from, span.to, span.tag, span.bytes)
    });
    dict.set_item("spans", spans.collect::<Vec<_>>())?;
    let busy = PyArray1::from_vec(py, replayed.channel_busy_ns);
    dict.set_item("channel_busy_ns", busy)?;
    Ok(dict)
}
