//! What a process of an application does, one action after another, and how actions are kept: as
//! bytes, so that a trace takes a fraction of its text's room.

use super::super::collective::Collective;
use crate::packed_numbers::{put, take};

/// An action of a process.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// It computes.
    Compute {
        /// For so long, in ns.
        ns: f64,
    },
    /// It sends a message and goes on when the send is over.
    Send {
        /// Rank it goes to.
        to: u32,
        /// Its tag.
        tag: u32,
        /// Its length.
        bytes: u64,
    },
    /// It starts to send a message and goes on.
    StartSend {
        /// Rank it goes to.
        to: u32,
        /// Its tag.
        tag: u32,
        /// Its length.
        bytes: u64,
    },
    /// It receives a message and goes on when it has.
    Receive {
        /// Rank it comes from.
        from: u32,
        /// Its tag.
        tag: u32,
        /// The most bytes it has room for; none where the trace does not tell.
        room: Option<u64>,
    },
    /// It starts to receive a message and goes on.
    StartReceive {
        /// Rank it comes from.
        from: u32,
        /// Its tag.
        tag: u32,
        /// The most bytes it has room for; none where the trace does not tell.
        room: Option<u64>,
    },
    /// It waits for what it started first of a message with these ends and this tag.
    Wait {
        /// Rank that sends it.
        from: u32,
        /// Rank that receives it.
        to: u32,
        /// Its tag.
        tag: u32,
    },
    /// It waits for all it started.
    WaitAll,
    /// It takes part in a collective operation of all ranks.
    Collective(Collective),
    /// It starts to take part in one and goes on.
    StartCollective {
        /// What it waits for it by, as a message from itself to itself: 2^31 or more.
        tag: u32,
        /// The operation.
        collective: Collective,
    },
}

impl Action {
    /// The action's name in time-independent traces.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Compute { .. } => "compute",
            Self::Send { .. } => "send",
            Self::StartSend { .. } => "isend",
            Self::Receive { .. } => "recv",
            Self::StartReceive { .. } => "irecv",
            Self::Wait { .. } => "wait",
            Self::WaitAll => "waitall",
            Self::Collective(collective) => collective.name(),
            Self::StartCollective { collective, .. } => collective.started_name(),
        }
    }

    /// A collective operation, started only where it has a tag.
    pub(super) fn of_collective(collective: Collective, tag: Option<u32>) -> Self {
        match tag {
            None => Self::Collective(collective),
            Some(tag) => Self::StartCollective { tag, collective },
        }
    }

    /// The collective operation that it is, or starts.
    pub(super) fn collective(&self) -> Option<&Collective> {
        match self {
            Self::Collective(collective) | Self::StartCollective { collective, .. } => {
                Some(collective)
            }
            _ => None,
        }
    }

    /// The same, but for what a trace tells of the lengths that are expected of others: nothing of it
    /// is replayed.
    pub(super) fn without_expectations(&self) -> Self {
        let mut action = self.clone();
        match &mut action {
            Self::Receive { room, .. } | Self::StartReceive { room, .. } => *room = None,
            Self::Collective(collective) | Self::StartCollective { collective, .. } => {
                collective.forget_expectations();
            }
            _ => {}
        }
        action
    }
}

/// The actions of one rank.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Actions {
    bytes: Vec<u8>,
    collectives: Vec<Collective>,
    last_line: u32,
    /// Line of the last that the file says of the rank, be it no action.
    end_line: u32,
}

/// A place among the actions of a rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Position {
    byte: usize,
    collective: usize,
    line: u32,
}

impl Position {
    /// The number of collective operations before it.
    pub(super) fn collectives(self) -> usize {
        self.collective
    }
}

const COMPUTE_WHOLE: u8 = 0;
const COMPUTE: u8 = 1;
const SEND: u8 = 2;
const START_SEND: u8 = 3;
const RECEIVE: u8 = 4;
const START_RECEIVE: u8 = 5;
const WAIT: u8 = 6;
const WAIT_ALL: u8 = 7;
const COLLECTIVE: u8 = 8;
const START_COLLECTIVE: u8 = 9;
/// Codes from here on tell that lines were left out before the action; the code follows less this.
const AFTER_LINES: u8 = 16;

/// Largest whole number of ns that a float holds exactly.
const MOST_WHOLE_NS: f64 = 9_007_199_254_740_992.0;

/// A room as a number: 0 where there is none.
fn coded_room(room: Option<u64>) -> u64 {
    room.map_or(0, |bytes| bytes.saturating_add(1))
}

impl Actions {
    fn number(&mut self, value: u64) {
        put(&mut self.bytes, value);
    }

    fn coded(&mut self, code: u8, lines: u32, numbers: &[u64]) {
        if lines == 1 {
            self.bytes.push(code);
        } else {
            self.bytes.push(code + AFTER_LINES);
            self.number(u64::from(lines));
        }
        for &value in numbers {
            self.number(value);
        }
    }

    /// Adds an action from a line not before that of the last.
    pub(super) fn push(&mut self, line: u32, action: Action) {
        let lines = line - self.last_line;
        self.last_line = line;
        match action {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "whole, not negative and small enough"
            )]
            Action::Compute { ns } if ns.fract() == 0.0 && (0.0..MOST_WHOLE_NS).contains(&ns) => {
                self.coded(COMPUTE_WHOLE, lines, &[ns as u64]);
            }
            Action::Compute { ns } => {
                self.coded(COMPUTE, lines, &[]);
                self.bytes.extend_from_slice(&ns.to_le_bytes());
            }
            Action::Send { to, tag, bytes } => {
                self.coded(SEND, lines, &[to.into(), tag.into(), bytes]);
            }
            Action::StartSend { to, tag, bytes } => {
                self.coded(START_SEND, lines, &[to.into(), tag.into(), bytes]);
            }
            Action::Receive { from, tag, room } => {
                self.coded(RECEIVE, lines, &[from.into(), tag.into(), coded_room(room)]);
            }
            Action::StartReceive { from, tag, room } => {
                self.coded(
                    START_RECEIVE,
                    lines,
                    &[from.into(), tag.into(), coded_room(room)],
                );
            }
            Action::Wait { from, to, tag } => {
                self.coded(WAIT, lines, &[from.into(), to.into(), tag.into()]);
            }
            Action::WaitAll => self.coded(WAIT_ALL, lines, &[]),
            Action::Collective(collective) => {
                self.coded(COLLECTIVE, lines, &[]);
                self.collectives.push(collective);
            }
            Action::StartCollective { tag, collective } => {
                self.coded(START_COLLECTIVE, lines, &[tag.into()]);
                self.collectives.push(collective);
            }
        }
    }

    /// Adds a collective operation that is not known yet, started only where it has a tag, and returns its place to
    /// be [filled](Self::fill).
    pub(super) fn reserve(&mut self, line: u32, tag: Option<u32>) -> usize {
        self.push(line, Action::of_collective(Collective::Barrier, tag));
        self.collectives.len() - 1
    }

    pub(super) fn fill(&mut self, place: usize, collective: Collective) {
        self.collectives[place] = collective;
    }

    /// A collective operation by its number.
    pub(super) fn collective(&self, number: usize) -> Option<&Collective> {
        self.collectives.get(number)
    }

    /// The action at a position, with its line, and moves the position to the next.
    pub(super) fn next(&self, at: &mut Position) -> Option<(u32, Action)> {
        let code = *self.bytes.get(at.byte)?;
        at.byte += 1;
        let mut lines = 1;
        let code = if code >= AFTER_LINES {
            lines = self.small(at)?;
            code - AFTER_LINES
        } else {
            code
        };
        at.line += lines;
        let action = match code {
            COMPUTE_WHOLE => Action::Compute {
                ns: self.read(at)? as f64,
            },
            COMPUTE => {
                let bytes = self.bytes.get(at.byte..at.byte + 8)?;
                at.byte += 8;
                let ns = f64::from_le_bytes(bytes.try_into().ok()?);
                Action::Compute { ns }
            }
            SEND => Action::Send {
                to: self.small(at)?,
                tag: self.small(at)?,
                bytes: self.read(at)?,
            },
            START_SEND => Action::StartSend {
                to: self.small(at)?,
                tag: self.small(at)?,
                bytes: self.read(at)?,
            },
            RECEIVE => Action::Receive {
                from: self.small(at)?,
                tag: self.small(at)?,
                room: self.read(at)?.checked_sub(1),
            },
            START_RECEIVE => Action::StartReceive {
                from: self.small(at)?,
                tag: self.small(at)?,
                room: self.read(at)?.checked_sub(1),
            },
            WAIT => Action::Wait {
                from: self.small(at)?,
                to: self.small(at)?,
                tag: self.small(at)?,
            },
            WAIT_ALL => Action::WaitAll,
            _ => {
                let tag = match code {
                    START_COLLECTIVE => Some(self.small(at)?),
                    _ => None,
                };
                let collective = self.collectives.get(at.collective)?;
                at.collective += 1;
                Action::of_collective(collective.clone(), tag)
            }
        };
        Some((at.line, action))
    }

    fn read(&self, at: &mut Position) -> Option<u64> {
        take(&self.bytes, &mut at.byte)
    }

    fn small(&self, at: &mut Position) -> Option<u32> {
        self.read(at).and_then(|value| value.try_into().ok())
    }

    /// All actions with their lines.
    pub(super) fn all(&self) -> impl Iterator<Item = (u32, Action)> {
        let mut at = Position::default();
        std::iter::from_fn(move || self.next(&mut at))
    }

    /// Notes that the file has a line of the rank there.
    pub(super) fn pass(&mut self, line: u32) {
        self.end_line = line;
    }

    /// The last line that the file has of the rank.
    pub(super) fn last_line(&self) -> u32 {
        self.end_line.max(self.last_line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_come_back_with_their_lines() {
        let mut actions = Actions::default();
        let added = [
            (1, Action::Compute { ns: 55_793.0 }),
            (2, Action::Compute { ns: 0.125 }),
            (3, Action::Compute { ns: 1e300 }),
            (
                9,
                Action::Send {
                    to: 3,
                    tag: 2_147_483_647,
                    bytes: u64::MAX,
                },
            ),
            (
                9,
                Action::StartSend {
                    to: u32::MAX,
                    tag: 0,
                    bytes: 0,
                },
            ),
            (
                10,
                Action::Receive {
                    from: 1,
                    tag: 128,
                    room: Some(0),
                },
            ),
            (
                700_000,
                Action::StartReceive {
                    from: 1,
                    tag: 127,
                    room: None,
                },
            ),
            (
                700_001,
                Action::Wait {
                    from: 1,
                    to: 2,
                    tag: 3,
                },
            ),
            (700_002, Action::Collective(Collective::Barrier)),
            (
                700_002,
                Action::StartCollective {
                    tag: 1 << 31,
                    collective: Collective::AllGather { bytes: 5 },
                },
            ),
            (700_003, Action::WaitAll),
        ];
        for (line, action) in added.clone() {
            actions.push(line, action);
        }
        let found: Vec<(u32, Action)> = actions.all().collect();
        assert_eq!(found, added);
        assert_eq!(actions.last_line(), 700_003);
    }
}
