//! Graphs of tasks as schedules in GOAL's text form.

use super::super::{Dependency, MOST_MESSAGE_BYTES, Moment, TaskGraph, Work};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{self, Write};

/// Writes a graph as a schedule. Times are whole there: each is the nearest number of ns. What only joins others is
/// computing for 0 ns. A receive that tells no room has that of the message it gets where sender and tag tell which that
/// is, as in collective operations, and that of any message elsewhere.
///
/// # Errors
/// When `output` cannot be written.
pub fn write_goal(graph: &TaskGraph, output: &mut impl Write) -> io::Result<()> {
    let mut lengths = lengths_of_messages(graph);
    writeln!(output, "num_ranks {}", graph.rank_count())?;
    for rank in (0..).take(graph.rank_count()) {
        writeln!(output, "rank {rank} {{")?;
        for (number, (task, room, waits_for)) in graph.tasks(rank).enumerate() {
            write!(output, "t{number}: ")?;
            let any = |asked: Option<u32>| asked.map_or("-1".to_owned(), |it| it.to_string());
            match task.work {
                Work::Compute { ns } => write!(output, "calc {:.0}", ns.round())?,
                Work::Send { to, tag, bytes } => {
                    write!(output, "send {bytes}b to {to} tag {tag}")?;
                }
                Work::Receive { from, tag } => {
                    let ends = from.zip(tag).map(|(from, tag)| (from, rank, tag));
                    let sent = ends.and_then(|ends| lengths.get_mut(&ends)?.pop_front());
                    let room = room.or(sent).unwrap_or(MOST_MESSAGE_BYTES);
                    write!(output, "recv {room}b from {} tag {}", any(from), any(tag))?;
                }
                // No graph waits for a cycle.
                Work::Join | Work::Until { .. } => write!(output, "calc 0")?,
            }
            if task.cpu > 0 {
                write!(output, " cpu {}", task.cpu)?;
            }
            if task.nic > 0 {
                write!(output, " nic {}", task.nic)?;
            }
            writeln!(output)?;
            for Dependency { task, moment } in waits_for {
                let requires = match moment {
                    Moment::End => "requires",
                    Moment::Start => "irequires",
                };
                writeln!(output, "t{number} {requires} t{task}")?;
            }
        }
        writeln!(output, "}}")?;
    }
    Ok(())
}

/// The lengths of the messages of each sender, receiver and tag, in the order of their tasks; none where a receive
/// takes what has any tag, or is of any rank, so that it is not known which gets which.
fn lengths_of_messages(graph: &TaskGraph) -> BTreeMap<(u32, u32, u32), VecDeque<u64>> {
    let mut lengths: BTreeMap<_, VecDeque<u64>> = BTreeMap::new();
    let mut takes_any = BTreeSet::new();
    for rank in (0..).take(graph.rank_count()) {
        for (task, ..) in graph.tasks(rank) {
            match task.work {
                Work::Send { to, tag, bytes } => {
                    lengths.entry((rank, to, tag)).or_default().push_back(bytes);
                }
                Work::Receive { from, tag } if from.is_none() || tag.is_none() => {
                    takes_any.insert(rank);
                }
                _ => {}
            }
        }
    }
    lengths.retain(|(_, to, _), _| !takes_any.contains(to));
    lengths
}
