//! Collective operations of some of the ranks of a graph.

use super::collective::{Algorithms, Collective, Member, expand};
use super::process::{Process, flow_of, group_tag};
use super::{Dependency, ProgramError, Task, TaskGraph, Work};
use std::collections::BTreeSet;
use weft_fabric::narrow;

/// A collective operation of a group.
pub(super) struct GroupOperation<'a> {
    pub(super) collective: &'a Collective,
    pub(super) algorithms: &'a Algorithms,
    /// Its ranks, by their numbers among those of the graph.
    pub(super) group: &'a [u32],
    /// Its number among the operations of all groups.
    pub(super) number: u32,
}

impl GroupOperation<'_> {
    /// Adds what a rank of the group, by its place there, does in it, all by one processor and of one line, when what
    /// it waits for is over. It returns the task that ends with it.
    pub(super) fn add_to(
        &self,
        graph: &mut TaskGraph,
        place: usize,
        (cpu, line): (u8, u32),
        waits_for: &[Dependency],
    ) -> Result<u64, ProgramError> {
        let rank = self.group[place];
        let mut add = |work: Work, waits_for: &[Dependency]| {
            let task = Task {
                cpu,
                ..Task::new(work, line)
            };
            graph.add(rank, task, waits_for)
        };
        let number = |place: usize| narrow(place, "ranks are numbers of 32 bits");
        let mut process = Process::default();
        // What takes time besides messages, graphs tell by themselves: combining is in it.
        let place = (number(place), number(self.group.len()));
        let member = Member::new(&mut process, place, 0.0);
        expand(self.collective, self.algorithms, member);
        let end = process.at();
        let tag_of = |tag: u32| group_tag(self.number, flow_of(tag).unwrap_or(0));
        let (mut numbers, mut own) = (Vec::new(), Vec::new());
        while let Some(task) = process.pending.pop(&mut own) {
            let work = match task.work {
                Work::Send { to, tag, bytes } => Work::Send {
                    to: self.group[to as usize],
                    tag: tag_of(tag),
                    bytes,
                },
                Work::Receive { from, tag } => Work::Receive {
                    from: from.map(|from| self.group[from as usize]),
                    tag: tag.map(tag_of),
                },
                other => other,
            };
            let own: Vec<Dependency> = own
                .drain(..)
                .filter_map(|waits| renumbered(waits, &numbers))
                .collect();
            let waits_for = if own.is_empty() { waits_for } else { &own };
            numbers.push(add(work, waits_for)?);
        }
        let end: Vec<Dependency> = end
            .and_then(|waits| renumbered(waits, &numbers))
            .into_iter()
            .collect();
        let waits_for = if end.is_empty() { waits_for } else { &end };
        add(Work::Join, waits_for)
    }
}

/// What waits for a task of an operation by its number there waits for it by its own.
fn renumbered(waits: Dependency, numbers: &[u64]) -> Option<Dependency> {
    let place = usize::try_from(waits.task).ok()?;
    let task = *numbers.get(place)?;
    Some(Dependency { task, ..waits })
}

impl TaskGraph {
    /// Adds a collective operation of some ranks, the root told by its place among them; what each waits for, by that
    /// place, and the processor of each that sees to it. It returns the task of each that ends with it.
    ///
    /// # Errors
    /// [`ProgramError::UnknownRank`], [`ProgramError::RepeatedRank`], [`ProgramError::LaterTask`],
    /// [`ProgramError::LongMessage`], and what [`Algorithms::check`] finds.
    ///
    /// # Panics
    /// When there are not as many lists of what is waited for as ranks, a bug of the caller.
    pub fn add_collective(
        &mut self,
        collective: &Collective,
        algorithms: &Algorithms,
        (group, cpu): (&[u32], u8),
        waits_for: &[Vec<Dependency>],
    ) -> Result<Vec<u64>, ProgramError> {
        let mut seen = BTreeSet::new();
        for &rank in group {
            if (rank as usize) >= self.rank_count() {
                return Err(ProgramError::UnknownRank {
                    found: rank,
                    rank_count: self.rank_count(),
                });
            }
            if !seen.insert(rank) {
                return Err(ProgramError::RepeatedRank { found: rank });
            }
        }
        let ranks: u32 = narrow(group.len(), "ranks are numbers of 32 bits");
        algorithms.check(ranks)?;
        let operation = GroupOperation {
            collective,
            algorithms,
            group,
            number: self.count_collective(collective.name(), || {
                (ranks > 1).then(|| collective.algorithm(algorithms, ranks))
            }),
        };
        let places = 0..group.len();
        places
            .map(|place| operation.add_to(self, place, (cpu, 0), &waits_for[place]))
            .collect()
    }
}
