//! Stops and gos as they reach the senders of channels.

use super::Flow;
use super::channel::{Channel, InFlight};
use super::run::{Stride, Timing};
use crate::cycle::Cycle;
use crate::wormhole::clock::Clock;
use weft_fabric::ChannelId;

impl<T: Timing> Flow<T> {
    /// Whether a stop has reached the sender of a buffer, and no go is on its way.
    pub(crate) fn heeds_stop(&self, channel: ChannelId) -> bool {
        let Channel { output, input, .. } = &self.channels[channel];
        output.stopped && input.symbols_in_flight == InFlight::None
    }

    /// Whether the receiver of a channel has emitted a stop and no go since.
    pub(crate) fn holds_back(&self, now: Cycle, channel: ChannelId) -> bool {
        let input = &self.channels[channel].input;
        input.crossing_at >= now && input.stop_outstanding
    }

    /// Takes a stop or go that reaches the sender of a channel in the present cycle, if one does.
    pub(crate) fn takes_symbol(&mut self, clock: &mut Clock, channel: ChannelId) -> bool {
        self.commit_crossings(clock, channel);
        let emitted = clock.now() - self.timing.latency(channel);
        let buffer = &mut self.channels[channel].input;
        if buffer.symbols_in_flight == InFlight::None || buffer.first_symbol != low_bits(emitted) {
            return false;
        }
        if buffer.symbols_in_flight == InFlight::More
            && let Some(next) = self.later_symbols.pop(channel)
        {
            buffer.first_symbol = low_bits(next);
            if self.later_symbols.is_empty(channel) {
                buffer.symbols_in_flight = InFlight::One;
            }
        } else {
            buffer.symbols_in_flight = InFlight::None;
        }
        true
    }

    /// The receiver of a channel has emitted a symbol at the end of a cycle.
    pub(super) fn emit(&mut self, channel: ChannelId, cycle: Cycle) {
        let Channel {
            input: buffer,
            ends,
            ..
        } = &mut self.channels[channel];
        if T::HAS_BORDERS && ends.comes_over_border() {
            self.borders.emit(*ends, channel, cycle);
        } else if buffer.symbols_in_flight == InFlight::None {
            buffer.first_symbol = low_bits(cycle);
            buffer.symbols_in_flight = InFlight::One;
        } else {
            buffer.symbols_in_flight = InFlight::More;
            self.later_symbols.push(channel, cycle);
        }
    }

    /// The sender of a channel stops or goes on.
    pub(crate) fn obey_symbol(&mut self, now: Cycle, channel: ChannelId) {
        let output = &mut self.channels[channel].output;
        output.stopped = !output.stopped;
        let stopped = output.stopped;
        // A tail that is leaving is not blocked.
        let has_flits = output.run.end >= now || !output.ends_with_tail();
        if output.packet.is_none() || !has_flits {
            return;
        }
        let since = if T::Stride::IS_ONE || !stopped {
            now
        } else {
            now.max(self.leaves_until(now, channel))
        };
        let blocked = &mut self.blocked[channel];
        if stopped {
            blocked.since = since;
        } else if !blocked.since.is_never() {
            blocked.cycles += now.since(blocked.since);
            blocked.since = Cycle::NEVER;
        }
    }

    /// The cycle from which on no flit of an output's packet that has begun to leave is leaving.
    pub(super) fn leaves_until(&self, now: Cycle, channel: ChannelId) -> Cycle {
        let output = &self.channels[channel].output;
        let last = match now.before() {
            Some(last) if output.run.start <= last => output.run.through(last).end,
            _ if output.sent_before_run > 0 => output.history_end,
            _ => return Cycle::ZERO,
        };
        last + self.timing.pace(channel).cycles()
    }
}

/// What tells a cycle from all others within a flight of it.
#[expect(clippy::cast_possible_truncation, reason = "the low bits are meant")]
fn low_bits(cycle: Cycle) -> u32 {
    cycle.number() as u32
}
