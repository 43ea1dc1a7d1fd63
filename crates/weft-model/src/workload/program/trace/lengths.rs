//! Whether both ends of a message agree: it is sent and received, and no longer than its receive has
//! room for; and whether ranks give one another, in a collective operation, what they expect.
//!
//! Messages of one rank to another with one tag are received in the order in which they are sent, so
//! that a trace tells which receive has which.

use super::super::Collective;
use super::{Action, Replayed, TraceError};
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use weft_fabric::narrow;

/// A rank's call of a collective operation.
pub(super) struct Call {
    pub(super) line: u32,
    operation: Collective,
    /// Whether the rank only starts it, and goes on.
    is_started: bool,
}

impl Call {
    /// That of an action, if it is any.
    pub(super) fn new(line: u32, action: Action) -> Option<Self> {
        let is_started = matches!(action, Action::StartCollective { .. });
        match action {
            Action::Collective(operation)
            | Action::StartCollective {
                collective: operation,
                ..
            } => Some(Self {
                line,
                operation,
                is_started,
            }),
            _ => None,
        }
    }

    pub(super) fn agrees_with(&self, other: &Self) -> bool {
        self.is_started == other.is_started && self.operation.agrees_with(&other.operation)
    }

    fn name(&self) -> &'static str {
        if self.is_started {
            self.operation.started_name()
        } else {
            self.operation.name()
        }
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_started {
            f.write_str("i")?;
        }
        self.operation.fmt(f)
    }
}

/// Sender, receiver and tag.
type Ends = (u32, u32, u32);

/// Sends and receives of the same ends.
#[derive(Clone, Debug, Default)]
struct Messages {
    sent: u64,
    received: u64,
    /// Lengths in the order they are sent in, each with how many such there are.
    lengths: VecDeque<(u64, u64)>,
}

/// What an action does of a message.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    Send { bytes: u64 },
    Receive { room: Option<u64> },
}

fn message(rank: u32, action: &Action) -> Option<(Ends, Part)> {
    match *action {
        Action::Send { to, tag, bytes } | Action::StartSend { to, tag, bytes } => {
            Some(((rank, to, tag), Part::Send { bytes }))
        }
        Action::Receive { from, tag, room } | Action::StartReceive { from, tag, room } => {
            Some(((from, rank, tag), Part::Receive { room }))
        }
        _ => None,
    }
}

impl Messages {
    fn send(&mut self, bytes: u64) {
        self.sent += 1;
        match self.lengths.back_mut() {
            Some((length, count)) if *length == bytes => *count += 1,
            _ => self.lengths.push_back((bytes, 1)),
        }
    }

    /// The length of the message that is received next.
    fn next_length(&mut self) -> Option<u64> {
        let (length, count) = self.lengths.front_mut()?;
        let length = *length;
        *count -= 1;
        if *count == 0 {
            self.lengths.pop_front();
        }
        Some(length)
    }
}

/// Whether what is given is what is expected, as far as the length of that is known.
fn is_as_expected(gives: u64, takes: u64) -> bool {
    if takes == Collective::UNTOLD_BYTES {
        gives > 0
    } else {
        gives == takes
    }
}

impl Replayed {
    pub(super) fn check_messages(&self) -> Result<(), TraceError> {
        let mut messages: BTreeMap<Ends, Messages> = BTreeMap::new();
        for rank in self.ranks() {
            for (_, action) in self.actions(rank) {
                if let Some((ends, part)) = message(rank, &action) {
                    let entry = messages.entry(ends).or_default();
                    match part {
                        Part::Send { bytes } => entry.send(bytes),
                        Part::Receive { .. } => entry.received += 1,
                    }
                }
            }
        }
        if let Some((&ends, found)) = messages.iter().find(|(_, m)| m.sent != m.received) {
            return Err(self.unmatched(ends, found));
        }
        self.check_rooms(messages)
    }

    /// The line of the so-manieth send (true) or receive of these ends, from 0.
    fn line_of(&self, ends: Ends, is_send: bool, number: u64) -> u32 {
        let rank = if is_send { ends.0 } else { ends.1 };
        let of_kind = |(_, action): &(u32, Action)| {
            message(rank, action).is_some_and(|(found, part)| {
                found == ends && matches!(part, Part::Send { .. }) == is_send
            })
        };
        let skipped = narrow(number, "no more messages than actions in memory");
        let line = self.actions(rank).filter(of_kind).nth(skipped);
        line.map_or(0, |entry| entry.0)
    }

    fn unmatched(&self, ends: Ends, found: &Messages) -> TraceError {
        let (from, to, tag) = ends;
        let is_send = found.sent > found.received;
        let matched = found.sent.min(found.received);
        let (rank, other, lacking, what, never) = if is_send {
            (from, to, "receives", "sends", "received")
        } else {
            (to, from, "sends", "receives", "sent")
        };
        let problem = format!(
            "message {} of rank {from} to rank {to} with tag {tag} is never {never}: rank {other} \
             {lacking} only {matched} of them, rank {rank} {what} {}; the trace is cut short, or \
             another one's",
            matched + 1,
            found.sent.max(found.received),
        );
        let line = self.line_of(ends, is_send, matched);
        self.trace.error(rank, line, problem)
    }

    /// Refuses a message that is longer than its receive has room for, which MPI calls truncated.
    fn check_rooms(&self, mut messages: BTreeMap<Ends, Messages>) -> Result<(), TraceError> {
        for rank in self.ranks() {
            for (line, action) in self.actions(rank) {
                let Some((ends, Part::Receive { room })) = message(rank, &action) else {
                    continue;
                };
                let Some(sent) = messages.get_mut(&ends) else {
                    continue;
                };
                sent.received -= 1;
                let (Some(bytes), Some(room)) = (sent.next_length(), room) else {
                    continue;
                };
                if bytes > room {
                    let number = sent.sent - sent.received;
                    let (from, to, tag) = ends;
                    let problem = format!(
                        "{} has room for {room} bytes, message {number} of rank {from} to rank \
                         {to} with tag {tag} ({}) has {bytes}; expected a message no longer than \
                         its receive, which MPI would truncate",
                        action.name(),
                        self.place(from, self.line_of(ends, true, number - 1)),
                    );
                    return Err(self.trace.error(rank, line, problem));
                }
            }
        }
        Ok(())
    }

    fn place(&self, rank: u32, line: u32) -> String {
        format!("{}:{line}", self.trace.file(rank))
    }

    /// Refuses lengths listed by rank that are not what the others list.
    pub(super) fn check_counts(&self, calls: &[Call]) -> Result<(), TraceError> {
        match calls.first().map(|call| &call.operation) {
            Some(Collective::AllToAllV { .. }) => self.check_exchange(calls),
            Some(Collective::AllGatherV { .. } | Collective::ReduceScatter { .. }) => {
                self.check_lists(calls)
            }
            Some(
                Collective::Gather { root, .. }
                | Collective::Scatter { root, .. }
                | Collective::GatherV { root, .. }
                | Collective::ScatterV { root, .. },
            ) => self.check_rooted(calls, *root),
            _ => Ok(()),
        }
    }

    fn check_exchange(&self, calls: &[Call]) -> Result<(), TraceError> {
        for (giver, given) in (0..).zip(calls) {
            for (taker, taken) in (0..).zip(calls) {
                let (Collective::AllToAllV { to, .. }, Collective::AllToAllV { from, .. }) =
                    (&given.operation, &taken.operation)
                else {
                    continue;
                };
                let lengths = (to.get(taker as usize), from.get(giver as usize));
                if let (Some(&gives), Some(&takes)) = lengths
                    && !is_as_expected(gives, takes)
                {
                    return Err(self.unequal((giver, given, gives), (taker, taken, takes)));
                }
            }
        }
        Ok(())
    }

    /// What a rank gives another is not what that expects.
    fn unequal(&self, given: (u32, &Call, u64), taken: (u32, &Call, u64)) -> TraceError {
        let (giver, call, gives) = given;
        let (taker, of_taker, takes) = taken;
        let problem = format!(
            "{} gives {gives} bytes to rank {taker}, which expects {} of rank {giver} ({}); \
             expected the same length at both ends",
            call.name(),
            if takes == Collective::UNTOLD_BYTES {
                "some".to_owned()
            } else {
                takes.to_string()
            },
            self.place(taker, of_taker.line),
        );
        self.trace.error(giver, call.line, problem)
    }

    /// All ranks list the same lengths, and the own data are as long as the others say.
    fn check_lists(&self, calls: &[Call]) -> Result<(), TraceError> {
        let listed = |call: &Call| match &call.operation {
            Collective::AllGatherV { parts, .. } | Collective::ReduceScatter { parts, .. } => {
                parts.clone()
            }
            _ => Vec::new(),
        };
        let Some((first_line, first)) = calls.first().map(|call| (call.line, listed(call))) else {
            return Ok(());
        };
        for (rank, call) in (0..).zip(calls) {
            let parts = listed(call);
            let mut pairs = (0_u32..).zip(first.iter().zip(&parts));
            if let Some((of, (expected, found))) = pairs.find(|(_, (a, b))| a != b) {
                let problem = format!(
                    "{} of rank {rank} lists {found} bytes for rank {of}, that of rank 0 ({}) \
                     {expected}; expected the same of all ranks",
                    call.name(),
                    self.place(0, first_line),
                );
                return Err(self.trace.error(rank, call.line, problem));
            }
            if let Collective::AllGatherV { own: Some(own), .. } = call.operation
                && let Some(&expected) = first.get(rank as usize)
                && own != expected
            {
                // The list of another rank, where there is one.
                let other = u32::from(rank == 0).min(narrow(calls.len() - 1, "ranks"));
                let line = calls[other as usize].line;
                let problem = format!(
                    "{} of rank {rank} gives {own} bytes, rank {other} ({}) lists {expected} for \
                     it; expected the same of all ranks",
                    call.name(),
                    self.place(other, line),
                );
                return Err(self.trace.error(rank, call.line, problem));
            }
        }
        Ok(())
    }

    /// What the root gives or expects is what the others expect or give, and itself, unless that stays in place.
    fn check_rooted(&self, calls: &[Call], root: u32) -> Result<(), TraceError> {
        let Some(of_root) = calls.get(root as usize) else {
            return Ok(());
        };
        for (rank, call) in (0..).zip(calls) {
            let place = rank as usize;
            let stays = |bytes: u64| rank == root && bytes == 0;
            match (&call.operation, &of_root.operation) {
                // Of no length at all: what stays in place, or is left out.
                (Collective::Gather { bytes, .. }, Collective::Gather { bytes: other, .. })
                    if bytes != other && *bytes > 0 && *other > 0 =>
                {
                    return Err(self.unequal((rank, call, *bytes), (root, of_root, *other)));
                }
                (Collective::Scatter { bytes, .. }, Collective::Scatter { bytes: other, .. })
                    if bytes != other && *bytes > 0 && *other > 0 =>
                {
                    return Err(self.unequal((root, of_root, *other), (rank, call, *bytes)));
                }
                (Collective::GatherV { bytes, .. }, Collective::GatherV { parts, .. }) => {
                    if let Some(&expected) = parts.get(place)
                        && expected != *bytes
                        && !stays(*bytes)
                    {
                        return Err(self.unequal((rank, call, *bytes), (root, of_root, expected)));
                    }
                }
                (
                    Collective::ScatterV {
                        bytes: Some(bytes), ..
                    },
                    Collective::ScatterV { parts, .. },
                ) => {
                    if let Some(&given) = parts.get(place)
                        && given != *bytes
                        && !stays(*bytes)
                    {
                        return Err(self.unequal((root, of_root, given), (rank, call, *bytes)));
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}
