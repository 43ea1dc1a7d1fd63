//! Tasks that follow one another, in little room where they are alike: those of an exchange of all with all that wait are.

use super::slot::{Phase, Slot};
use weft_fabric::narrow;

/// So many tasks stand together, and are forgotten together.
pub(super) const TOGETHER: usize = 32;

/// Tasks that follow one another; none once all are over.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    slots: Slots,
    over: u32,
    /// Changes since it was last tried whether they are alike.
    changes: u32,
}

// A rank has as many as it has tasks in all, over so many.
const _: () = assert!(size_of::<Block>() <= 32);

#[derive(Clone, Debug)]
enum Slots {
    Each(Vec<Slot>),
    Alike(Box<Alike>),
}

impl Default for Slots {
    fn default() -> Self {
        Self::Each(Vec::new())
    }
}

/// As many tasks as stand together, of which those that are not over are each so manieth, and differ from one to the next
/// by the same steps.
#[derive(Clone, Debug)]
struct Alike {
    first: Slot,
    phases: Phases,
    /// By how much each task differs from the one before it.
    amount_step: u64,
    other_steps: [u32; 5],
    /// The place of the first.
    begin: u8,
    /// The next is so many places on.
    every: u8,
}

const _: () = assert!(size_of::<Alike>() == 72);

/// How far tasks that stand together are, two bits each.
#[derive(Clone, Copy, Debug, Default)]
struct Phases(u64);

const _: () = assert!(2 * TOGETHER == u64::BITS as usize);

/// By the bits of each.
const PHASES: [Phase; 4] = [Phase::Waiting, Phase::Started, Phase::Posted, Phase::Over];

impl Phases {
    #[inline]
    fn get(self, place: usize) -> Phase {
        PHASES[(self.0 >> (2 * place) & 3) as usize]
    }

    #[inline]
    fn set(&mut self, place: usize, phase: Phase) {
        self.0 &= !(3 << (2 * place));
        self.0 |= (phase as u64) << (2 * place);
    }
}

/// What may differ from task to task, in that order.
fn differing(slot: &mut Slot) -> (&mut u64, [&mut u32; 5]) {
    let Slot {
        amount,
        other,
        tag,
        line,
        missing,
        waiting,
        ..
    } = slot;
    (amount, [other, tag, line, missing, &mut waiting.0])
}

impl Alike {
    /// These tasks, if those of them that are not over are alike.
    fn of(slots: &[Slot]) -> Option<Self> {
        let slots: &[Slot; TOGETHER] = slots.try_into().ok()?;
        let mut left = (0..)
            .zip(slots)
            .filter(|(_, slot)| slot.phase != Phase::Over);
        let (begin, &first) = left.next()?;
        let (every, second) = match left.clone().next() {
            None => (1, first),
            Some((next, &second)) => (next - begin, second),
        };
        let (mut from, mut to) = (first, second);
        let (from_amount, from) = differing(&mut from);
        let (to_amount, to) = differing(&mut to);
        let mut alike = Self {
            first,
            phases: Phases::default(),
            amount_step: to_amount.wrapping_sub(*from_amount),
            other_steps: [0; 5],
            begin,
            every,
        };
        for ((step, from), to) in alike.other_steps.iter_mut().zip(from).zip(to) {
            *step = to.wrapping_sub(*from);
        }
        for (place, slot) in slots.iter().enumerate() {
            alike.phases.set(place, slot.phase);
        }
        left.all(|(place, &slot)| alike.get(place.into()) == slot)
            .then_some(alike)
    }

    #[inline]
    fn get(&self, place: usize) -> Slot {
        let on = place.saturating_sub(self.begin.into()) / usize::from(self.every);
        let count: u32 = narrow(on, "few stand together");
        let mut slot = self.first;
        let (amount, others) = differing(&mut slot);
        *amount = amount.wrapping_add(self.amount_step.wrapping_mul(count.into()));
        for (number, step) in others.into_iter().zip(self.other_steps) {
            *number = number.wrapping_add(step.wrapping_mul(count));
        }
        slot.phase = self.phases.get(place);
        slot
    }
}

impl Block {
    /// One without tasks, with room that another had, and for more where `is_long`.
    pub(super) fn new(mut room: Vec<Slot>, is_long: bool) -> Self {
        room.clear();
        if is_long {
            room.reserve_exact(TOGETHER);
        }
        Self {
            slots: Slots::Each(room),
            ..Self::default()
        }
    }

    /// The task at a place; of one that is over, that it is.
    #[inline]
    pub(super) fn get(&self, place: usize) -> Option<Slot> {
        match &self.slots {
            Slots::Each(slots) => slots.get(place).copied(),
            Slots::Alike(alike) => (place < TOGETHER).then(|| alike.get(place)),
        }
    }

    /// What is asked of the task at a place.
    #[inline]
    pub(super) fn look<T>(&self, place: usize, asks: impl FnOnce(&Slot) -> T) -> Option<T> {
        match &self.slots {
            Slots::Each(slots) => slots.get(place).map(asks),
            Slots::Alike(_) => self.get(place).map(|slot| asks(&slot)),
        }
    }

    /// The tasks that there are, each with its place.
    pub(super) fn slots(&self) -> impl DoubleEndedIterator<Item = (usize, Slot)> {
        let count = match &self.slots {
            Slots::Each(slots) => slots.len(),
            Slots::Alike(_) => TOGETHER,
        };
        (0..count).filter_map(|place| Some((place, self.get(place)?)))
    }

    pub(super) fn push(&mut self, slot: Slot) {
        if let Slots::Each(slots) = &mut self.slots {
            slots.push(slot);
        }
    }

    /// Changes a task that is not over. What it is besides is forgotten of one that is over then.
    #[inline]
    pub(super) fn change(&mut self, place: usize, change: impl FnOnce(&mut Slot)) {
        match &mut self.slots {
            Slots::Each(slots) => {
                if let Some(slot) = slots.get_mut(place) {
                    change(slot);
                    self.changes = self.changes.saturating_add(1);
                }
            }
            Slots::Alike(alike) => {
                let mut slot = alike.get(place);
                change(&mut slot);
                alike.phases.set(place, slot.phase);
                if slot.phase == Phase::Over || alike.get(place) == slot {
                    return;
                }
                let mut slots: Vec<Slot> = self.slots().map(|(_, slot)| slot).collect();
                slots[place] = slot;
                self.slots = Slots::Each(slots);
                self.changes = 1;
            }
        }
    }

    /// Takes little room if its tasks are alike, after as many changes as it has tasks.
    pub(super) fn settle(&mut self) {
        if (self.changes as usize) < TOGETHER {
            return;
        }
        self.changes = 0;
        if let Slots::Each(slots) = &self.slots
            && let Some(alike) = Alike::of(slots)
        {
            self.slots = Slots::Alike(Box::new(alike));
        }
    }

    /// One task more is over; what room they had, if all are.
    pub(super) fn end_one(&mut self) -> Option<Vec<Slot>> {
        self.over += 1;
        if !self.is_over() {
            return None;
        }
        match std::mem::take(&mut self.slots) {
            Slots::Each(room) => Some(room),
            Slots::Alike(_) => None,
        }
    }

    /// Whether all its tasks are over, as many as stand together.
    pub(super) fn is_over(&self) -> bool {
        self.over as usize == TOGETHER
    }

    /// How many tasks have room of their own.
    #[cfg(test)]
    pub(super) fn kept(&self) -> usize {
        match &self.slots {
            Slots::Each(slots) => slots.len(),
            Slots::Alike(_) => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::task::{Task, Work};
    use super::super::slot::Waiting;
    use super::*;

    /// Receives and sends by turns, all of which a task waits for.
    fn block() -> Block {
        let mut block = Block::default();
        for number in 0..32 {
            let (from, tag) = (Some(1000 - 2 * number), Some(9));
            let work = if number % 2 == 0 {
                Work::Receive { from, tag }
            } else {
                let (to, tag, bytes) = (number, 9, 64);
                Work::Send { to, tag, bytes }
            };
            let mut slot = Slot::new(Task::new(work, 3 * number), 0);
            slot.waiting = Waiting(4000 - number);
            slot.amount = u64::from(number / 2) + 70;
            block.push(slot);
        }
        block
    }

    fn end(block: &mut Block, place: usize) {
        block.change(place, |slot| slot.phase = Phase::Over);
    }

    #[test]
    fn those_that_are_not_over_take_no_room_where_they_are_alike() {
        let mut block = block();
        let before: Vec<Slot> = block.slots().map(|(_, slot)| slot).collect();
        for place in 0..32 {
            block.change(place, |slot| slot.phase = Phase::Started);
        }
        block.settle();
        assert_eq!(block.kept(), 32, "sends are none of receives");
        for place in (1..32).step_by(2) {
            end(&mut block, place);
        }
        end(&mut block, 0);
        block.settle();
        assert_eq!(block.kept(), 32, "too few changes since");
        for place in (2..32).step_by(2) {
            block.change(place, |slot| slot.phase = Phase::Posted);
        }
        block.settle();
        assert_eq!(block.kept(), 0);
        for (place, &before) in before.iter().enumerate() {
            let found = block.get(place).unwrap();
            if place % 2 == 1 || place == 0 {
                assert_eq!(found.phase, Phase::Over);
            } else {
                let phase = Phase::Posted;
                assert_eq!(found, Slot { phase, ..before });
            }
        }
        assert_eq!(block.get(32), None);
        // How far they are takes no room; what else changes does.
        block.change(4, |slot| slot.phase = Phase::Started);
        end(&mut block, 6);
        assert_eq!(block.kept(), 0);
        block.change(8, |slot| slot.missing = 5);
        assert_eq!(block.kept(), 32);
        let phases: Vec<Phase> = (4..10)
            .step_by(2)
            .map(|place| block.get(place).unwrap().phase)
            .collect();
        assert_eq!(phases, [Phase::Started, Phase::Over, Phase::Posted]);
        let (missing, phase) = (5, Phase::Posted);
        assert_eq!(
            block.get(8),
            Some(Slot {
                missing,
                phase,
                ..before[8]
            })
        );
    }

    #[test]
    fn those_that_differ_keep_their_room() {
        for (at, by) in [(2, 1), (4, 2), (30, 1), (31, 1)] {
            let mut block = Block::default();
            for number in 0..32 {
                let (to, tag, bytes) = (5, 9, 64);
                let work = Work::Send { to, tag, bytes };
                block.push(Slot::new(Task::new(work, number), 0));
            }
            for place in (1..31).step_by(2) {
                end(&mut block, place);
            }
            block.change(at, |slot| slot.other += by);
            for place in 0..32 {
                block.change(place, |_| {});
            }
            let told = block.slots().collect::<Vec<_>>();
            block.settle();
            assert_eq!(block.kept(), 32);
            assert_eq!(block.slots().collect::<Vec<_>>(), told);
        }
    }

    #[test]
    fn room_is_given_back_once_all_are_over() {
        let mut block = block();
        for place in 0..31 {
            end(&mut block, place);
            assert!(block.end_one().is_none());
        }
        end(&mut block, 31);
        assert_eq!(block.end_one().map(|room| room.len()), Some(32));
        assert!(block.is_over());
        let mut block = Block::new(Vec::new(), true);
        let slot = Slot::new(Task::new(Work::Join, 0), 0);
        (0..32).for_each(|_| block.push(slot));
        (0..32).for_each(|place| block.change(place, |slot| slot.phase = Phase::Started));
        block.settle();
        let rooms: Vec<_> = (0..32)
            .filter_map(|place| {
                end(&mut block, place);
                block.end_one()
            })
            .collect();
        assert_eq!((rooms.len(), block.is_over()), (0, true));
    }
}
