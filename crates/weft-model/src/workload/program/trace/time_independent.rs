//! `SimGrid`'s time-independent traces (version 3.32).
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
//! `compute` counts flops, which become time by the speed of the host that was traced.
//!
//! Not replayed are actions whose peer the format does not tell (`MPI_ANY_SOURCE` is written −333,
//! `MPI_ANY_TAG` −444) and datatypes whose size it does not (derived ones are −1).

use super::super::collective::Collective;
use super::action::{Action, Actions};
use super::{Trace, TraceError};
use std::io::BufRead;

/// How flops become time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Computing {
    /// Flops per second of the host traced.
    pub flops_per_s: f64,
    /// What each interval is too long by, in ns: the time of reading the clock twice.
    pub less_ns: f64,
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
    ranks: Vec<RankReader>,
}

#[derive(Debug, Default)]
struct RankReader {
    actions: Actions,
    file: String,
    counts_doubles: bool,
    is_initialized: bool,
    is_finalized: bool,
}

/// Highest number of a rank.
const MOST_RANKS: u32 = 1 << 20;

const ANY_SOURCE: i64 = -333;
const ANY_TAG: i64 = -444;

/// Sizes of datatypes by their number, from 0 on; see also [`UNSIGNED_32`].
const SIZES: [u64; 8] = [8, 4, 1, 2, 8, 4, 1, 8];
const UNSIGNED_32: i64 = 23;

/// Actions that happen but take no part in a replay.
const LEFT_OUT: &[&str] = &["comm_size", "comm_split", "comm_dup", "location", "test"];

/// The words of a line after rank and action.
struct Arguments<'a> {
    action: &'a str,
    words: Vec<&'a str>,
    default_size: u64,
}

impl Arguments<'_> {
    fn whole(&self, index: usize, what: &str) -> Result<i64, String> {
        let Some(word) = self.words.get(index) else {
            return Err(format!(
                "{} ends before its {what}; the line is cut short",
                self.action
            ));
        };
        word.parse().map_err(|_| {
            format!(
                "found “{word}” for the {what} of {}; expected a whole number",
                self.action
            )
        })
    }

    fn time(&self, index: usize, what: &str) -> Result<f64, String> {
        let word = self.words.get(index).ok_or_else(|| {
            format!(
                "{} ends before its {what}; the line is cut short",
                self.action
            )
        })?;
        let number = word
            .parse()
            .ok()
            .filter(|x: &f64| *x >= 0.0 && x.is_finite());
        number.ok_or_else(|| {
            format!(
                "found “{word}” for the {what} of {}; expected 0 or more",
                self.action
            )
        })
    }

    fn rank(&self, index: usize, what: &str) -> Result<u32, String> {
        let found = self.whole(index, what)?;
        if found == ANY_SOURCE {
            return Err(format!(
                "{} from any rank ({ANY_SOURCE}): the trace does not tell whose message it was; \
                 expected a program without MPI_ANY_SOURCE",
                self.action
            ));
        }
        let rank = u32::try_from(found).ok().filter(|&rank| rank < MOST_RANKS);
        rank.ok_or_else(|| {
            format!(
                "found {found} for the {what} of {}; expected a rank",
                self.action
            )
        })
    }

    fn tag(&self, index: usize) -> Result<u32, String> {
        let found = self.whole(index, "tag")?;
        if found == ANY_TAG {
            return Err(format!(
                "{} with any tag ({ANY_TAG}): the trace does not tell which message it was; \
                 expected a program without MPI_ANY_TAG",
                self.action
            ));
        }
        let tag = i32::try_from(found)
            .ok()
            .and_then(|tag| u32::try_from(tag).ok());
        tag.ok_or_else(|| {
            format!(
                "found {found} for the tag of {}; expected 0 to 2147483647",
                self.action
            )
        })
    }

    /// The size of the datatype at a place, if there is any.
    fn size(&self, index: usize) -> Result<u64, String> {
        if self.words.len() <= index {
            return Ok(self.default_size);
        }
        let number = self.whole(index, "datatype")?;
        if number == UNSIGNED_32 {
            return Ok(4);
        }
        let size = usize::try_from(number)
            .ok()
            .and_then(|number| SIZES.get(number));
        size.copied().ok_or_else(|| {
            format!(
                "{} counts datatype {number}, whose size the trace does not tell; expected 0 to 7 \
                 or {UNSIGNED_32}",
                self.action
            )
        })
    }

    /// A count at a place times the size of the datatype at another.
    fn bytes(&self, index: usize, size_index: usize) -> Result<u64, String> {
        let count = self.whole(index, "count")?;
        let bytes = u64::try_from(count)
            .ok()
            .and_then(|count| count.checked_mul(self.size(size_index).ok()?));
        self.size(size_index)?;
        bytes.ok_or_else(|| {
            format!(
                "found {count} for the count of {}; expected 0 or more",
                self.action
            )
        })
    }

    /// The root at a place, 0 if there is none.
    fn root(&self, index: usize) -> Result<u32, String> {
        if self.words.len() > index {
            self.rank(index, "root")
        } else {
            Ok(0)
        }
    }
}

impl TimeIndependentReader {
    /// This has read nothing yet.
    pub fn new(computing: Computing) -> Self {
        let ranks = Vec::new();
        Self { computing, ranks }
    }

    /// This reads a file, line by line.
    ///
    /// # Errors
    /// [`TraceError`] with the line that cannot be understood.
    pub fn read(&mut self, mut input: impl BufRead, file: &str) -> Result<(), TraceError> {
        let mut text = Vec::new();
        for line in 1.. {
            text.clear();
            let count =
                input
                    .read_until(b'\n', &mut text)
                    .map_err(|source| TraceError::Unreadable {
                        file: file.to_owned(),
                        source,
                    })?;
            if count == 0 {
                break;
            }
            let outcome = std::str::from_utf8(&text)
                .map_err(|_| "found bytes that are no text".to_owned())
                .and_then(|text| self.line(file, line, text));
            outcome.map_err(|problem| TraceError::File {
                file: file.to_owned(),
                line,
                problem,
            })?;
        }
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
        let index = rank as usize;
        if self.ranks.len() <= index {
            self.ranks.resize_with(index + 1, RankReader::default);
        }
        let reader = &mut self.ranks[index];
        if reader.file.is_empty() {
            file.clone_into(&mut reader.file);
        } else if reader.file != file {
            return Err(format!("rank {rank} is in {} already", reader.file));
        }
        if reader.is_finalized {
            return Err(format!("rank {rank} goes on after its finalize"));
        }
        let arguments = Arguments {
            action,
            words: words.collect(),
            default_size: if reader.counts_doubles { 8 } else { 1 },
        };
        match action {
            "init" => {
                reader.is_initialized = true;
                reader.counts_doubles = !arguments.words.is_empty();
            }
            "finalize" => reader.is_finalized = true,
            "compute" => {
                let seconds = arguments.time(0, "flops")? / self.computing.flops_per_s;
                let ns = (seconds * 1e9 - self.computing.less_ns).max(0.0);
                reader.actions.push(line, Action::Compute { ns });
            }
            "sendRecv" | "sendrecv" => {
                let (to, from) = (
                    arguments.rank(1, "destination")?,
                    arguments.rank(3, "source")?,
                );
                let (bytes, tag) = (arguments.bytes(0, 4)?, 0);
                for action in [
                    Action::StartReceive { from, tag },
                    Action::StartSend { to, tag, bytes },
                    Action::Wait {
                        from,
                        to: rank,
                        tag,
                    },
                    Action::Wait {
                        from: rank,
                        to,
                        tag,
                    },
                ] {
                    reader.actions.push(line, action);
                }
            }
            left_out if LEFT_OUT.contains(&left_out) => {}
            _ => reader.actions.push(line, message_action(&arguments)?),
        }
        Ok(())
    }

    /// This is the trace that was read.
    ///
    /// # Errors
    /// [`TraceError`] when a rank is missing or cut short.
    pub fn finish(self) -> Result<Trace, TraceError> {
        let count = self.ranks.len();
        let (mut ranks, mut files) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for (number, reader) in self.ranks.into_iter().enumerate() {
            if reader.file.is_empty() {
                return Err(TraceError::Whole(format!(
                    "the trace has no line of rank {number}; expected all of ranks 0 to {}",
                    count - 1
                )));
            }
            if reader.is_initialized && !reader.is_finalized {
                return Err(TraceError::File {
                    file: reader.file,
                    line: reader.actions.last_line(),
                    problem: format!(
                        "rank {number} ends here without finalize; the trace is cut short"
                    ),
                });
            }
            let mut actions = Actions::default();
            for (line, action) in reader.actions.all() {
                let action = match action {
                    Action::Collective(Collective::AllToAllV { to }) => {
                        exchange(&to, count, reader.counts_doubles).map_err(|problem| {
                            let file = reader.file.clone();
                            TraceError::File {
                                file,
                                line,
                                problem,
                            }
                        })?
                    }
                    action => action,
                };
                actions.push(line, action);
            }
            ranks.push(actions);
            files.push(reader.file);
        }
        if ranks.is_empty() {
            return Err(TraceError::Whole("the trace is empty".to_owned()));
        }
        Ok(Trace { ranks, files })
    }
}

/// The numbers of an `alltoallv`, which only the number of ranks tells apart: the length of the send
/// buffer, the counts for each rank, the same of what is received, and perhaps two datatypes.
fn exchange(numbers: &[u64], ranks: usize, counts_doubles: bool) -> Result<Action, String> {
    let size = match numbers.len().checked_sub(2 * ranks + 2) {
        Some(0) if counts_doubles => 8,
        Some(0) => 1,
        Some(2) => {
            let datatype = numbers[2 * ranks + 2].to_string();
            let arguments = Arguments {
                action: "alltoallv",
                words: vec![&datatype],
                default_size: 1,
            };
            arguments.size(0)?
        }
        _ => {
            return Err(format!(
                "found {} numbers after alltoallv; expected {} for {ranks} ranks, or two more with \
                 the datatypes",
                numbers.len(),
                2 * ranks + 2
            ));
        }
    };
    let counts = numbers[1..=ranks].iter();
    let to = counts.map(|count| count.checked_mul(size)).collect();
    let to: Option<Vec<u64>> = to;
    let to = to.ok_or_else(|| "found a count of alltoallv beyond all memory".to_owned())?;
    Ok(Action::Collective(Collective::AllToAllV { to }))
}

fn message_action(arguments: &Arguments) -> Result<Action, String> {
    let count = arguments.words.len();
    let collective = match arguments.action {
        "send" | "isend" => {
            let to = arguments.rank(0, "destination")?;
            let (tag, bytes) = (arguments.tag(1)?, arguments.bytes(2, 3)?);
            return Ok(if arguments.action == "send" {
                Action::Send { to, tag, bytes }
            } else {
                Action::StartSend { to, tag, bytes }
            });
        }
        "recv" | "irecv" => {
            let (from, tag) = (arguments.rank(0, "source")?, arguments.tag(1)?);
            return Ok(if arguments.action == "recv" {
                Action::Receive { from, tag }
            } else {
                Action::StartReceive { from, tag }
            });
        }
        "wait" => {
            let (from, to) = (
                arguments.rank(0, "source")?,
                arguments.rank(1, "destination")?,
            );
            let tag = arguments.tag(2)?;
            return Ok(Action::Wait { from, to, tag });
        }
        "waitall" => return Ok(Action::WaitAll),
        "barrier" => Collective::Barrier,
        "bcast" => Collective::Broadcast {
            bytes: arguments.bytes(0, 2)?,
            root: arguments.root(1)?,
        },
        "reduce" => Collective::Reduce {
            bytes: arguments.bytes(0, 3)?,
            ns: arguments.time(1, "flops")?,
            root: arguments.root(2)?,
        },
        "allreduce" | "scan" | "exscan" => Collective::AllReduce {
            bytes: arguments.bytes(0, 2)?,
            ns: arguments.time(1, "flops")?,
        },
        "alltoall" => Collective::AllToAll {
            bytes: arguments.bytes(0, 2)?,
        },
        "allgather" => Collective::AllGather {
            bytes: arguments.bytes(0, 2)?,
        },
        "gather" | "scatter" => {
            // The count to receive is left out where it is 0.
            let root_index = if count == 4 { 1 } else { 2 };
            let (bytes, root) = (
                arguments.bytes(0, root_index + 1)?,
                arguments.root(root_index)?,
            );
            if arguments.action == "gather" {
                Collective::Gather { root, bytes }
            } else {
                Collective::Scatter { root, bytes }
            }
        }
        "alltoallv" => {
            let numbers = (0..count).map(|index| {
                let number = arguments.whole(index, "counts")?;
                u64::try_from(number)
                    .map_err(|_| format!("found {number} among the counts; expected 0 or more"))
            });
            Collective::AllToAllV {
                to: numbers.collect::<Result<_, _>>()?,
            }
        }
        other => {
            return Err(format!(
                "found action “{other}”, which cannot be replayed; expected one of init, finalize, \
                 compute, send, isend, recv, irecv, sendRecv, wait, waitall, barrier, bcast, \
                 reduce, allreduce, scan, exscan, alltoall, alltoallv, allgather, gather, scatter"
            ));
        }
    };
    Ok(Action::Collective(collective))
}
