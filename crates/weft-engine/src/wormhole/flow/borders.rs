//! Channels of which the other end lies in another part of the fabric.
//!
//! Of a channel that comes from there, the output is a copy that does as it is told; crossings of the
//! buffer's thresholds are noted in their cycles, and what is emitted is told at the end of the window.

use super::Flow;
use super::run::Timing;
use crate::cycle::Cycle;
use crate::wormhole::clock::Clock;
use crate::wormhole::ends::Ends;
use crate::wormhole::event::Event;
use weft_fabric::ChannelId;

/// What happens at buffers that are filled from another part.
#[derive(Debug, Default)]
pub(super) struct Borders {
    /// Buffers a threshold of which may have been crossed since the last window.
    crossed: Vec<ChannelId>,
    /// Stops and gos emitted since then, and when.
    emitted: Vec<(Ends, ChannelId, Cycle)>,
}

impl Borders {
    #[cold]
    pub(super) fn emit(&mut self, ends: Ends, channel: ChannelId, cycle: Cycle) {
        self.emitted.push((ends, channel, cycle));
    }
}

/// A threshold of a buffer that is filled from another part will be crossed in a cycle; in one that is over,
/// the caller commits it.
#[cold]
pub(super) fn expect_crossing(clock: &mut Clock, input: ChannelId, cycle: Cycle) {
    if cycle >= clock.now() {
        clock.plan(cycle, Event::Control(input));
    }
}

impl<T: Timing> Flow<T> {
    /// A threshold of the buffer of a channel from another part may be crossed in the present cycle.
    #[cold]
    pub(crate) fn note_crossing(&mut self, channel: ChannelId) {
        self.borders.crossed.push(channel);
    }

    /// Commits the crossings of the window that ends before the present cycle: the symbols emitted in it.
    pub(crate) fn end_window(
        &mut self,
        clock: &mut Clock,
    ) -> impl Iterator<Item = (Ends, ChannelId, Cycle)> {
        while let Some(input) = self.borders.crossed.pop() {
            self.commit_crossings(clock, input);
        }
        self.predict_touched(clock);
        self.borders.emitted.drain(..)
    }

    /// A stop or go, emitted in a cycle, is on its way to the sender of a channel to another part.
    pub(crate) fn expect_symbol(&mut self, clock: &mut Clock, channel: ChannelId, cycle: Cycle) {
        self.emit(channel, cycle);
        clock.plan(
            cycle + self.timing.latency(channel),
            Event::Control(channel),
        );
    }

    /// The packet that the copy of an output holds has left, as another one follows.
    pub(crate) fn end_copy(&mut self, now: Cycle, channel: ChannelId) {
        let output = &self.channels[channel].output;
        if output.packet.is_some() {
            self.close(now, channel, output.run);
        }
    }

    /// The output that draws from the buffer of a channel.
    pub(crate) fn drawing_output(&self, channel: ChannelId) -> Option<ChannelId> {
        let drain = self.channels[channel].input.drain.get()?;
        let draws = self.channels[drain].output.from.is(channel);
        draws.then_some(drain)
    }
}
