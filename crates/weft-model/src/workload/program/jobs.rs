//! Jobs beside one another: programs whose ranks send nothing to those of others.

use super::tasks::TaskStream;
use super::{Dependency, Task, Tasks, Work};
use std::collections::BTreeMap;
use weft_fabric::narrow;

/// Jobs, their ranks numbered one after another.
#[derive(Clone, Debug)]
pub(super) struct Jobs {
    jobs: Vec<Tasks>,
    /// Per job: the number of its first rank; then that of ranks.
    first_ranks: Vec<u32>,
}

impl Jobs {
    pub(super) fn new(jobs: Vec<Tasks>) -> Self {
        let mut ranks = 0;
        let mut first_ranks = vec![0];
        for job in &jobs {
            ranks += job.rank_count();
            first_ranks.push(narrow(ranks, "ranks are numbers of 32 bits"));
        }
        Self { jobs, first_ranks }
    }

    pub(super) fn rank_count(&self) -> usize {
        self.first_ranks.last().map_or(0, |&ranks| ranks as usize)
    }

    /// The tasks of the job of a rank, and the rank's number in it.
    pub(super) fn of(&self, rank: u32) -> (&Tasks, u32) {
        let (job, first) = self.job(rank);
        (job, rank - first)
    }

    fn job(&self, rank: u32) -> (&Tasks, u32) {
        let behind = self.first_ranks.partition_point(|&first| first <= rank);
        // Invariant: the first job begins with rank 0, and only ranks there are are asked for.
        let number = behind - 1;
        (&self.jobs[number], self.first_ranks[number])
    }

    pub(super) fn collectives(&self) -> BTreeMap<(&'static str, &'static str), u64> {
        let mut taken = BTreeMap::new();
        for (named, calls) in self.jobs.iter().flat_map(Tasks::collectives) {
            *taken.entry(named).or_insert(0) += calls;
        }
        taken
    }

    /// The next task of a rank; other ranks in it are named by their numbers among all.
    pub(super) fn next_task(
        &self,
        rank: u32,
        stream: &mut TaskStream,
        dependencies: &mut Vec<Dependency>,
    ) -> Option<Task> {
        let (job, first) = self.job(rank);
        let mut task = job.next_task(rank - first, stream, dependencies)?;
        match &mut task.work {
            Work::Send { to, .. } => *to += first,
            Work::Receive { from, .. } => *from = from.map(|from| from + first),
            Work::Compute { .. } | Work::Join => {}
        }
        Some(task)
    }
}
