//! The occupancy of input buffers, and the crossings of their thresholds: predicted from the runs
//! that fill and drain a buffer, committed by whoever touches the buffer next.

use super::Flow;
use super::borders::expect_crossing;
use super::channel::{Channel, Input};
use super::forecast::Forecast;
use super::run::{Run, Timing};
use crate::cycle::Cycle;
use crate::wormhole::clock::Clock;
use crate::wormhole::event::Event;
use weft_fabric::ChannelId;

impl<T: Timing> Flow<T> {
    /// Flits ever sent on a channel by the end of `cycle`, at most two flight times ago.
    #[expect(
        clippy::inline_always,
        reason = "once a packet and channel: a call costs more than it saves"
    )]
    #[inline(always)]
    fn total_through(&self, channel: ChannelId, cycle: Cycle) -> u64 {
        let output = &self.channels[channel].output;
        let mut total = output.total_before_run + output.run.flits_through(cycle);
        if output.history_end <= cycle {
            return total;
        }
        let mut age = 0;
        while let Some(run) = self.older_runs.get(channel, output, age) {
            if run.end <= cycle {
                break;
            }
            total -= run.flits() - run.flits_through(cycle);
            age += 1;
        }
        total
    }

    /// Flits that ever arrived at the far end of a channel by the end of `cycle`.
    #[inline]
    pub(crate) fn arrived_through(&self, channel: ChannelId, cycle: Cycle) -> u64 {
        match cycle.earlier_by(self.timing.latency(channel)) {
            Some(sent) => self.total_through(channel, sent),
            None => 0,
        }
    }

    /// Flits that ever left an input buffer by the end of `cycle`.
    #[inline]
    fn departed_through(&self, input: ChannelId, cycle: Cycle) -> u64 {
        let buffer = &self.channels[input].input;
        let drained = buffer
            .drain
            .get()
            .map_or(0, |output| self.channels[output].output.sent_through(cycle));
        buffer.departed + drained
    }

    /// Flits in an input buffer at the end of `cycle`, which must be the last one or later.
    #[expect(
        clippy::cast_possible_wrap,
        clippy::cast_possible_truncation,
        reason = "a buffer's flits fit 31 bits; at a grant the difference may be -1"
    )]
    #[inline]
    fn occupancy(&self, input: ChannelId, cycle: Cycle) -> i32 {
        (self.arrived_through(input, cycle) as i64 - self.departed_through(input, cycle) as i64)
            as i32
    }

    /// Brings a buffer up to date and notes that its next crossing must be predicted anew at
    /// the end of the cycle.
    #[inline]
    pub(super) fn touch(&mut self, clock: &mut Clock, input: ChannelId) {
        if !self.channels[input].input.touched {
            self.commit_crossings(clock, input);
            self.note_touched(input);
        }
    }

    #[inline]
    fn note_touched(&mut self, input: ChannelId) {
        let touched = &mut self.channels[input].input.touched;
        if !std::mem::replace(touched, true) {
            self.touched.push(input);
        }
    }

    /// Commits the crossings of cycles before `now` that were predicted and came true.
    #[inline]
    pub(super) fn commit_crossings(&mut self, clock: &mut Clock, input: ChannelId) {
        if self.channels[input].input.crossing_at < clock.now() {
            self.commit_past_crossings(clock, input);
        }
    }

    #[inline(never)]
    fn commit_past_crossings(&mut self, clock: &mut Clock, input: ChannelId) {
        while self.channels[input].input.crossing_at < clock.now() {
            let buffer = &mut self.channels[input].input;
            let cycle = buffer.crossing_at;
            buffer.stop_outstanding = !buffer.stop_outstanding;
            let flits = buffer.crossing_flits;
            let missing = if buffer.stop_outstanding {
                flits - self.go_below
            } else {
                self.stop_above - flits
            };
            self.emit(input, cycle);
            // The occupancy changes by a flit a cycle, so that the other threshold, mostly, has not been
            // crossed since, and the next crossing can be predicted with all that happens now.
            if clock.now() - cycle <= u64::from(missing.unsigned_abs()) + 1 {
                self.channels[input].input.crossing_at = Cycle::NEVER;
                self.note_touched(input);
                return;
            }
            self.predict_after_crossing(clock, input);
        }
    }

    /// Predicts the crossing of a buffer after the one that came true.
    #[inline(never)]
    fn predict_after_crossing(&mut self, clock: &mut Clock, input: ChannelId) {
        let buffer = &self.channels[input].input;
        let (next, flits) = (buffer.crossing_at + 1, buffer.crossing_flits);
        self.predict_from(clock, input, next, flits);
    }

    /// Predicts anew the crossings of all buffers touched in the present cycle.
    pub(crate) fn predict_touched(&mut self, clock: &mut Clock) {
        while let Some(input) = self.touched.pop() {
            let buffer = &mut self.channels[input].input;
            buffer.touched = false;
            if buffer.stop_outstanding && buffer.drain.is_none() {
                // It holds too many flits for a go, and none leaves.
                buffer.crossing_at = Cycle::NEVER;
                continue;
            }
            let now = clock.now();
            let flits = now.before().map_or(0, |last| self.occupancy(input, last));
            self.predict_from(clock, input, now, flits);
        }
    }

    /// Predicts the next crossing of a buffer at the end of cycle `from` or later, given its
    /// occupancy at the end of the cycle before.
    #[expect(
        clippy::inline_always,
        reason = "once a packet and channel: a call costs more than it saves"
    )]
    #[inline(always)]
    fn predict_from(&mut self, clock: &mut Clock, input: ChannelId, from: Cycle, flits: i32) {
        let (cycle, flits) = self.next_crossing(input, from, flits);
        let Channel {
            input: buffer,
            ends,
            ..
        } = &mut self.channels[input];
        buffer.crossing_flits = flits;
        if buffer.crossing_at != cycle {
            buffer.crossing_at = cycle;
            if !cycle.is_never() {
                if T::HAS_BORDERS && ends.comes_over_border() {
                    expect_crossing(clock, input, cycle);
                    return;
                }
                let arrival = cycle + self.timing.latency(input);
                clock.plan(arrival, Event::Control(input));
            }
        }
    }

    #[expect(
        clippy::inline_always,
        reason = "a prediction a packet and channel: a call costs more than it saves"
    )]
    #[inline(always)]
    fn next_crossing(&self, input: ChannelId, from: Cycle, flits: i32) -> (Cycle, i32) {
        let Channel {
            output: feed,
            input: buffer,
            ..
        } = &self.channels[input];
        let latency = self.timing.latency(input);
        if feed.history_end + latency >= from {
            return self.crossing_after_past_runs(input, from, flits);
        }
        self.forecast(buffer, from, flits)
            .with_one_run(feed.run.later(latency))
    }

    /// The occupancy of a buffer from cycle `from` on, given what it is at the end of the cycle before.
    #[inline]
    fn forecast(&self, buffer: &Input, from: Cycle, flits: i32) -> Forecast<T::Stride> {
        let drain = buffer.drain.get();
        Forecast {
            cycle: from,
            flits,
            drain: drain.map_or(Run::NONE, |output| self.channels[output].output.run),
            stop_outstanding: buffer.stop_outstanding,
            stop_above: self.stop_above,
            go_below: self.go_below,
        }
    }

    /// The same while flits of runs before the present one are still arriving.
    #[inline(never)]
    fn crossing_after_past_runs(&self, input: ChannelId, from: Cycle, flits: i32) -> (Cycle, i32) {
        let Channel {
            output: feed,
            input: buffer,
            ..
        } = &self.channels[input];
        let mut forecast = self.forecast(buffer, from, flits);
        let latency = self.timing.latency(input);
        let is_arriving = |run: Run<T::Stride>| run.end + latency >= forecast.cycle;
        // Oldest first, then the present one.
        let mut recent = 1;
        while self
            .older_runs
            .get(input, feed, recent)
            .is_some_and(is_arriving)
        {
            recent += 1;
        }
        for age in (0..recent).rev() {
            let Some(run) = self.older_runs.get(input, feed, age) else {
                break;
            };
            if let Some(found) = forecast.feed(run.later(latency)) {
                return found;
            }
        }
        forecast.with_one_run(feed.run.later(latency))
    }
}
