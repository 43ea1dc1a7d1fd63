//! The stage `workload`: programs, read or made.

use crate::errors::{Exception, Outcome};
use crate::interrupt::run;
use crate::registry;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use weft_model::hardware::Hardware;
use weft_model::workload::program::{
    self, Action, COLLECTIVES, Collective, Computing, ExecutionTrace, MESSAGING, Multicast,
    TaskGraph, Trace, TraceFile, Tree, Unicasts, open_trace,
};
use weft_registry::Field;

/// What processes do: read from a file, or made.
///
/// Made by :func:`weft.read_trace`, :func:`weft.collective` and :func:`weft.multicast`.
#[pyclass(name = "Trace", module = "weft._core", frozen)]
#[derive(Debug)]
pub(crate) struct PyTrace(pub(crate) Kind);

/// What a trace is.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Actions(Arc<Trace>),
    Graph(Arc<TaskGraph>),
    Execution(Arc<ExecutionTrace>),
}

impl Kind {
    fn rank_count(&self) -> usize {
        match self {
            Self::Actions(trace) => trace.rank_count(),
            Self::Graph(graph) => graph.rank_count(),
            Self::Execution(trace) => trace.rank_count(),
        }
    }
}

#[pymethods]
impl PyTrace {
    /// Number of ranks.
    #[getter]
    fn rank_count(&self) -> usize {
        self.0.rank_count()
    }

    /// Number of actions of all ranks by name; of a graph, its tasks.
    #[getter]
    fn actions(&self) -> BTreeMap<String, u64> {
        let mut counts = BTreeMap::new();
        match &self.0 {
            Kind::Actions(trace) => {
                for rank in (0..).take(trace.rank_count()) {
                    for (_, action) in trace.actions(rank) {
                        *counts.entry(action.name().to_owned()).or_insert(0) += 1;
                    }
                }
            }
            Kind::Graph(graph) => {
                counts.insert("task".to_owned(), graph.task_count() as u64);
            }
            Kind::Execution(trace) => {
                let each = trace.node_counts().into_iter();
                counts.extend(each.map(|(name, count)| (name.to_owned(), count)));
            }
        }
        counts
    }

    /// Time each rank computes in the whole trace, in nanoseconds; empty for a graph.
    #[getter]
    fn compute_ns(&self) -> Vec<f64> {
        let Kind::Actions(trace) = &self.0 else {
            return Vec::new();
        };
        let of = |rank| {
            let times = trace.actions(rank).map(|(_, action)| match action {
                Action::Compute { ns } => ns,
                _ => 0.0,
            });
            times.sum()
        };
        (0..).take(trace.rank_count()).map(of).collect()
    }

    /// The same, but that every interval of computing of a rank takes the mean of those it has between
    /// two such actions, so that what disturbed single ones when they were recorded does not grow
    /// with `compute_scale`; a graph is left as it is.
    fn evened(&self) -> Self {
        Self(match &self.0 {
            Kind::Actions(trace) => Kind::Actions(Arc::new(trace.evened())),
            other => other.clone(),
        })
    }

    fn __repr__(&self) -> String {
        format!("<Trace of {} ranks>", self.0.rank_count())
    }
}

/// Reads a trace; see `weft.read_trace`.
#[pyfunction]
pub(crate) fn read_trace(
    py: Python<'_>,
    path: String,
    flops_per_s: Option<f64>,
    clock_ns: Option<f64>,
) -> Outcome<PyTrace> {
    let usual = Computing::default();
    let computing = Computing {
        flops_per_s: flops_per_s.unwrap_or(usual.flops_per_s),
        less_ns: clock_ns.unwrap_or(usual.less_ns),
    };
    let name = path.clone();
    let read = run(py, move || open_trace(Path::new(&path), computing))?;
    match read? {
        TraceFile::TimeIndependent(trace) => Ok(PyTrace(Kind::Actions(Arc::new(trace)))),
        TraceFile::Execution(trace) => match clock_ns {
            None => Ok(PyTrace(Kind::Execution(Arc::new(trace)))),
            Some(_) => Err(Exception::Input.told(format!(
                "{name}: found clock_ns with an execution trace, whose times are those of nodes; expected clock_ns \
                 with time-independent traces alone, leave it out"
            ))),
        },
        TraceFile::Goal(graph) => {
            let given = [("flops_per_s", flops_per_s), ("clock_ns", clock_ns)];
            match given.iter().find(|(_, value)| value.is_some()) {
                None => Ok(PyTrace(Kind::Graph(Arc::new(graph)))),
                Some((parameter, _)) => Err(Exception::Input.told(format!(
                    "{name}: found {parameter} with a GOAL schedule, which tells its computing in ns and not \
                     in flops of a host that was traced; expected {parameter} with time-independent traces \
                     alone, leave it out"
                ))),
            }
        }
    }
}

/// One collective operation of all ranks; see `weft.collective`.
#[pyfunction]
pub(crate) fn collective_trace(
    operation: &str,
    ranks: u32,
    bytes: u64,
    root: u32,
) -> Outcome<PyTrace> {
    let Some(operation) = Collective::even(operation, ranks, root, bytes) else {
        let names: Vec<&str> = COLLECTIVES.iter().map(|entry| entry.name).collect();
        let text = format!(
            "found collective operation “{operation}”; expected one of {}",
            names.join(", ")
        );
        return Err(Exception::Input.told(text));
    };
    let trace = Trace::of_collectives(ranks, &[operation]);
    Ok(PyTrace(Kind::Actions(Arc::new(trace))))
}

/// An exchange of all with all of these lengths; see `weft.exchange`.
#[pyfunction]
pub(crate) fn exchange_trace(lengths: Vec<Vec<u64>>) -> Outcome<PyTrace> {
    let trace = Trace::of_exchange(&lengths).ok_or_else(|| {
        let ranks = lengths.len();
        let text = format!("lengths of {ranks} ranks; expected one of each for each");
        Exception::Input.told(text)
    })?;
    Ok(PyTrace(Kind::Actions(Arc::new(trace))))
}

/// An all-reduce in a tree of aggregation nodes; see `weft.in_network_allreduce`.
#[pyfunction]
pub(crate) fn aggregated_trace(
    parents: Vec<Option<u32>>,
    bytes: u64,
    chunk_bytes: u64,
    in_flight: u32,
) -> Outcome<PyTrace> {
    let graph = program::aggregated(&parents, bytes, chunk_bytes, in_flight)?;
    Ok(PyTrace(Kind::Graph(Arc::new(graph))))
}

/// A broadcast or barrier made of unicasts; see `weft.multicast`.
#[pyfunction]
pub(crate) fn multicast_trace(
    order: &str,
    groups: Vec<Vec<u32>>,
    bytes: u64,
    gather_bytes: Option<u64>,
    is_halving: bool,
    seed_and_repeats: (u64, u32),
) -> Outcome<PyTrace> {
    let order: Multicast = order.parse()?;
    let (seed, repeats) = seed_and_repeats;
    let tree = if is_halving {
        Tree::Halving
    } else {
        Tree::Doubling
    };
    let what = Unicasts {
        order,
        tree,
        seed,
        gather_bytes,
        release_bytes: bytes,
        repeats,
    };
    let graph = program::unicasts(&groups, &what)?;
    Ok(PyTrace(Kind::Graph(Arc::new(graph))))
}

/// The orders of multicasts: name, and whether it depends on a seed.
#[pyfunction]
pub(crate) fn multicast_orders() -> Vec<(&'static str, bool)> {
    Multicast::ALL
        .iter()
        .map(|order| (order.name(), order.is_random()))
        .collect()
}

/// The collective operations with their algorithms, the default first.
#[pyfunction]
pub(crate) fn collective_algorithms() -> BTreeMap<&'static str, Vec<&'static str>> {
    COLLECTIVES
        .iter()
        .map(|entry| (entry.name, entry.algorithms.to_vec()))
        .collect()
}

/// Transfers from hosts to hosts; see `weft.transfers`.
#[pyfunction]
pub(crate) fn transfers_trace(
    destinations: Vec<Option<u32>>,
    messages: u32,
    bytes: u64,
    waits: bool,
) -> Outcome<PyTrace> {
    let graph = program::transfers(&destinations, messages, bytes, waits);
    Ok(PyTrace(Kind::Graph(Arc::new(graph?))))
}

/// The parameters of the messaging layer of a preset's hosts; see `weft.messaging_parameters`.
#[pyfunction]
pub(crate) fn messaging_parameters<'py>(
    py: Python<'py>,
    preset: &str,
) -> Outcome<Vec<Bound<'py, PyDict>>> {
    let hardware = Hardware::preset(preset)?;
    let (values, constants) = (hardware.messaging(), hardware.host_constants());
    let entry = |field: &Field<program::MessagingParameters>| {
        let constant = constants.iter().find(|entry| entry.name == field.spec.name);
        let spec = field
            .spec
            .source(constant.map_or("", |constant| constant.source));
        registry::parameter(py, &spec, Some(&(field.get)(&values).to_string()))
    };
    Ok(MESSAGING.iter().map(entry).collect::<PyResult<_>>()?)
}
