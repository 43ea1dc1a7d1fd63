//! An input buffer with stop & go: what enters and leaves it, and when it calls for a stop or a go.

use super::content::{Bound, Content, Run};
use super::sender::Visit;
use crate::queue::NEVER;
use std::collections::VecDeque;

/// What is known of the flits in a buffer and on their way to it.
#[derive(Clone, Debug)]
pub(super) struct Buffer {
    /// Flits in cycles of arrival, of all packets that are not released.
    arrivals: VecDeque<Run>,
    /// How many these are.
    coming: u64,
    /// Flits in the cycles they cross in, of the packet that has an output.
    pub(super) departures: VecDeque<Run>,
    /// That packet, its length, and the first cycle it may cross in.
    pub(super) granted: Option<Visit>,
    granted_flits: u64,
    first: u64,
    /// Cycle in which its last flit will have crossed, if that is known; used with output buffers.
    pub(super) crossed_at: Option<u64>,
    /// Cycle in which the last flit of a packet that crosses whole will have crossed; `NEVER` if none does.
    whole_until: u64,
    /// Flit-cycles of the packets that have left.
    flit_cycles: u64,
    /// Most flits at the end of a cycle before `most_until`.
    most: u64,
    most_until: u64,
    /// Maxima are counted from this cycle on.
    reset_at: u64,
    /// A stop was emitted, and no go after it.
    stop_outstanding: bool,
    /// Symbols on their way.
    pub(super) symbols: u32,
    /// Cycle in which the next symbol is emitted, as far as is known.
    symbol_at: Option<u64>,
    is_touched: bool,
    /// A packet is being sent to it that may be halted.
    pub(super) is_fed: bool,
}

/// What a buffer calls for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    Stop,
    Go,
}

/// The flits of the packet that has an output, and how much later than told they can be sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Supply<'a> {
    runs: &'a VecDeque<Run>,
    later: u64,
}

impl Supply<'_> {
    /// The cycle in which the `index`-th flit can be sent, if that is known.
    pub(super) fn cycle_of(self, mut index: u64) -> Option<u64> {
        for run in self.runs {
            if index < run.count {
                return Some(run.cycle(index) + self.later);
            }
            index -= run.count;
        }
        None
    }

    /// How many flits, from the `sent`-th on, but no more than `left`, can be sent one every `step` cycles
    /// from `start` on.
    pub(super) fn in_time(self, sent: u64, left: u64, start: u64, step: u64) -> u64 {
        let (mut skipped, mut count) = (0, 0);
        for run in self.runs {
            let begin = sent.saturating_sub(skipped).min(run.count);
            skipped += run.count;
            let there = run.count - begin;
            if there == 0 {
                continue;
            }
            let spare = (start + count * step).checked_sub(run.cycle(begin) + self.later);
            let Some(spare) = spare else {
                return count.min(left);
            };
            if run.step > step {
                let in_time = spare / (run.step - step) + 1;
                if in_time < there {
                    return (count + in_time).min(left);
                }
            }
            count += there;
            if count >= left {
                return left;
            }
        }
        count
    }
}

impl Buffer {
    /// An empty buffer.
    pub(super) fn new() -> Self {
        Self {
            arrivals: VecDeque::new(),
            coming: 0,
            departures: VecDeque::new(),
            granted: None,
            granted_flits: 0,
            first: 0,
            crossed_at: None,
            whole_until: NEVER,
            flit_cycles: 0,
            most: 0,
            most_until: 0,
            reset_at: 0,
            stop_outstanding: false,
            symbols: 0,
            symbol_at: None,
            is_touched: false,
            is_fed: false,
        }
    }

    /// Its flits as they arrive: without output buffers they are sent from here.
    pub(super) fn arrivals(&self) -> Supply<'_> {
        let runs = &self.arrivals;
        Supply { runs, later: 0 }
    }

    /// Its flits as they cross: they can be sent when they have, `crossbar` cycles later.
    pub(super) fn departures(&self, crossbar: u64) -> Supply<'_> {
        let (runs, later) = (&self.departures, crossbar);
        Supply { runs, later }
    }

    /// The packet in front has an output, and may cross from `first` on.
    pub(super) fn grant(&mut self, visit: Visit, flits: u32, first: u64, now: u64) {
        self.settle_whole(now);
        self.granted = Some(visit);
        self.granted_flits = flits.into();
        self.first = first;
    }

    /// With output buffers: plans the crossing of the packet that has an output, as far as its
    /// flits are known to come, and tells when the last will have crossed, if that is known.
    pub(super) fn plan_crossing(&mut self, crossbar: u64) -> Option<u64> {
        self.departures.clear();
        if let Some(&run) = self.arrivals.front()
            && run.count == self.granted_flits
            && run.step == crossbar
        {
            // All come one after the other as fast as they cross.
            let start = run.start.max(self.first);
            let crossing = Run { start, ..run };
            self.departures.push_back(crossing);
            self.crossed_at = Some(crossing.end());
            return self.crossed_at;
        }
        let (mut next, mut left) = (self.first, self.granted_flits);
        for run in &self.arrivals {
            if left == 0 {
                break;
            }
            // Until they have caught up flits cross one every `crossbar` cycles, then as they arrive.
            let behind = next.saturating_sub(run.start);
            let late = match run.step - crossbar {
                0 if behind > 0 => run.count,
                0 => 0,
                gain => behind.div_ceil(gain).min(run.count),
            };
            let parts = [
                Run {
                    start: next,
                    count: late,
                    step: crossbar,
                },
                Run {
                    start: run.cycle(late),
                    count: run.count - late,
                    step: run.step,
                },
            ];
            for part in parts.into_iter().filter(|part| part.count > 0) {
                self.departures.push_back(part);
                next = part.cycle(part.count - 1) + crossbar;
            }
            left -= run.count;
        }
        self.crossed_at = (left == 0).then_some(next);
        self.crossed_at
    }

    /// The flits of the packet in front, if it has so many and all come for certain, one after the other at a rate.
    #[inline]
    pub(super) fn whole_in_front(&mut self, flits: u32, step: u64, now: u64) -> Option<Run> {
        self.settle_whole(now);
        let &run = self.arrivals.front()?;
        // What may be halted is the last of all that come.
        let may_be_halted = self.is_fed && self.arrivals.len() == 1;
        let is_whole = run.count == u64::from(flits) && run.step == step;
        (is_whole && !may_be_halted).then_some(run)
    }

    /// The packet in front crosses as soon as it may, at the rate in which it comes, and nothing halts it.
    #[inline]
    pub(super) fn cross_whole(&mut self, crossing: Run) {
        self.departures.push_back(crossing);
        self.whole_until = crossing.end();
    }

    /// A packet that crossed whole before now has left for good.
    #[inline]
    fn settle_whole(&mut self, now: u64) {
        if self.whole_until <= now {
            self.whole_until = NEVER;
            self.empty_whole(now);
        }
    }

    /// A packet that crossed whole has left for good. Flits come no faster than it crossed, so that the buffer was
    /// fullest just before.
    fn empty_whole(&mut self, now: u64) {
        let (Some(crossing), Some(come)) = (self.departures.pop_back(), self.arrivals.front())
        else {
            unreachable!("a packet that crosses has come");
        };
        let cycles = crossing.start - come.start;
        if self.reset_at < crossing.start {
            if self.coming > self.most {
                let fullest = count_before(&self.arrivals, crossing.start);
                self.most = self.most.max(fullest);
            }
            self.most_until = crossing.end();
        } else {
            self.departures.push_back(crossing);
            self.note_most(now);
            self.departures.clear();
        }
        self.flit_cycles += crossing.count * cycles;
        self.coming -= crossing.count;
        self.arrivals.pop_front();
    }

    /// Whether no stop is called for, nor on its way, even when so many flits come.
    #[inline]
    pub(super) fn calls_no_stop(
        &mut self,
        flits: u32,
        [stop_above, _]: [u64; 2],
        now: u64,
    ) -> bool {
        if self.stop_outstanding || self.symbols > 0 {
            return false;
        }
        self.settle_whole(now);
        self.coming + u64::from(flits) <= stop_above
    }

    /// Flits are to arrive, the first of their packet or more.
    pub(super) fn arrive(&mut self, arrival: Run, is_first: bool) {
        self.coming += arrival.count;
        match self.arrivals.back_mut() {
            Some(last) if !is_first && last.end() == arrival.start => {
                last.count += arrival.count;
            }
            _ => self.arrivals.push_back(arrival),
        }
    }

    /// The last flits that were to arrive do not.
    pub(super) fn arrive_less(&mut self, removed: u64) {
        self.coming -= removed;
        shorten(&mut self.arrivals, removed);
    }

    /// The last flits that were to depart do not.
    pub(super) fn depart_less(&mut self, removed: u64) {
        shorten(&mut self.departures, removed);
    }

    /// The packet that had an output has left for good.
    pub(super) fn empty(&mut self, now: u64) {
        self.note_most(now);
        self.coming -= self.granted_flits;
        let left_in = self.departures.iter().map(|run| run.sum_of_cycles());
        self.flit_cycles += left_in.sum::<u64>();
        let mut left = self.granted_flits;
        while left > 0
            && let Some(run) = self.arrivals.pop_front()
        {
            self.flit_cycles -= run.sum_of_cycles();
            left -= run.count;
        }
        self.departures.clear();
        self.granted = None;
        self.crossed_at = None;
    }

    /// Notes how full it was before now, unless all flits that have come together make no maximum.
    fn note_most(&mut self, now: u64) {
        if self.coming > self.most && count_before(&self.arrivals, now) > self.most {
            self.most = self.most_before(now);
        }
        self.most_until = now;
    }

    /// Most flits at the end of a cycle before now.
    fn most_before(&self, now: u64) -> u64 {
        let noted = self.content(self.most_until);
        let since = noted.through(&self.arrivals, &self.departures, now);
        self.most.max(since.most)
    }

    /// What it holds before anything happens in cycle `until`, with nothing summed.
    fn content(&self, until: u64) -> Content {
        let arrived = count_before(&self.arrivals, until);
        Content {
            until,
            flits: arrived - count_before(&self.departures, until),
            ..Content::default()
        }
    }

    /// Flit-cycles before now, and most flits at the end of a cycle before now.
    pub(super) fn content_before(&self, now: u64) -> (u64, u64) {
        let cycles_before =
            |runs: &VecDeque<Run>| -> u64 { runs.iter().map(|run| run.cycles_before(now)).sum() };
        let there = cycles_before(&self.arrivals) - cycles_before(&self.departures);
        (self.flit_cycles + there, self.most_before(now))
    }

    /// Counts the maximum anew.
    pub(super) fn reset(&mut self, now: u64) {
        self.most = 0;
        self.most_until = now;
        self.reset_at = now;
    }

    /// It is to be watched at the end of the cycle; tells whether it was not yet.
    pub(super) fn touch(&mut self) -> bool {
        !std::mem::replace(&mut self.is_touched, true)
    }

    /// Phase 7, after something happened: tells the symbol that is due, and the cycle of the next where
    /// that is to be planned.
    pub(super) fn watch(
        &mut self,
        now: u64,
        thresholds: [u64; 2],
    ) -> (Option<Symbol>, Option<u64>) {
        self.is_touched = false;
        let mut due = None;
        let mut at = None;
        if self.may_call(thresholds) {
            at = self.next_symbol(&self.content(now), thresholds);
        }
        if at == Some(now) {
            due = Some(if self.stop_outstanding {
                Symbol::Go
            } else {
                Symbol::Stop
            });
            self.stop_outstanding = !self.stop_outstanding;
            self.symbols += 1;
            at = self.next_symbol(&self.content(now + 1), thresholds);
        }
        let is_new = at != self.symbol_at;
        self.symbol_at = at;
        (due, at.filter(|_| is_new))
    }

    /// Whether a symbol may be due, as far as flits are known to come: no stop is where all of them
    /// together would fit below it.
    #[inline]
    pub(super) fn may_call(&self, [stop_above, _]: [u64; 2]) -> bool {
        self.stop_outstanding || self.coming > stop_above
    }

    /// The cycle in which the next symbol is due, from that up to which the content was counted.
    fn next_symbol(&self, content: &Content, [stop_above, go_below]: [u64; 2]) -> Option<u64> {
        let bound = if self.stop_outstanding {
            Bound::Below(go_below)
        } else {
            Bound::Above(stop_above)
        };
        content.first_beyond(&self.arrivals, &self.departures, bound)
    }

    /// Whether the buffer holds its source back with a stop, and no go is on its way or planned.
    pub(super) fn sends_no_go(&self) -> bool {
        self.stop_outstanding && self.symbols == 0 && self.symbol_at.is_none()
    }
}

/// Flits before `cycle`.
fn count_before(runs: &VecDeque<Run>, cycle: u64) -> u64 {
    let begun = runs.iter().take_while(|run| run.start < cycle);
    begun.map(|run| run.count_before(cycle)).sum()
}

/// The last `removed` flits do not come.
fn shorten(runs: &mut VecDeque<Run>, removed: u64) {
    if let Some(last) = runs.back_mut() {
        last.count -= removed;
        if last.count == 0 {
            runs.pop_back();
        }
    }
}
