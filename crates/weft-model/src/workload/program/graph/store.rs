//! The tasks of a rank as bytes.

use super::coding::{Before, put_task, take_task};
use super::{Dependency, Task};

/// Tasks of one rank, to be taken in order.
#[derive(Clone, Debug, Default)]
pub(in crate::workload::program) struct PackedTasks {
    bytes: Vec<u8>,
    count: usize,
    /// What the next is coded against.
    last: Before,
    /// Where each task begins whose number is a multiple of [`EVERY`].
    marks: Vec<Mark>,
}

/// How many tasks have one mark.
const EVERY: usize = 64;

/// Where a task begins, and what it is coded against.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    byte: usize,
    before: Before,
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
            let (byte, before) = (self.bytes.len(), self.last);
            self.marks.push(Mark { byte, before });
        }
        let last = &mut self.last;
        let own = self.count as u64;
        put_task(
            &mut self.bytes,
            (own, last),
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
        let at = (&mut mark.byte, &mut mark.before);
        let (task, room) = take_task(&self.bytes, at, *number as u64, dependencies)?;
        *number += 1;
        Some((task, room))
    }
}
