//! What a rank does: tasks, and which of them wait for which.

use std::fmt;

/// What a task does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Work {
    /// The processor computes.
    Compute {
        /// For so long, in ns; not negative.
        ns: f64,
    },
    /// Nothing, for as long as the rank has not been at work for so many cycles.
    Until {
        /// Cycles since its beginning.
        cycle: u64,
    },
    /// A message is sent.
    Send {
        /// Rank it goes to; may be the sender itself.
        to: u32,
        /// What a receive may ask for.
        tag: u32,
        /// Its length.
        bytes: u64,
    },
    /// A message is received.
    Receive {
        /// Rank it must come from; any if none.
        from: Option<u32>,
        /// Tag it must have; any if none.
        tag: Option<u32>,
    },
    /// Nothing: others can wait for several tasks at once through it.
    Join,
}

/// A moment of a task that others can wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// It begins.
    Start,
    /// It is over.
    End,
}

/// What a task waits for: a moment of an earlier task of the same rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// Number of that task among those of the rank, from 0.
    pub task: u64,
    /// The moment.
    pub moment: Moment,
}

impl Dependency {
    /// Waits for the end of a task.
    pub fn end(task: u64) -> Self {
        let moment = Moment::End;
        Self { task, moment }
    }

    /// Waits for the start of a task.
    pub fn start(task: u64) -> Self {
        let moment = Moment::Start;
        Self { task, moment }
    }
}

/// A task, and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Task {
    /// What it does.
    pub work: Work,
    /// Line of the file it comes from, from 1; 0 where there is no file.
    pub line: u32,
    /// The processor of its rank that works on it.
    pub cpu: u8,
    /// Of a send: the queue pair, of those to one host, that its message takes; see [queue
    /// pairs](super#queue-pairs).
    pub nic: u8,
}

impl Task {
    /// One of the first processor and the first queue pair.
    pub const fn new(work: Work, line: u32) -> Self {
        Self {
            work,
            line,
            cpu: 0,
            nic: 0,
        }
    }
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Compute { ns } => write!(f, "computing for {ns} ns"),
            Self::Until { cycle } => write!(f, "waiting until cycle {cycle}"),
            Self::Send { to, tag, bytes } => {
                write!(f, "sending {bytes} bytes to rank {to} (tag {tag})")
            }
            Self::Receive { from, tag } => {
                f.write_str("receiving from ")?;
                match from {
                    Some(from) => write!(f, "rank {from}")?,
                    None => f.write_str("any rank")?,
                }
                match tag {
                    Some(tag) => write!(f, " (tag {tag})"),
                    None => f.write_str(" (any tag)"),
                }
            }
            Self::Join => f.write_str("waiting for others"),
        }
    }
}
