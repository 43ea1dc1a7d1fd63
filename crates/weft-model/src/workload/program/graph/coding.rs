//! Tasks as bytes, each coded against the one before it.

use super::{Dependency, Moment, Task, Work};
use crate::packed_numbers::{put, take};

// The first byte of a task: what it does,
const COMPUTE_WHOLE: u8 = 0;
const COMPUTE: u8 = 1;
const SEND: u8 = 2;
const RECEIVE: u8 = 3;
const JOIN: u8 = 4;
const UNTIL: u8 = 5;
const WORK: u8 = 7;
/// whether processor and queue pair follow,
const PLACED: u8 = 1 << 3;
/// whether the line is that after the one before,
const NEXT_LINE: u8 = 1 << 4;
/// and what it waits for: for nothing, the end of the task before, another, or several, whose number follows.
const WAITS: u8 = 5;
const WAITS_CODE: u8 = 3;
const NOTHING: u8 = 0;
const BEFORE: u8 = 1;
const ONE: u8 = 2;
const SEVERAL: u8 = 3;
/// One more bit, for whoever keeps them.
const MARKED: u8 = 1 << 7;

/// Largest whole number of ns that a float holds exactly.
const MOST_WHOLE_NS: f64 = 9_007_199_254_740_992.0;

/// What a task is coded against, of those before it: messages of a collective operation all have its line and its tag,
/// which takes five bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::workload::program) struct Before {
    line: u32,
    tag: u32,
}

impl Before {
    /// A tag as its difference from the one before, small for a small one.
    fn code_tag(&mut self, tag: u32) -> u64 {
        let difference = tag.wrapping_sub(self.tag).cast_signed();
        self.tag = tag;
        ((difference << 1) ^ (difference >> 31))
            .cast_unsigned()
            .into()
    }

    /// The tag that was coded so, if one was.
    fn tag_of(&mut self, code: u64) -> Option<u32> {
        let code: u32 = code.try_into().ok()?;
        self.tag = self
            .tag
            .wrapping_add((code >> 1) ^ (code & 1).wrapping_neg());
        Some(self.tag)
    }
}

/// Appends a task with its number, coded against those before it, and whether it is marked. A receive may tell how many
/// bytes it has room for.
pub(in crate::workload::program) fn put_task(
    bytes: &mut Vec<u8>,
    (own, before): (u64, &mut Before),
    task: &Task,
    room: Option<u64>,
    dependencies: &[Dependency],
    is_marked: bool,
) {
    let work = match task.work {
        Work::Compute { ns } if whole(ns).is_some() => COMPUTE_WHOLE,
        Work::Compute { .. } => COMPUTE,
        Work::Send { .. } => SEND,
        Work::Receive { .. } => RECEIVE,
        Work::Join => JOIN,
        Work::Until { .. } => UNTIL,
    };
    let is_placed = (task.cpu, task.nic) != (0, 0);
    let is_next_line = before.line.checked_add(1) == Some(task.line);
    let waits = match dependencies {
        [] => NOTHING,
        [only] if *only == Dependency::end(own.wrapping_sub(1)) => BEFORE,
        [_] => ONE,
        _ => SEVERAL,
    };
    let placed = if is_placed { PLACED } else { 0 };
    let next_line = if is_next_line { NEXT_LINE } else { 0 };
    let marked = if is_marked { MARKED } else { 0 };
    bytes.push(work | placed | next_line | (waits << WAITS) | marked);
    if is_placed {
        bytes.extend([task.cpu, task.nic]);
    }
    if !is_next_line {
        put(bytes, task.line.into());
    }
    before.line = task.line;
    put_work(bytes, task.work, room, before);
    if waits == SEVERAL {
        put(bytes, dependencies.len() as u64);
    }
    if waits >= ONE {
        for waits in dependencies {
            let back = own - waits.task;
            let is_start = u64::from(waits.moment == Moment::Start);
            put(bytes, back << 1 | is_start);
        }
    }
}

fn put_work(packed: &mut Vec<u8>, work: Work, room: Option<u64>, before: &mut Before) {
    match work {
        Work::Compute { ns } => match whole(ns) {
            Some(ns) => put(packed, ns),
            None => packed.extend(ns.to_le_bytes()),
        },
        Work::Send { to, tag, bytes } => {
            for number in [to.into(), before.code_tag(tag), bytes] {
                put(packed, number);
            }
        }
        Work::Receive { from, tag } => {
            let tag = tag.map(|tag| before.code_tag(tag));
            for number in [from.map(u64::from), tag, room] {
                put(packed, number.map_or(0, |number| number.saturating_add(1)));
            }
        }
        Work::Until { cycle } => put(packed, cycle),
        Work::Join => {}
    }
}

/// Takes the task at a place with its number, and what room it has; the place goes on, and with it what the next is coded
/// against. What it waits for is appended.
pub(in crate::workload::program) fn take_task(
    packed: &[u8],
    (at, before): (&mut usize, &mut Before),
    own: u64,
    dependencies: &mut Vec<Dependency>,
) -> Option<(Task, Option<u64>)> {
    let head = *packed.get(*at)?;
    *at += 1;
    let (mut cpu, mut nic) = (0, 0);
    if head & PLACED != 0 {
        (cpu, nic) = (*packed.get(*at)?, *packed.get(*at + 1)?);
        *at += 2;
    }
    before.line = if head & NEXT_LINE == 0 {
        take(packed, at)?.try_into().ok()?
    } else {
        before.line.wrapping_add(1)
    };
    let (work, room) = take_work((packed, at), head & WORK, before)?;
    let count = match head >> WAITS & WAITS_CODE {
        SEVERAL => take(packed, at)?,
        waits => u64::from(waits == ONE),
    };
    if head >> WAITS & WAITS_CODE == BEFORE {
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
    let task = Task {
        work,
        line: before.line,
        cpu,
        nic,
    };
    Some((task, room))
}

fn take_work(
    (packed, at): (&[u8], &mut usize),
    code: u8,
    before: &mut Before,
) -> Option<(Work, Option<u64>)> {
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
            tag: before.tag_of(number()?)?,
            bytes: number()?,
        },
        RECEIVE => {
            let [from, tag, room] = [number()?, number()?, number()?];
            let from = from.checked_sub(1).and_then(|from| from.try_into().ok());
            let tag = tag.checked_sub(1).and_then(|tag| before.tag_of(tag));
            return Some((Work::Receive { from, tag }, room.checked_sub(1)));
        }
        UNTIL => Work::Until { cycle: number()? },
        _ => Work::Join,
    };
    Some((work, None))
}

/// Whether the task at a place is marked; not where there is none.
pub(in crate::workload::program) fn is_marked(packed: &[u8], at: usize) -> bool {
    packed.get(at).is_some_and(|head| head & MARKED != 0)
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
