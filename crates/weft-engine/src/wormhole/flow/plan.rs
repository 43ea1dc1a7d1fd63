//! What an output sends from now on.

use super::Flow;
use super::channel::Output;
use super::run::{Run, Stride, Timing};
use crate::cycle::Cycle;
use crate::ids::{Maybe, PacketId};
use crate::wormhole::clock::Clock;
use crate::wormhole::ends::Target;
use crate::wormhole::event::Event;
use weft_fabric::ChannelId;

/// Another run of an output than was planned before.
pub(crate) struct Change<S> {
    pub(crate) run: Run<S>,
    old: Run<S>,
    /// Whether the old run had begun.
    begun: bool,
    /// What was sent of it, when a pause or another pace comes between that and the new one.
    pub(crate) closed: Option<Run<S>>,
}

/// The head of a packet leaves at another time than was planned before.
pub(crate) struct HeadMoved {
    /// Cycle it leaves in, or never.
    pub(crate) start: Cycle,
    /// Cycle it arrives in, or never.
    pub(crate) arrival: Cycle,
    /// The packet, when it is drawn from NIC memory: it leaves its source.
    pub(crate) injected: Maybe<PacketId>,
}

impl<T: Timing> Flow<T> {
    /// Plans the present packet's flits on an output anew, from the present cycle on; nothing when that
    /// changes nothing.
    #[inline]
    pub(crate) fn replan(
        &self,
        clock: &mut Clock,
        channel: ChannelId,
    ) -> Option<Change<T::Stride>> {
        let old = self.channels[channel].output.run;
        let sent = self.sent_of_unfinished(clock.now(), channel)?;
        let new = self.planned(clock, channel, sent);
        let change = Change::between(old, new, clock.now());
        (change.run != old).then_some(change)
    }

    /// Flits sent of a packet of which some more can be sent.
    #[inline]
    fn sent_of_unfinished(&self, now: Cycle, channel: ChannelId) -> Option<u64> {
        let output = &self.channels[channel].output;
        let is_still = output.run.end < now || output.run.start.is_never();
        if output.packet.is_none() || (output.stopped && is_still) {
            return None;
        }
        let sent = now.before().map_or(0, |last| output.sent_through(last));
        (sent != u64::from(output.flits)).then_some(sent)
    }

    /// The run of a packet's flits from number `sent` on, as they will leave. Beyond the flits known to
    /// come, it is planned as if more came in time; whether they do is looked at when they are needed.
    #[inline]
    fn planned(&self, clock: &mut Clock, channel: ChannelId, sent: u64) -> Run<T::Stride> {
        let output = &self.channels[channel].output;
        if output.stopped {
            return Run::NONE;
        }
        let first = self.next_flit(clock.now(), channel);
        let Some(supply) = self.supply(channel, sent, first) else {
            return Run::NONE;
        };
        let remaining = u64::from(output.flits) - sent;
        let mut run = Run {
            start: supply.start,
            end: supply.start,
            stride: supply.stride,
        };
        if supply.flits < remaining {
            let pace = self.timing.pace(channel).cycles();
            let dry_at = run.cycle_of(supply.flits - 1) + pace;
            clock.plan(dry_at, Event::Dry(channel));
        }
        let planned = if supply.pauses {
            supply.flits
        } else {
            remaining
        };
        run.end = run.cycle_of(planned - 1);
        run
    }

    /// The first cycle from now on in which an output may begin to send the next flit of its packet,
    /// if it is there.
    #[inline]
    fn next_flit(&self, now: Cycle, channel: ChannelId) -> Cycle {
        let output = &self.channels[channel].output;
        let first = now.max(output.earliest);
        if T::Stride::IS_ONE {
            return first;
        }
        first.max(self.leaves_until(now, channel))
    }

    /// Lets an output send by a new plan. The buffers at both of its ends are brought up to date under the
    /// old one.
    #[inline]
    pub(crate) fn carry_out(
        &mut self,
        clock: &mut Clock,
        channel: ChannelId,
        change: &Change<T::Stride>,
    ) -> Option<HeadMoved> {
        self.touch_ends(clock, channel);
        if let Some(sent) = change.closed {
            self.close(clock.now(), channel, sent);
        }
        let Change { run, old, .. } = *change;
        let output = &mut self.channels[channel].output;
        output.run = run;
        if output.awaited && run.end != old.end && output.ends_with_tail() {
            let pace = self.timing.pace(channel).cycles();
            clock.plan(run.end + pace, Event::Free(channel));
        }
        let is_head = output.sent_before_run == 0;
        (is_head && run.start != old.start).then(|| HeadMoved {
            start: run.start,
            arrival: if run == Run::NONE {
                Cycle::NEVER
            } else {
                run.start + self.timing.latency(channel)
            },
            injected: if output.from.is_none() {
                output.packet
            } else {
                Maybe::NONE
            },
        })
    }

    /// Brings the buffers that a channel fills and drains up to date.
    #[inline]
    fn touch_ends(&mut self, clock: &mut Clock, channel: ChannelId) {
        let from = self.channels[channel].output.from;
        if let Some(input) = from.get()
            && self.channels[input].ends.leads_to_switch()
        {
            self.touch(clock, input);
        }
        if self.channels[channel].ends.leads_to_switch() && !self.awaits_head(channel) {
            self.touch(clock, channel);
        }
    }

    /// Whether a buffer is empty until the head of the packet now being sent to it arrives: then the
    /// head's event predicts its crossings, with more known.
    #[inline]
    fn awaits_head(&self, channel: ChannelId) -> bool {
        let (output, buffer) = (
            &self.channels[channel].output,
            &self.channels[channel].input,
        );
        output.sent_before_run == 0
            && output.run == Run::NONE
            && buffer.departed == output.total_before_run
            && buffer.is_quiet()
    }

    /// Passes a change on to the output the packet goes on to: that output, if it is to be planned anew
    /// at once.
    #[inline]
    pub(crate) fn pass_on(
        &self,
        clock: &mut Clock,
        channel: ChannelId,
        change: &Change<T::Stride>,
    ) -> Option<ChannelId> {
        let now = clock.now();
        let next = self.next_output(channel)?;
        // A packet may stop in transit at the host it came from, which then sends it twice at once.
        let Output {
            packet,
            from,
            run: next_run,
            ..
        } = self.channels[next].output;
        if packet != self.channels[channel].output.packet || !from.is(channel) {
            return None;
        }
        let Change {
            run, old, begun, ..
        } = *change;
        if !begun || next_run.start >= now || next_run.end < now {
            return Some(next);
        }
        if old.end >= now && (run.start != old.start || run.end < old.end) {
            self.note_dry(clock, channel, next);
        }
        None
    }

    /// The output that draws from the far end of a channel.
    #[inline]
    fn next_output(&self, channel: ChannelId) -> Option<ChannelId> {
        match self.channels[channel].ends.target() {
            Target::Switch(_) => self.channels[channel].input.drain.get(),
            Target::Host(_) => Some(channel.reverse()),
            Target::Sink | Target::Border(_) => None,
        }
    }

    /// The run of `channel` has been cut short while the packet's next output is sending: this plans
    /// a look at that output for the cycle in which it will have sent all that came before the cut.
    fn note_dry(&self, clock: &mut Clock, channel: ChannelId, next: ChannelId) {
        let feed = &self.channels[channel].output;
        let output = &self.channels[next].output;
        let sent = if feed.run.start < clock.now() {
            feed.run.flits()
        } else {
            0
        };
        let known = feed.total_before_run + sent - self.channels[channel].input.departed;
        let dry_at = output
            .run
            .cycle_of(known - u64::from(output.sent_before_run));
        if dry_at <= output.run.end {
            clock.plan(dry_at, Event::Dry(next));
        }
    }
}

impl<S: Stride> Change<S> {
    /// A change that has been carried out in another part, where a pause or another pace comes after
    /// `closed`.
    pub(crate) fn told(run: Run<S>, old: Run<S>, closed: Option<Run<S>>) -> Self {
        Self {
            run,
            old,
            begun: closed.is_some(),
            closed,
        }
    }

    /// The change from a run of which some may have been sent before `now` to what is to come. Both are
    /// one run, unless a pause or a change of pace lies between them.
    #[inline]
    fn between(old: Run<S>, new: Run<S>, now: Cycle) -> Self {
        let past = match now.before() {
            Some(last) if old.start <= last => old.through(last),
            _ => {
                return Self {
                    run: new,
                    old,
                    begun: false,
                    closed: None,
                };
            }
        };
        let continues = new.start == past.end + new.stride.cycles()
            && (new.stride == old.stride || old.start == old.end);
        let (run, closed) = if continues {
            let start = old.start;
            (Run { start, ..new }, None)
        } else if new == Run::NONE {
            (past, None)
        } else {
            (new, Some(past))
        };
        Self {
            run,
            old,
            begun: true,
            closed,
        }
    }
}
