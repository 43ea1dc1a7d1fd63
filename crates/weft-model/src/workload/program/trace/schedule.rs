//! A rank's part of a schedule, before its tasks are put into an order in which each waits for earlier ones.

use super::super::{Dependency, Moment, Task, TaskGraph};
use super::Mistake;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A task waits for another, both by their places.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wait {
    pub(super) task: u32,
    pub(super) other: u32,
    pub(super) moment: Moment,
}

/// The tasks of a rank in the order of the file.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    /// Each with the bytes that a receive has room for.
    pub(super) tasks: Vec<(Task, Option<u64>)>,
    pub(super) waits: Vec<Wait>,
}

/// Numbers of one kind by what they belong to, in packed arrays.
struct Grouped<T> {
    ends: Vec<u32>,
    all: Vec<T>,
}

impl<T: Copy> Grouped<T> {
    /// Groups so many, each told with its group, in their order; `none` stands where none is.
    fn new(groups: usize, none: T, each: impl Fn(&mut dyn FnMut(u32, T))) -> Self {
        let mut ends = vec![0; groups];
        each(&mut |group, _| ends[group as usize] += 1);
        let mut sum = 0;
        for end in &mut ends {
            sum += std::mem::replace(end, sum);
        }
        let mut all = vec![none; sum as usize];
        // Each is where its group begins until all are in, and where it ends then.
        each(&mut |group, one| {
            let at = &mut ends[group as usize];
            all[*at as usize] = one;
            *at += 1;
        });
        Self { ends, all }
    }

    fn of(&self, group: usize) -> &[T] {
        let begin = group.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[begin as usize..self.ends[group] as usize]
    }
}

/// The first of those that wait, through others, for themselves, by how many each still waits for when nothing more
/// can begin, and for which all in all. Others that are left may only wait for one of these.
pub(super) fn waits_for_itself<Others: Iterator<Item = usize>>(
    missing: &[usize],
    waits_for: impl Fn(usize) -> Others,
) -> Option<usize> {
    // Each that is left waits for another that is.
    let next = |place: usize| waits_for(place).find(|&other| missing[other] > 0);
    let mut place = missing.iter().position(|&left| left > 0)?;
    let mut seen = vec![false; missing.len()];
    while !std::mem::replace(&mut seen[place], true) {
        place = next(place)?;
    }
    let circle =
        std::iter::successors(next(place), |&other| next(other).filter(|_| other != place));
    circle.min()
}

impl Schedule {
    /// Adds the tasks to a graph, each after those it waits for, in the order of the file where that leaves a
    /// choice.
    pub(super) fn add_to(self, rank: u32, graph: &mut TaskGraph) -> Result<(), Mistake> {
        let count = self.tasks.len();
        let awaited = Grouped::new(count, (0, Moment::End), |put| {
            let waits = self.waits.iter();
            waits.for_each(|wait| put(wait.task, (wait.other, wait.moment)));
        });
        let is_in_order = self.waits.iter().all(|wait| wait.other < wait.task);
        let mut add = |place: usize, numbers: &[u64]| {
            let (task, room) = self.tasks[place];
            let number = |&(other, moment): &(u32, Moment)| {
                let other = u64::from(other);
                let task = usize::try_from(other).ok();
                let renumbered = task.and_then(|place| numbers.get(place));
                Dependency {
                    task: renumbered.copied().unwrap_or(other),
                    moment,
                }
            };
            let dependencies: Vec<Dependency> = awaited.of(place).iter().map(number).collect();
            graph
                .add_with_room(rank, task, room, &dependencies)
                .map_err(|error| (task.line, error.to_string()))
        };
        if is_in_order {
            for place in 0..count {
                add(place, &[])?;
            }
        } else {
            let waiting = Grouped::new(count, 0, |put| {
                let waits = self.waits.iter();
                waits.for_each(|wait| put(wait.other, wait.task));
            });
            let mut missing: Vec<usize> = (0..count).map(|place| awaited.of(place).len()).collect();
            let mut possible: BinaryHeap<Reverse<usize>> = (0..count)
                .filter(|&place| missing[place] == 0)
                .map(Reverse)
                .collect();
            let mut numbers = vec![0; count];
            while let Some(Reverse(place)) = possible.pop() {
                numbers[place] = add(place, &numbers)?;
                for &waiter in waiting.of(place) {
                    let left = &mut missing[waiter as usize];
                    *left -= 1;
                    if *left == 0 {
                        possible.push(Reverse(waiter as usize));
                    }
                }
            }
            let waits_for = |place: usize| {
                let others = awaited.of(place).iter();
                others.map(|&(other, _)| other as usize)
            };
            if let Some(place) = waits_for_itself(&missing, waits_for) {
                let problem = format!(
                    "a task of rank {rank} waits, through others, for itself; expected none \
                     that does: one of these waits is too many"
                );
                return Err((self.tasks[place].0.line, problem));
            }
        }
        graph.close(rank);
        Ok(())
    }
}
