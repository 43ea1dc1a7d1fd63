//! Graphs of tasks as schedules in GOAL's text form.

use super::super::{Dependency, MOST_MESSAGE_BYTES, Moment, TaskGraph, Work};
use std::io::{self, Write};

/// Writes a graph as a schedule. Times are whole there: each is the nearest number of ns. What only joins others is
/// computing for 0 ns, and a receive that tells no room has that for any message.
///
/// # Errors
/// When `output` cannot be written.
pub fn write_goal(graph: &TaskGraph, output: &mut impl Write) -> io::Result<()> {
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
                    let room = room.unwrap_or(MOST_MESSAGE_BYTES);
                    write!(output, "recv {room}b from {} tag {}", any(from), any(tag))?;
                }
                Work::Join => write!(output, "calc 0")?,
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
