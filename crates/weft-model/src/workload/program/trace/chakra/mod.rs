//! Execution traces of Chakra: a file for each rank, records of protobuf by the schema `et_def.proto`, each after its
//! length: what holds for all, then nodes. A node waits for those that its `data_deps` name, and its `ctrl_deps` as far
//! as they are there.
//!
//! Lengths and times are those that ASTRA-sim takes: `duration_micros` in µs or, where it is 0, `num_ops` at the speed
//! of a host; `comm_size` is a rank's data in an all-reduce, all-gather, broadcast, reduce, gather or scatter, all
//! that a rank has for others in an all-to-all, and what all parts come to in a reduce-scatter. What `is_cpu_op` says
//! is of the processor is worked on by the first of a rank, other computing by the second, and communication has a
//! third.

mod graph;
mod node;
mod wire;

use super::super::Algorithms;
use super::super::TaskGraph;
use super::{Computing, TraceError};
use node::{Does, Node, is_metadata, node, wait_for_callers};
use std::collections::BTreeMap;
use std::io::{BufRead, Read};

/// An execution trace of several ranks.
#[derive(Clone, Debug, Default)]
pub struct ExecutionTrace {
    ranks: Vec<Vec<Node>>,
    files: Vec<String>,
    flops_per_s: f64,
}

/// Bytes of a node at most: its inputs are told as text.
const MOST_RECORD_BYTES: u64 = 64 << 20;

impl ExecutionTrace {
    /// Has no rank yet.
    pub fn new(computing: Computing) -> Self {
        Self {
            ranks: Vec::new(),
            files: Vec::new(),
            flops_per_s: computing.flops_per_s,
        }
    }

    /// Reads the file of the next rank. `file` names it in errors.
    ///
    /// # Errors
    /// [`TraceError`] with the record of the first mistake.
    pub fn read(&mut self, mut input: impl BufRead, file: &str) -> Result<(), TraceError> {
        let mut nodes = Vec::new();
        let mut bytes = Vec::new();
        for record in 0.. {
            let wrong = |problem: String| TraceError::file(file, record, problem);
            let Some(length) = length(&mut input).map_err(|error| match error {
                Some(error) => TraceError::unreadable(file, error),
                None => wrong("found no length of a record; the trace is cut short".to_owned()),
            })?
            else {
                break;
            };
            if length > MOST_RECORD_BYTES {
                return Err(wrong(format!(
                    "found a record of {length} bytes, expected no more than {MOST_RECORD_BYTES}"
                )));
            }
            bytes.clear();
            let read = input.by_ref().take(length).read_to_end(&mut bytes);
            read.map_err(|error| TraceError::unreadable(file, error))?;
            if (bytes.len() as u64) < length {
                return Err(wrong(format!(
                    "found {} of a record's {length} bytes; the trace is cut short",
                    bytes.len()
                )));
            }
            if record > 0 {
                nodes.push(node(&bytes).map_err(wrong)?);
            } else if !is_metadata(&bytes) {
                return Err(wrong(
                    "found no GlobalMetadata, with a version or attributes; expected an execution trace to begin so"
                        .to_owned(),
                ));
            }
        }
        wait_for_callers(&mut nodes);
        self.ranks.push(nodes);
        self.files.push(file.to_owned());
        Ok(())
    }

    /// The number of ranks.
    pub fn rank_count(&self) -> usize {
        self.ranks.len()
    }

    /// The number of nodes of all ranks by what they do.
    pub fn node_counts(&self) -> BTreeMap<&'static str, u64> {
        let mut counts = BTreeMap::new();
        for node in self.ranks.iter().flatten() {
            let name = match &node.does {
                Does::Nothing => "metadata",
                Does::Compute { .. } => "compute",
                Does::Send { .. } => "send",
                Does::Receive { .. } => "recv",
                Does::Collective { kind, .. } => {
                    graph::collective_name(*kind).unwrap_or("collective")
                }
            };
            *counts.entry(name).or_default() += 1;
        }
        counts
    }

    /// The tasks of its nodes, with algorithms for its collective operations.
    ///
    /// # Errors
    /// [`TraceError`] with the record of a node that waits for one that is not there or, through others, for itself,
    /// names a rank or a group that is not there, or takes part in what others of its group do not.
    pub fn graph(&self, algorithms: &Algorithms) -> Result<TaskGraph, TraceError> {
        graph::graph(self, algorithms)
    }
}

/// Whether bytes are the beginning of such a trace: what holds for all, which is no text.
pub(super) fn is_execution_trace(mut head: &[u8]) -> bool {
    let Ok(Some(length)) = length(&mut head) else {
        return false;
    };
    let Some(record) = usize::try_from(length)
        .ok()
        .and_then(|length| head.get(..length))
    else {
        // Longer than what was looked at: it begins with a version or an attribute.
        let begins = matches!(head, [node::NAME | 0x12, ..]);
        return begins && (LONG_RECORD_BYTES..=MOST_RECORD_BYTES).contains(&length);
    };
    is_metadata(record)
}

/// From here on the length of a record has bytes that no text begins with.
const LONG_RECORD_BYTES: u64 = 128;

/// The length of the next record, if there is another.
fn length(input: &mut impl BufRead) -> Result<Option<u64>, Option<std::io::Error>> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let mut byte = [0];
        if input.read(&mut byte).map_err(Some)? == 0 {
            return if shift == 0 { Ok(None) } else { Err(None) };
        }
        value |= u64::from(byte[0] & 0x7f) << shift;
        if byte[0] < 0x80 {
            return Ok(Some(value));
        }
    }
    Err(None)
}
