//! Transfers: every rank sends to one other, message by message, as bandwidth is measured.

use super::{Dependency, ProgramError, Task, TaskGraph, Work};

/// Lets every rank that has a destination send it so many messages of `bytes`, which nobody
/// receives: they are written to memory. With `waits` a message waits until the one before is over,
/// without it until that has started.
///
/// # Errors
/// [`ProgramError::UnknownRank`] when a destination does not exist.
pub fn transfers(
    destinations: &[Option<u32>],
    messages: u32,
    bytes: u64,
    waits: bool,
) -> Result<TaskGraph, ProgramError> {
    let mut graph = TaskGraph::new(destinations.len());
    for (rank, &destination) in (0..).zip(destinations) {
        let Some(to) = destination else { continue };
        let mut before: Option<Dependency> = None;
        for _ in 0..messages {
            let work = Work::Send { to, tag: 0, bytes };
            let number = graph.add(rank, Task::new(work, 0), before.as_slice())?;
            before = Some(if waits {
                Dependency::end(number)
            } else {
                Dependency::start(number)
            });
        }
    }
    Ok(graph)
}
