//! Whether receives of a schedule have room for the messages that they get.
//!
//! Which of several messages with the same ends and tag a receive gets is decided when the schedule
//! runs. However they find each other, the longest of them need receives as long: where there are
//! not enough of these, some message is longer than its receive, which is refused.

use super::super::{TaskGraph, Work};
use super::TraceError;
use std::collections::BTreeSet;
use std::ops::Range;
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

/// Messages that are looked at together: those to some ranks, so that they take little room beside the schedule.
const TOGETHER: usize = 1 << 20;

fn check_rooms(graph: &TaskGraph) -> Result<(), TraceError> {
    let ranks: u32 = narrow(graph.rank_count(), "ranks are numbers of 32 bits");
    let mut messages_to = vec![0_usize; graph.rank_count()];
    for from in 0..ranks {
        for (task, ..) in graph.tasks(from) {
            if let Work::Send { to, .. } = task.work {
                messages_to[to as usize] += 1;
            }
        }
    }
    let (mut begin, mut count) = (0, 0);
    for (to, messages) in (0..ranks).zip(messages_to) {
        if count + messages > TOGETHER && begin < to {
            check_rooms_of(graph, begin..to)?;
            (begin, count) = (to, 0);
        }
        count += messages;
    }
    check_rooms_of(graph, begin..ranks)
}

/// The same of messages to some ranks.
fn check_rooms_of(graph: &TaskGraph, receivers: Range<u32>) -> Result<(), TraceError> {
    let mut rooms = Vec::new();
    // Rank, sender and tag of receives that take messages of any rank or tag.
    let mut any = BTreeSet::new();
    for to in receivers.clone() {
        for (task, room, _) in graph.tasks(to) {
            match (task.work, room) {
                (
                    Work::Receive {
                        from: Some(from),
                        tag: Some(tag),
                    },
                    Some(bytes),
                ) => rooms.push(End {
                    from,
                    to,
                    tag,
                    bytes,
                    line: task.line,
                }),
                (Work::Receive { from, tag }, _) => {
                    any.insert((to, from, tag));
                }
                _ => {}
            }
        }
    }
    // Whether a receive of any rank or tag may get messages with these ends and tag.
    let is_open = |(from, to, tag): (u32, u32, u32)| {
        let asked = [(None, None), (Some(from), None), (None, Some(tag))];
        let mut asked = asked.into_iter();
        !any.is_empty() && asked.any(|(from, tag)| any.contains(&(to, from, tag)))
    };
    let mut messages = messages(graph, &receivers);
    messages.sort_unstable();
    rooms.sort_unstable();
    let mut rooms = rooms.as_slice();
    for sent in messages.chunk_by(|a, b| a.ends() == b.ends()) {
        let ends = sent[0].ends();
        let before = rooms.partition_point(|room| room.ends() < ends);
        let count = rooms[before..].partition_point(|room| room.ends() == ends);
        let own = &rooms[before..before + count];
        rooms = &rooms[before + count..];
        if is_open(ends) {
            continue;
        }
        // The shortest messages, where not all are received; the longest receives.
        let longest = &own[own.len().saturating_sub(sent.len())..];
        for (message, room) in sent.iter().zip(longest) {
            if message.bytes > room.bytes {
                return Err(refused(graph, message, room));
            }
        }
    }
    Ok(())
}

fn messages(graph: &TaskGraph, receivers: &Range<u32>) -> Vec<End> {
    let mut messages = Vec::new();
    for from in (0..).take(graph.rank_count()) {
        for (task, ..) in graph.tasks(from) {
            if let Work::Send { to, tag, bytes } = task.work
                && receivers.contains(&to)
            {
                messages.push(End {
                    from,
                    to,
                    tag,
                    bytes,
                    line: task.line,
                });
            }
        }
    }
    messages
}

fn refused(graph: &TaskGraph, message: &End, room: &End) -> TraceError {
    let End { from, to, tag, .. } = *message;
    let from_file = graph.file(from);
    let place = if from_file.is_empty() {
        String::new()
    } else {
        format!(" ({from_file}:{})", message.line)
    };
    let problem = format!(
        "recv has room for {} bytes, a message of rank {from} to rank {to} with tag {tag}{place} has {}; expected a \
         message no longer than its receive, which MPI would truncate",
        room.bytes, message.bytes,
    );
    match graph.file(to) {
        "" => TraceError::Whole(problem),
        file => TraceError::file(file, room.line, problem),
    }
}

impl TaskGraph {
    /// Refuses messages that are longer than any receive which is left for them.
    ///
    /// # Errors
    /// [`TraceError`] with both ends of the first.
    pub fn check_rooms(&self) -> Result<(), TraceError> {
        check_rooms(self)
    }
}
