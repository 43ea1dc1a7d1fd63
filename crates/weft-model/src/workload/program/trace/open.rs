//! Files of traces: which format they have, and which files they list.

use super::chakra::is_execution_trace;
use super::goal_binary::is_binary;
use super::{
    Computing, ExecutionTrace, TimeIndependentReader, Trace, TraceError, read_binary_goal,
    read_goal, read_lines, reason,
};
use crate::workload::program::TaskGraph;
use std::collections::BTreeMap;
use std::io::{BufRead, Cursor, Read};
use std::path::Path;

/// What a file of a trace holds.
#[derive(Debug)]
pub enum TraceFile {
    /// `SimGrid`'s time-independent trace.
    TimeIndependent(Trace),
    /// A schedule in GOAL's text or binary form.
    Goal(TaskGraph),
    /// Chakra's execution trace.
    Execution(ExecutionTrace),
}

/// Bytes looked at to tell the formats apart.
const HEAD: usize = 4096;

/// Reads a trace, packed or not; its text is never held as a whole.
///
/// A time-independent trace is one file with the lines of all ranks, or a list with the name of a file
/// per line, one for each rank in order, or one for all. Names are relative to the list's folder.
///
/// # Errors
/// [`TraceError`] with the file, and the line where there is one.
pub fn open_trace(path: &Path, computing: Computing) -> Result<TraceFile, TraceError> {
    let name = path.display().to_string();
    let mut input = open(path)?;
    let mut head = Vec::new();
    input
        .by_ref()
        .take(HEAD as u64)
        .read_to_end(&mut head)
        .map_err(|error| TraceError::unreadable(&name, error))?;
    let kind = kind(&head);
    let input = Cursor::new(head).chain(input);
    if kind == Kind::Execution {
        return read_execution_trace(input, path, computing).map(TraceFile::Execution);
    }
    if kind == Kind::BinaryGoal {
        return read_binary_goal(input, &name).map(TraceFile::Goal);
    }
    if kind == Kind::Goal {
        return read_goal(input, &name).map(TraceFile::Goal);
    }
    let mut reader = TimeIndependentReader::new(computing);
    // What is wrong with no line has no file either: it is in this one, or in one it lists.
    let whole = |error| match error {
        TraceError::Whole(problem) => TraceError::Whole(format!("{name}: {problem}")),
        other => other,
    };
    if kind == Kind::Lines {
        reader.read(input, &name)?;
        return reader
            .finish()
            .map(TraceFile::TimeIndependent)
            .map_err(whole);
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut parts: Vec<(u32, String)> = Vec::new();
    read_lines(
        input,
        &name,
        "found bytes that are no text",
        |line, text| {
            parts.push((line, text.trim().to_owned()));
            Ok(())
        },
    )?;
    let mut files = BTreeMap::new();
    for (line, listed) in parts {
        if listed.is_empty() {
            continue;
        }
        let part = folder.join(&listed);
        let lines = open(&part).map_err(|error| match error {
            TraceError::Unreadable { source, .. } => {
                let problem = format!(
                    "found “{listed}” ({}); expected a line of a trace, such as 0 send 1 7 2800, or \
                     the name of a file with such lines",
                    reason(&source)
                );
                TraceError::file(&name, line, problem)
            }
            other => other,
        })?;
        if let Some(before) = files.insert(listed.clone(), line) {
            let problem =
                format!("found “{listed}” again, which line {before} has; expected each file once");
            return Err(TraceError::file(&name, line, problem));
        }
        reader.read(lines, &part.display().to_string())?;
    }
    reader
        .finish()
        .map(TraceFile::TimeIndependent)
        .map_err(whole)
}

/// Reads an execution trace: the file of rank 0, whose name ends in `.0.et`, and beside it those of the others.
fn read_execution_trace(
    input: impl BufRead,
    path: &Path,
    computing: Computing,
) -> Result<ExecutionTrace, TraceError> {
    let mut trace = ExecutionTrace::new(computing);
    trace.read(input, &path.display().to_string())?;
    let name = path.file_name().and_then(|name| name.to_str());
    let Some((stem, number, packing)) = name.and_then(parts_of_name) else {
        return Ok(trace);
    };
    if number > 0 {
        let first = path.with_file_name(format!("{stem}.0.et{packing}"));
        return Err(TraceError::Whole(format!(
            "{} is the file of rank {number}; expected that of rank 0, {}, beside which those of the others are found",
            path.display(),
            first.display()
        )));
    }
    let is_of_trace = |name: &str| {
        let parts = parts_of_name(name).filter(|parts| (parts.0, parts.2) == (stem, packing));
        parts.map(|parts| parts.1)
    };
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let beside = std::fs::read_dir(folder.unwrap_or(Path::new("."))).into_iter();
    let names = beside.flatten().flatten().map(|entry| entry.file_name());
    let ranks = names.filter_map(|name| is_of_trace(name.to_str()?));
    for rank in 1..=ranks.max().unwrap_or(0) {
        let next = path.with_file_name(format!("{stem}.{rank}.et{packing}"));
        trace.read(open(&next)?, &next.display().to_string())?;
    }
    Ok(trace)
}

/// What a file of an execution trace is called by: `step.0.et.gz` is `step`, 0 and `.gz`.
fn parts_of_name(name: &str) -> Option<(&str, u32, &str)> {
    let (before, packing) = name.rsplit_once(".et")?;
    let (stem, number) = before.rsplit_once('.')?;
    let is_packing = packing.is_empty() || packing.starts_with('.');
    let number = number.parse().ok().filter(|_| is_packing)?;
    Some((stem, number, packing))
}

fn open(path: &Path) -> Result<Box<dyn BufRead>, TraceError> {
    weft_files::open(path)
        .map_err(|error| TraceError::unreadable(&path.display().to_string(), error))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Execution,
    BinaryGoal,
    Goal,
    Lines,
    List,
}

/// The format, by its first bytes or the first line that is not empty and no comment.
fn kind(head: &[u8]) -> Kind {
    if is_binary(head) {
        return Kind::BinaryGoal;
    }
    if is_execution_trace(head) {
        return Kind::Execution;
    }
    let text = String::from_utf8_lossy(head);
    let mut lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    let first = first.unwrap_or_default();
    let mut words = first.split_ascii_whitespace();
    let begin = words.next().unwrap_or_default();
    // A schedule whose first line is missing begins with a rank.
    let is_rank = begin == "rank" && first.ends_with('{');
    if is_rank || begin == "num_ranks" || begin.starts_with("//") || begin.starts_with("/*") {
        Kind::Goal
    } else if begin.parse::<u32>().is_ok() || words.next().is_some() {
        Kind::Lines
    } else {
        Kind::List
    }
}
