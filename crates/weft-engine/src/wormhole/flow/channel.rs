//! What is known of each channel: its two ends, what its output sends, and the buffer it leads to.

use super::run::{One, Run, Stride};
use crate::cycle::Cycle;
use crate::ids::{Maybe, PacketId, Records};
use crate::wormhole::ends::Ends;
use crate::wormhole::junction::Junction;
use weft_fabric::{ChannelId, Fabric, Node};

/// One direction of a link. Where all channels are alike it is two cache lines, of which a packet that
/// passes touches no more.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct Channel<S> {
    pub(super) output: Output<S>,
    pub(super) input: Input,
    pub(crate) junction: Junction,
    pub(crate) ends: Ends,
}

impl<S: Stride> Channel<S> {
    /// A channel on which nothing has been sent.
    pub(super) fn idle(fabric: &Fabric, channel: ChannelId) -> Self {
        let (source, target) = (fabric.source(channel), fabric.target(channel));
        // Round robin starts at the last port, so that the first one comes first.
        let last_port = match source.node {
            Node::Switch(switch) => fabric.outgoing(switch).last(),
            Node::Host(_) => None,
        };
        let last_port = last_port.map_or(source.port, |&last| fabric.source(last).port);
        Self {
            output: Output::IDLE,
            input: Input::EMPTY,
            junction: Junction::new(target.port, last_port),
            ends: Ends::new(source, target),
        }
    }

    /// Whether a packet, whose head has just reached this channel's empty buffer, may leave through `output`
    /// after `delay`, which sends a flit every `pace`, without a search: nothing is in its way.
    #[inline]
    pub(crate) fn passes(&self, output: &Self, pace: S, delay: u64, stop_above: i32) -> bool {
        self.input.fresh && self.never_fills(pace, delay, stop_above) && !output.output.stopped
    }

    /// Whether all flits of the present packet are known to come at the pace of an output that is to take them
    /// after `delay`, so that the buffer drains before it can fill to the stop.
    #[inline]
    pub(crate) fn never_fills(&self, pace: S, delay: u64, stop_above: i32) -> bool {
        let feed = &self.output;
        feed.run.stride == pace && delay < u64::from(stop_above.unsigned_abs()) && feed.is_whole()
    }

    /// Whether nothing is in the buffer or on the way to it but the first packet on the way, if any, and no
    /// stop or go will come from it before that has arrived.
    #[inline]
    pub(crate) fn is_calm(&self) -> bool {
        let Self { output, input, .. } = self;
        input.departed == output.total_before_run
            && input.is_quiet()
            && input.symbols_in_flight == InFlight::None
            && !input.touched
            && !output.stopped
    }

    /// The packet that its output holds, whether its tail has left or not.
    #[inline]
    pub(crate) fn packet(&self) -> Option<PacketId> {
        self.output.packet.get()
    }

    /// The channel at whose far end the packet is that its output holds.
    #[inline]
    pub(crate) fn origin(&self) -> Option<ChannelId> {
        self.output.from.get()
    }

    /// The output that draws from its buffer.
    #[inline]
    pub(crate) fn drain(&self) -> Option<ChannelId> {
        self.input.drain.get()
    }

    /// Whether something drains, or has drained, the buffer that nobody has taken note of yet.
    #[inline]
    pub(crate) fn input_drains(&self) -> bool {
        self.input.drain.is_some()
    }

    /// The output gives a packet up that it has not begun to send, and that is on the way to no drain.
    pub(crate) fn give_up(&mut self) {
        self.output.give_up();
        if self.input.drain.is_some() {
            self.unstrip();
        }
    }

    /// The head of the packet on the way goes back in front of the buffer, from where it was to drain.
    pub(crate) fn unstrip(&mut self) {
        self.input.departed -= 1;
        self.input.drain = Maybe::NONE;
    }

    /// Takes the routing flit of a packet out of the buffer; the rest will drain through `drain`.
    #[inline]
    pub(crate) fn strip(&mut self, drain: ChannelId) {
        let buffer = &mut self.input;
        buffer.fresh = false;
        buffer.departed += 1;
        buffer.drain = drain.into();
    }
}

const _: () = assert!(size_of::<Channel<One>>() == 128, "two cache lines");

/// All channels, and sinks.
pub(crate) type Channels<S> = Records<ChannelId, Channel<S>>;

/// The sending end of a channel: a switch's output port or a host's NIC.
#[derive(Clone, Debug)]
pub(super) struct Output<S> {
    /// The present packet's run: past, under way, or planned.
    pub(super) run: Run<S>,
    /// Flits sent on this channel before the run.
    pub(super) total_before_run: u64,
    /// Cycle of the last flit of the run before, in which the channel's history ends; the first when
    /// there is none.
    pub(super) history_end: Cycle,
    /// First cycle the present packet may leave in: its grant and the routing delay.
    pub(super) earliest: Cycle,
    /// Flits of the run before, 0 when there is none.
    last_flits: u32,
    last_stride: S,
    /// Flits of the present packet sent before the run.
    pub(super) sent_before_run: u32,
    /// Flits of the present packet to be sent in all.
    pub(super) flits: u32,
    /// The present packet.
    pub(super) packet: Maybe<PacketId>,
    /// Channel at whose far end the packet is drawn; none when it lies whole in NIC memory.
    pub(super) from: Maybe<ChannelId>,
    /// Whether the last symbol received was a stop.
    pub(super) stopped: bool,
    /// Whether somebody waits for the present packet's tail to leave, so that this is an event.
    pub(super) awaited: bool,
    /// Whether the present packet is at its destination at the far end.
    pub(super) delivers: bool,
    /// Whether there are runs before the last one that somebody may ask for.
    pub(super) has_older_runs: bool,
}

impl<S: Stride> Output<S> {
    pub(super) const IDLE: Self = Self {
        run: Run::NONE,
        total_before_run: 0,
        history_end: Cycle::ZERO,
        earliest: Cycle::ZERO,
        last_flits: 0,
        last_stride: S::ONE,
        sent_before_run: 0,
        flits: 0,
        packet: Maybe::NONE,
        from: Maybe::NONE,
        stopped: false,
        awaited: false,
        delivers: false,
        has_older_runs: false,
    };

    /// Takes a packet to be sent in `run`, as far as that is known.
    #[inline]
    pub(super) fn take(&mut self, departure: &Departure, run: Run<S>) {
        self.run = run;
        self.sent_before_run = 0;
        self.flits = departure.flits;
        self.earliest = departure.earliest;
        self.packet = departure.packet.into();
        self.from = departure.from;
        self.awaited = departure.awaited;
        self.delivers = departure.delivers;
    }

    /// Gives a packet up that it has not begun to send.
    pub(super) fn give_up(&mut self) {
        self.run = Run::NONE;
        self.packet = Maybe::NONE;
        self.from = Maybe::NONE;
    }

    /// Flits of the present packet sent by the end of `cycle`, which must not lie before the run's
    /// predecessor ended.
    #[inline]
    pub(super) fn sent_through(&self, cycle: Cycle) -> u64 {
        u64::from(self.sent_before_run) + self.run.flits_through(cycle)
    }

    /// Counts a run, of which this much was sent, among what was sent before.
    #[inline]
    pub(super) fn close(&mut self, sent: Run<S>) {
        let flits = sent.flits();
        self.total_before_run += flits;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a packet's flits fit 32 bits"
        )]
        {
            self.last_flits = flits as u32;
        }
        self.sent_before_run += self.last_flits;
        self.last_stride = sent.stride;
        self.history_end = sent.end;
        self.run = Run::NONE;
    }

    /// The run before, if there is any.
    #[inline]
    pub(super) fn last_run(&self) -> Option<Run<S>> {
        let (end, stride) = (self.history_end, self.last_stride);
        let steps = u64::from(self.last_flits).checked_sub(1)?;
        let start = end - steps * stride.cycles();
        Some(Run { start, end, stride })
    }

    /// Whether the run goes on to the present packet's tail.
    #[inline]
    pub(super) fn ends_with_tail(&self) -> bool {
        u64::from(self.sent_before_run) + self.run.flits() == u64::from(self.flits)
    }

    /// Whether the present packet's first run is the whole of it.
    #[inline]
    pub(super) fn is_whole(&self) -> bool {
        self.sent_before_run == 0 && self.run.flits() == u64::from(self.flits)
    }
}

/// A packet handed to an output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Departure {
    pub(crate) packet: PacketId,
    /// Channel at whose far end it is drawn; none when it lies whole in NIC memory.
    pub(crate) from: Maybe<ChannelId>,
    /// First cycle it may leave in.
    pub(crate) earliest: Cycle,
    pub(crate) flits: u32,
    /// Whether it is at its destination at the far end.
    pub(crate) delivers: bool,
    /// Whether somebody is known to wait for its tail.
    pub(crate) awaited: bool,
}

/// How long an output has held a packet while stopped.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blocked {
    /// Cycle since which it has, or never.
    pub(super) since: Cycle,
    /// Cycles before that.
    pub(super) cycles: u64,
}

impl Blocked {
    pub(super) const NEVER: Self = Self {
        since: Cycle::NEVER,
        cycles: 0,
    };
}

/// How many symbols are on their way to the sender of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InFlight {
    None,
    One,
    /// The others stand elsewhere.
    More,
}

/// The receiving end of a channel at a switch: its input (slack) buffer.
#[derive(Clone, Debug)]
pub(super) struct Input {
    /// Flits that ever left the buffer, those of the output drawing from it left out: the index, among all
    /// that ever arrived, of the first one that this output sends. At a host, only the latter.
    pub(super) departed: u64,
    /// Cycle at whose end the next stop or go will be emitted if nothing intervenes, or never.
    pub(super) crossing_at: Cycle,
    /// Occupancy at the end of that cycle, in flits.
    pub(super) crossing_flits: i32,
    /// Output that draws from the buffer.
    pub(super) drain: Maybe<ChannelId>,
    /// The cycle, in its low 32 bits, in which the first symbol that has not yet reached the sender was
    /// emitted.
    pub(super) first_symbol: u32,
    /// How many such symbols there are.
    pub(super) symbols_in_flight: InFlight,
    /// Whether a stop has been emitted and no go since.
    pub(super) stop_outstanding: bool,
    /// Whether the buffer was touched in the present cycle.
    pub(super) touched: bool,
    /// Whether a head arrived at the empty buffer in the present cycle.
    pub(super) fresh: bool,
}

impl Input {
    pub(super) const EMPTY: Self = Self {
        departed: 0,
        crossing_at: Cycle::NEVER,
        crossing_flits: 0,
        drain: Maybe::NONE,
        first_symbol: 0,
        symbols_in_flight: InFlight::None,
        stop_outstanding: false,
        touched: false,
        fresh: false,
    };

    /// Whether no stop is outstanding and no crossing to come.
    #[inline]
    pub(super) fn is_quiet(&self) -> bool {
        self.crossing_at.is_never() && !self.stop_outstanding
    }
}
