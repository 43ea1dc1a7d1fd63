//! Schedules in GOAL's binary form, which `txt2bin` of `LogGOPSim` makes of text.
//!
//! All numbers have their lowest byte first and stand without gaps: a number of 64 bits, [`COOKIE`], that tells the
//! format; ranks (32 bits), the highest processor and the highest NIC named (8 bits each); for each rank where its
//! part begins and ends, counted from behind the cookie (64 bits each). A part has the number of its tasks and of
//! those that wait for nothing (32 bits each), the places of these, [a task](TASK_BYTES) after another, and behind
//! them the places of those that wait for the end of the first task, for its start, for the end of the second, and
//! so on.

use super::super::{Moment, Task, TaskGraph, Work};
use super::goal::MOST_RANKS;
use super::schedule::{Schedule, Wait};
use super::{Mistake, TraceError};
use std::io::{BufRead, Read};

/// What such a file begins with.
pub(super) const COOKIE: [u8; 8] = 4223_u64.to_le_bytes();

/// What such a file begins with after `LogGOPSim` has run it with `--save-mem`, which destroys it.
const SPENT_COOKIE: [u8; 8] = 2342_u64.to_le_bytes();

/// What a task takes: how many it waits for (32 bits), what it does (8), the other rank (32), bytes or ns (64), tag
/// (32), processor and NIC (8 each), how many wait for its end and where their places begin behind the tasks (32
/// each), and the same for its start.
const TASK_BYTES: u64 = 39;

/// A rank or tag that is any.
const ANY: u32 = u32::MAX;

/// Whether bytes are the beginning of such a schedule.
pub(super) fn is_binary(head: &[u8]) -> bool {
    head.starts_with(&COOKIE) || head.starts_with(&SPENT_COOKIE)
}

/// Reads a schedule, rank by rank. `file` names it in errors, in which a record is a task, from 1 for each rank.
///
/// # Errors
/// [`TraceError`] with the record of the first mistake.
pub fn read_binary_goal(input: impl BufRead, file: &str) -> Result<TaskGraph, TraceError> {
    let mut bytes = Bytes { input, file };
    match bytes.array()? {
        COOKIE => {}
        SPENT_COOKIE => {
            return Err(bytes.whole(
                "the schedule was destroyed by LogGOPSim --save-mem; expected one that txt2bin made anew",
            ));
        }
        _ => return Err(bytes.whole("found no schedule in GOAL's binary form")),
    }
    let ranks = u32::from_le_bytes(bytes.array()?);
    if !(1..=MOST_RANKS).contains(&ranks) {
        let found = format!("found {ranks} ranks, expected 1 to {MOST_RANKS}");
        return Err(bytes.whole(&found));
    }
    let [most_cpu, most_nic] = bytes.array()?;
    let mut parts = Vec::new();
    let mut end = 6 + 16 * u64::from(ranks);
    for rank in 0..ranks {
        let part = [bytes.number()?, bytes.number()?];
        if part[0] != end || part[1] < end {
            let found = format!(
                "rank {rank} is said to be at bytes {} to {} behind the first 8, expected it to begin at {end}: ranks \
                 stand one after another as txt2bin writes them",
                part[0], part[1]
            );
            return Err(bytes.whole(&found));
        }
        end = part[1];
        parts.push(part[1] - part[0]);
    }
    let mut graph = TaskGraph::new(ranks as usize).read_from(vec![file.to_owned()]);
    for (rank, length) in (0..ranks).zip(parts) {
        let schedule = bytes.part(rank, length, (most_cpu, most_nic))?;
        let added = schedule.add_to(rank, &mut graph);
        added.map_err(|(record, problem)| TraceError::file(file, record, problem))?;
    }
    if bytes.is_more()? {
        return Err(bytes.whole(&format!(
            "found bytes behind the last rank, {}; expected none",
            ranks - 1
        )));
    }
    graph.check_rooms()?;
    Ok(graph)
}

/// What is left of a file.
struct Bytes<'a, R> {
    input: R,
    file: &'a str,
}

impl<R: BufRead> Bytes<'_, R> {
    fn whole(&self, problem: &str) -> TraceError {
        TraceError::Whole(format!("{}: {problem}", self.file))
    }

    fn cut_short(&self) -> TraceError {
        self.whole("the file ends within its schedule; it is cut short")
    }

    fn is_more(&mut self) -> Result<bool, TraceError> {
        let left = self.input.fill_buf();
        let left = left.map_err(|error| TraceError::unreadable(self.file, error))?;
        Ok(!left.is_empty())
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], TraceError> {
        let mut array = [0; N];
        match self.input.read_exact(&mut array) {
            Ok(()) => Ok(array),
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                Err(self.cut_short())
            }
            Err(error) => Err(TraceError::unreadable(self.file, error)),
        }
    }

    fn number(&mut self) -> Result<u64, TraceError> {
        self.array().map(u64::from_le_bytes)
    }

    /// The part of a rank, of so many bytes.
    fn part(&mut self, rank: u32, length: u64, most: (u8, u8)) -> Result<Schedule, TraceError> {
        let mut part = Vec::new();
        let read = self.input.by_ref().take(length).read_to_end(&mut part);
        read.map_err(|error| TraceError::unreadable(self.file, error))?;
        if (part.len() as u64) < length {
            return Err(self.cut_short());
        }
        match schedule(&part, most) {
            Ok(schedule) => Ok(schedule),
            Err((0, problem)) => Err(self.whole(&format!("rank {rank}: {problem}"))),
            Err((record, problem)) => {
                let problem = format!("record {record} of rank {rank}: {problem}");
                Err(TraceError::file(self.file, record, problem))
            }
        }
    }
}

/// The numbers of a part, one after another; 0 behind its end, which was checked before.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn array<const N: usize>(&mut self) -> [u8; N] {
        let Some((first, rest)) = self.0.split_first_chunk() else {
            return [0; N];
        };
        self.0 = rest;
        *first
    }

    fn next(&mut self) -> u32 {
        u32::from_le_bytes(self.array())
    }
}

/// What a task tells of those that wait for it.
struct Waiters {
    /// How many it waits for itself.
    awaited: u32,
    /// How many wait for its end, and for its start.
    counts: [u32; 2],
}

fn schedule(part: &[u8], most: (u8, u8)) -> Result<Schedule, Mistake> {
    let mut numbers = Numbers(part);
    let (count, free_count) = (numbers.next(), numbers.next());
    let head = 8 + 4 * u64::from(free_count);
    let tasks = TASK_BYTES * u64::from(count);
    let length = part.len() as u64;
    if part.len() < 8 || head + tasks > length || !(length - head - tasks).is_multiple_of(4) {
        let problem = format!(
            "found {count} tasks, {free_count} of them free, in {length} bytes, expected {} or, 4 bytes each, more",
            head + tasks
        );
        return Err((0, problem));
    }
    let free: Vec<u32> = (0..free_count).map(|_| numbers.next()).collect();
    let mut schedule = Schedule::default();
    let mut waiters = Vec::with_capacity(count as usize);
    let mut edges = 0;
    for record in 1..=count {
        let (task, room, told) = task(&mut numbers, record, most, &mut edges)?;
        schedule.tasks.push((task, room));
        waiters.push(told);
    }
    let expected = head + tasks + 4 * edges;
    if expected != length {
        let problem = format!(
            "{edges} dependencies take {expected} bytes with all before them, found {length}"
        );
        return Err((0, problem));
    }
    let mut awaited = vec![0_u32; count as usize];
    for (other, told) in (0..count).zip(&waiters) {
        for (moment, count) in [Moment::End, Moment::Start].into_iter().zip(told.counts) {
            for _ in 0..count {
                let task = numbers.next();
                let Some(awaited) = awaited.get_mut(task as usize) else {
                    let tasks = waiters.len();
                    let problem = format!(
                        "task {task} waits for it, expected one from 0 to {}",
                        tasks - 1
                    );
                    return Err((other + 1, problem));
                };
                *awaited += 1;
                let wait = Wait {
                    task,
                    other,
                    moment,
                };
                schedule.waits.push(wait);
            }
        }
    }
    for ((record, told), found) in (1..).zip(&waiters).zip(&awaited) {
        if told.awaited != *found {
            let problem = format!(
                "it waits for {} tasks, and {found} tell that it waits for them; expected as many",
                told.awaited
            );
            return Err((record, problem));
        }
    }
    let is_free = |place: u32| awaited.get(place as usize) == Some(&0);
    let waiting_for_nothing = awaited.iter().filter(|&&awaited| awaited == 0).count();
    if waiting_for_nothing != free.len() || !free.iter().all(|&place| is_free(place)) {
        let problem = format!(
            "found {} tasks listed as free, expected the {waiting_for_nothing} that wait for nothing",
            free.len()
        );
        return Err((0, problem));
    }
    Ok(schedule)
}

fn task(
    numbers: &mut Numbers<'_>,
    record: u32,
    (most_cpu, most_nic): (u8, u8),
    edges: &mut u64,
) -> Result<(Task, Option<u64>, Waiters), Mistake> {
    let awaited = numbers.next();
    let [kind] = numbers.array();
    let peer = numbers.next();
    let size = u64::from_le_bytes(numbers.array());
    let tag = numbers.next();
    let [cpu, nic] = numbers.array();
    let mut counts = [0; 2];
    for count in &mut counts {
        let (waiters, begin) = (numbers.next(), numbers.next());
        if waiters > 0 && u64::from(begin) != *edges {
            let problem = format!("those that wait for it begin at {begin}, expected {edges}");
            return Err((record, problem));
        }
        *edges += u64::from(waiters);
        *count = waiters;
    }
    if cpu > most_cpu || nic > most_nic {
        let problem = format!(
            "cpu {cpu} and nic {nic}, expected at most {most_cpu} and {most_nic}, as the file begins"
        );
        return Err((record, problem));
    }
    let asked = |number: u32| (number != ANY).then_some(number);
    let (work, room) = match kind {
        1 => (
            Work::Send {
                to: peer,
                tag,
                bytes: size,
            },
            None,
        ),
        2 => (
            Work::Receive {
                from: asked(peer),
                tag: asked(tag),
            },
            Some(size),
        ),
        3 => (Work::Compute { ns: size as f64 }, None),
        _ => {
            let problem =
                format!("found operation {kind}, expected 1 (send), 2 (recv) or 3 (calc)");
            return Err((record, problem));
        }
    };
    let task = Task {
        cpu,
        nic,
        ..Task::new(work, record)
    };
    Ok((task, room, Waiters { awaited, counts }))
}
