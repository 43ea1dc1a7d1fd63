//! Tasks that were worked out and not asked for yet, as bytes: an exchange of all with all works out all of a rank's at
//! once, and where sending takes it time they wait long.

use super::graph::{Before, is_marked, put_task, take_task};
use super::task::{Dependency, Task};

/// The tasks of a process from the one that is next to be asked for on.
#[derive(Clone, Debug, Default)]
pub(super) struct PendingTasks {
    bytes: Vec<u8>,
    /// Number of the task after the last.
    end: u64,
    /// What the one after the last is coded against.
    last: Before,
    /// Where the next one begins, its number, and what it is coded against.
    at: usize,
    next: u64,
    before: Before,
    /// Room to put together what a task waits for.
    dependencies: Vec<Dependency>,
}

/// Bytes that one keeps room for: what an exchange of thousands of ranks took is given back.
const KEPT: usize = 1024;

/// Tasks that one keeps room to wait for: who waits for an exchange waits for all of it.
const KEPT_DEPENDENCIES: usize = 64;

impl PendingTasks {
    /// Adds a task; `is_beside` tells whether it may begin though the one before has not. It returns its number.
    pub(super) fn push(
        &mut self,
        task: &Task,
        dependencies: impl Iterator<Item = Dependency>,
        is_beside: bool,
    ) -> u64 {
        let number = self.end;
        let waits_for = &mut self.dependencies;
        waits_for.clear();
        waits_for.extend(dependencies);
        let before = (number, &mut self.last);
        put_task(&mut self.bytes, before, task, None, waits_for, is_beside);
        if waits_for.capacity() > KEPT_DEPENDENCIES {
            *waits_for = Vec::new();
        }
        self.end += 1;
        number
    }

    /// Whether the next may begin though the one before has not; not if there is none.
    pub(super) fn is_beside(&self) -> bool {
        is_marked(&self.bytes, self.at)
    }

    /// Takes the next one; what it waits for is appended.
    pub(super) fn pop(&mut self, dependencies: &mut Vec<Dependency>) -> Option<Task> {
        let place = (&mut self.at, &mut self.before);
        let (task, _) = take_task(&self.bytes, place, self.next, dependencies)?;
        self.next += 1;
        if self.at == self.bytes.len() {
            self.forget();
        } else if self.at >= KEPT && self.at >= self.bytes.len() / 2 {
            // What was taken goes, though what is left may wait for long.
            self.bytes.drain(..self.at);
            self.bytes.shrink_to_fit();
            self.at = 0;
        }
        Some(task)
    }

    /// All were taken: what is kept of them goes.
    fn forget(&mut self) {
        self.bytes.clear();
        self.at = 0;
        if self.bytes.capacity() > KEPT {
            self.bytes = Vec::new();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::program::Work;

    /// A step of a pairwise exchange of 1,024 ranks: head, line, rank, tag, length, and what it waits for.
    #[test]
    fn messages_of_a_collective_operation_take_less_than_ten_bytes_an_end() {
        let mut pending = PendingTasks::default();
        let tag = (1 << 31) + 12_345;
        for step in 0..1023_u32 {
            let from = Work::Receive {
                from: Some(1023 - step),
                tag: Some(tag),
            };
            let (to, bytes) = (step + 1, 64);
            for work in [from, Work::Send { to, tag, bytes }] {
                let first = pending.end;
                let before = (1..=2).filter_map(|back| first.checked_sub(back));
                pending.push(&Task::new(work, 1), before.map(Dependency::end), true);
            }
        }
        let found = pending.bytes.len();
        assert!(found < 2 * 1023 * 10, "{found}");
    }

    #[test]
    fn what_was_taken_takes_no_room_though_others_wait() {
        let mut pending = PendingTasks::default();
        for to in 0..1000 {
            let (tag, bytes) = (7, 64);
            pending.push(
                &Task::new(Work::Send { to, tag, bytes }, 1),
                None.into_iter(),
                false,
            );
        }
        let all: Vec<_> = (0..1000).map(Dependency::end).collect();
        pending.push(&Task::new(Work::Join, 1), all.iter().copied(), false);
        assert!(pending.dependencies.capacity() <= KEPT_DEPENDENCIES);
        let mut dependencies = Vec::new();
        for to in 0..1000 {
            let (tag, bytes) = (7, 64);
            let send = Task::new(Work::Send { to, tag, bytes }, 1);
            assert_eq!(pending.pop(&mut dependencies), Some(send));
            let left = pending.bytes.len() - pending.at;
            let kept = pending.bytes.capacity();
            assert!(kept <= 2 * left + 2 * KEPT, "{kept} bytes for {left}");
        }
        assert_eq!(
            pending.pop(&mut dependencies),
            Some(Task::new(Work::Join, 1))
        );
        assert_eq!(dependencies, all);
    }

    #[test]
    fn tasks_come_back_with_what_they_wait_for_and_leave_no_room_behind() {
        let mut pending = PendingTasks::default();
        for round in 0..3_u32 {
            let of = |number: u32| {
                let (to, tag, bytes) = (number, [u32::MAX, 7][number as usize % 2], 1 << 34);
                let work = match number % 5 {
                    0..=2 => Work::Send { to, tag, bytes },
                    3 => Work::Receive {
                        from: Some(to),
                        tag: Some(!tag),
                    },
                    _ => Work::Receive {
                        from: None,
                        tag: None,
                    },
                };
                Task::new(work, round * 7)
            };
            let first = u64::from(round) * 1000;
            let waits_for = |number: u64| {
                let earlier = [number / 2, number.saturating_sub(1)].into_iter();
                earlier.map(Dependency::start).take(number.min(2) as usize)
            };
            for (number, own) in (first..).zip(0..1000) {
                let is_beside = own % 3 == 0;
                let added = pending.push(&of(own), waits_for(number), is_beside);
                assert_eq!(added, number);
            }
            for (number, own) in (first..).zip(0..1000) {
                let mut dependencies = Vec::new();
                assert_eq!(pending.is_beside(), own % 3 == 0);
                assert_eq!(pending.pop(&mut dependencies), Some(of(own)));
                assert_eq!(dependencies, waits_for(number).collect::<Vec<_>>());
            }
            assert!(pending.bytes.capacity() <= KEPT);
            assert!(!pending.is_beside());
            assert_eq!(pending.pop(&mut Vec::new()), None);
        }
    }
}
