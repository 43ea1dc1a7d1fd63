//! Flits in motion: what each channel sends and when, and how full the buffer at its end is.
//!
//! An output's flits leave in [`Run`]s. A run is planned as soon as its beginning is known, to the
//! packet's tail, and changed when something intervenes: a stop, a go, or the buffer it draws from
//! running dry. When the run that feeds it is cut short, it is looked at again in the cycle in which
//! it will have sent all that is known to come; mostly more has come by then.

mod borders;
mod channel;
mod crossings;
mod followed;
mod forecast;
mod history;
mod plan;
mod run;
mod supply;
mod symbols;
mod tally;

pub(super) use channel::{Channel, Channels, Departure};
pub(super) use plan::Change;
pub(super) use run::{Changing, Even, InPart, Mixed, Run, Stride, Timing};

use super::borders::Borders as Outside;
use super::clock::Clock;
use super::ends::Ends;
use super::event::Event;
use crate::cycle::Cycle;
use crate::ids::{Maybe, PacketId, Records, Table};
use crate::memory::fetch;
use crate::shared_queues::SharedQueues;
use borders::Borders;
use channel::Blocked;
use followed::Followed;
use history::OlderRuns;
use weft_fabric::{ChannelId, Fabric};
use weft_model::WormholeModel;

/// The channels and what moves on them. Where packets may be discarded, each has a sink besides, an output of
/// the switch it leads to, which takes what is discarded.
#[derive(Debug)]
pub(super) struct Flow<T: Timing> {
    timing: T,
    pub(super) stop_above: i32,
    go_below: i32,
    channel_count: usize,
    /// What others know of a channel, in its record, is theirs alone.
    pub(super) channels: Channels<T::Stride>,
    /// Finished runs of each channel but the last: two flight times of history.
    older_runs: OlderRuns<T::Stride>,
    /// Cycles in which each channel's receiver emitted the stops and gos that are on their way behind the
    /// first.
    later_symbols: SharedQueues<ChannelId, Cycle>,
    blocked: Table<ChannelId, Blocked>,
    busy_at_reset: Table<ChannelId, u64>,
    /// Buffers touched in the present cycle.
    touched: Vec<ChannelId>,
    /// What happens at buffers that are filled from another part of the fabric.
    borders: Borders,
    /// Where packets are followed.
    following: Option<Box<Followed>>,
}

/// The head of a packet on its way over a channel.
pub(super) struct ComingHead {
    pub(super) packet: PacketId,
    /// Cycle it arrives in, or never while that is not known.
    pub(super) arrival: Cycle,
    /// Index of its first flit among all that ever arrived.
    pub(super) first_index: u64,
    pub(super) flits: u32,
    /// Cycles from one flit to the next, if nothing intervenes.
    pub(super) pace: u64,
}

impl<T: Timing> Flow<T> {
    /// Idle channels.
    #[expect(unsafe_code, reason = "channels are looked up several times an event")]
    pub(super) fn new(
        fabric: &Fabric,
        model: &WormholeModel,
        timing: T,
        borders: &Outside<T::Stride>,
        part_count: usize,
    ) -> Self {
        let channel_count = fabric.channel_count();
        let idle = |id| Channel::idle(fabric, id);
        let mut channels: Vec<_> = fabric.channel_ids().map(idle).collect();
        for channel in &mut channels {
            channel.ends = borders.seen_from_within(channel.ends);
        }
        if part_count > channel_count {
            channels.extend_from_within(..);
            for sink in &mut channels[channel_count..] {
                sink.ends = sink.ends.sink();
            }
        }
        // SAFETY: the ids of channels come from this fabric, or are of sinks where there are any.
        let channels = unsafe { Records::of(channels.into()) };
        Self {
            timing,
            stop_above: threshold(model.stop_above_flits),
            go_below: threshold(model.go_below_flits),
            channel_count,
            channels,
            older_runs: OlderRuns::new(part_count),
            later_symbols: SharedQueues::new(channel_count),
            blocked: Table::of(Blocked::NEVER, part_count),
            busy_at_reset: Table::of(0, channel_count),
            touched: Vec::new(),
            borders: Borders::default(),
            following: None,
        }
    }

    #[inline]
    pub(super) fn ends(&self, channel: ChannelId) -> Ends {
        self.channels[channel].ends
    }

    /// Has the memory bring what a stop or go changes of a channel.
    #[inline]
    pub(super) fn fetch_blocked(&self, channel: ChannelId) {
        fetch(&self.blocked[channel]);
    }

    /// The sink of the input buffer of a channel.
    pub(super) fn sink_of(&self, input: ChannelId) -> ChannelId {
        ChannelId::from_index(input.index() + self.channel_count)
    }

    /// All channels and sinks.
    pub(super) fn part_count(&self) -> usize {
        self.channels.len()
    }

    /// Cycles from the one in which a flit begins to leave to the one in which it has arrived.
    #[inline]
    pub(super) fn latency(&self, channel: ChannelId) -> u64 {
        self.timing.latency(channel)
    }

    /// Cycles from one flit to the next.
    #[inline]
    pub(super) fn pace(&self, channel: ChannelId) -> u64 {
        self.timing.pace(channel).cycles()
    }

    /// Cycles from one flit to the next, as strides are given.
    #[inline]
    pub(super) fn stride(&self, channel: ChannelId) -> T::Stride {
        self.timing.pace(channel)
    }

    /// The packet an output holds, whether its tail has left or not.
    #[inline]
    pub(super) fn packet(&self, output: ChannelId) -> Maybe<PacketId> {
        self.channels[output].output.packet
    }

    /// The packet that an output holds, and the channel at whose far end it is.
    pub(super) fn holder(&self, output: ChannelId) -> (PacketId, ChannelId) {
        let output = &self.channels[output].output;
        let packet = output.packet.known("it is held");
        (packet, output.from.known("it is a switch's"))
    }

    /// First cycle in which the packet an output holds may leave.
    #[inline]
    pub(super) fn earliest(&self, output: ChannelId) -> Cycle {
        self.channels[output].output.earliest
    }

    /// Whether the packet an output holds is at its destination at the far end.
    #[inline]
    pub(super) fn delivers(&self, output: ChannelId) -> bool {
        self.channels[output].output.delivers
    }

    /// Whether the packet an output holds has stopped in transit at the host that it leaves, or is to stop at the
    /// host that it reaches.
    #[inline]
    pub(super) fn is_in_transit(&self, output: ChannelId) -> bool {
        let Channel { output, ends, .. } = &self.channels[output];
        if ends.comes_from_switch() {
            ends.target_host().is_some() && !output.delivers
        } else {
            output.from.is_some()
        }
    }

    #[inline]
    pub(super) fn is_stopped(&self, output: ChannelId) -> bool {
        self.channels[output].output.stopped
    }

    /// The output that draws from an input buffer.
    #[inline]
    pub(super) fn drain(&self, input: ChannelId) -> Maybe<ChannelId> {
        self.channels[input].input.drain
    }

    /// Flits sent on a free channel until now.
    #[inline]
    pub(super) fn total_sent(&self, channel: ChannelId) -> u64 {
        self.channels[channel].output.total_before_run
    }

    /// The run of a packet that is on a channel, and whether it is its first.
    #[inline]
    pub(super) fn run(&self, channel: ChannelId) -> (Run<T::Stride>, bool) {
        let output = &self.channels[channel].output;
        (output.run, output.sent_before_run == 0)
    }

    /// The head of the packet that an output holds, on its way to arrive in some cycle.
    #[inline]
    pub(super) fn coming_head(
        &self,
        channel: ChannelId,
        packet: PacketId,
        arrival: Cycle,
    ) -> ComingHead {
        let output = &self.channels[channel].output;
        ComingHead {
            packet,
            arrival,
            first_index: output.total_before_run,
            flits: output.flits,
            pace: self.pace(channel),
        }
    }

    /// Whether an in-transit packet, sent from now on without a pause, is received in time as far as is
    /// known: it is here, or comes at the pace it is sent at.
    pub(super) fn comes_in_time(&self, now: Cycle, injection: ChannelId, packet: PacketId) -> bool {
        let ejection = injection.reverse();
        let feed = &self.channels[ejection].output;
        let latency = self.timing.latency(ejection);
        if feed.packet.is(packet) {
            // The mark stays here.
            return feed.is_whole()
                && feed.run.stride == self.timing.pace(injection)
                && feed.run.cycle_of(1) + latency <= now;
        }
        feed.history_end + latency <= now
    }

    /// The next packet that is drawn from the NIC at the end of a channel begins at this place among all
    /// flits that ever arrived there.
    pub(super) fn draw_from(&mut self, ejection: ChannelId, first_index: u64) {
        self.channels[ejection].input.departed = first_index;
    }

    /// Takes the routing flit out of an input buffer, which will drain through `drain`.
    #[inline]
    pub(super) fn strip(&mut self, clock: &mut Clock, input: ChannelId, drain: ChannelId) {
        self.touch(clock, input);
        self.channels[input].strip(drain);
    }

    /// Hands a packet to an output, which is to be planned next.
    pub(super) fn start(
        &mut self,
        now: Cycle,
        channel: ChannelId,
        departure: &Departure,
    ) -> ComingHead {
        let output = &mut self.channels[channel].output;
        output.take(departure, Run::NONE);
        if output.stopped {
            self.blocked[channel].since = now;
        }
        self.coming_head(channel, departure.packet, Cycle::NEVER)
    }

    /// Hands a packet to an output that is not stopped, all its flits being there in time.
    #[expect(
        clippy::inline_always,
        reason = "once a packet and channel: a call costs more than it saves"
    )]
    #[inline(always)]
    pub(super) fn launch(
        &mut self,
        clock: &mut Clock,
        channel: ChannelId,
        departure: &Departure,
    ) -> ComingHead {
        let record = &self.channels[channel];
        let is_empty = record.input.departed == record.output.total_before_run;
        if record.ends.leads_to_switch() && !(is_empty && record.input.is_quiet()) {
            self.touch(clock, channel);
        }
        let arrival = self.launch_whole(clock, channel, departure);
        self.coming_head(channel, departure.packet, arrival)
    }

    /// The same where the buffer it leads to, if any, is empty and quiet: the cycle in which the head arrives.
    #[expect(
        clippy::inline_always,
        reason = "once a packet and channel: a call costs more than it saves"
    )]
    #[inline(always)]
    pub(super) fn launch_whole(
        &mut self,
        clock: &mut Clock,
        channel: ChannelId,
        departure: &Departure,
    ) -> Cycle {
        let stride = self.timing.pace(channel);
        let mut run = Run {
            start: departure.earliest,
            end: departure.earliest,
            stride,
        };
        run.end = run.cycle_of(u64::from(departure.flits) - 1);
        if departure.awaited {
            clock.plan(run.end + stride.cycles(), Event::Free(channel));
        }
        self.channels[channel].output.take(departure, run);
        run.start + self.timing.latency(channel)
    }

    /// Somebody waits for the tail to leave an output: that is an event from now on.
    pub(super) fn await_tail(&mut self, clock: &mut Clock, channel: ChannelId) {
        let output = &mut self.channels[channel].output;
        if !output.awaited {
            output.awaited = true;
            if output.ends_with_tail() {
                let free_at = output.run.end + self.timing.pace(channel).cycles();
                clock.plan(free_at, Event::Free(channel));
            }
        }
    }

    /// Whether the present packet's tail has left an output before the present cycle: the output is free,
    /// though nobody may have taken note of it yet.
    #[inline]
    pub(super) fn is_finished(&self, now: Cycle, channel: ChannelId) -> bool {
        let output = &self.channels[channel].output;
        // Which of the two it is that fails is not to be foreseen: one branch.
        (output.run.end + self.timing.pace(channel).cycles() <= now) & output.ends_with_tail()
    }

    /// Takes note of a tail that has left an output: the input buffer that it left as well.
    #[expect(
        clippy::inline_always,
        reason = "once a packet and channel: a call costs more than it saves"
    )]
    #[inline(always)]
    pub(super) fn finish(&mut self, clock: &mut Clock, channel: ChannelId) -> Option<ChannelId> {
        let output = &self.channels[channel].output;
        let (input, flits) = (output.from.get(), output.flits);
        if let Some(input) = input {
            self.commit_crossings(clock, input);
            let buffer = &mut self.channels[input].input;
            buffer.departed += u64::from(flits);
            buffer.drain = Maybe::NONE;
        }
        self.finish_at_source(clock.now(), channel);
        input
    }

    /// The same where the packet lay at a host.
    #[inline]
    pub(super) fn finish_at_source(&mut self, now: Cycle, channel: ChannelId) {
        self.close(now, channel, self.channels[channel].output.run);
        let output = &mut self.channels[channel].output;
        output.packet = Maybe::NONE;
        if output.stopped {
            self.blocked[channel].since = Cycle::NEVER;
        }
    }

    /// Moves what was sent of the present packet into the channel's history, of which two flight times
    /// are needed.
    #[inline]
    fn close(&mut self, now: Cycle, channel: ChannelId, sent: Run<T::Stride>) {
        if self.following.is_some() {
            self.note_motion(channel, sent);
        }
        let two_flights = 2 * self.timing.latency(channel) + 2;
        let since = now.earlier_by(two_flights).unwrap_or(Cycle::ZERO);
        let output = &mut self.channels[channel].output;
        if output.history_end >= since || output.has_older_runs {
            self.older_runs.add_last(channel, output, since);
        }
        output.close(sent);
    }

    /// A routing flit has come to the front of an input buffer in the present cycle.
    #[inline]
    pub(super) fn arrive(&mut self, clock: &mut Clock, input: ChannelId) {
        let buffer = &mut self.channels[input].input;
        if buffer.is_quiet() && !buffer.touched {
            buffer.fresh = true;
        } else {
            self.touch(clock, input);
        }
    }

    /// A head that reached an empty buffer in the present cycle will not pass at once.
    #[inline]
    pub(super) fn touch_fresh(&mut self, clock: &mut Clock, input: ChannelId) {
        if std::mem::take(&mut self.channels[input].input.fresh) {
            self.touch(clock, input);
        }
    }
}

/// A threshold as a signed number. Packets have fewer than 2^31 flits, so a higher one is never
/// crossed anyway.
fn threshold(flits: u32) -> i32 {
    const HIGHEST: u32 = i32::MAX.unsigned_abs() / 2;
    flits.min(HIGHEST).cast_signed()
}
