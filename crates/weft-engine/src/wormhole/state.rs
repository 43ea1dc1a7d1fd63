//! The state of the event-driven engine: what is known of each channel's two ends, of packets and
//! of NICs. Flat arrays indexed by channel, packet or host.

use super::run::{Run, Stride};
use crate::queue::NEVER;
use weft_fabric::{Endpoint, Node};

/// "None" among packet, channel and visit numbers.
pub(super) const NONE: u32 = u32::MAX;
/// The input an injection channel draws from when the packet lies whole in NIC memory.
pub(super) const LOCAL: u32 = u32::MAX - 1;

/// One direction of a link: two cache lines, one for each end.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Channel<S> {
    pub(super) output: Output<S>,
    pub(super) input: Input,
    pub(super) ends: Ends,
}

/// The sending end of a channel: a switch's output port or a host's NIC.
#[derive(Clone, Debug)]
pub(super) struct Output<S> {
    /// The present packet's run: past, under way, or planned.
    pub(super) run: Run<S>,
    /// Flits sent on this channel before the run.
    pub(super) total_before_run: u64,
    /// Cycle of the last flit of the run before, in which the channel's history ends; 0 when there
    /// is none.
    pub(super) history_end: u64,
    /// First cycle the present packet may leave in: its grant and the routing delay.
    pub(super) earliest: u64,
    /// Index, among all flits that ever arrived at the input drawn from, of the first one to send.
    pub(super) first_index: u64,
    /// Flits of the present packet sent before the run.
    pub(super) sent_before_run: u32,
    /// Flits of the present packet to be sent in all.
    pub(super) flits: u32,
    /// The present packet, or `NONE`.
    pub(super) packet: u32,
    /// Channel whose input buffer the packet is drawn from, or `LOCAL`.
    pub(super) input: u32,
    /// The present packet's visit in the queue of the input at the far end, or `NONE` at a host.
    pub(super) visit: u32,
    /// Whether the last symbol received was a stop.
    pub(super) stopped: bool,
    /// Whether somebody waits for the present packet's tail to leave, so that this is an event.
    pub(super) awaited: bool,
    /// Whether the present packet is at its destination at the far end.
    pub(super) delivers: bool,
}

impl<S: Stride> Output<S> {
    pub(super) fn idle() -> Self {
        Self {
            run: Run::NONE,
            total_before_run: 0,
            history_end: 0,
            earliest: 0,
            first_index: 0,
            sent_before_run: 0,
            flits: 0,
            packet: NONE,
            input: NONE,
            visit: NONE,
            stopped: false,
            awaited: false,
            delivers: false,
        }
    }

    /// Flits of the present packet sent by the end of `cycle`, which must not lie before the run's
    /// predecessor ended.
    #[inline]
    pub(super) fn sent_through(&self, cycle: u64) -> u64 {
        u64::from(self.sent_before_run) + self.run.flits_through(cycle)
    }

    /// Counts a run, of which this much was sent, among what was sent before.
    #[inline]
    pub(super) fn close(&mut self, sent: Run<S>) {
        self.total_before_run += sent.flits();
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a packet's flits fit 32 bits"
        )]
        {
            self.sent_before_run += sent.flits() as u32;
        }
        self.history_end = sent.end;
        self.run = Run::NONE;
    }

    /// Whether the run goes on to the present packet's tail.
    #[inline]
    pub(super) fn ends_with_tail(&self) -> bool {
        u64::from(self.sent_before_run) + self.run.flits() == u64::from(self.flits)
    }
}

/// How long an output has held a packet while stopped, and packets have waited for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blocked {
    /// Cycle since which it has, or `NEVER`.
    pub(super) since: u64,
    /// Cycles before that.
    pub(super) cycles: u64,
    /// Longest wait of a packet that was granted the output, in cycles.
    pub(super) longest_wait: u64,
}

impl Blocked {
    pub(super) const NEVER: Self = Self {
        since: NEVER,
        cycles: 0,
        longest_wait: 0,
    };
}

/// Where a channel leads from and to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    source: u32,
    target: u32,
    source_is_host: bool,
    target_is_host: bool,
    /// Port of the target the channel arrives at.
    pub(super) target_port: u8,
}

impl Ends {
    pub(super) fn new(source: Endpoint, target: Endpoint) -> Self {
        let number = |end: Endpoint| match end.node {
            Node::Switch(switch) => (switch.number(), false),
            Node::Host(host) => (host.number(), true),
        };
        let ((source, source_is_host), (target_number, target_is_host)) =
            (number(source), number(target));
        Self {
            source,
            target: target_number,
            source_is_host,
            target_is_host,
            target_port: target.port.number(),
        }
    }

    /// A way out of the switch a channel leads to, for flits that are discarded: like a host, it takes
    /// all it is sent. Which host does not matter, since it only ever delivers.
    pub(super) fn sink(channel: &Self) -> Self {
        Self {
            source: channel.target,
            target: 0,
            source_is_host: false,
            target_is_host: true,
            target_port: 0,
        }
    }

    /// Whether it leads from a switch to a switch.
    #[inline]
    pub(super) fn joins_switches(&self) -> bool {
        !self.source_is_host && !self.target_is_host
    }

    /// The host it leads from, or `NONE`.
    #[inline]
    pub(super) fn source_host(&self) -> u32 {
        if self.source_is_host {
            self.source
        } else {
            NONE
        }
    }

    /// The host it leads to, or `NONE`.
    #[inline]
    pub(super) fn target_host(&self) -> u32 {
        if self.target_is_host {
            self.target
        } else {
            NONE
        }
    }

    /// The switch it leads from, or `NONE`.
    #[inline]
    pub(super) fn source_switch(&self) -> u32 {
        if self.source_is_host {
            NONE
        } else {
            self.source
        }
    }

    /// The switch it leads to, or `NONE`.
    #[inline]
    pub(super) fn target_switch(&self) -> u32 {
        if self.target_is_host {
            NONE
        } else {
            self.target
        }
    }
}

/// The receiving end of a channel at a switch: its input (slack) buffer.
#[derive(Clone, Debug)]
pub(super) struct Input {
    /// Flits that ever left the buffer, those of the output drawing from it left out.
    pub(super) departed: u64,
    /// Cycle at whose end the next stop or go will be emitted if nothing intervenes, or `NEVER`.
    pub(super) crossing_at: u64,
    /// Occupancy at the end of that cycle, in flits.
    pub(super) crossing_flits: i32,
    /// Output that draws from the buffer, or `NONE`.
    pub(super) drain: u32,
    /// First and last packet in or on the way into the buffer, as visits, or `NONE`.
    pub(super) front: u32,
    pub(super) back: u32,
    /// Symbols emitted that have not yet reached the sender.
    pub(super) symbols_in_flight: u32,
    /// Whether a stop has been emitted and no go since.
    pub(super) stop_outstanding: bool,
    /// Whether the front packet's request for an output is pending.
    pub(super) requested: bool,
    /// Whether the buffer was touched in the present cycle.
    pub(super) touched: bool,
    /// Whether a head arrived at the empty buffer in the present cycle.
    pub(super) fresh: bool,
}

impl Input {
    pub(super) fn empty() -> Self {
        Self {
            departed: 0,
            crossing_at: NEVER,
            crossing_flits: 0,
            drain: NONE,
            front: NONE,
            back: NONE,
            symbols_in_flight: 0,
            stop_outstanding: false,
            requested: false,
            touched: false,
            fresh: false,
        }
    }
}

/// A packet in or on the way into an input buffer.
#[derive(Clone, Debug)]
pub(super) struct Visit {
    /// Cycle its routing flit arrives in, or `NEVER` while that is not known.
    pub(super) head_arrival: u64,
    /// Cycle in which it asked for its output, or `NEVER` before.
    pub(super) asking_since: u64,
    /// Index of its routing flit among all flits that ever arrived at this input.
    pub(super) first_index: u64,
    pub(super) packet: u32,
    /// Next packet in the buffer, or `NONE`.
    pub(super) next: u32,
}

/// A packet under way.
#[derive(Clone, Debug)]
pub(super) struct Packet {
    pub(super) generation_cycle: u64,
    pub(super) injection_cycle: u64,
    pub(super) sequence: u64,
    /// Steps of its route, the final one left out.
    pub(super) step_count: u16,
    /// Steps its head has taken.
    pub(super) step: u16,
    pub(super) source: u32,
    pub(super) destination: u32,
    pub(super) payload_bytes: u32,
    /// Flits on the channel its head is on.
    pub(super) flits: u32,
    pub(super) in_transit_stops: u16,
    /// Host that discards it as it arrives there, or `NONE`.
    pub(super) dropped_at: u32,
    /// The next ports it takes, the final one included, a byte each, the next one lowest: as many as fit
    /// until `step` is a multiple of eight.
    pub(super) ports: u64,
}
