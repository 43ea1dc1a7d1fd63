//! The tasks of a rank from the first that is not over to the last that was taken from the program.

use super::super::task::{Dependency, Moment, Task, Work};
use std::collections::VecDeque;

/// How far a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Waiting,
    Started,
    Over,
}

/// Tasks that wait for moments of another: mostly one.
#[derive(Clone, Debug, Default)]
enum Waiting {
    #[default]
    Nobody,
    One(u64, Moment),
    Several(Vec<(u64, Moment)>),
}

impl Waiting {
    fn push(&mut self, number: u64, moment: Moment) {
        match self {
            Self::Nobody => *self = Self::One(number, moment),
            &mut Self::One(first, of_first) => {
                *self = Self::Several(vec![(first, of_first), (number, moment)]);
            }
            Self::Several(all) => all.push((number, moment)),
        }
    }

    /// Whether a task is among them.
    fn holds(&self, number: u64) -> bool {
        match self {
            Self::Nobody => false,
            Self::One(first, _) => *first == number,
            Self::Several(all) => all.iter().any(|entry| entry.0 == number),
        }
    }

    /// Takes out those that wait for a moment, in order.
    fn take(&mut self, moment: Moment) -> Self {
        match self {
            Self::One(_, awaited) if *awaited == moment => std::mem::take(self),
            Self::Nobody | Self::One(..) => Self::Nobody,
            Self::Several(all) => {
                Self::Several(all.extract_if(.., |entry| entry.1 == moment).collect())
            }
        }
    }
}

/// A task, in one cache line: thousands may be under way at a rank.
#[derive(Clone, Debug)]
struct Slot {
    task: Task,
    /// Those that wait for it.
    waiting: Waiting,
    /// Moments it still waits for.
    missing: u32,
    phase: Phase,
}

/// The tasks under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Window {
    /// Number of the first task in `slots`.
    first: u64,
    slots: VecDeque<Slot>,
    /// Tasks that wait for nothing more and have not been begun.
    possible: VecDeque<u64>,
}

impl Window {
    fn slot(&mut self, number: u64) -> Option<&mut Slot> {
        let index = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.slots.get_mut(index)
    }

    /// Adds the next task.
    pub(super) fn add(&mut self, task: Task, dependencies: &[Dependency]) {
        let number = self.first + self.slots.len() as u64;
        let mut missing = 0;
        for waits in dependencies {
            let awaited = match waits.moment {
                Moment::Start => Phase::Started,
                Moment::End => Phase::Over,
            };
            // One that is no longer here is over.
            if let Some(slot) = self.slot(waits.task)
                && slot.phase < awaited
            {
                slot.waiting.push(number, waits.moment);
                missing += 1;
            }
        }
        self.slots.push_back(Slot {
            task,
            phase: Phase::Waiting,
            missing,
            waiting: Waiting::Nobody,
        });
        if missing == 0 {
            self.possible.push_back(number);
        }
    }

    /// The next task that may begin.
    pub(super) fn take_possible(&mut self) -> Option<u64> {
        self.possible.pop_front()
    }

    /// A task under way.
    pub(super) fn task(&mut self, number: u64) -> Task {
        // Invariant: only tasks that are not over are asked for.
        let Some(slot) = self.slot(number) else {
            unreachable!("task {number} is under way")
        };
        slot.task
    }

    pub(super) fn start(&mut self, number: u64) {
        self.pass(number, Phase::Started, Moment::Start);
    }

    pub(super) fn end(&mut self, number: u64) {
        self.pass(number, Phase::Over, Moment::End);
        while self
            .slots
            .front()
            .is_some_and(|slot| slot.phase == Phase::Over)
        {
            self.slots.pop_front();
            self.first += 1;
        }
    }

    fn pass(&mut self, number: u64, phase: Phase, moment: Moment) {
        let Some(slot) = self.slot(number) else {
            return;
        };
        slot.phase = phase;
        match slot.waiting.take(moment) {
            Waiting::Nobody => {}
            Waiting::One(waiter, _) => self.come(waiter),
            Waiting::Several(freed) => {
                for (waiter, _) in freed {
                    self.come(waiter);
                }
            }
        }
    }

    /// A moment has come that a task waited for.
    fn come(&mut self, waiter: u64) {
        if let Some(slot) = self.slot(waiter) {
            slot.missing -= 1;
            if slot.missing == 0 {
                self.possible.push_back(waiter);
            }
        }
    }

    /// Tells whether the task taken last has started.
    pub(super) fn last_has_started(&self) -> bool {
        self.slots
            .back()
            .is_none_or(|slot| slot.phase >= Phase::Started)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The task that an idle rank waits for: of a process, that which holds up the next one taken, and
    /// of several that a join waits for the first; of a graph, or once no task is left to be taken, the
    /// first that has begun and is not over.
    pub(super) fn awaited(&self, is_graph: bool) -> Option<u64> {
        let last = self.slots.back()?;
        if is_graph || last.phase != Phase::Waiting {
            let mut unfinished = self.unfinished();
            return unfinished
                .find(|&(_, _, has_started)| has_started)
                .map(|(number, ..)| number);
        }
        let (mut index, mut slot) = (self.slots.len() - 1, last);
        // Tasks wait for earlier ones.
        while slot.phase == Phase::Waiting {
            let number = self.first + index as u64;
            let earlier = self.slots.range(..index).enumerate();
            let mut holding = earlier.filter(|(_, earlier)| earlier.waiting.holds(number));
            (index, slot) = match slot.task.work {
                Work::Join => holding.next()?,
                _ => holding.next_back()?,
            };
        }
        Some(self.first + index as u64)
    }

    /// The tasks that have started and are not over, and those that may not start yet.
    pub(super) fn unfinished(&self) -> impl Iterator<Item = (u64, Task, bool)> {
        let numbered = (self.first..).zip(&self.slots);
        numbered
            .filter(|(_, slot)| slot.phase != Phase::Over)
            .map(|(number, slot)| (number, slot.task, slot.phase == Phase::Started))
    }
}
