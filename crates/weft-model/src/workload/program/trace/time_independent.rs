//! `SimGrid`'s time-independent traces (version 4.1).
//!
//! ```text
//! 0 init
//! 0 compute 55793
//! 0 isend 1 7 2800 0
//! 0 wait 0 1 7
//! 0 finalize
//! ```
//!
//! A line is `rank action arguments`; lines of all ranks may be in one file, or each rank's in its
//! own. Blank lines and those with `#` in front are left out. Lengths are counts of a datatype, whose
//! number comes last; without one it is a byte, or a double where `init` has an argument.
//! `compute` counts flops, which become time by the speed of the host that was traced; who sleeps
//! computes for as long. A collective operation that is only [started](super::started) goes on beside the rest.
//! What `test` and those like it found is not told, and when is another matter in a replay: they are left out, as what
//! is not waited for is over at the end.
//!
//! The format has no communicators: all collective operations are of all ranks, and `comm_split` and `comm_dup`
//! stand without any argument, where tools write them at all. `SimGrid`'s replay does nothing for them, and no
//! operation tells whose it is. Messages are between ranks of the whole program, whatever communicator they were sent in.
//!
//! Not replayed are actions whose peer the format does not tell (`MPI_ANY_SOURCE` is written −333,
//! `MPI_ANY_TAG` −444) and datatypes whose size it does not (derived ones are −1).

use super::super::collective::{COLLECTIVES, Collective};
use super::action::{Action, Actions};
use super::arguments::{Arguments, MOST_RANKS};
use super::listed::{LISTED, Listed, operation};
use super::started::{request_tag, started};
use super::{Trace, TraceError, read_lines};
use std::collections::BTreeMap;
use std::io::BufRead;
use weft_registry::Suggestion;

/// How flops become time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Computing {
    /// Flops per second of the host traced.
    pub flops_per_s: f64,
    /// What each interval is too long by, in ns: the time of reading the clock twice.
    pub less_ns: f64,
}

impl Computing {
    fn ns_of_flop(self) -> f64 {
        1e9 / self.flops_per_s
    }
}

impl Default for Computing {
    fn default() -> Self {
        Self {
            flops_per_s: 1e9,
            less_ns: 0.0,
        }
    }
}

/// A reader of time-independent traces, fed file by file.
#[derive(Debug, Default)]
pub struct TimeIndependentReader {
    computing: Computing,
    ranks: BTreeMap<u32, RankReader>,
}

#[derive(Debug, Default)]
struct RankReader {
    actions: Actions,
    listed: Vec<Listed>,
    file: String,
    counts_doubles: bool,
    is_initialized: bool,
    is_finalized: bool,
}

/// Actions that happen but take no part in a replay.
const LEFT_OUT: &[&str] = &[
    "comm_size",
    "comm_split",
    "comm_dup",
    "location",
    "test",
    "testall",
    "testany",
    "testsome",
];

impl RankReader {
    fn default_size(&self) -> u64 {
        if self.counts_doubles { 8 } else { 1 }
    }

    /// Completes the operations that had to wait for the number of ranks.
    fn complete(&mut self, rank: usize, ranks: usize, ns_of_flop: f64) -> Result<(), TraceError> {
        for listed in std::mem::take(&mut self.listed) {
            let mut words = listed.text.split_ascii_whitespace();
            let action = words.next().unwrap_or_default();
            let arguments = Arguments {
                action,
                operation: started(action).map_or(action, |(operation, _)| operation),
                words: words.collect(),
                default_size: self.default_size(),
            };
            let operation = operation(&arguments, rank, ranks, ns_of_flop)
                .map_err(|problem| TraceError::file(&self.file, listed.line, problem))?;
            self.actions.fill(listed.place, operation);
        }
        Ok(())
    }
}

impl TimeIndependentReader {
    /// Has read nothing yet.
    pub fn new(computing: Computing) -> Self {
        let ranks = BTreeMap::new();
        Self { computing, ranks }
    }

    /// Reads a file, line by line.
    ///
    /// # Errors
    /// [`TraceError`] with the line that cannot be understood.
    pub fn read(&mut self, input: impl BufRead, file: &str) -> Result<(), TraceError> {
        let no_text = "found bytes that are no text; expected a trace (time-independent or GOAL)";
        read_lines(input, file, no_text, |line, text| {
            let outcome = self.line(file, line, text);
            outcome.map_err(|problem| (line, problem))
        })?;
        Ok(())
    }

    fn line(&mut self, file: &str, line: u32, text: &str) -> Result<(), String> {
        let mut words = text.split_ascii_whitespace();
        let Some(first) = words.next().filter(|word| !word.starts_with('#')) else {
            return Ok(());
        };
        let rank = first.parse().ok().filter(|&rank: &u32| rank < MOST_RANKS);
        let rank = rank.ok_or_else(|| format!("found “{first}”, expected the number of a rank"))?;
        let action = words
            .next()
            .ok_or_else(|| "the line ends before its action; it is cut short".to_owned())?;
        let ns_of_flop = self.computing.ns_of_flop();
        let reader = self.ranks.entry(rank).or_default();
        if reader.file.is_empty() {
            file.clone_into(&mut reader.file);
        } else if reader.file != file {
            return Err(format!("rank {rank} is in {} already", reader.file));
        }
        if reader.is_finalized {
            return Err(format!("rank {rank} goes on after its finalize"));
        }
        reader.actions.pass(line);
        let (operation, request) = started(action).unzip();
        let operation = operation.unwrap_or(action);
        let arguments = Arguments {
            action,
            operation,
            words: words.collect(),
            default_size: reader.default_size(),
        };
        arguments.check_count()?;
        match operation {
            "init" => {
                reader.is_initialized = true;
                reader.counts_doubles = !arguments.words.is_empty();
            }
            "finalize" => reader.is_finalized = true,
            "compute" => {
                let ns = arguments.time(0, "flops", ns_of_flop)? - self.computing.less_ns;
                let ns = ns.max(0.0);
                reader.actions.push(line, Action::Compute { ns });
            }
            "sleep" => {
                let ns = arguments.time(0, "seconds", 1e9)?;
                reader.actions.push(line, Action::Compute { ns });
            }
            "sendRecv" | "sendrecv" => {
                let to = arguments.rank(1, "destination")?;
                let from = arguments.rank(3, "source")?;
                let (bytes, tag) = (arguments.bytes(0, 4)?, 0);
                // One datatype is that of both.
                let room = arguments.room(2, arguments.words.len().saturating_sub(1).max(4))?;
                let wait = |from, to| Action::Wait { from, to, tag };
                for action in [
                    Action::StartReceive { from, tag, room },
                    Action::StartSend { to, tag, bytes },
                    wait(from, rank),
                    wait(rank, to),
                ] {
                    reader.actions.push(line, action);
                }
            }
            left_out if LEFT_OUT.contains(&left_out) => {}
            listed if LISTED.contains(&listed) => {
                let mut text = vec![action];
                text.extend_from_slice(&arguments.words);
                reader.listed.push(Listed {
                    line,
                    place: reader.actions.reserve(line, request),
                    text: text.join(" ").into(),
                });
            }
            _ => {
                let action = match message_action(&arguments, rank)? {
                    Some(action) => action,
                    None => {
                        Action::of_collective(collective(&arguments, rank, ns_of_flop)?, request)
                    }
                };
                reader.actions.push(line, action);
            }
        }
        Ok(())
    }

    /// The trace that was read.
    ///
    /// # Errors
    /// [`TraceError`] when a rank is missing or cut short.
    pub fn finish(self) -> Result<Trace, TraceError> {
        let ns_of_flop = self.computing.ns_of_flop();
        let Some((&last, _)) = self.ranks.last_key_value() else {
            return Err(TraceError::Whole("the trace is empty".to_owned()));
        };
        let count = self.ranks.len();
        let (mut ranks, mut files) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for (number, (rank, mut reader)) in self.ranks.into_iter().enumerate() {
            if rank as usize != number {
                return Err(TraceError::Whole(format!(
                    "the trace has no line of rank {number}; expected all of ranks 0 to {last}"
                )));
            }
            if reader.is_initialized && !reader.is_finalized {
                let problem =
                    format!("rank {number} ends here without finalize; the trace is cut short");
                let line = reader.actions.last_line();
                return Err(TraceError::file(&reader.file, line, problem));
            }
            reader.complete(number, count, ns_of_flop)?;
            ranks.push(reader.actions);
            files.push(reader.file);
        }
        Ok(Trace { ranks, files })
    }
}

/// What a line says of messages; `None` if it says nothing of them.
fn message_action(arguments: &Arguments, rank: u32) -> Result<Option<Action>, String> {
    Ok(Some(match arguments.action {
        "send" | "isend" => {
            let to = arguments.rank(0, "destination")?;
            let (tag, bytes) = (arguments.tag(1)?, arguments.bytes(2, 3)?);
            if arguments.action == "send" {
                Action::Send { to, tag, bytes }
            } else {
                Action::StartSend { to, tag, bytes }
            }
        }
        "recv" | "irecv" => {
            let (from, tag) = (arguments.rank(0, "source")?, arguments.tag(1)?);
            let room = arguments.room(2, 3)?;
            if arguments.action == "recv" {
                Action::Receive { from, tag, room }
            } else {
                Action::StartReceive { from, tag, room }
            }
        }
        "wait" => {
            if let Some(tag) = request_tag(arguments.whole(2, "tag")?) {
                return Ok(Some(Action::Wait {
                    from: rank,
                    to: rank,
                    tag,
                }));
            }
            let from = arguments.rank(0, "source")?;
            let to = arguments.rank(1, "destination")?;
            let tag = arguments.tag(2)?;
            Action::Wait { from, to, tag }
        }
        "waitall" => Action::WaitAll,
        _ => return Ok(None),
    }))
}

/// The collective operation that a line says.
fn collective(arguments: &Arguments, rank: u32, ns_of_flop: f64) -> Result<Collective, String> {
    let count = arguments.words.len();
    Ok(match arguments.operation {
        "barrier" => Collective::Barrier,
        "bcast" => Collective::Broadcast {
            bytes: arguments.bytes(0, 2)?,
            root: arguments.root(1)?,
        },
        "reduce" => Collective::Reduce {
            bytes: arguments.bytes(0, 3)?,
            ns: arguments.time(1, "flops", ns_of_flop)?,
            root: arguments.root(2)?,
        },
        "allreduce" | "scan" | "exscan" => Collective::AllReduce {
            bytes: arguments.bytes(0, 2)?,
            ns: arguments.time(1, "flops", ns_of_flop)?,
        },
        "alltoall" => Collective::AllToAll {
            bytes: of_each(arguments)?,
        },
        "allgather" => Collective::AllGather {
            bytes: of_each(arguments)?,
        },
        "gather" | "scatter" => {
            // A count to receive of 0 is left out, and where the own data stay in place, one of the
            // counts is 0. The root alone needs the count of what all give it, or it gives all; what
            // others have there is not looked at by MPI.
            let root_index = if count == 4 { 1 } else { 2 };
            let root = arguments.root(root_index)?;
            let sent = arguments.bytes(0, root_index + 1)?;
            let received = if root_index == 2 && count > 1 {
                arguments.bytes(1, root_index + 2)?
            } else {
                0
            };
            if rank == root {
                one_length(arguments, sent, received)?;
            }
            let is_gather = arguments.operation == "gather";
            let (first, other) = if is_gather == (rank == root) {
                (received, sent)
            } else {
                (sent, received)
            };
            let bytes = if first > 0 { first } else { other };
            if is_gather {
                Collective::Gather { root, bytes }
            } else {
                Collective::Scatter { root, bytes }
            }
        }
        other => {
            return Err(format!(
                "found action “{other}”, which cannot be replayed; expected one of init, finalize, \
                 compute, sleep, send, isend, recv, irecv, sendRecv, wait, waitall, barrier, bcast, \
                 reduce, allreduce, scan, exscan, alltoall, alltoallv, allgather, allgatherv, \
                 gather, gatherv, scatter, scatterv, reducescatter, and these with an i in front, which \
                 are waited for later{}",
                meant_action(other)
            ));
        }
    })
}

/// What each rank sends each where all receive as much, which is told twice.
fn of_each(arguments: &Arguments) -> Result<u64, String> {
    let sent = arguments.bytes(0, 2)?;
    // Of three words after the action the second may be a count or a datatype.
    if !matches!(arguments.words.len(), 2 | 4) {
        return Ok(sent);
    }
    let Some(received) = arguments.room(1, 3)? else {
        return Ok(sent);
    };
    one_length(arguments, sent, received)?;
    // Data that stay in place are written as 0.
    Ok(if sent > 0 { sent } else { received })
}

/// Refuses what is sent and received in one call where that is not the same; 0 is what stays in place, or is left out.
fn one_length(arguments: &Arguments, sent: u64, received: u64) -> Result<(), String> {
    if sent == received || sent == 0 || received == 0 {
        return Ok(());
    }
    Err(format!(
        "{} sends {sent} bytes and receives {received} of the same call; expected as many",
        arguments.action
    ))
}

/// The action that a misspelled one perhaps is.
fn meant_action(found: &str) -> Suggestion {
    let operations = COLLECTIVES.iter().map(|entry| entry.name);
    let others = [
        "init", "finalize", "compute", "sleep", "send", "isend", "recv", "irecv", "sendRecv",
        "wait", "waitall", "scan", "exscan",
    ];
    Suggestion::nearest(found, others.into_iter().chain(operations))
}
