//! Flits one after the other, and what a buffer holds that some enter and some leave.

/// Flits at equal distances: one in `start`, the next `step` cycles later, `count` in all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) start: u64,
    pub(crate) count: u64,
    pub(crate) step: u64,
}

impl Run {
    /// Cycle of the `index`-th flit, from 0.
    #[inline]
    pub(crate) fn cycle(self, index: u64) -> u64 {
        self.start + index * self.step
    }

    /// Where the run would go on.
    #[inline]
    pub(crate) fn end(self) -> u64 {
        self.cycle(self.count)
    }

    /// Flits before `cycle`.
    #[inline]
    pub(crate) fn count_before(self, cycle: u64) -> u64 {
        let passed = cycle.saturating_sub(self.start);
        passed.div_ceil(self.step).min(self.count)
    }

    /// The sum of the cycles of its flits.
    pub(crate) fn sum_of_cycles(self) -> u64 {
        let pairs = self.count * self.count.saturating_sub(1) / 2;
        self.count * self.start + pairs * self.step
    }

    /// The cycles from each flit that is before `cycle` to it, summed.
    pub(crate) fn cycles_before(self, cycle: u64) -> u64 {
        let count = self.count_before(cycle);
        count * cycle - Self { count, ..self }.sum_of_cycles()
    }

    /// The flits of the run from the `index`-th on.
    fn from(self, index: u64) -> Self {
        Self {
            start: self.cycle(index),
            count: self.count - index,
            step: self.step,
        }
    }
}

/// How a buffer's content changes: `times` times, every `step` cycles from `first` on, by one flit in
/// or out; where both ways alternate, the other way `opposite_after` cycles later.
#[derive(Clone, Copy, Debug)]
struct Change {
    first: u64,
    step: u64,
    times: u64,
    is_in: bool,
    opposite_after: Option<u64>,
}

/// The changes by flits that enter and leave from cycle `from` on, in order of time.
struct Changes<'a, I: Iterator<Item = &'a Run>, O: Iterator<Item = &'a Run>> {
    from: u64,
    ins: I,
    outs: O,
    next_in: Option<Run>,
    next_out: Option<Run>,
}

/// The next run's flits from cycle `from` on.
fn next_run<'a>(runs: &mut impl Iterator<Item = &'a Run>, from: u64) -> Option<Run> {
    let mut runs = runs.map(|run| run.from(run.count_before(from)));
    runs.find(|run| run.count > 0)
}

/// The rest of a run of which `count` flits are dealt with.
fn rest(run: Run, count: u64) -> Option<Run> {
    (run.count > count).then(|| run.from(count))
}

impl<'a, I: Iterator<Item = &'a Run>, O: Iterator<Item = &'a Run>> Iterator for Changes<'a, I, O> {
    type Item = Change;

    fn next(&mut self) -> Option<Change> {
        loop {
            self.next_in = self.next_in.or_else(|| next_run(&mut self.ins, self.from));
            self.next_out = self
                .next_out
                .or_else(|| next_run(&mut self.outs, self.from));
            let only = |run: Run, times, is_in| Change {
                first: run.start,
                step: run.step,
                times,
                is_in,
                opposite_after: None,
            };
            let (comes, goes) = match (self.next_in, self.next_out) {
                (None, None) => return None,
                (Some(run), None) => {
                    self.next_in = None;
                    return Some(only(run, run.count, true));
                }
                (None, Some(run)) => {
                    self.next_out = None;
                    return Some(only(run, run.count, false));
                }
                (Some(comes), Some(goes)) => (comes, goes),
            };
            // They alternate as long as the one that is ahead goes on.
            let apart = comes.start.abs_diff(goes.start);
            let is_in = comes.start < goes.start;
            let (ahead, behind) = if is_in { (comes, goes) } else { (goes, comes) };
            let times = if apart == 0 {
                ahead.count.min(behind.count)
            } else {
                (ahead.count - 1).min(behind.count)
            };
            if comes.step == goes.step && apart < comes.step && times > 0 {
                self.next_in = rest(comes, times);
                self.next_out = rest(goes, times);
                if apart == 0 {
                    continue;
                }
                return Some(Change {
                    first: ahead.start,
                    step: comes.step,
                    times,
                    is_in,
                    opposite_after: Some(apart),
                });
            }
            if comes.start < goes.start {
                let times = comes.count_before(goes.start);
                self.next_in = rest(comes, times);
                return Some(only(comes, times, true));
            }
            if goes.start < comes.start {
                let times = goes.count_before(comes.start);
                self.next_out = rest(goes, times);
                return Some(only(goes, times, false));
            }
            self.next_in = rest(comes, 1);
            self.next_out = rest(goes, 1);
        }
    }
}

fn changes<'a>(
    ins: impl IntoIterator<Item = &'a Run>,
    outs: impl IntoIterator<Item = &'a Run>,
    from: u64,
) -> impl Iterator<Item = Change> {
    Changes {
        from,
        ins: ins.into_iter(),
        outs: outs.into_iter(),
        next_in: None,
        next_out: None,
    }
}

/// What a buffer holds at the end of each cycle, summed and at most, over some cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Content {
    /// First cycle not counted yet.
    pub(crate) until: u64,
    /// Flits at the end of the cycle before.
    pub(crate) flits: u64,
    /// Sum over cycles.
    pub(crate) sum: u64,
    pub(crate) most: u64,
}

impl Content {
    fn hold(&mut self, flits: u64, cycles: u64) {
        if cycles > 0 {
            self.sum += flits * cycles;
            self.most = self.most.max(flits);
        }
    }

    /// The content after the cycles before `until`, in which flits enter and leave.
    #[must_use]
    pub(crate) fn through<'a>(
        mut self,
        ins: impl IntoIterator<Item = &'a Run>,
        outs: impl IntoIterator<Item = &'a Run>,
        until: u64,
    ) -> Self {
        for mut change in changes(ins, outs, self.until) {
            if change.first >= until {
                break;
            }
            let in_time = (until - change.first).div_ceil(change.step);
            change.times = change.times.min(in_time);
            self.hold(self.flits, change.first - self.until);
            let before = self.flits;
            let one_more = if change.is_in {
                before + 1
            } else {
                before.wrapping_sub(1)
            };
            let last = change.first + (change.times - 1) * change.step;
            if let Some(after) = change.opposite_after {
                self.hold(one_more, after * (change.times - 1));
                self.hold(before, (change.step - after) * (change.times - 1));
                if last + after < until {
                    self.hold(one_more, after);
                    self.until = last + after;
                } else {
                    self.until = last;
                    self.flits = one_more;
                    // The rest of this pair lies beyond.
                    break;
                }
                continue;
            }
            for held in [one_more, self.after(change, change.times - 1)] {
                if change.times > 1 {
                    self.most = self.most.max(held);
                }
            }
            // The mean of the first and the last, times their number.
            let inner = change.times - 1;
            self.sum += (one_more + self.after(change, inner)) * inner * change.step / 2;
            self.flits = self.after(change, change.times);
            self.until = last;
        }
        self.hold(self.flits, until - self.until);
        self.until = until;
        self
    }

    /// Flits after a change has happened so many times.
    fn after(&self, change: Change, times: u64) -> u64 {
        if change.is_in {
            self.flits + times
        } else {
            self.flits - times
        }
    }

    /// The first cycle, from `self.until` on, at whose end the buffer holds more flits than
    /// `bound`, or fewer, if any.
    pub(crate) fn first_beyond<'a>(
        &self,
        ins: impl IntoIterator<Item = &'a Run>,
        outs: impl IntoIterator<Item = &'a Run>,
        bound: Bound,
    ) -> Option<u64> {
        let mut flits = self.flits;
        let (is_upward, target) = match bound {
            Bound::Above(flits) => (true, flits + 1),
            Bound::Below(flits) => (false, flits.checked_sub(1)?),
        };
        let missing = |flits: u64| {
            if is_upward {
                target.saturating_sub(flits)
            } else {
                flits.saturating_sub(target)
            }
        };
        for change in changes(ins, outs, self.until) {
            let one_more = if change.is_in {
                flits + 1
            } else {
                flits.saturating_sub(1)
            };
            match missing(flits) {
                // Only before the first change: it may undo in the same cycle what was so before.
                0 if change.first > self.until => return Some(self.until),
                0 if missing(one_more) == 0 => return Some(change.first),
                0 => {
                    if let Some(after) = change.opposite_after {
                        return Some(change.first + after);
                    }
                }
                missing if change.is_in == is_upward => {
                    let times = match change.opposite_after {
                        Some(_) => 1,
                        None => change.times,
                    };
                    if missing <= times {
                        return Some(change.first + (missing - 1) * change.step);
                    }
                }
                _ => {}
            }
            if change.opposite_after.is_none() {
                flits = if change.is_in {
                    flits + change.times
                } else {
                    flits - change.times
                };
            }
        }
        (missing(self.flits) == 0 && flits == self.flits).then_some(self.until)
    }
}

/// A bound on what a buffer holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// More than so many flits.
    Above(u64),
    /// Fewer.
    Below(u64),
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_pcg::Pcg64Mcg;
    use rand_pcg::rand_core::{Rng, SeedableRng};

    /// Random runs of flits that come, and that go when they have come, and the cycles of both.
    fn draw(random: &mut Pcg64Mcg) -> (Vec<Run>, Vec<Run>) {
        let mut below = |bound: u64| random.next_u64() % bound;
        let (mut ins, mut outs) = (Vec::new(), Vec::new());
        let mut start = below(5);
        for _ in 0..=below(4) {
            let step = 1 + below(4);
            let count = 1 + below(9);
            ins.push(Run { start, count, step });
            start += count * step + below(3) * below(12);
        }
        let mut cycles: Vec<u64> = cycles(&ins);
        let mut next = below(30);
        while !cycles.is_empty() {
            let step = 1 + below(4);
            let start = next.max(cycles[0]);
            let wanted = 1 + below(9);
            let is_there = |&(index, &cycle): &(usize, &u64)| start + index as u64 * step >= cycle;
            let there = cycles.iter().enumerate().take_while(is_there).count();
            let count = wanted.min(there as u64);
            outs.push(Run { start, count, step });
            cycles.drain(..usize::try_from(count).unwrap());
            next = start + (count - 1) * step + 1 + below(2) * below(20);
        }
        (ins, outs)
    }

    fn cycles(runs: &[Run]) -> Vec<u64> {
        let cycles = runs
            .iter()
            .map(|run| (0..run.count).map(|index| run.cycle(index)));
        cycles.flatten().collect()
    }

    #[test]
    fn content_is_what_counting_cycle_by_cycle_gives() {
        for seed in 0..3_000 {
            let mut random = Pcg64Mcg::seed_from_u64(seed);
            let (ins, outs) = draw(&mut random);
            let (coming, going) = (cycles(&ins), cycles(&outs));
            let end = going.last().unwrap() + 3;
            for (runs, cycles) in [(&ins, &coming), (&outs, &going)] {
                let sum = runs.iter().map(|run| run.sum_of_cycles()).sum::<u64>();
                assert_eq!(sum, cycles.iter().sum::<u64>(), "seed {seed}");
            }
            let at = |t: u64| {
                let come = coming.iter().filter(|&&cycle| cycle <= t).count();
                let gone = going.iter().filter(|&&cycle| cycle <= t).count();
                (come - gone) as u64
            };
            let mut content = Content::default();
            while content.until < end {
                for bound in 0..6 {
                    let first = |is_beyond: &dyn Fn(u64) -> bool| {
                        (content.until..end).find(|&t| is_beyond(at(t)))
                    };
                    let above = content.first_beyond(&ins, &outs, Bound::Above(bound));
                    assert_eq!(
                        above,
                        first(&|flits| flits > bound),
                        "seed {seed}, above {bound}"
                    );
                    let below = content.first_beyond(&ins, &outs, Bound::Below(bound));
                    assert_eq!(
                        below,
                        first(&|flits| flits < bound),
                        "seed {seed}, below {bound}"
                    );
                }
                let until = content.until + 1 + random.next_u64() % 12;
                content = content.through(&ins, &outs, until);
                assert_eq!(content.until, until);
                assert_eq!(content.flits, at(until - 1), "seed {seed}, before {until}");
                assert_eq!(
                    content.sum,
                    (0..until).map(at).sum::<u64>(),
                    "seed {seed}, before {until}"
                );
                let closed =
                    |runs: &[Run]| -> u64 { runs.iter().map(|run| run.cycles_before(until)).sum() };
                assert_eq!(
                    content.sum,
                    closed(&ins) - closed(&outs),
                    "seed {seed}, in closed form before {until}"
                );
                assert_eq!(
                    content.most,
                    (0..until).map(at).max().unwrap(),
                    "seed {seed}"
                );
            }
        }
    }
}
