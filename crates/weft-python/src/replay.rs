//! The stage `simulate`: programs, from their beginning to their end.

use crate::arrays::row;
use crate::errors::{Exception, Outcome};
use crate::fabric::PyFabric;
use crate::hardware::PyHardware;
use crate::interrupt::PyCancel;
use crate::rehearsal::{Told, happening};
use crate::routing::PyRouting;
use crate::simulate::{Asked, waiting};
use crate::timeline::timeline_members;
use crate::trace::{Kind, PyTrace};
use crate::workload::offered;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;
use weft::{Fabric, RankTimes, Replayed, Replaying, TimelineDetail};
use weft_fabric::HostId;
use weft_model::workload::program::{Algorithms, Region, Tasks};

/// The tasks of a trace, or of a region of it.
pub(crate) fn tasks(
    trace: &PyTrace,
    region: &str,
    algorithms: &BTreeMap<String, String>,
) -> Outcome<Tasks> {
    let mut chosen = Algorithms::default();
    for (operation, algorithm) in algorithms {
        chosen.choose(operation, algorithm)?;
    }
    let region: Region = region.parse()?;
    match trace.0.clone() {
        Kind::Graph(_) | Kind::Execution(_) if region != Region::default() => Err(Exception::Input.told(
            "a region is chosen of a schedule, an execution trace or unicasts in an order, whose tasks wait for one another and \
             have no first and last; expected none, or a time-independent trace"
                .to_owned(),
        )),
        Kind::Graph(graph) => match algorithms.keys().next() {
            None => Ok(Tasks::from(graph)),
            Some(operation) => Err(Exception::Input.told(format!(
                "an algorithm is chosen for {operation}; a schedule, or unicasts in an order, has no \
                 collective operations, expected none"
            ))),
        },
        Kind::Execution(trace) => Ok(Tasks::from(trace.graph(&chosen)?)),
        Kind::Actions(trace) => {
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

/// A job as told: its program, region, algorithms by operation, how often it is repeated, and the adapters of a rank.
pub(crate) type ToldJob<'py> = (
    PyRef<'py, PyTrace>,
    String,
    BTreeMap<String, String>,
    u32,
    usize,
);

/// The adapters of each rank: so many hosts as it has in its job, one rank after another.
fn adapters_of(
    jobs: &[ToldJob<'_>],
    tasks: &[Tasks],
    hosts: &[HostId],
) -> Outcome<Vec<Vec<HostId>>> {
    let ranks = tasks.iter().map(Tasks::rank_count);
    let needed = ranks
        .zip(jobs)
        .flat_map(|(ranks, job)| vec![job.4.max(1); ranks]);
    let needed: Vec<usize> = needed.collect();
    let all: usize = needed.iter().sum();
    if all != hosts.len() {
        return Err(Exception::Input.told(format!(
            "{} given for the {} ranks of the program, which have {all} adapters; expected one for each",
            if hosts.len() == 1 { "1 host is".to_owned() } else { format!("{} hosts are", hosts.len()) },
            needed.len(),
        )));
    }
    let mut rest = hosts;
    let of_rank = needed.into_iter().map(|count| {
        let (own, others) = rest.split_at(count);
        rest = others;
        own.to_vec()
    });
    Ok(of_rank.collect())
}

fn tasks_of_jobs(jobs: &[ToldJob<'_>]) -> Outcome<Vec<Tasks>> {
    let each = jobs.iter().map(|(trace, region, algorithms, times, _)| {
        let tasks = tasks(trace, region, algorithms)?;
        Ok(tasks.repeated(*times))
    });
    each.collect()
}

/// The tasks of jobs beside one another.
fn together(mut each: Vec<Tasks>) -> Tasks {
    if each.len() == 1
        && let Some(only) = each.pop()
    {
        return only;
    }
    Tasks::of_jobs(each)
}

/// Simulates programs beside one another; see `weft.replay` and `weft.run_jobs`.
#[pyfunction]
#[pyo3(signature = (
    fabric, routing, hardware, jobs, *,
    messaging, hosts, nodes, begin_ns, background, most_ns, most_work, timeline, events, retries, cancel
))]
#[expect(
    clippy::too_many_arguments,
    reason = "each is an argument of the Python function"
)]
pub(crate) fn replay_jobs<'py>(
    py: Python<'py>,
    fabric: &PyFabric,
    routing: &PyRouting,
    hardware: &PyHardware,
    jobs: Vec<ToldJob<'py>>,
    messaging: BTreeMap<String, f64>,
    hosts: Vec<u32>,
    nodes: Option<Vec<u32>>,
    begin_ns: Vec<f64>,
    background: Option<Bound<'py, PyAny>>,
    most_ns: Option<f64>,
    most_work: Option<u64>,
    timeline: Option<(f64, usize, u64, usize)>,
    events: Vec<Told<'py>>,
    retries: Option<(f64, u32)>,
    cancel: Option<&PyCancel>,
) -> Outcome<Bound<'py, PyDict>> {
    let happening = if events.is_empty() {
        None
    } else {
        Some(happening(events, retries)?)
    };
    let running = Asked::of(fabric, routing, hardware, cancel)?;
    let each = tasks_of_jobs(&jobs)?;
    let mut hosts: Vec<HostId> = hosts.into_iter().map(HostId::new).collect();
    let mut adapters = Vec::new();
    if jobs.iter().any(|job| job.4 > 1) {
        adapters = adapters_of(&jobs, &each, &hosts)?;
        // Invariant: each has one at least.
        hosts = adapters.iter().map(|own| own[0]).collect();
    }
    let tasks = together(each);
    let timeline = timeline.map(
        |(resolution_ns, most_states, least_message_bytes, most_messages)| TimelineDetail {
            resolution_ns,
            most_states,
            least_message_bytes,
            most_messages,
        },
    );
    let asked = Replaying {
        nodes,
        adapters,
        begin_ns,
        background: background.map(|traffic| offered(&traffic)).transpose()?,
        most_ns,
        most_work,
        timeline,
    };
    let layer = hardware.inner.clone();
    let replayed = running.run(py, move |network, stop| {
        let messaging = weft::messaging(&layer, &messaging)?;
        let mut network = network.clone();
        if let Some(happening) = happening {
            network = network.with_happening(happening)?;
        }
        network.replay(tasks, &messaging, &hosts, &asked, &mut |_| stop.flow())
    })?;
    Ok(members(py, &fabric.inner, replayed)?)
}

/// What the messages of a job bring onto every channel, by name of the figure; a repetition like the others.
#[pyfunction]
pub(crate) fn job_load<'py>(
    py: Python<'py>,
    fabric: &PyFabric,
    routing: &PyRouting,
    hardware: &PyHardware,
    job: ToldJob<'py>,
    hosts: Vec<u32>,
    nodes: Option<Vec<u32>>,
) -> Outcome<Bound<'py, PyDict>> {
    let asked = Asked::of(fabric, routing, hardware, None)?;
    let (trace, region, algorithms, times, adapters) = job;
    let tasks = tasks(&trace, &region, &algorithms)?;
    let hosts: Vec<HostId> = hosts.into_iter().map(HostId::new).collect();
    let load = asked.run(py, move |network, _| {
        network.job_load(&tasks, (&hosts, adapters.max(1)), nodes.as_deref())
    })?;
    let times = f64::from(times);
    let all = |each: Vec<f64>| row(py, each.into_iter().map(|one| one * times));
    let dict = PyDict::new(py);
    dict.set_item("channel_bytes", all(load.channel_bytes)?)?;
    dict.set_item("channel_ns", all(load.channel_ns)?)?;
    Ok(dict)
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
    let course = PyDict::new(py);
    course.set_item("work", replayed.work)?;
    course.set_item("received_packets", row(py, replayed.received_packets)?)?;
    course.set_item("halfway_ns", replayed.halfway_ns)?;
    course.set_item("halfway_packets", row(py, replayed.halfway_packets)?)?;
    dict.set_item("course", course)?;
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
        dict.set_item(name, row(py, replayed.ranks.iter().map(of))?)?;
    }
    dict.set_item("sent_messages", replayed.sent_messages)?;
    dict.set_item("received_messages", replayed.received_messages)?;
    dict.set_item("announced_messages", replayed.announced_messages)?;
    dict.set_item("mean_announced_wait_ns", replayed.mean_announced_wait_ns)?;
    dict.set_item("delivered_packets", replayed.delivered_packets)?;
    dict.set_item("payload_bytes", replayed.payload_bytes)?;
    dict.set_item("mean_latency_ns", replayed.mean_latency_ns)?;
    dict.set_item("max_latency_ns", replayed.max_latency_ns)?;
    dict.set_item("mean_switches", replayed.mean_switches)?;
    dict.set_item("lost_packets", replayed.lost_packets)?;
    dict.set_item("out_of_order_share", replayed.out_of_order_share)?;
    dict.set_item("out_of_order_distance", replayed.out_of_order_distance)?;
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
    let busy = row(py, replayed.channel_busy_ns)?;
    dict.set_item("channel_busy_ns", busy)?;
    let blocked = row(py, replayed.channel_blocked_ns)?;
    dict.set_item("channel_blocked_ns", blocked)?;
    Ok(dict)
}
