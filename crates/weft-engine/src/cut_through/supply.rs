//! With stop & go: what is known of the flits of a lane, at both ends of its channel, and when its
//! packet can be sent on.

use super::Engine;
use super::runs::{Content, Run};
use super::state::NONE;
use crate::queue::NEVER;
use std::collections::VecDeque;

/// A packet at one of the switches on its way: its number, and how many switches it has come to. A
/// packet that goes in a circle can be at two places of it at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Visit {
    pub(super) packet: u32,
    pub(super) switches: u16,
}

impl Visit {
    /// No packet.
    pub(super) const NONE: Self = Self {
        packet: NONE,
        switches: 0,
    };

    /// The same packet at the next switch.
    pub(super) fn next(self) -> Self {
        Self {
            switches: self.switches + 1,
            ..self
        }
    }
}

/// What stop & go keeps of a lane besides, at both ends of its channel.
#[derive(Clone, Debug)]
pub(super) struct Stream {
    /// The packet that has started and is not released, its length, and the inlet it comes by (`NONE`
    /// at its source).
    pub(super) sending: Visit,
    pub(super) flits: u64,
    pub(super) from: u32,
    /// Flits sent before the run, and the run.
    pub(super) sent: u64,
    pub(super) run: Option<Run>,
    /// The last control symbol was a stop; since when.
    pub(super) is_stopped: bool,
    pub(super) stopped_since: u64,

    /// At the end of the channel: flits in cycles of arrival, of all packets that are not released.
    pub(super) arrivals: VecDeque<Run>,
    /// Flits in the cycles they cross in, of the packet that has an output.
    pub(super) departures: VecDeque<Run>,
    /// That packet, its length, and the first cycle it may cross in.
    pub(super) granted: Visit,
    pub(super) granted_flits: u64,
    pub(super) first: u64,
    /// Cycle in which its last flit will have crossed, if that is known; used with output buffers.
    pub(super) crossed_at: u64,
    pub(super) content: Content,
    /// A stop was emitted, and no go after it.
    pub(super) stop_outstanding: bool,
    /// Symbols on their way.
    pub(super) symbols: u32,
    /// Cycle in which the next symbol is emitted, as far as is known.
    pub(super) symbol_at: u64,
    pub(super) is_touched: bool,
}

impl Stream {
    pub(super) fn new() -> Self {
        Self {
            sending: Visit::NONE,
            flits: 0,
            from: NONE,
            sent: 0,
            run: None,
            is_stopped: false,
            stopped_since: 0,
            arrivals: VecDeque::new(),
            departures: VecDeque::new(),
            granted: Visit::NONE,
            granted_flits: 0,
            first: 0,
            crossed_at: NEVER,
            content: Content::default(),
            stop_outstanding: false,
            symbols: 0,
            symbol_at: NEVER,
            is_touched: false,
        }
    }

    /// Whether the packet being sent has flits that are not sent before `cycle`.
    pub(super) fn has_more(&self, cycle: u64) -> bool {
        let running = self.run.map_or(0, |run| run.count_before(cycle));
        self.sending != Visit::NONE && self.sent + running < self.flits
    }
}

impl Engine<'_> {
    /// The first cycle in which a lane is a candidate, as far as is known.
    pub(super) fn candidate_at(&self, outlet: u32) -> u64 {
        let stream = &self.streams[outlet as usize];
        if stream.is_stopped {
            return NEVER;
        }
        if stream.sending != Visit::NONE {
            return self.available_at(stream.from, stream.sending, stream.sent);
        }
        self.ready_at(outlet)
            .max(self.outlets[outlet as usize].released_at)
    }

    /// The first cycle in which the packet in front of a lane is ready.
    pub(super) fn ready_at(&self, outlet: u32) -> u64 {
        let number = self.outlets[outlet as usize].front;
        if number == NONE {
            return NEVER;
        }
        self.packets[number].at
    }

    /// The first cycle in which a flit of a packet that came by an inlet can be sent, if it is known.
    fn available_at(&self, from: u32, visit: Visit, index: u64) -> u64 {
        if from == NONE || self.streams[from as usize].granted != visit {
            // At its source, or in the output buffer as a whole.
            return 0;
        }
        let (runs, later) = self.supply(from);
        let mut index = index;
        for run in runs {
            if index < run.count {
                return run.cycle(index) + later;
            }
            index -= run.count;
        }
        NEVER
    }

    /// The flits of the packet that has an output, and how much later than told they can be sent.
    fn supply(&self, inlet: u32) -> (&VecDeque<Run>, u64) {
        let buffer = &self.streams[inlet as usize];
        if self.has_output_buffers {
            (&buffer.departures, self.crossbar)
        } else {
            (&buffer.arrivals, 0)
        }
    }

    /// How many flits of a packet, from the `sent`-th on, can be sent one every `step` cycles from
    /// `start` on.
    pub(super) fn sendable(&self, outlet: u32, start: u64, step: u64) -> u64 {
        let stream = &self.streams[outlet as usize];
        let left = stream.flits - stream.sent;
        if stream.from == NONE || self.streams[stream.from as usize].granted != stream.sending {
            return left;
        }
        let (runs, later) = self.supply(stream.from);
        let (mut skipped, mut count) = (0, 0);
        for run in runs {
            let begin = stream.sent.saturating_sub(skipped).min(run.count);
            skipped += run.count;
            let there = run.count - begin;
            if there == 0 {
                continue;
            }
            let spare = (start + count * step).checked_sub(run.cycle(begin) + later);
            let Some(spare) = spare else {
                return count.min(left);
            };
            if run.step > step {
                let in_time = spare / (run.step - step) + 1;
                if in_time < there {
                    return (count + in_time).min(left);
                }
            }
            count += there;
            if count >= left {
                return left;
            }
        }
        count
    }
}
