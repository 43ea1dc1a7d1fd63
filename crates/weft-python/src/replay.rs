//! The stage `simulate`: programs, from their beginning to their end.

use crate::errors::{Exception, Outcome};
use crate::fabric::PyFabric;
use crate::hardware::PyHardware;
use crate::interrupt::PyCancel;
use crate::routing::PyRouting;
use crate::simulate::{Asked, waiting};
use crate::trace::{Kind, PyTrace};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;
use weft::{Fabric, NamedTask, RankTimes, Replayed, Timeline, TimelineDetail};
use weft_fabric::HostId;
use weft_model::workload::program::{Activity, Algorithms, Region, Tasks, Work};

/// The tasks of a trace, or of a region of it.
fn tasks(trace: &PyTrace, region: &str, algorithms: &BTreeMap<String, String>) -> Outcome<Tasks> {
    let mut chosen = Algorithms::default();
    for (operation, algorithm) in algorithms {
        chosen.choose(operation, algorithm)?;
    }
    match trace.0.clone() {
        Kind::Graph(graph) => match algorithms.keys().next() {
            None => Ok(Tasks::from(graph)),
            Some(operation) => Err(Exception::Input.told(format!(
                "an algorithm is chosen for {operation}; a schedule, or unicasts in an order, has no \
                 collective operations, expected none"
            ))),
        },
        Kind::Actions(trace) => {
            let region: Region = region.parse()?;
            Ok(Tasks::of_trace(trace, &region, chosen)?)
        }
    }
}

/// The packets that the messages of a trace make, with so many bytes in each.
#[pyfunction]
pub(crate) fn trace_packets(
    trace: &PyTrace,
    region: &str,
    algorithms: BTreeMap<String, String>,
    packet_bytes: u32,
) -> Outcome<u64> {
    Ok(tasks(trace, region, &algorithms)?.packet_count(packet_bytes))
}

/// Simulates a program; see `weft.replay`.
#[pyfunction]
#[pyo3(signature = (
    fabric, routing, hardware, trace, *,
    region, algorithms, messaging, hosts, timeline, cancel
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
    timeline: Option<(f64, usize, u64, usize)>,
    cancel: Option<&PyCancel>,
) -> Outcome<Bound<'py, PyDict>> {
    let asked = Asked::of(fabric, routing, hardware, cancel)?;
    let tasks = tasks(trace, region, &algorithms)?;
    let hosts: Vec<HostId> = hosts.into_iter().map(HostId::new).collect();
    let timeline = timeline.map(
        |(resolution_ns, most_states, least_message_bytes, most_messages)| TimelineDetail {
            resolution_ns,
            most_states,
            least_message_bytes,
            most_messages,
        },
    );
    let layer = hardware.inner.clone();
    let replayed = asked.run(py, move |network, stop| {
        let messaging = weft::messaging(&layer, &messaging)?;
        network.replay(tasks, &messaging, &hosts, timeline, &mut |_| stop.flow())
    })?;
    Ok(members(py, &fabric.inner, replayed)?)
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
        dict.set_item(name, PyArray1::from_iter(py, replayed.ranks.iter().map(of)))?;
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
    let unclaimed = replayed.unclaimed.into_iter();
    let unclaimed = unclaimed.map(|found| {
        let (ends, place) = ((found.from, found.to), (found.file, found.line));
        (ends.0, ends.1, found.tag, found.bytes, place.0, place.1)
    });
    dict.set_item("unclaimed", unclaimed.collect::<Vec<_>>())?;
    let collectives = replayed.collectives.into_iter();
    let collectives =
        collectives.map(|((operation, algorithm), calls)| (operation, algorithm, calls));
    dict.set_item("collectives", collectives.collect::<Vec<_>>())?;
    let timeline = replayed.timeline.map(|kept| timeline_members(py, kept));
    dict.set_item("timeline", timeline.transpose()?)?;
    let busy = PyArray1::from_vec(py, replayed.channel_busy_ns);
    dict.set_item("channel_busy_ns", busy)?;
    Ok(dict)
}

/// The word for what a rank does, which is the name of its time among the figures, less `_ns`.
fn activity_name(activity: Activity) -> &'static str {
    match activity {
        Activity::Computing => "computing",
        Activity::Sending => "sending",
        Activity::Receiving => "receiving",
        Activity::WaitingAcknowledgement => "waiting_acknowledgement",
        Activity::WaitingPacket => "waiting_packet",
        Activity::Finished => "finished",
    }
}

/// What, the other rank, its tag and its length, the action and whether it is collective, its line.
type TaskMembers = (
    &'static str,
    Option<u32>,
    Option<u32>,
    Option<u64>,
    Option<&'static str>,
    bool,
    u32,
);

fn task_members(task: NamedTask) -> TaskMembers {
    let shown = |tag: Option<u32>| tag.filter(|_| !task.is_collective);
    let (what, peer, tag, bytes) = match task.work {
        Work::Compute { .. } => ("compute", None, None, None),
        Work::Send { to, tag, bytes } => ("send", Some(to), shown(Some(tag)), Some(bytes)),
        Work::Receive { from, tag } => ("receive", from, shown(tag), None),
        Work::Join => ("join", None, None, None),
    };
    let (action, is_collective) = (task.action, task.is_collective);
    (what, peer, tag, bytes, action, is_collective, task.line)
}

fn timeline_members(py: Python<'_>, kept: Timeline) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    let states = kept.states.into_iter().map(|span| {
        let times = (span.begin_ns, span.end_ns);
        let longest = (activity_name(span.longest), span.longest_ns);
        let task = span.task.map(task_members);
        let count = span.state_count;
        (span.rank, times, span.activity_ns, count, longest, task)
    });
    dict.set_item("resolution_ns", kept.resolution_ns)?;
    dict.set_item("states", states.collect::<Vec<_>>())?;
    let messages = kept.messages.into_iter().map(|span| {
        let times = (span.sent_ns, span.there_ns);
        let ends = (span.from, span.to);
        (times, ends, span.tag, span.collective, span.bytes)
    });
    dict.set_item("messages", messages.collect::<Vec<_>>())?;
    dict.set_item("message_count", kept.message_count)?;
    dict.set_item("one_in", kept.one_in)?;
    Ok(dict)
}
