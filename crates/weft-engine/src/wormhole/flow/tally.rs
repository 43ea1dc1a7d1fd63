//! What was sent, and for how long channels were busy or blocked.

use super::Flow;
use super::run::{Stride, Timing};
use crate::cycle::Cycle;
use weft_fabric::ChannelId;
use weft_model::ChannelUse;

impl<T: Timing> Flow<T> {
    /// Flits sent before `now`.
    pub(crate) fn flit_hops(&self, now: Cycle) -> u64 {
        let channels = (0..self.channel_count).map(ChannelId::from_index);
        channels.map(|channel| self.flits_sent(now, channel)).sum()
    }

    /// Flits sent on a channel before `now`.
    pub(crate) fn flits_sent(&self, now: Cycle, channel: ChannelId) -> u64 {
        let output = &self.channels[channel].output;
        match now.before() {
            Some(last) => output.total_before_run + output.run.flits_through(last),
            None => 0,
        }
    }

    /// Cycles before `now` in which a flit was leaving on a channel.
    fn busy_cycles(&self, now: Cycle, channel: ChannelId) -> u64 {
        let flits = self.flits_sent(now, channel);
        if T::Stride::IS_ONE || flits == 0 {
            return flits;
        }
        let pace = self.timing.pace(channel).cycles();
        let output = &self.channels[channel].output;
        let last = if output.run.start < now {
            output.run.through(now - 1).end
        } else {
            output.history_end
        };
        flits * pace - (last + pace).since(now)
    }

    /// How a channel spent its time since the last reset; how long packets waited is not known here.
    pub(crate) fn channel_use(&self, now: Cycle, channel: ChannelId) -> ChannelUse {
        let blocked = self.blocked[channel];
        ChannelUse {
            busy_cycles: self.busy_cycles(now, channel) - self.busy_at_reset[channel],
            blocked_cycles: blocked.cycles + now.since(blocked.since),
            longest_wait_cycles: 0,
        }
    }

    /// Starts the counts of use anew.
    pub(crate) fn reset_use(&mut self, now: Cycle) {
        for channel in self.busy_at_reset.ids() {
            self.busy_at_reset[channel] = self.busy_cycles(now, channel);
            let blocked = &mut self.blocked[channel];
            blocked.cycles = 0;
            if !blocked.since.is_never() {
                blocked.since = blocked.since.max(now);
            }
        }
    }
}
