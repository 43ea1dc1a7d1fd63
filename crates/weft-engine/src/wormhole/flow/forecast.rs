//! When the occupancy of a buffer next crosses a threshold, if all goes on as planned.

use super::run::{Run, Stride};
use crate::cycle::Cycle;

/// Follows the occupancy of a buffer forward in time until it crosses the next threshold. Runs are
/// in cycles at the buffer.
#[derive(Clone, Copy)]
pub(super) struct Forecast<S> {
    /// First cycle not yet followed.
    pub(super) cycle: Cycle,
    /// Occupancy at the end of the cycle before, in flits.
    pub(super) flits: i32,
    /// The run that drains the buffer.
    pub(super) drain: Run<S>,
    pub(super) stop_outstanding: bool,
    pub(super) stop_above: i32,
    pub(super) go_below: i32,
}

/// Cycle at whose end a threshold is crossed, and the occupancy then, in flits.
type Crossing = (Cycle, i32);

const NO_CROSSING: Crossing = (Cycle::NEVER, 0);

impl<S: Stride> Forecast<S> {
    /// Follows one run of arriving flits, the last that is known, to the end of time.
    #[expect(
        clippy::inline_always,
        reason = "a prediction a packet and channel: a call costs more than it saves"
    )]
    #[inline(always)]
    pub(super) fn with_one_run(self, arrivals: Run<S>) -> Crossing {
        let known = if !S::IS_ONE {
            None
        } else if self.stop_outstanding {
            self.drained(arrivals)
        } else {
            self.filled(arrivals)
        };
        known.unwrap_or_else(|| self.searched(arrivals))
    }

    /// The crossing from wherever the occupancy is.
    #[inline(never)]
    fn searched(mut self, arrivals: Run<S>) -> Crossing {
        let found = self.feed(arrivals).or_else(|| {
            if S::IS_ONE {
                self.stretch(Cycle::NEVER, 0)
            } else {
                self.follow(Cycle::NEVER, Run::NONE)
            }
        });
        found.unwrap_or(NO_CROSSING)
    }

    /// The crossing of the go threshold from there or above: by the flits above it, and those that arrive
    /// before it, one leaves a cycle.
    #[inline]
    fn drained(self, arrivals: Run<S>) -> Option<Crossing> {
        let above = u64::try_from(self.flits - self.go_below).ok()?;
        let mut cycle = self.drain.start.max(self.cycle) + above;
        if cycle >= arrivals.start {
            cycle += (arrivals.end + 1).since(arrivals.start.max(self.cycle));
        }
        Some(if cycle <= self.drain.end {
            (cycle, self.go_below - 1)
        } else {
            NO_CROSSING
        })
    }

    /// The crossing of the stop threshold from there or below: one arrives a cycle, by the room there is and the
    /// flits that leave before.
    #[inline]
    fn filled(self, arrivals: Run<S>) -> Option<Crossing> {
        let room = u64::try_from(self.stop_above - self.flits).ok()?;
        let mut cycle = arrivals.start.max(self.cycle) + room;
        if cycle >= self.drain.start {
            cycle += (self.drain.end + 1).since(self.drain.start.max(self.cycle));
        }
        Some(if cycle <= arrivals.end {
            (cycle, self.stop_above + 1)
        } else {
            NO_CROSSING
        })
    }

    /// Follows a run of arriving flits, and the pause before it.
    #[inline]
    pub(super) fn feed(&mut self, arrivals: Run<S>) -> Option<Crossing> {
        if !S::IS_ONE {
            return self.follow(arrivals.end + 1, arrivals);
        }
        self.stretch(arrivals.start, 0)
            .or_else(|| self.stretch(arrivals.end + 1, 1))
    }

    /// Follows cycles before `until` in which `arriving` flits arrive each.
    #[expect(
        clippy::inline_always,
        reason = "once a packet and channel: a call costs more than it saves"
    )]
    #[inline(always)]
    fn stretch(&mut self, until: Cycle, arriving: i32) -> Option<Crossing> {
        let until = until.min(Cycle::NEVER);
        while self.cycle < until {
            let draining = self.drain.start <= self.cycle && self.cycle <= self.drain.end;
            let change = if draining {
                self.drain.end + 1
            } else if self.drain.start > self.cycle {
                self.drain.start
            } else {
                Cycle::NEVER
            };
            let end = until.min(change);
            let slope = arriving - i32::from(draining);
            if let Some(found) = self.crossing_within(end - self.cycle, slope) {
                return Some(found);
            }
            if slope != 0 {
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "runs have fewer than 2^31 flits"
                )]
                {
                    self.flits += slope * (end - self.cycle) as i32;
                }
            }
            self.cycle = end;
        }
        None
    }

    /// The first crossing among the next `cycles` cycles with a constant slope.
    #[inline]
    fn crossing_within(&self, cycles: u64, slope: i32) -> Option<Crossing> {
        let (missing, toward) = if self.stop_outstanding {
            (self.flits - (self.go_below - 1), -slope)
        } else {
            (self.stop_above + 1 - self.flits, slope)
        };
        // With `missing` flits to go at one per cycle; even when there already, not before the end
        // of the first cycle, and after what that cycle brings.
        let steps = if missing - toward <= 0 {
            1
        } else if toward > 0 {
            missing
        } else {
            return None;
        };
        let last = u64::from(steps.unsigned_abs());
        (last <= cycles).then(|| (self.cycle + last - 1, self.flits + slope * steps))
    }

    /// Follows cycles before `until`, in which a run of flits arrives, of whatever strides: from
    /// flit to flit, and over those among which no threshold can be crossed at once.
    fn follow(&mut self, until: Cycle, arrivals: Run<S>) -> Option<Crossing> {
        let until = until.min(Cycle::NEVER);
        while self.cycle < until {
            self.skip(until, arrivals);
            let (arrival, departure) =
                (arrivals.next_at(self.cycle), self.drain.next_at(self.cycle));
            // A threshold may have been crossed already; nothing is emitted before the end of the
            // first cycle, and after what that cycle brings.
            let next = if self.is_crossed() {
                self.cycle
            } else {
                arrival.min(departure)
            };
            if next >= until {
                self.cycle = until;
                break;
            }
            self.flits += i32::from(arrival == next) - i32::from(departure == next);
            self.cycle = next + 1;
            if self.is_crossed() {
                return Some((next, self.flits));
            }
        }
        None
    }

    fn is_crossed(&self) -> bool {
        if self.stop_outstanding {
            self.flits < self.go_below
        } else {
            self.flits > self.stop_above
        }
    }

    /// Goes on to a cycle up to which so few flits arrive, or leave, that no threshold is
    /// crossed, if that is far ahead.
    fn skip(&mut self, until: Cycle, arrivals: Run<S>) {
        let (toward, away, missing) = if self.stop_outstanding {
            (self.drain, arrivals, self.flits - self.go_below)
        } else {
            (arrivals, self.drain, self.stop_above - self.flits)
        };
        let is_on = |run: Run<S>| run.start <= self.cycle && self.cycle <= run.end;
        let mut change = until;
        for run in [toward, away] {
            if run.start > self.cycle && run.start <= run.end {
                change = change.min(run.start);
            } else if is_on(run) {
                change = change.min(run.end + 1);
            }
        }
        let cycles = change - self.cycle;
        // In so many cycles at most `cycles / stride + 1` flits move toward the threshold and at
        // least `cycles / stride − 1` away from it.
        if missing < 2 {
            return;
        }
        let missing = u64::from((missing - 2).unsigned_abs());
        let (near, far) = (toward.stride.cycles(), away.stride.cycles());
        let safe = match (is_on(toward), is_on(away)) {
            (false, _) => cycles,
            (true, false) => missing * near,
            (true, true) if far <= near => cycles,
            // What does not fit is counted as fewer cycles, which are as safe.
            (true, true) => missing.saturating_mul(near * far) / (far - near),
        };
        let end = self.cycle + safe.min(cycles);
        if end > self.cycle {
            let moved = |run: Run<S>| run.flits_through(end - 1) - run.flits_before(self.cycle);
            #[expect(
                clippy::cast_possible_truncation,
                reason = "runs have fewer than 2^31 flits"
            )]
            {
                self.flits += moved(arrivals) as i32 - moved(self.drain) as i32;
            }
            self.cycle = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::run::One;
    use super::{Cycle, Forecast, Run};
    use proptest::prelude::*;
    use weft_testing::cases;

    fn run((start, flits): (u64, u64)) -> Run<One> {
        match flits {
            0 => Run::NONE,
            _ => Run {
                start: Cycle::new(start),
                end: Cycle::new(start + flits - 1),
                stride: One,
            },
        }
    }

    proptest! {
        #![proptest_config(cases(20_000))]

        /// One flit a cycle comes and goes: by sums, and stretch by stretch.
        #[test]
        fn a_crossing_by_sums_is_the_one_that_is_searched(
            cycle in 0_u64..40, flits in 0_i32..30, is_stopped in any::<bool>(),
            arrivals in (0_u64..80, 0_u64..40), drain in (0_u64..80, 0_u64..40),
            go_below in 1_i32..12, above_it in 0_i32..12,
        ) {
            let (arrivals, drain) = (run(arrivals), run(drain));
            let forecast = Forecast {
                cycle: Cycle::new(cycle),
                flits,
                drain,
                stop_outstanding: is_stopped,
                stop_above: go_below + above_it,
                go_below,
            };
            prop_assert_eq!(forecast.with_one_run(arrivals), forecast.searched(arrivals));
        }
    }
}
