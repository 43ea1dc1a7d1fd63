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
#[expect(
    clippy::box_collection,
    reason = "a task has as much room as one that waits takes"
)]
enum Waiting {
    #[default]
    Nobody,
    One(u64, Moment),
    Several(Box<Vec<(u64, Moment)>>),
}

impl Waiting {
    fn push(&mut self, number: u64, moment: Moment) {
        match self {
            Self::Nobody => *self = Self::One(number, moment),
            &mut Self::One(first, of_first) => {
                *self = Self::Several(Box::new(vec![(first, of_first), (number, moment)]));
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
            Self::Several(all) => Self::Several(Box::new(
                all.extract_if(.., |entry| entry.1 == moment).collect(),
            )),
        }
    }
}

/// A task, in little room: thousands may be under way at a rank.
#[derive(Clone, Debug)]
struct Slot {
    /// Of computing the bits of its time, of a send the length.
    amount: u64,
    /// Those that wait for it.
    waiting: Waiting,
    /// Of a message: the other rank, and the tag; of a receive 0 where any will do.
    other: u32,
    tag: u32,
    line: u32,
    /// Moments it still waits for.
    missing: u32,
    kind: Kind,
    cpu: u8,
    nic: u8,
    phase: Phase,
}

/// What a task does; of a receive whether it asks for a rank and for a tag.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Compute,
    Send,
    Receive { of_rank: bool, of_tag: bool },
    Join,
}

const _: () = assert!(size_of::<Slot>() == 48);

impl Slot {
    fn new(task: Task, missing: u32) -> Self {
        let (kind, amount, other, tag) = match task.work {
            Work::Compute { ns } => (Kind::Compute, ns.to_bits(), 0, 0),
            Work::Send { to, tag, bytes } => (Kind::Send, bytes, to, tag),
            Work::Receive { from, tag } => {
                let (of_rank, of_tag) = (from.is_some(), tag.is_some());
                let kind = Kind::Receive { of_rank, of_tag };
                (kind, 0, from.unwrap_or(0), tag.unwrap_or(0))
            }
            Work::Join => (Kind::Join, 0, 0, 0),
        };
        Self {
            amount,
            waiting: Waiting::Nobody,
            other,
            tag,
            line: task.line,
            missing,
            kind,
            cpu: task.cpu,
            nic: task.nic,
            phase: Phase::Waiting,
        }
    }

    fn task(&self) -> Task {
        let (other, tag) = (self.other, self.tag);
        let work = match self.kind {
            Kind::Compute => Work::Compute {
                ns: f64::from_bits(self.amount),
            },
            Kind::Send => Work::Send {
                to: other,
                tag,
                bytes: self.amount,
            },
            Kind::Receive { of_rank, of_tag } => Work::Receive {
                from: of_rank.then_some(other),
                tag: of_tag.then_some(tag),
            },
            Kind::Join => Work::Join,
        };
        Task {
            work,
            line: self.line,
            cpu: self.cpu,
            nic: self.nic,
        }
    }
}

/// An empty queue keeps room for so many at most.
const KEPT: usize = 64;

/// Gives back the room of a queue that is empty and was long, as ranks have long ones one after another.
pub(super) fn give_back<T>(queue: &mut VecDeque<T>) {
    if queue.is_empty() && queue.capacity() > KEPT {
        *queue = VecDeque::new();
    }
}

/// The tasks under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Window {
    /// Number of the first task in `slots`.
    first: u64,
    slots: VecDeque<Slot>,
    /// Tasks that wait for nothing more and have not been begun.
    possible: VecDeque<u64>,
    /// None is taken any more, and what is over is forgotten from the last on, too.
    is_closed: bool,
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
        self.slots.push_back(Slot::new(task, missing));
        if missing == 0 {
            self.possible.push_back(number);
        }
    }

    /// No more tasks of a graph are added.
    pub(super) fn close(&mut self) {
        self.is_closed = true;
    }

    /// The next task that may begin.
    pub(super) fn take_possible(&mut self) -> Option<u64> {
        let first = self.possible.pop_front();
        give_back(&mut self.possible);
        first
    }

    /// A task under way.
    pub(super) fn task(&mut self, number: u64) -> Task {
        // Invariant: only tasks that are not over are asked for.
        let Some(slot) = self.slot(number) else {
            unreachable!("task {number} is under way")
        };
        slot.task()
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
        if self.is_closed {
            let is_over = |slot: &Slot| slot.phase == Phase::Over;
            while self.slots.back().is_some_and(is_over) {
                self.slots.pop_back();
            }
            let is_half_empty = self.slots.capacity() >= 2 * self.slots.len().max(KEPT);
            if is_half_empty {
                self.slots.shrink_to_fit();
            }
        }
        give_back(&mut self.slots);
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
                for (waiter, _) in *freed {
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
            (index, slot) = match slot.kind {
                Kind::Join => holding.next()?,
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
            .map(|(number, slot)| (number, slot.task(), slot.phase == Phase::Started))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_come_back_as_they_were() {
        let (from, tag) = (Some(7), Some(u32::MAX));
        for work in [
            Work::Compute { ns: 0.1 },
            Work::Send {
                to: 3,
                tag: 0,
                bytes: u64::MAX,
            },
            Work::Receive { from, tag },
            Work::Receive { from, tag: None },
            Work::Receive { from: None, tag },
            Work::Receive {
                from: None,
                tag: None,
            },
            Work::Join,
        ] {
            let (cpu, nic) = (3, 250);
            let task = Task {
                cpu,
                nic,
                ..Task::new(work, 12)
            };
            assert_eq!(Slot::new(task, 0).task(), task);
        }
    }

    #[test]
    fn what_is_over_behind_one_that_is_not_takes_no_room_once_all_are_known() {
        let mut window = Window::default();
        let of = |tag| {
            let (from, tag) = (None, Some(tag));
            Task::new(Work::Receive { from, tag }, 0)
        };
        for number in 0..1000 {
            window.add(of(number), &[]);
            window.start(number.into());
        }
        window.close();
        for number in 1..1000 {
            window.end(number);
        }
        assert_eq!(window.slots.len(), 1);
        assert!(window.slots.capacity() <= 2 * KEPT);
        let left: Vec<u64> = window.unfinished().map(|entry| entry.0).collect();
        assert_eq!(left, [0]);
        window.end(0);
        assert!(window.is_empty());
    }
}
