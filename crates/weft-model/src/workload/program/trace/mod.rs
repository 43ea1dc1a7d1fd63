//! Traces of applications: what each process did, to be done again on another network.
//!
//! A trace is read line by line and kept as a few bytes an action; a rank's actions become tasks
//! when it comes to them. Whether every message has its receive, and all ranks call the same
//! collective operations, is checked before anything runs.

mod action;
mod arguments;
mod chakra;
mod check;
mod evened;
mod goal;
mod goal_binary;
mod goal_rooms;
mod lengths;
mod listed;
mod open;
mod region;
mod schedule;
mod started;
mod time_independent;
mod write_goal;

pub use action::Action;
pub use chakra::ExecutionTrace;
pub use goal::read_goal;
pub use goal_binary::read_binary_goal;
pub use open::{TraceFile, open_trace};
pub use region::{Region, RegionError};
pub use time_independent::{Computing, TimeIndependentReader};
pub use write_goal::write_goal;

use super::collective::{Algorithms, Collective, Member, expand};
use super::error::ProgramError;
use super::process::Process;
use super::task::{Dependency, Task};
use action::{Actions, Position};
use std::collections::BTreeMap;
use std::io::{self, BufRead, Read};
use std::sync::Arc;
use weft_fabric::narrow;

/// A trace cannot be read or replayed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// Something is wrong in a file.
    #[error("{file}:{line}: {problem}")]
    File {
        /// The file's name.
        file: String,
        /// Line, from 1.
        line: u32,
        /// What was found, and what was expected.
        problem: String,
    },
    /// A file cannot be read.
    #[error(
        "{file}: {}; expected a trace (time-independent or GOAL)",
        reason(source)
    )]
    Unreadable {
        /// The file's name.
        file: String,
        /// Why.
        source: io::Error,
    },
    /// Something is wrong, but with no line.
    #[error("{0}")]
    Whole(String),
    /// An algorithm was chosen that its ranks cannot do.
    #[error(transparent)]
    Algorithm(#[from] ProgramError),
}

/// The line of a mistake, and what is wrong there.
type Mistake = (u32, String);

impl TraceError {
    fn file(file: &str, line: u32, problem: String) -> Self {
        let file = file.to_owned();
        Self::File {
            file,
            line,
            problem,
        }
    }

    fn unreadable(file: &str, source: io::Error) -> Self {
        let file = file.to_owned();
        Self::Unreadable { file, source }
    }
}

/// As long as a line may be: counts for each of 2^18 ranks stand in one.
const MOST_LINE_BYTES: usize = 4 << 20;

/// Takes the lines of a text one by one, and hands over the number of the last; `no_text` is what is
/// said of bytes that are none.
fn read_lines(
    mut input: impl BufRead,
    file: &str,
    no_text: &str,
    mut take: impl FnMut(u32, &str) -> Result<(), Mistake>,
) -> Result<u32, TraceError> {
    let mut bytes = Vec::new();
    let mut last_line = 0;
    for line in 1.. {
        bytes.clear();
        let most = MOST_LINE_BYTES as u64;
        let count = input.by_ref().take(most).read_until(b'\n', &mut bytes);
        if count.map_err(|error| TraceError::unreadable(file, error))? == 0 {
            break;
        }
        last_line = line;
        if bytes.len() == MOST_LINE_BYTES {
            let problem = format!("the line has no end within {} MiB", MOST_LINE_BYTES >> 20);
            return Err(TraceError::file(file, line, problem));
        }
        let text = std::str::from_utf8(&bytes).map_err(|_| (line, no_text.to_owned()));
        // Some editors put a mark of the byte order in front of a text.
        let text = text.map(|text| match line {
            1 => text.trim_start_matches('\u{feff}'),
            _ => text,
        });
        text.and_then(|text| take(line, text))
            .map_err(|(line, problem)| TraceError::file(file, line, problem))?;
    }
    Ok(last_line)
}

/// What the system says, without its number for it.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((text, _)) => text.to_lowercase(),
        None => text,
    }
}

/// What the processes of an application did.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    ranks: Vec<Actions>,
    /// Per rank: the file its actions come from.
    files: Vec<String>,
}

/// The actions of a trace that are replayed, and how its collective operations are done.
#[derive(Clone, Debug)]
pub(super) struct Replayed {
    trace: Arc<Trace>,
    /// Per rank: where to begin, and before which to end.
    spans: Vec<(Position, Position)>,
    algorithms: Box<Algorithms>,
    /// Time of combining a byte in a reduction.
    pub(super) reduce_byte_ns: f64,
}

/// How far one rank of a trace was turned into tasks.
#[derive(Clone, Debug, Default)]
pub(super) struct TraceStream {
    at: Option<Position>,
    process: Process,
    /// Whether the task taken last goes on beside what comes after.
    was_beside: bool,
}

impl TraceStream {
    /// Goes on with the first action again, once what was started and not waited for is over.
    pub(super) fn begin_again(&mut self) {
        self.at = None;
        self.process.wait_all();
    }

    /// Whether the next task may begin though the one taken last has not.
    pub(super) fn goes_on_beside(&self) -> bool {
        self.was_beside || self.process.pending.is_beside()
    }
}

impl Trace {
    /// In this all ranks take part in these collective operations, one after another.
    pub fn of_collectives(rank_count: u32, collectives: &[Collective]) -> Self {
        let mut actions = Actions::default();
        for collective in collectives {
            actions.push(0, Action::Collective(collective.clone()));
        }
        Self {
            ranks: vec![actions; rank_count as usize],
            files: vec![String::new(); rank_count as usize],
        }
    }

    /// In this all ranks exchange data, `lengths[i][j]` bytes of rank `i` for rank `j`. `None` where not every
    /// rank has a length for each.
    pub fn of_exchange(lengths: &[Vec<u64>]) -> Option<Self> {
        let ranks = lengths.len();
        if lengths.iter().any(|row| row.len() != ranks) {
            return None;
        }
        let of = |rank: usize| {
            let exchange = Collective::AllToAllV {
                to: lengths[rank].clone(),
                from: lengths.iter().map(|row| row[rank]).collect(),
            };
            let mut actions = Actions::default();
            actions.push(0, Action::Collective(exchange));
            actions
        };
        Some(Self {
            ranks: (0..ranks).map(of).collect(),
            files: vec![String::new(); ranks],
        })
    }

    /// The number of ranks.
    pub fn rank_count(&self) -> usize {
        self.ranks.len()
    }

    /// The file a rank's actions come from; empty where there is none.
    pub fn file(&self, rank: u32) -> &str {
        self.files.get(rank as usize).map_or("", String::as_str)
    }

    /// The actions of a rank, each with its line.
    pub fn actions(&self, rank: u32) -> impl Iterator<Item = (u32, Action)> {
        self.ranks
            .get(rank as usize)
            .into_iter()
            .flat_map(Actions::all)
    }

    fn error(&self, rank: u32, line: u32, problem: String) -> TraceError {
        TraceError::file(self.file(rank), line, problem)
    }
}

impl Replayed {
    /// Chooses what of a trace is replayed, and checks it.
    pub(super) fn new(
        trace: Arc<Trace>,
        region: &Region,
        algorithms: Box<Algorithms>,
    ) -> Result<Self, TraceError> {
        algorithms.check(narrow(trace.rank_count(), "ranks are numbers of 32 bits"))?;
        let spans = region.spans(&trace)?;
        let replayed = Self {
            trace,
            spans,
            algorithms,
            reduce_byte_ns: 0.0,
        };
        replayed.check()?;
        Ok(replayed)
    }

    pub(super) fn rank_count(&self) -> usize {
        self.trace.rank_count()
    }

    pub(super) fn file(&self, rank: u32) -> &str {
        self.trace.file(rank)
    }

    /// The actions of a rank that are replayed, each with its line.
    fn actions(&self, rank: u32) -> impl Iterator<Item = (u32, Action)> {
        let (mut at, end) = self.spans[rank as usize];
        let actions = &self.trace.ranks[rank as usize];
        std::iter::from_fn(move || {
            if at == end {
                return None;
            }
            actions.next(&mut at)
        })
    }

    /// The names of a rank's actions, each with its line.
    pub(super) fn action_names(&self, rank: u32) -> Vec<(u32, &'static str)> {
        let named = self.actions(rank);
        named.map(|(line, action)| (line, action.name())).collect()
    }

    /// The collective operations, by name and algorithm, each with how often it is called.
    pub(super) fn collectives_taken(&self) -> BTreeMap<(&'static str, String), u64> {
        let ranks = narrow(self.rank_count(), "ranks are numbers of 32 bits");
        let mut taken = BTreeMap::new();
        if ranks < 2 {
            // One alone sends nothing.
            return taken;
        }
        // All ranks call the same.
        for (_, action) in self.actions(0) {
            if let Some(collective) = action.collective() {
                let algorithm = collective.algorithm(&self.algorithms, ranks);
                *taken.entry((action.name(), algorithm)).or_default() += 1;
            }
        }
        taken
    }

    /// Lets a rank take part in a collective operation of all, of which it is past so many with this one.
    fn expand(&self, rank: u32, (collective, past): (&Collective, usize), process: &mut Process) {
        let ranks = narrow(self.rank_count(), "ranks are numbers of 32 bits");
        let before = |rank: u32| self.spans[rank as usize].0.collectives();
        let number = past - before(rank);
        let given = |from: u32, to: u32| {
            let actions = &self.trace.ranks[from as usize];
            // All ranks call the same.
            let same = (before(from) + number).checked_sub(1);
            match same.and_then(|same| actions.collective(same)) {
                Some(Collective::AllToAllV { to: lengths, .. }) => {
                    lengths.get(to as usize).copied().unwrap_or(0)
                }
                _ => 0,
            }
        };
        let member = Member::new(process, (rank, ranks), self.reduce_byte_ns);
        expand(collective, &self.algorithms, member.knowing(&given));
    }

    /// The next task of a rank; it goes on from the one before.
    pub(super) fn next_task(
        &self,
        rank: u32,
        stream: &mut TraceStream,
        dependencies: &mut Vec<Dependency>,
    ) -> Option<Task> {
        let (begin, end) = self.spans[rank as usize];
        let at = stream.at.get_or_insert(begin);
        let process = &mut stream.process;
        loop {
            let is_beside = process.pending.is_beside();
            if let Some(task) = process.pending.pop(dependencies) {
                stream.was_beside = is_beside;
                return Some(task);
            }
            if *at == end {
                return None;
            }
            let (line, action) = self.trace.ranks[rank as usize].next(at)?;
            process.line = line;
            match action {
                Action::Compute { ns } => process.compute(ns),
                Action::Send { to, tag, bytes } => process.send_tagged(to, tag, bytes),
                Action::Receive { from, tag, .. } => process.receive_tagged(from, tag),
                Action::StartSend { to, tag, bytes } => {
                    process.request_send(rank, to, tag, bytes);
                }
                Action::StartReceive { from, tag, .. } => {
                    process.request_receive(rank, from, tag);
                }
                Action::Wait { from, to, tag } => process.wait(from, to, tag),
                Action::WaitAll => process.wait_all(),
                Action::Collective(collective) => {
                    self.expand(rank, (&collective, at.collectives()), process);
                }
                Action::StartCollective { tag, collective } => {
                    let past = at.collectives();
                    process.request_beside(rank, tag, |process| {
                        self.expand(rank, (&collective, past), process);
                    });
                }
            }
        }
    }
}
