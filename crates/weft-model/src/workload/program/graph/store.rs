//! The tasks of a rank as bytes.

use super::coding::{put_task, take_task};
use super::{Dependency, Task};

/// Tasks of one rank, to be taken in order.
#[derive(Clone, Debug, Default)]
pub(in crate::workload::program) struct PackedTasks {
    bytes: Vec<u8>,
    count: usize,
    last_line: u32,
    /// Where each task begins whose number is a multiple of [`EVERY`].
    marks: Vec<Mark>,
}

/// How many tasks have one mark.
const EVERY: usize = 64;

/// Where a task begins, and the line of the one before it.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    byte: usize,
    line: u32,
}

/// A place among the tasks of a rank.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::workload::program) struct Cursor {
    number: usize,
    mark: Mark,
}

impl Cursor {
    /// The number of the task it is at.
    pub(in crate::workload::program) fn number(&self) -> usize {
        self.number
    }
}

impl PackedTasks {
    pub(in crate::workload::program) fn len(&self) -> usize {
        self.count
    }

    /// Gives back room kept for more.
    pub(in crate::workload::program) fn close(&mut self) {
        self.bytes.shrink_to_fit();
        self.marks.shrink_to_fit();
    }

    /// Adds a task; those that it waits for are there. A receive may tell how many bytes it has room for.
    pub(in crate::workload::program) fn push(
        &mut self,
        task: &Task,
        room: Option<u64>,
        dependencies: &[Dependency],
    ) {
        if self.count.is_multiple_of(EVERY) {
            let line = self.last_line;
            let byte = self.bytes.len();
            self.marks.push(Mark { byte, line });
        }
        let last_line = &mut self.last_line;
        let own = self.count as u64;
        put_task(
            &mut self.bytes,
            (own, last_line),
            task,
            room,
            dependencies,
            false,
        );
        self.count += 1;
    }

    /// A place from which the task with a number is near, if there is one.
    pub(in crate::workload::program) fn before(&self, number: usize) -> Option<Cursor> {
        let mark = *self.marks.get(number / EVERY)?;
        let number = number / EVERY * EVERY;
        Some(Cursor { number, mark })
    }

    /// The task that a cursor is at, and what room it has, and goes on; what it waits for is appended.
    pub(in crate::workload::program) fn next(
        &self,
        cursor: &mut Cursor,
        dependencies: &mut Vec<Dependency>,
    ) -> Option<(Task, Option<u64>)> {
        let Cursor { number, mark } = cursor;
        let at = (&mut mark.byte, &mut mark.line);
        let (task, room) = take_task(&self.bytes, at, *number as u64, dependencies)?;
        *number += 1;
        Some((task, room))
    }
}
