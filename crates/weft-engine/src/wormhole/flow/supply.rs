//! What an output can draw from the buffer or NIC memory behind it, and from when.

use super::Flow;
use super::run::{Run, Stride, Timing};
use crate::cycle::Cycle;
use weft_fabric::ChannelId;

/// What an output can draw from its input from some cycle on.
pub(super) struct Supply<S> {
    pub(super) start: Cycle,
    pub(super) stride: S,
    pub(super) flits: u64,
    /// Whether a pause or another pace follows these, because the next flits arrive later than they
    /// could be sent, or may arrive sooner than at the pace of these.
    pub(super) pauses: bool,
}

impl<S: Stride> Supply<S> {
    /// What an output of pace `pace` can draw from a run of arriving flits, the next one first, from
    /// cycle `from` on.
    #[inline]
    fn of(arrivals: Run<S>, from: Cycle, pace: S) -> Self {
        let start = from.max(arrivals.start);
        let mut supply = Self {
            start,
            stride: pace,
            flits: 0,
            pauses: false,
        };
        if !S::IS_ONE && start == arrivals.start && arrivals.stride.cycles() > pace.cycles() {
            // Each flit is sent as it comes.
            supply.stride = arrivals.stride;
            supply.flits = arrivals.flits();
            supply.pauses = true;
        } else {
            supply.extend(arrivals);
        }
        supply
    }

    /// Goes on with a further run of arriving flits, at the pace of the output, as far as they
    /// come in time.
    #[inline]
    fn extend(&mut self, arrivals: Run<S>) {
        let turn = self.start + self.flits * self.stride.cycles();
        if arrivals.start > turn {
            self.pauses = true;
            return;
        }
        let flits = arrivals.flits();
        let (pace, slower) = (self.stride.cycles(), arrivals.stride.cycles());
        if S::IS_ONE || slower <= pace {
            self.flits += flits;
            return;
        }
        let in_time = (turn - arrivals.start) / (slower - pace) + 1;
        self.flits += flits.min(in_time);
    }

    /// No more than the rest of the packet.
    #[inline]
    fn within(mut self, remaining: u64) -> Self {
        if self.flits >= remaining {
            self.flits = remaining;
            self.pauses = false;
        }
        self
    }
}

impl<T: Timing> Flow<T> {
    /// Whether the flits that an output sends from now on to its packet's tail, as planned, all come in time, as
    /// is known at a glance where channels are alike: of a run which has begun to arrive.
    #[inline]
    pub(crate) fn is_fed(&self, now: Cycle, channel: ChannelId) -> bool {
        let output = &self.channels[channel].output;
        let Some(input) = output.from.get() else {
            return false;
        };
        let is_sending = output.run.start < now && now <= output.run.end;
        if !T::Stride::IS_ONE || !is_sending || !output.ends_with_tail() {
            return false;
        }
        let feed = &self.channels[input].output;
        let sent = u64::from(output.sent_before_run) + (now - output.run.start);
        let next = self.channels[input].input.departed + sent;
        let last = feed.total_before_run + feed.run.flits();
        let since = next.checked_sub(feed.total_before_run);
        let is_here = |since| feed.run.cycle_of(since) + self.timing.latency(input) <= now;
        since.is_some_and(is_here) && next + u64::from(output.flits) - sent <= last
    }

    /// What the present packet of an output can draw from its input, from flit `sent` of the packet
    /// on and from cycle `from` on: the first cycle, and how many flits without a pause. `None`
    /// when it is not known when the flit will arrive.
    pub(super) fn supply(
        &self,
        channel: ChannelId,
        sent: u64,
        from: Cycle,
    ) -> Option<Supply<T::Stride>> {
        let output = &self.channels[channel].output;
        let pace = self.timing.pace(channel);
        let remaining = u64::from(output.flits) - sent;
        let Some(input) = output.from.get() else {
            return Some(Supply {
                start: from,
                stride: pace,
                flits: remaining,
                pauses: false,
            });
        };
        let feed = &self.channels[input].output;
        let latency = self.timing.latency(input);
        let next = self.channels[input].input.departed + sent;
        let total = feed.total_before_run + feed.run.flits();
        if next >= total {
            return None;
        }
        if next >= feed.total_before_run {
            let arrivals = feed.run.after(next - feed.total_before_run).later(latency);
            return Some(Supply::of(arrivals, from, pace).within(remaining));
        }
        // The flit belongs to an earlier run. Find the run it is in, if it is not so long ago that it is
        // forgotten, then follow the runs as long as each begins to arrive before the flits so far have
        // been sent.
        let mut supply = Supply {
            start: from,
            stride: pace,
            flits: feed.total_before_run - next,
            pauses: false,
        };
        if feed.history_end + latency > from {
            let mut age = 0;
            let mut run_total = feed.total_before_run;
            while let Some(run) = self.older_runs.get(input, feed, age) {
                let before = run_total - run.flits();
                supply.flits = before.saturating_sub(next);
                if before <= next {
                    let arrivals = run.after(next - before).later(latency);
                    supply = Supply::of(arrivals, from, pace);
                    break;
                }
                run_total = before;
                age += 1;
            }
            while age > 0 && !supply.pauses {
                age -= 1;
                let Some(run) = self.older_runs.get(input, feed, age) else {
                    break;
                };
                supply.extend(run.later(latency));
            }
        }
        if !supply.pauses && next + supply.flits < total {
            supply.extend(feed.run.later(latency));
        }
        Some(supply.within(remaining))
    }
}
