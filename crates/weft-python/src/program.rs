//! The stage `workload`: programs built task by task.

use crate::errors::{Exception, Outcome};
use crate::trace::{Kind, PyTrace};
use pyo3::prelude::*;
use std::sync::{Arc, PoisonError, RwLock};
use weft_fabric::narrow;
use weft_model::workload::program::{
    Algorithms, Collective, Dependency, Task, TaskGraph, Work, write_goal,
};

/// Tasks of ranks, one added after another; see `weft.Program`.
#[pyclass(name = "ProgramTasks", module = "weft._core", frozen)]
#[derive(Debug)]
pub(crate) struct PyProgramTasks(RwLock<TaskGraph>);

/// Processor and queue pair.
type Place = (u8, u8);

/// The tasks whose ends, and whose starts, are waited for.
type Waits = (Vec<u64>, Vec<u64>);

impl PyProgramTasks {
    fn add(
        &self,
        rank: u32,
        (cpu, nic): Place,
        work: Work,
        room: Option<u64>,
        (ends, starts): Waits,
    ) -> Outcome<u64> {
        let task = Task {
            cpu,
            nic,
            ..Task::new(work, 0)
        };
        let ends = ends.into_iter().map(Dependency::end);
        let starts = starts.into_iter().map(Dependency::start);
        let waits_for: Vec<Dependency> = ends.chain(starts).collect();
        let mut graph = self.0.write().unwrap_or_else(PoisonError::into_inner);
        Ok(graph.add_with_room(rank, task, room, &waits_for)?)
    }

    fn graph(&self) -> TaskGraph {
        let graph = self.0.read();
        graph.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[pymethods]
impl PyProgramTasks {
    #[new]
    fn new(ranks: u32) -> Self {
        Self(RwLock::new(TaskGraph::new(ranks as usize)))
    }

    /// Adds computing; the number of the task among those of its rank.
    fn compute(&self, rank: u32, ns: f64, place: Place, waits: Waits) -> Outcome<u64> {
        self.add(rank, place, Work::Compute { ns }, None, waits)
    }

    /// Adds the sending of a message.
    fn send(
        &self,
        rank: u32,
        to: u32,
        message: (u64, u32),
        place: Place,
        waits: Waits,
    ) -> Outcome<u64> {
        let (bytes, tag) = message;
        self.add(rank, place, Work::Send { to, tag, bytes }, None, waits)
    }

    /// Adds the receiving of a message.
    fn receive(
        &self,
        rank: u32,
        source: Option<u32>,
        message: (u64, Option<u32>),
        place: Place,
        waits: Waits,
    ) -> Outcome<u64> {
        let (room, tag) = message;
        let work = Work::Receive { from: source, tag };
        self.add(rank, place, work, Some(room), waits)
    }

    /// Adds a collective operation of some ranks, the root by its place among them; the last task of each.
    #[pyo3(signature = (operation, ranks, data, algorithm, stream, ends))]
    fn collective(
        &self,
        operation: &str,
        ranks: Vec<u32>,
        data: (u64, u32),
        algorithm: Option<&str>,
        stream: u8,
        ends: Vec<Vec<u64>>,
    ) -> Outcome<Vec<u64>> {
        let (bytes, root) = data;
        let mut algorithms = Algorithms::default();
        // One without a choice names the operation, too.
        algorithms.choose(operation, algorithm.unwrap_or("automatic"))?;
        let count = narrow(ranks.len(), "ranks are numbers of 32 bits");
        let Some(collective) = Collective::even(operation, count, root, bytes) else {
            unreachable!("an algorithm was chosen for it")
        };
        let waits = |ends: Vec<u64>| ends.into_iter().map(Dependency::end).collect();
        let waits: Vec<Vec<Dependency>> = ends.into_iter().map(waits).collect();
        let mut graph = self.0.write().unwrap_or_else(PoisonError::into_inner);
        Ok(graph.add_collective(&collective, &algorithms, (&ranks, stream), &waits)?)
    }

    /// The tasks so far, as a trace.
    fn trace(&self) -> Outcome<PyTrace> {
        let graph = self.graph();
        graph.check_rooms()?;
        Ok(PyTrace(Kind::Graph(Arc::new(graph))))
    }

    /// The tasks so far as the text of a GOAL schedule.
    fn goal(&self) -> Outcome<String> {
        let mut text = Vec::new();
        let written = write_goal(&self.graph(), &mut text);
        let text = written.ok().and_then(|()| String::from_utf8(text).ok());
        text.ok_or_else(|| Exception::Input.told("a schedule has no text".to_owned()))
    }

    /// The number of tasks of all ranks.
    fn __len__(&self) -> usize {
        self.0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .task_count()
    }
}
