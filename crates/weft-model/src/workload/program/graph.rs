//! Graphs of tasks held in memory.

use super::{Dependency, MOST_COMPUTE_NS, MOST_MESSAGE_BYTES, Moment, ProgramError, Task, Work};

/// The tasks of all ranks, each with what it waits for.
///
/// Tasks of a rank are numbered from 0 in the order in which they are added, and wait for earlier
/// ones alone, so that no rank ever waits for itself.
#[derive(Clone, Debug, Default)]
pub struct TaskGraph {
    ranks: Vec<RankTasks>,
    /// File it was read from; empty where there is none.
    file: String,
}

/// The tasks of one rank.
#[derive(Clone, Debug, Default)]
struct RankTasks {
    tasks: Vec<Task>,
    /// Per task: where its dependencies end; they begin where those of the task before end.
    dependency_ends: Vec<usize>,
    dependencies: Vec<Dependency>,
}

impl TaskGraph {
    /// Has no task yet.
    pub fn new(rank_count: usize) -> Self {
        Self {
            ranks: vec![RankTasks::default(); rank_count],
            file: String::new(),
        }
    }

    /// The same, read from a file.
    #[must_use]
    pub(super) fn read_from(self, file: &str) -> Self {
        let file = file.to_owned();
        Self { file, ..self }
    }

    /// The file it was read from; empty where there is none.
    pub fn file(&self) -> &str {
        &self.file
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
            Work::Compute { ns } if !(0.0..=MOST_COMPUTE_NS).contains(&ns) => {
                return Err(ProgramError::NoTime {
                    found: ns.to_string(),
                });
            }
            _ => {}
        }
        let tasks = &mut self.ranks[rank as usize];
        let number = tasks.tasks.len() as u64;
        if let Some(later) = dependencies.iter().find(|waits| waits.task >= number) {
            return Err(ProgramError::LaterTask {
                rank,
                task: number,
                found: later.task,
            });
        }
        tasks.tasks.push(task);
        tasks.dependencies.extend_from_slice(dependencies);
        tasks.dependency_ends.push(tasks.dependencies.len());
        Ok(number)
    }

    /// The number of ranks.
    pub fn rank_count(&self) -> usize {
        self.ranks.len()
    }

    /// The number of tasks of all ranks.
    pub fn task_count(&self) -> usize {
        self.ranks.iter().map(|rank| rank.tasks.len()).sum()
    }

    /// The number of tasks of a rank.
    pub(super) fn tasks_of(&self, rank: u32) -> usize {
        self.ranks
            .get(rank as usize)
            .map_or(0, |rank| rank.tasks.len())
    }

    /// The ends of the tasks of a rank whose ends no other waits for.
    pub(super) fn last_ends(&self, rank: u32) -> Vec<Dependency> {
        let count = self.tasks_of(rank);
        let mut is_last = vec![true; count];
        let waits = self.ranks.get(rank as usize);
        for waits in waits.into_iter().flat_map(|rank| &rank.dependencies) {
            // Tasks wait for earlier ones, whose numbers are those of places.
            if let (Moment::End, Ok(number)) = (waits.moment, usize::try_from(waits.task)) {
                is_last[number] = false;
            }
        }
        let numbered = (0..).zip(is_last);
        let last = numbered.filter(|&(_, is_last)| is_last);
        last.map(|(number, _)| Dependency::end(number)).collect()
    }

    /// A task of a rank and what it waits for; `None` if there is no such task.
    pub fn task(&self, rank: u32, number: usize) -> Option<(Task, &[Dependency])> {
        let RankTasks {
            tasks,
            dependency_ends,
            dependencies,
        } = self.ranks.get(rank as usize)?;
        let begin = number
            .checked_sub(1)
            .map_or(0, |last| dependency_ends[last]);
        let task = tasks.get(number)?;
        Some((*task, &dependencies[begin..dependency_ends[number]]))
    }
}
