//! Timelines: what was kept of a run, told to Python one span after another.

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Arc, Mutex, PoisonError};
use weft::{MessageSpan, NamedTask, SpanPlace, StateSpans, Timeline};
use weft_model::workload::program::{Activity, Work};

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
        Work::Until { .. } => ("wait", None, None, None),
        Work::Join => ("join", None, None, None),
    };
    let (action, is_collective) = (task.action, task.is_collective);
    (what, peer, tag, bytes, action, is_collective, task.line)
}

/// The states of ranks, of which each is made when it is asked for.
#[pyclass(frozen, name = "StateSpans", module = "weft._core")]
pub(crate) struct PyStateSpans(Arc<StateSpans>);

/// Rank; begin and end; time of each activity; states; the longest of them and its time; its task.
type SpanMembers = (
    u32,
    (f64, f64),
    [f64; 6],
    u64,
    (&'static str, f64),
    Option<TaskMembers>,
);

#[pymethods]
impl PyStateSpans {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __iter__(&self) -> PyStateSpansReader {
        PyStateSpansReader {
            spans: Arc::clone(&self.0),
            place: Mutex::default(),
        }
    }
}

/// Reads them from the first to the last.
#[pyclass(frozen, name = "StateSpansReader", module = "weft._core")]
pub(crate) struct PyStateSpansReader {
    spans: Arc<StateSpans>,
    place: Mutex<SpanPlace>,
}

#[pymethods]
impl PyStateSpansReader {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self) -> Option<SpanMembers> {
        let mut place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        let span = self.spans.next(&mut place)?;
        let times = (span.begin_ns, span.end_ns);
        let longest = (activity_name(span.longest), span.longest_ns);
        let task = span.task.map(task_members);
        let count = span.state_count;
        Some((span.rank, times, span.activity_ns, count, longest, task))
    }
}

/// Messages by the time they were sent.
#[pyclass(frozen, name = "MessageSpans", module = "weft._core")]
pub(crate) struct PyMessageSpans(Vec<MessageSpan>);

/// Sent and there; from and to; tag; collective operation; length.
type MessageMembers = (
    (f64, f64),
    (u32, u32),
    Option<u32>,
    Option<&'static str>,
    u64,
);

#[pymethods]
impl PyMessageSpans {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __getitem__(&self, number: usize) -> PyResult<MessageMembers> {
        let span = self
            .0
            .get(number)
            .ok_or_else(|| PyIndexError::new_err(format!("there is no message {number}")))?;
        let times = (span.sent_ns, span.there_ns);
        let ends = (span.from, span.to);
        Ok((times, ends, span.tag, span.collective, span.bytes))
    }
}

pub(crate) fn timeline_members(py: Python<'_>, kept: Timeline) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("resolution_ns", kept.resolution_ns)?;
    dict.set_item("state_count", kept.states.state_count)?;
    dict.set_item("end_ns", kept.states.end_ns)?;
    dict.set_item("states", PyStateSpans(Arc::new(kept.states)))?;
    dict.set_item("messages", PyMessageSpans(kept.messages))?;
    dict.set_item("message_count", kept.message_count)?;
    dict.set_item("one_in", kept.one_in)?;
    Ok(dict)
}
