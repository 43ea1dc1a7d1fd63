//! Files of traces: which format they have, and whether they are packed.

use super::{Computing, TimeIndependentReader, Trace, TraceError, read_goal, reason};
use crate::workload::program::TaskGraph;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// What a file of a trace holds.
#[derive(Debug)]
pub enum TraceFile {
    /// `SimGrid`'s time-independent trace.
    TimeIndependent(Trace),
    /// A schedule in GOAL's text form.
    Goal(TaskGraph),
}

/// First bytes of a file packed by zstd.
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Bytes looked at to tell the formats apart.
const HEAD: usize = 4096;

/// Reads a trace, packed by zstd or not; its text is never held as a whole.
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
    let mut input = BufReader::new(std::io::Cursor::new(head).chain(input));
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
    let mut list = String::new();
    input
        .read_to_string(&mut list)
        .map_err(|error| TraceError::unreadable(&name, error))?;
    let folder = path.parent().unwrap_or(Path::new("."));
    for (line, listed) in (1..).zip(list.lines().map(str::trim)) {
        if listed.is_empty() {
            continue;
        }
        let part = folder.join(listed);
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
        reader.read(lines, &part.display().to_string())?;
    }
    reader
        .finish()
        .map(TraceFile::TimeIndependent)
        .map_err(whole)
}

fn open(path: &Path) -> Result<Box<dyn BufRead>, TraceError> {
    let unreadable = |error| TraceError::unreadable(&path.display().to_string(), error);
    let mut file = BufReader::new(File::open(path).map_err(unreadable)?);
    let is_packed = file.fill_buf().map_err(unreadable)?.starts_with(&ZSTD);
    if !is_packed {
        return Ok(Box::new(file));
    }
    let unpacked =
        ruzstd::decoding::StreamingDecoder::new(file).map_err(|_| unreadable(damaged()))?;
    Ok(Box::new(BufReader::new(Unpacked(unpacked))))
}

/// A reader of packed bytes whose errors are said in the words of a user.
struct Unpacked<R>(R);

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|_| damaged())
    }
}

fn damaged() -> io::Error {
    io::Error::other("what zstd packed is cut short or damaged, copy it again in full")
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Goal,
    Lines,
    List,
}

/// The format, by the first line that is not empty and no comment.
fn kind(head: &[u8]) -> Kind {
    let text = String::from_utf8_lossy(head);
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    let first = first.unwrap_or_default();
    let mut words = first.split_ascii_whitespace();
    let begin = words.next().unwrap_or_default();
    if begin == "num_ranks" || begin.starts_with("//") || begin.starts_with("/*") {
        Kind::Goal
    } else if begin.parse::<u32>().is_ok() || words.next().is_some() {
        Kind::Lines
    } else {
        Kind::List
    }
}
