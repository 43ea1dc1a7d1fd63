//! The tasks of a rank from the first that is not over to the last that was taken from the program.

use super::super::task::{Dependency, Moment, Task};
use super::block::{Block, TOGETHER};
use super::slot::{KIND, Kind, NOBODY, Phase, SEVERAL, START, Slot, Waiting, coded};
use super::waiters::Waiters;
use std::collections::VecDeque;
use weft_fabric::narrow;

/// A queue keeps room for so many at most.
const KEPT: usize = 64;

/// Gives back the room of a queue that is empty and was long, as ranks have long ones one after another.
pub(super) fn give_back<T>(queue: &mut VecDeque<T>) {
    if queue.is_empty() && queue.capacity() > KEPT {
        *queue = VecDeque::new();
    }
}

/// Of so many blocks each task keeps its room: most ranks have few, as have those that exchange with 32 others at a time.
const FEW: usize = 4;

/// The tasks under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Window {
    /// Number of the first task in `blocks`.
    pub(super) first: u64,
    /// Number of the task that is taken next.
    next: u64,
    /// Tasks that are not over.
    unfinished: u64,
    blocks: VecDeque<Block>,
    /// Room for the next block.
    spare: Vec<Slot>,
    /// Tasks that wait for moments of one other, where they are several or far from it.
    lists: Vec<Waiters>,
    /// Places of lists that are free.
    free_lists: Vec<u32>,
    /// Tasks that wait for nothing more and have not been begun.
    possible: VecDeque<u64>,
}

impl Window {
    /// Where a task is: its block, and its place in that.
    fn place(&self, number: u64) -> Option<(usize, usize)> {
        let index = usize::try_from(number.checked_sub(self.first)?).ok()?;
        Some((index / TOGETHER, index % TOGETHER))
    }

    /// A task that is here.
    #[inline]
    pub(super) fn slot(&self, number: u64) -> Option<Slot> {
        let (block, place) = self.place(number)?;
        self.blocks.get(block)?.get(place)
    }

    /// A task that is not over.
    pub(super) fn under_way(&self, number: u64) -> Slot {
        self.look(number, |slot| *slot)
    }

    /// What is asked of a task that is not over.
    #[inline]
    pub(super) fn look<T>(&self, number: u64, asks: impl FnOnce(&Slot) -> T) -> T {
        let place = self.place(number);
        let told = place.and_then(|(block, place)| self.blocks.get(block)?.look(place, asks));
        // Invariant: only tasks that are not over are asked for.
        let Some(told) = told else {
            unreachable!("task {number} is under way")
        };
        told
    }

    /// Changes a task that is not over.
    #[inline]
    pub(super) fn change(&mut self, number: u64, change: impl FnOnce(&mut Slot)) {
        let Some((block, place)) = self.place(number) else {
            return;
        };
        let is_long = self.blocks.len() > FEW;
        if let Some(block) = self.blocks.get_mut(block) {
            block.change(place, change);
            if is_long {
                block.settle();
            }
        }
    }

    /// Adds the next task.
    pub(super) fn add(&mut self, task: Task, dependencies: &[Dependency]) {
        let number = self.next;
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
                let before = slot.waiting;
                let after = self.waiting_too(before, waits, number);
                self.change(waits.task, |slot| slot.waiting = after);
                missing += 1;
            }
        }
        if self.place(number).is_none_or(|(_, place)| place == 0) {
            let room = std::mem::take(&mut self.spare);
            // Many have few tasks, but who has more fills it.
            self.blocks.push_back(Block::new(room, number > 0));
        }
        if let Some(block) = self.blocks.back_mut() {
            block.push(Slot::new(task, missing));
        }
        self.next += 1;
        self.unfinished += 1;
        if missing == 0 {
            self.possible.push_back(number);
        }
    }

    /// Those that wait for a task, with one more.
    fn waiting_too(&mut self, before: Waiting, awaited: &Dependency, number: u64) -> Waiting {
        let &Dependency { task, moment } = awaited;
        let mut list = match before.0 & KIND {
            NOBODY => {
                if let Some(one) = Waiting::one(number - task, moment) {
                    return one;
                }
                Waiters::default()
            }
            SEVERAL => {
                self.lists[(before.0 & !KIND) as usize].push(number, moment);
                return before;
            }
            kind => {
                let moment = if kind == START {
                    Moment::Start
                } else {
                    Moment::End
                };
                let mut list = Waiters::default();
                list.push(task + u64::from(before.0 & !KIND), moment);
                list
            }
        };
        list.push(number, moment);
        let place = if let Some(place) = self.free_lists.pop() {
            self.lists[place as usize] = list;
            place
        } else {
            self.lists.push(list);
            narrow(self.lists.len() - 1, "tasks under way fit memory")
        };
        Waiting(SEVERAL | place)
    }

    /// Whether a task waits for another, of which these do.
    fn holds(&self, task: u64, waiting: Waiting, number: u64) -> bool {
        match waiting.0 & KIND {
            NOBODY => false,
            SEVERAL => self.lists[(waiting.0 & !KIND) as usize].has(number),
            _ => task + u64::from(waiting.0 & !KIND) == number,
        }
    }

    /// The next task that may begin.
    pub(super) fn take_possible(&mut self) -> Option<u64> {
        let first = self.possible.pop_front();
        give_back(&mut self.possible);
        first
    }

    /// A task under way.
    pub(super) fn task(&self, number: u64) -> Task {
        self.look(number, Slot::task)
    }

    /// The processor of one.
    #[inline]
    pub(super) fn cpu(&self, number: u64) -> u8 {
        self.look(number, |slot| slot.cpu)
    }

    pub(super) fn start(&mut self, number: u64) {
        self.pass(number, Phase::Started, Moment::Start);
    }

    pub(super) fn end(&mut self, number: u64) {
        if self
            .slot(number)
            .is_none_or(|slot| slot.phase == Phase::Over)
        {
            return;
        }
        self.pass(number, Phase::Over, Moment::End);
        self.unfinished -= 1;
        if let Some((place, _)) = self.place(number)
            && let Some(block) = self.blocks.get_mut(place)
        {
            self.spare = block.end_one().unwrap_or(std::mem::take(&mut self.spare));
        }
        while self.blocks.front().is_some_and(Block::is_over) {
            self.blocks.pop_front();
            self.first += TOGETHER as u64;
        }
        give_back(&mut self.blocks);
    }

    fn pass(&mut self, number: u64, phase: Phase, moment: Moment) {
        let mut waiting = Waiting::default();
        self.change(number, |slot| {
            waiting = slot.waiting;
            slot.phase = phase;
            if waiting.0 & KIND == START && moment == Moment::Start {
                slot.waiting = Waiting::default();
            }
        });
        match waiting.0 & KIND {
            NOBODY => {}
            SEVERAL => self.pass_several(number, waiting, moment),
            kind => {
                if kind == coded(moment) {
                    self.come(number + u64::from(waiting.0 & !KIND));
                }
            }
        }
    }

    /// A moment has come that several tasks waited for.
    fn pass_several(&mut self, number: u64, waiting: Waiting, moment: Moment) {
        let place = waiting.0 & !KIND;
        let mut list = std::mem::take(&mut self.lists[place as usize]);
        list.go(moment, |waiter| self.come(waiter));
        if !list.is_empty() {
            self.lists[place as usize] = list;
            return;
        }
        self.free_lists.push(place);
        if moment == Moment::Start {
            self.change(number, |slot| slot.waiting = Waiting::default());
        }
    }

    /// A moment has come that a task waited for.
    fn come(&mut self, waiter: u64) {
        let mut is_possible = false;
        self.change(waiter, |slot| {
            slot.missing -= 1;
            is_possible = slot.missing == 0;
        });
        if is_possible {
            self.possible.push_back(waiter);
        }
    }

    /// Tells whether the task taken last has started.
    pub(super) fn last_has_started(&self) -> bool {
        let last = self.next.checked_sub(1);
        let last = last.and_then(|last| self.slot(last));
        last.is_none_or(|slot| slot.phase >= Phase::Started)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.unfinished == 0
    }

    /// The task that an idle rank waits for: of a process, that which holds up the next one taken, and
    /// of several that a join waits for the first; of a graph, or once no task is left to be taken, the
    /// first that has begun and is not over.
    pub(super) fn awaited(&self, is_graph: bool) -> Option<u64> {
        let mut slots = self.slots().rev();
        let last = slots.next().filter(|(number, slot)| {
            !is_graph && number + 1 == self.next && slot.phase == Phase::Waiting
        });
        let Some((mut number, mut slot)) = last else {
            let mut unfinished = self.unfinished();
            return unfinished
                .find(|&(_, _, has_started)| has_started)
                .map(|(number, ..)| number);
        };
        // Tasks wait for earlier ones.
        while slot.phase == Phase::Waiting {
            let earlier = self.slots().take_while(|&(task, _)| task < number);
            let earlier = earlier.filter(|(_, slot)| slot.phase != Phase::Over);
            let mut holding =
                earlier.filter(|(task, slot)| self.holds(*task, slot.waiting, number));
            (number, slot) = match slot.kind {
                Kind::Join => holding.next()?,
                _ => holding.last()?,
            };
        }
        Some(number)
    }

    /// The tasks that are here, by number.
    fn slots(&self) -> impl DoubleEndedIterator<Item = (u64, Slot)> {
        let first = self.first;
        let blocks = self.blocks.iter().enumerate();
        blocks.flat_map(move |(place, block)| {
            let first = first + (place * TOGETHER) as u64;
            block
                .slots()
                .map(move |(within, slot)| (first + within as u64, slot))
        })
    }

    /// The tasks that have started and are not over, and those that may not start yet.
    pub(super) fn unfinished(&self) -> impl Iterator<Item = (u64, Task, bool)> {
        let here = self.slots().filter(|(_, slot)| slot.phase != Phase::Over);
        here.map(|(number, slot)| {
            let has_started = matches!(slot.phase, Phase::Started | Phase::Posted);
            (number, slot.task(), has_started)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::task::Work;
    use super::*;

    #[test]
    fn what_is_over_behind_one_that_is_not_takes_no_room() {
        let mut window = Window::default();
        let of = |tag| {
            let (from, tag) = (None, Some(tag));
            Task::new(Work::Receive { from, tag }, 0)
        };
        for number in 0..1000 {
            window.add(of(number), &[]);
            window.start(number.into());
        }
        for number in 1..1000 {
            window.end(number);
        }
        let kept: usize = window.blocks.iter().map(Block::kept).sum();
        assert!(kept <= 2 * TOGETHER, "{kept} tasks are kept");
        let left: Vec<u64> = window.unfinished().map(|entry| entry.0).collect();
        assert_eq!(left, [0]);
        window.end(0);
        assert!(window.is_empty());
    }

    #[test]
    fn those_that_wait_are_told_in_their_order_by_moment() {
        let mut window = Window::default();
        let task = Task::new(Work::Join, 0);
        window.add(task, &[]);
        assert_eq!(window.take_possible(), Some(0));
        for waits in [
            Dependency::end(0),
            Dependency::start(0),
            Dependency::end(0),
            Dependency::start(0),
        ] {
            window.add(task, &[waits]);
        }
        window.start(0);
        assert_eq!(
            (window.take_possible(), window.take_possible()),
            (Some(2), Some(4))
        );
        assert_eq!(window.take_possible(), None);
        window.end(0);
        assert_eq!(
            (window.take_possible(), window.take_possible()),
            (Some(1), Some(3))
        );
        assert_eq!(window.free_lists.len(), window.lists.len());
    }
}
