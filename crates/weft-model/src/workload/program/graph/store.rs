//! The tasks of a rank as bytes, each coded against the one before it.

use super::{Dependency, Moment, Task, Work};
use crate::workload::program::packed_numbers::{put, take};

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

// The first byte of a task: what it does,
const COMPUTE_WHOLE: u8 = 0;
const COMPUTE: u8 = 1;
const SEND: u8 = 2;
const RECEIVE: u8 = 3;
const JOIN: u8 = 4;
const WORK: u8 = 7;
/// whether processor and queue pair follow,
const PLACED: u8 = 1 << 3;
/// whether the line is that after the one before,
const NEXT_LINE: u8 = 1 << 4;
/// and what it waits for: for nothing, the end of the task before, another, or several, whose number follows.
const WAITS: u8 = 5;
const NOTHING: u8 = 0;
const BEFORE: u8 = 1;
const ONE: u8 = 2;
const SEVERAL: u8 = 3;

/// Largest whole number of ns that a float holds exactly.
const MOST_WHOLE_NS: f64 = 9_007_199_254_740_992.0;

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
        let work = match task.work {
            Work::Compute { ns } if whole(ns).is_some() => COMPUTE_WHOLE,
            Work::Compute { .. } => COMPUTE,
            Work::Send { .. } => SEND,
            Work::Receive { .. } => RECEIVE,
            Work::Join => JOIN,
        };
        let is_placed = (task.cpu, task.nic) != (0, 0);
        let is_next_line = self.last_line.checked_add(1) == Some(task.line);
        let waits = match dependencies {
            [] => NOTHING,
            [only] if *only == Dependency::end((self.count as u64).wrapping_sub(1)) => BEFORE,
            [_] => ONE,
            _ => SEVERAL,
        };
        let placed = if is_placed { PLACED } else { 0 };
        let next_line = if is_next_line { NEXT_LINE } else { 0 };
        self.bytes
            .push(work | placed | next_line | (waits << WAITS));
        if is_placed {
            self.bytes.extend([task.cpu, task.nic]);
        }
        if !is_next_line {
            put(&mut self.bytes, task.line.into());
        }
        self.last_line = task.line;
        self.push_work(task.work, room);
        if waits == SEVERAL {
            put(&mut self.bytes, dependencies.len() as u64);
        }
        if waits >= ONE {
            for waits in dependencies {
                let back = self.count as u64 - waits.task;
                let is_start = u64::from(waits.moment == Moment::Start);
                put(&mut self.bytes, back << 1 | is_start);
            }
        }
        self.count += 1;
    }

    fn push_work(&mut self, work: Work, room: Option<u64>) {
        let packed = &mut self.bytes;
        match work {
            Work::Compute { ns } => match whole(ns) {
                Some(ns) => put(packed, ns),
                None => packed.extend(ns.to_le_bytes()),
            },
            Work::Send { to, tag, bytes } => {
                for number in [to.into(), tag.into(), bytes] {
                    put(packed, number);
                }
            }
            Work::Receive { from, tag } => {
                for number in [from.map(u64::from), tag.map(u64::from), room] {
                    put(packed, number.map_or(0, |number| number.saturating_add(1)));
                }
            }
            Work::Join => {}
        }
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
        let (packed, at) = (&self.bytes, &mut mark.byte);
        let head = *packed.get(*at)?;
        *at += 1;
        let (mut cpu, mut nic) = (0, 0);
        if head & PLACED != 0 {
            (cpu, nic) = (*packed.get(*at)?, *packed.get(*at + 1)?);
            *at += 2;
        }
        mark.line = if head & NEXT_LINE == 0 {
            take(packed, at)?.try_into().ok()?
        } else {
            mark.line.wrapping_add(1)
        };
        let (work, room) = Self::work(packed, at, head & WORK)?;
        let count = match head >> WAITS {
            SEVERAL => take(packed, at)?,
            waits => u64::from(waits == ONE),
        };
        let own = *number as u64;
        if head >> WAITS == BEFORE {
            dependencies.push(Dependency::end(own.checked_sub(1)?));
        }
        for _ in 0..count {
            let waits = take(packed, at)?;
            let task = own.checked_sub(waits >> 1)?;
            dependencies.push(if waits & 1 == 1 {
                Dependency::start(task)
            } else {
                Dependency::end(task)
            });
        }
        *number += 1;
        let line = mark.line;
        let task = Task {
            work,
            line,
            cpu,
            nic,
        };
        Some((task, room))
    }

    fn work(packed: &[u8], at: &mut usize, code: u8) -> Option<(Work, Option<u64>)> {
        let mut number = || take(packed, at);
        let work = match code {
            COMPUTE_WHOLE => Work::Compute {
                ns: number()? as f64,
            },
            COMPUTE => {
                let coded = packed.get(*at..*at + 8)?;
                *at += 8;
                let ns = f64::from_le_bytes(coded.try_into().ok()?);
                Work::Compute { ns }
            }
            SEND => Work::Send {
                to: number()?.try_into().ok()?,
                tag: number()?.try_into().ok()?,
                bytes: number()?,
            },
            RECEIVE => {
                let [from, tag, room] = [number()?, number()?, number()?];
                let small = |coded: u64| coded.checked_sub(1).and_then(|it| it.try_into().ok());
                let (from, tag) = (small(from), small(tag));
                return Some((Work::Receive { from, tag }, room.checked_sub(1)));
            }
            _ => Work::Join,
        };
        Some((work, None))
    }
}

/// A time as a whole number of ns, if it is one that a float holds exactly.
fn whole(ns: f64) -> Option<u64> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is compared with what it was"
    )]
    let number = ns as u64;
    let is_same = (number as f64).to_bits() == ns.to_bits();
    (is_same && ns < MOST_WHOLE_NS).then_some(number)
}
