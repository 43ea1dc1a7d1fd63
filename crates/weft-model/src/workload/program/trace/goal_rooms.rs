//! Whether receives of a schedule have room for the messages that they get.
//!
//! Which of several messages with the same ends and tag a receive gets is decided when the schedule
//! runs. However they find each other, the longest of them need receives as long: where there are
//! not enough of these, some message is longer than its receive, which is refused.

use super::super::{TaskGraph, Work};
use super::TraceError;
use std::collections::BTreeSet;
use weft_fabric::narrow;

/// A message or a receive: ends, tag, length and line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct End {
    from: u32,
    to: u32,
    tag: u32,
    bytes: u64,
    line: u32,
}

impl End {
    fn ends(&self) -> (u32, u32, u32) {
        (self.from, self.to, self.tag)
    }
}

/// The receives of a schedule.
#[derive(Debug, Default)]
pub(super) struct Rooms {
    rooms: Vec<End>,
    /// Rank, sender and tag of receives that take messages of any rank or tag.
    any: BTreeSet<(u32, Option<u32>, Option<u32>)>,
}

impl Rooms {
    /// Notes a receive of a rank, with its length and line.
    pub(super) fn add(&mut self, rank: u32, work: Work, bytes: u64, line: u32) {
        match work {
            Work::Receive {
                from: Some(from),
                tag: Some(tag),
            } => self.rooms.push(End {
                from,
                to: rank,
                tag,
                bytes,
                line,
            }),
            Work::Receive { from, tag } => {
                self.any.insert((rank, from, tag));
            }
            _ => {}
        }
    }

    /// Whether a receive of any rank or tag may get messages with these ends and tag.
    fn is_open(&self, (from, to, tag): (u32, u32, u32)) -> bool {
        let asked = [(None, None), (Some(from), None), (None, Some(tag))];
        let mut asked = asked.into_iter();
        !self.any.is_empty() && asked.any(|(from, tag)| self.any.contains(&(to, from, tag)))
    }

    /// Refuses messages that are longer than any receive which is left for them.
    pub(super) fn check(mut self, graph: &TaskGraph, file: &str) -> Result<(), TraceError> {
        let mut messages = messages(graph);
        messages.sort_unstable();
        self.rooms.sort_unstable();
        let mut rooms = self.rooms.as_slice();
        for sent in messages.chunk_by(|a, b| a.ends() == b.ends()) {
            let ends = sent[0].ends();
            let before = rooms.partition_point(|room| room.ends() < ends);
            let count = rooms[before..].partition_point(|room| room.ends() == ends);
            let own = &rooms[before..before + count];
            rooms = &rooms[before + count..];
            if self.is_open(ends) {
                continue;
            }
            // The shortest messages, where not all are received; the longest receives.
            let longest = &own[own.len().saturating_sub(sent.len())..];
            for (message, room) in sent.iter().zip(longest) {
                if message.bytes > room.bytes {
                    return Err(refused(message, room, file));
                }
            }
        }
        Ok(())
    }
}

fn messages(graph: &TaskGraph) -> Vec<End> {
    let mut messages = Vec::new();
    let ranks: u32 = narrow(graph.rank_count(), "ranks are numbers of 32 bits");
    for from in 0..ranks {
        let tasks = (0..).map_while(|number| graph.task(from, number));
        messages.extend(tasks.filter_map(|(task, _)| match task.work {
            Work::Send { to, tag, bytes } => Some(End {
                from,
                to,
                tag,
                bytes,
                line: task.line,
            }),
            _ => None,
        }));
    }
    messages
}

fn refused(message: &End, room: &End, file: &str) -> TraceError {
    let End { from, to, tag, .. } = *message;
    let problem = format!(
        "recv has room for {} bytes, a message of rank {from} to rank {to} with tag {tag} \
         ({file}:{}) has {}; expected a message no longer than its receive, which MPI would truncate",
        room.bytes, message.line, message.bytes,
    );
    TraceError::file(file, room.line, problem)
}
