//! The stage `simulate`: programs, from their beginning to their end.

use crate::errors::IntoException;
use crate::fabric::PyFabric;
use crate::hardware::PyHardware;
use crate::interrupt::{PyCancel, Stop, run};
use crate::machine::WORMHOLE;
use crate::made::Made;
use crate::routing::PyRouting;
use crate::simulate::waiting_packet;
use crate::trace::{Kind, PyTrace};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use weft_engine::Simulator;
use weft_engine::run::{Replay, ReplayEnd, RunError, replay};
use weft_engine::{cut_through, wormhole};
use weft_fabric::{Fabric, HostId};
use weft_model::WormholeModel;
use weft_model::hardware::{CutThroughSetup, Hardware, HardwareError};
use weft_model::workload::Workload;
use weft_model::workload::program::{
    self, Account, Algorithms, Messaging, MessagingParameters, Program, ProgramError, Region,
    Samples, Tasks,
};
use weft_routing::RoutingError;

/// A run gave no times.
enum ReplayError {
    Routes(RoutingError),
    Wormhole(wormhole::EngineError),
    CutThrough(cut_through::EngineError),
    Run(RunError),
}

/// The machine, on a fabric.
enum Network {
    Wormhole(WormholeModel),
    CutThrough(CutThroughSetup),
}

impl Network {
    /// The hardware on a fabric, and the length of its cycle in ns.
    fn new(hardware: &PyHardware, fabric: &PyFabric) -> Result<(Self, f64), HardwareError> {
        Ok(match &hardware.inner {
            Hardware::Wormhole(hardware) => {
                let (model, cycle_ns) = hardware.wormhole_on(&fabric.inner)?;
                (Self::Wormhole(model), cycle_ns)
            }
            Hardware::CutThrough(hardware) => {
                let setup = hardware.cut_through_on(&fabric.inner)?;
                let cycle_ns = setup.cycle_ns;
                (Self::CutThrough(setup), cycle_ns)
            }
        })
    }

    fn replay(
        self,
        fabric: &Fabric,
        made: &Made,
        program: Program,
        on_progress: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<(Replayed, Vec<String>), ReplayError> {
        let ranks = program.rank_count();
        let file = |rank| program.file(rank).to_owned();
        let files = (0..).take(ranks).map(file).collect();
        let workload = Workload::Program(program);
        let replayed = match self {
            Self::Wormhole(model) => {
                let routing = made.fixed(WORMHOLE).map_err(ReplayError::Routes)?;
                let routes = routing.routes.to_source_routes(fabric);
                let routes = routes.map_err(|error| ReplayError::Routes(error.into()))?;
                let mut engine = wormhole::Engine::new(fabric, &routes, &model, &workload)
                    .map_err(ReplayError::Wormhole)?;
                to_its_end(&mut engine, fabric, (ranks, 1), on_progress)
            }
            Self::CutThrough(setup) => {
                let CutThroughSetup {
                    model, channels, ..
                } = setup;
                let routes = made.routes();
                let mut engine =
                    cut_through::Engine::with_routes(fabric, routes, &model, &channels, &workload)
                        .map_err(ReplayError::CutThrough)?;
                to_its_end(&mut engine, fabric, (ranks, model.lanes), on_progress)
            }
        };
        replayed
            .map(|replayed| (replayed, files))
            .map_err(ReplayError::Run)
    }
}

fn to_its_end(
    engine: &mut impl Simulator,
    fabric: &Fabric,
    (ranks, lane_count): (usize, u8),
    on_progress: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Replayed, RunError> {
    let replay = replay(engine, &mut |_| on_progress())?;
    let now = engine.now();
    // A replay without execution has failed.
    let execution = engine.execution().ok_or(RunError::NoProgram)?;
    let of = |rank| (execution.finish_cycle(rank), execution.account(rank, now));
    let blocked = execution.blocked().into_iter();
    let blocked = blocked.map(|task| (task.rank, task.task.work.to_string(), task.task.line));
    Ok(Replayed {
        lane_count,
        simulated_cycles: now,
        ranks: (0..).take(ranks).map(of).collect(),
        messages: execution.message_counts(),
        blocked: blocked.collect(),
        unclaimed: execution.unclaimed(),
        spans: execution.spans(),
        busy_cycles: fabric
            .channel_ids()
            .map(|channel| engine.channel_use(channel).busy_cycles)
            .collect(),
        replay,
    })
}

/// What is kept of a run.
struct Replayed {
    replay: Replay,
    /// Lanes of the hardware.
    lane_count: u8,
    simulated_cycles: u64,
    /// Per rank: its end and its account.
    ranks: Vec<(Option<u64>, Account)>,
    messages: (u64, u64),
    blocked: Vec<(u32, String, u32)>,
    unclaimed: Vec<(u32, u32, u32)>,
    spans: Vec<program::MessageSpan>,
    busy_cycles: Vec<u64>,
}

/// The messaging layer of the hardware's hosts, changed.
fn parameters(
    hardware: &Hardware,
    messaging: &BTreeMap<String, f64>,
) -> Result<MessagingParameters, ProgramError> {
    let mut parameters = hardware.messaging();
    for (name, &value) in messaging {
        parameters.set(name, &value.to_string())?;
    }
    Ok(parameters)
}

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
    let (network, cycle_ns) =
        Network::new(hardware, fabric).map_err(|error| error.into_exception(py))?;
    let refused = |error: ProgramError| error.into_exception(py);
    let tasks = tasks(py, trace, region, &algorithms)?;
    let messaging = parameters(&hardware.inner, &messaging)
        .and_then(|parameters| Messaging::new(&parameters, cycle_ns))
        .map_err(refused)?;
    let hosts: Vec<HostId> = hosts.into_iter().map(HostId::new).collect();
    let host_count = fabric.inner.host_count();
    let program = Program::new(tasks, messaging, &hosts, host_count)
        .map_err(refused)?
        .with_samples(Samples {
            one_in,
            most_per_rank,
        });
    let (fabric, made) = (Arc::clone(&fabric.inner), routing.made.clone());
    let stop = Stop::heeding(cancel);
    let polled = stop.clone();
    let simulated_on = Arc::clone(&fabric);
    let outcome = run(py, &stop, move || {
        let mut on_progress = || {
            if polled.is_requested() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        network.replay(&simulated_on, &made, program, &mut on_progress)
    })?;
    match outcome {
        Ok((replayed, files)) => members(py, &fabric, replayed, &files, cycle_ns),
        Err(ReplayError::Routes(error)) => Err(error.into_exception(py)),
        Err(ReplayError::Wormhole(error)) => Err(error.into_exception(py)),
        Err(ReplayError::CutThrough(error)) => Err(error.into_exception(py)),
        Err(ReplayError::Run(error)) => Err(error.into_exception(py)),
    }
}

fn members<'py>(
    py: Python<'py>,
    fabric: &Fabric,
    replayed: Replayed,
    files: &[String],
    cycle_ns: f64,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let (end, waiting) = match &replayed.replay.end {
        ReplayEnd::Finished => ("finished", &[][..]),
        ReplayEnd::Blocked => ("blocked", &[][..]),
        ReplayEnd::Deadlocked(packets) => ("deadlocked", packets.as_slice()),
    };
    let ns = |cycles: u64| cycles as f64 * cycle_ns;
    dict.set_item("end", end)?;
    let waiting = waiting
        .iter()
        .map(|packet| waiting_packet(py, fabric, packet, replayed.lane_count));
    dict.set_item("waiting_cycle", waiting.collect::<PyResult<Vec<_>>>()?)?;
    dict.set_item("simulated_ns", ns(replayed.simulated_cycles))?;
    let finish = replayed
        .ranks
        .iter()
        .map(|rank| rank.0.map_or(f64::NAN, ns));
    dict.set_item("finish_ns", PyArray1::from_vec(py, finish.collect()))?;
    let column = |of: fn(&Account) -> u64| {
        let times = replayed.ranks.iter().map(|rank| ns(of(&rank.1)));
        PyArray1::from_vec(py, times.collect())
    };
    dict.set_item("computing_ns", column(|account| account.computing_cycles))?;
    dict.set_item("sending_ns", column(|account| account.sending_cycles))?;
    dict.set_item("receiving_ns", column(|account| account.receiving_cycles))?;
    dict.set_item(
        "waiting_acknowledgement_ns",
        column(|account| account.waiting_acknowledgement_cycles),
    )?;
    dict.set_item(
        "waiting_packet_ns",
        column(|account| account.waiting_packet_cycles),
    )?;
    dict.set_item("sent_messages", replayed.messages.0)?;
    dict.set_item("received_messages", replayed.messages.1)?;
    dict.set_item("delivered_packets", replayed.replay.delivered_packets)?;
    dict.set_item("payload_bytes", replayed.replay.payload_bytes)?;
    dict.set_item(
        "mean_latency_ns",
        replayed.replay.mean_latency_cycles * cycle_ns,
    )?;
    dict.set_item("max_latency_ns", ns(replayed.replay.max_latency_cycles))?;
    dict.set_item("mean_switches", replayed.replay.mean_switches)?;
    dict.set_item("lost_packets", replayed.replay.lost_packets)?;
    let blocked = replayed.blocked.into_iter().map(|(rank, what, line)| {
        let file = files.get(rank as usize).cloned().unwrap_or_default();
        (rank, what, file, line)
    });
    dict.set_item("blocked", blocked.collect::<Vec<_>>())?;
    dict.set_item("unclaimed", replayed.unclaimed)?;
    let spans = replayed.spans.iter().map(|span| {
        let ends = (ns(span.sent_cycle), ns(span.there_cycle));
        (ends.0, ends.1, span.from, span.to, span.tag, span.bytes)
    });
    dict.set_item("spans", spans.collect::<Vec<_>>())?;
    dict.set_item(
        "channel_busy_ns",
        PyArray1::from_vec(
            py,
            replayed.busy_cycles.iter().map(|&busy| ns(busy)).collect(),
        ),
    )?;
    Ok(dict)
}
