//! Graphs of tasks held in memory.

mod coding;
mod store;

pub(super) use coding::{Before, is_marked, put_task, take_task};
pub(super) use store::Cursor;

use super::{Dependency, MOST_COMPUTE_NS, MOST_MESSAGE_BYTES, Moment, ProgramError, Task, Work};
use std::collections::BTreeMap;
use store::PackedTasks;

/// The tasks of all ranks, each with what it waits for, in some bytes a task.
///
/// Tasks of a rank are numbered from 0 in the order in which they are added, and wait for earlier
/// ones alone, so that no rank ever waits for itself.
#[derive(Clone, Debug, Default)]
pub struct TaskGraph {
    ranks: Vec<PackedTasks>,
    /// Files that it was read from: one for all ranks, or for each its own; none where there is none.
    files: Vec<String>,
    /// Collective operations that it was made of, by name and algorithm.
    collectives: BTreeMap<(&'static str, String), u64>,
}

impl TaskGraph {
    /// Has no task yet.
    pub fn new(rank_count: usize) -> Self {
        Self {
            ranks: vec![PackedTasks::default(); rank_count],
            files: Vec::new(),
            collectives: BTreeMap::new(),
        }
    }

    /// The same, made of collective operations.
    #[must_use]
    pub(super) fn with_collectives(
        self,
        collectives: BTreeMap<(&'static str, String), u64>,
    ) -> Self {
        Self {
            collectives,
            ..self
        }
    }

    /// Counts a collective operation, unless no algorithm is taken; its number among those before.
    pub(super) fn count_collective(
        &mut self,
        name: &'static str,
        algorithm: impl FnOnce() -> Option<String>,
    ) -> u32 {
        let before: u64 = self.collectives.values().sum();
        if let Some(algorithm) = algorithm() {
            *self.collectives.entry((name, algorithm)).or_insert(0) += 1;
        }
        #[expect(clippy::cast_possible_truncation, reason = "numbers begin again")]
        {
            before as u32
        }
    }

    /// The collective operations that it was made of, by name and algorithm, each with how often.
    pub(super) fn collectives(&self) -> &BTreeMap<(&'static str, String), u64> {
        &self.collectives
    }

    /// The same, read from a file, or for each rank from one of its own.
    #[must_use]
    pub(super) fn read_from(self, files: Vec<String>) -> Self {
        Self { files, ..self }
    }

    /// The file that a rank was read from; empty where there is none.
    pub fn file(&self, rank: u32) -> &str {
        let own = match self.files.as_slice() {
            [all] => Some(all),
            each => each.get(rank as usize),
        };
        own.map_or("", String::as_str)
    }

    /// Adds a task to a rank and returns its number.
    ///
    /// # Errors
    /// [`ProgramError::UnknownRank`], [`ProgramError::LaterTask`], [`ProgramError::LongMessage`] and
    /// [`ProgramError::NoTime`].
    pub fn add(
        &mut self,
        rank: u32,
        task: Task,
        dependencies: &[Dependency],
    ) -> Result<u64, ProgramError> {
        self.add_with_room(rank, task, None, dependencies)
    }

    /// Adds a task like [`add`](Self::add); a receive has room for so many bytes, which a message has to fit.
    ///
    /// # Errors
    /// As of [`add`](Self::add).
    pub fn add_with_room(
        &mut self,
        rank: u32,
        task: Task,
        room: Option<u64>,
        dependencies: &[Dependency],
    ) -> Result<u64, ProgramError> {
        let rank_count = self.ranks.len();
        let known = |named: u32| {
            if (named as usize) < rank_count {
                return Ok(());
            }
            Err(ProgramError::UnknownRank {
                found: named,
                rank_count,
            })
        };
        known(rank)?;
        match task.work {
            Work::Send { to, bytes, .. } => {
                known(to)?;
                if bytes > MOST_MESSAGE_BYTES {
                    return Err(ProgramError::LongMessage { found: bytes });
                }
            }
            Work::Receive {
                from: Some(from), ..
            } => known(from)?,
            Work::Until { cycle } => return Err(ProgramError::WaitsForCycle { found: cycle }),
            Work::Compute { ns } if !(0.0..=MOST_COMPUTE_NS).contains(&ns) => {
                return Err(ProgramError::NoTime {
                    found: ns.to_string(),
                });
            }
            _ => {}
        }
        let tasks = &mut self.ranks[rank as usize];
        let number = tasks.len() as u64;
        if let Some(later) = dependencies.iter().find(|waits| waits.task >= number) {
            return Err(ProgramError::LaterTask {
                rank,
                task: number,
                found: later.task,
            });
        }
        tasks.push(&task, room, dependencies);
        Ok(number)
    }

    /// The number of ranks.
    pub fn rank_count(&self) -> usize {
        self.ranks.len()
    }

    /// The number of tasks of all ranks.
    pub fn task_count(&self) -> usize {
        self.ranks.iter().map(PackedTasks::len).sum()
    }

    /// The number of tasks of a rank.
    pub(super) fn tasks_of(&self, rank: u32) -> usize {
        self.ranks.get(rank as usize).map_or(0, PackedTasks::len)
    }

    /// The ends of the tasks of a rank whose ends no other waits for.
    pub(super) fn last_ends(&self, rank: u32) -> Vec<Dependency> {
        let count = self.tasks_of(rank);
        let mut is_last = vec![true; count];
        for (_, _, waits_for) in self.tasks(rank) {
            for waits in waits_for {
                // Tasks wait for earlier ones, whose numbers are those of places.
                if let (Moment::End, Ok(number)) = (waits.moment, usize::try_from(waits.task)) {
                    is_last[number] = false;
                }
            }
        }
        let numbered = (0..).zip(is_last);
        let last = numbered.filter(|&(_, is_last)| is_last);
        last.map(|(number, _)| Dependency::end(number)).collect()
    }

    /// The task of a rank that a cursor is at, which goes on to the next; what it waits for is appended to
    /// `dependencies`. `None` behind the last.
    pub(super) fn next(
        &self,
        rank: u32,
        cursor: &mut Cursor,
        dependencies: &mut Vec<Dependency>,
    ) -> Option<Task> {
        let tasks = self.ranks.get(rank as usize)?;
        let (task, _) = tasks.next(cursor, dependencies)?;
        Some(task)
    }

    /// The tasks of a rank in order: each one, for a receive the bytes it has room for where that is told, and what
    /// it waits for.
    pub fn tasks(&self, rank: u32) -> impl Iterator<Item = (Task, Option<u64>, Vec<Dependency>)> {
        let tasks = self.ranks.get(rank as usize);
        let mut cursor = Cursor::default();
        std::iter::from_fn(move || {
            let mut dependencies = Vec::new();
            let (task, room) = tasks?.next(&mut cursor, &mut dependencies)?;
            Some((task, room, dependencies))
        })
    }

    /// A task of a rank; `None` if there is no such task.
    pub fn task(&self, rank: u32, number: usize) -> Option<Task> {
        let tasks = self.ranks.get(rank as usize)?;
        let mut cursor = tasks.before(number)?;
        let mut task = None;
        while cursor.number() <= number {
            let (next, _) = tasks.next(&mut cursor, &mut Vec::new())?;
            task = Some(next);
        }
        task
    }

    /// Gives back room that is kept for more tasks of a rank.
    pub(super) fn close(&mut self, rank: u32) {
        if let Some(tasks) = self.ranks.get_mut(rank as usize) {
            tasks.close();
        }
    }
}
