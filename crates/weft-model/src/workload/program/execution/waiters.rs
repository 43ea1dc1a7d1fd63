//! Tasks that wait for moments of one other, where they are several: two, mostly.

use super::super::task::Moment;

/// So many have room in the list itself.
const FEW: usize = 2;

/// Tasks, each with the moment that it waits for, in the order in which they came.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiters {
    /// The first ones, without gaps.
    few: [Option<(u64, Moment)>; FEW],
    more: Vec<(u64, Moment)>,
}

impl Waiters {
    pub(super) fn push(&mut self, task: u64, moment: Moment) {
        let waits = (task, moment);
        match self.few.iter_mut().find(|place| place.is_none()) {
            Some(place) if self.more.is_empty() => *place = Some(waits),
            _ => self.more.push(waits),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.few[0].is_none() && self.more.is_empty()
    }

    /// Whether a task is one of them.
    pub(super) fn has(&self, task: u64) -> bool {
        let few = self.few.iter().flatten();
        few.chain(&self.more).any(|waits| waits.0 == task)
    }

    /// Those that wait for this moment go.
    pub(super) fn go(&mut self, moment: Moment, mut goes: impl FnMut(u64)) {
        let few = std::mem::take(&mut self.few);
        let more = std::mem::take(&mut self.more);
        for (task, awaited) in few.into_iter().flatten().chain(more) {
            if awaited == moment {
                goes(task);
            } else {
                self.push(task, awaited);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_wait_go_in_their_order() {
        for count in 0..7 {
            let mut waiters = Waiters::default();
            let moment = |task: u64| match task * task % 3 {
                1 => Moment::End,
                _ => Moment::Start,
            };
            let mut waits = Vec::new();
            let rounds = [Moment::End, Moment::Start, Moment::End];
            for (round, next) in (0..).zip(rounds) {
                for task in 10 * round..10 * round + count {
                    waiters.push(task, moment(task));
                    waits.push(task);
                }
                assert!(waits.iter().all(|&task| waiters.has(task)));
                let mut gone = Vec::new();
                waiters.go(next, |task| gone.push(task));
                let goes: Vec<u64> = waits.extract_if(.., |task| moment(*task) == next).collect();
                assert_eq!(gone, goes);
                assert!(!goes.iter().any(|&task| waiters.has(task)));
                assert_eq!(waiters.is_empty(), waits.is_empty());
            }
        }
    }
}
