//! An input buffer with stop & go: what enters and leaves it, and when it calls for a stop or a go.

use super::Engine;
use super::event::Event;
use super::runs::{Bound, Content, Run};
use super::state::NONE;
use super::supply::Visit;
use crate::queue::NEVER;

impl Engine<'_> {
    /// The packet in front of a buffer has an output, and may cross from `first` on.
    pub(super) fn granted(&mut self, inlet: u32, number: u32, flits: u32, first: u64) {
        let buffer = &mut self.streams[inlet as usize];
        buffer.granted = Visit {
            packet: number,
            switches: self.packets[number].switches,
        };
        buffer.granted_flits = u64::from(flits);
        buffer.first = first;
        if self.has_output_buffers {
            self.plan_crossing(inlet);
        }
    }

    /// With output buffers: this plans the crossing of the packet that has an output, as far as its
    /// flits are known to come.
    fn plan_crossing(&mut self, inlet: u32) {
        let crossbar = self.crossbar;
        let buffer = &mut self.streams[inlet as usize];
        buffer.departures.clear();
        let (mut next, mut left) = (buffer.first, buffer.granted_flits);
        for run in &buffer.arrivals {
            if left == 0 {
                break;
            }
            // Until they have caught up flits cross one every `crossbar` cycles, then as they arrive.
            let behind = next.saturating_sub(run.start);
            let late = match run.step - crossbar {
                0 if behind > 0 => run.count,
                0 => 0,
                gain => behind.div_ceil(gain).min(run.count),
            };
            let parts = [
                Run {
                    start: next,
                    count: late,
                    step: crossbar,
                },
                Run {
                    start: run.cycle(late),
                    count: run.count - late,
                    step: run.step,
                },
            ];
            for part in parts.into_iter().filter(|part| part.count > 0) {
                buffer.departures.push_back(part);
                next = part.cycle(part.count - 1) + crossbar;
            }
            left -= run.count;
        }
        buffer.crossed_at = if left == 0 { next } else { NEVER };
        let crossed_at = buffer.crossed_at;
        if crossed_at < NEVER {
            self.queue.push(crossed_at, Event::Crossed.at(inlet));
        }
        self.touch(inlet);
    }

    /// The last flit of a packet may have crossed.
    pub(super) fn crossed(&mut self, inlet: u32) {
        if self.streams[inlet as usize].crossed_at != self.now {
            return;
        }
        let outlet = self.inlets[inlet as usize].outlet;
        self.outlets[outlet as usize].crossbar_free_at = self.now;
        self.contest(outlet >> self.lane_bits);
        self.empty(inlet);
    }

    /// Without output buffers: flits cross in the cycles they are sent in.
    pub(super) fn depart(&mut self, inlet: u32, run: Run) {
        self.streams[inlet as usize].departures.push_back(run);
        self.touch(inlet);
    }

    /// The last flits that were to depart do not.
    pub(super) fn depart_less(&mut self, inlet: u32, removed: u64) {
        let departures = &mut self.streams[inlet as usize].departures;
        if let Some(last) = departures.back_mut() {
            last.count -= removed;
            if last.count == 0 {
                departures.pop_back();
            }
        }
        self.touch(inlet);
    }

    /// The packet that had an output has left a buffer for good: the next one is in front.
    pub(super) fn empty(&mut self, inlet: u32) {
        let now = self.now;
        self.count_content(inlet);
        let buffer = &mut self.streams[inlet as usize];
        let mut left = buffer.granted_flits;
        while left > 0 {
            let Some(run) = buffer.arrivals.pop_front() else {
                break;
            };
            left -= run.count;
        }
        buffer.departures.clear();
        buffer.granted = Visit::NONE;
        buffer.crossed_at = NEVER;
        self.inlets[inlet as usize].released_at = now;
        let next = self.inlets[inlet as usize].front;
        if next == NONE {
            return;
        }
        let ask_at = self.packets[next].at + self.lookup_delay;
        if ask_at <= now {
            self.request(inlet);
        } else {
            self.queue.push(ask_at, Event::Request.at(inlet));
        }
    }

    /// What comes to a buffer has changed.
    pub(super) fn supply_changed(&mut self, inlet: u32) {
        self.touch(inlet);
        let buffer = &self.streams[inlet as usize];
        let visit = buffer.granted;
        if visit == Visit::NONE || visit != buffer.sending.next() {
            return;
        }
        if self.has_output_buffers {
            self.plan_crossing(inlet);
        }
        let outlet = self.inlets[inlet as usize].outlet;
        if self.streams[outlet as usize].sending == visit || self.in_front(outlet) == visit {
            self.adjust(outlet);
        }
    }

    /// The packet in front of a lane that has not started.
    fn in_front(&self, outlet: u32) -> Visit {
        let packet = self.outlets[outlet as usize].front;
        if packet == NONE {
            return Visit::NONE;
        }
        Visit {
            packet,
            switches: self.packets[packet].switches,
        }
    }

    /// A buffer is to be watched at the end of the cycle.
    pub(super) fn touch(&mut self, inlet: u32) {
        let buffer = &mut self.streams[inlet as usize];
        if !buffer.is_touched {
            buffer.is_touched = true;
            self.touched.push(inlet);
        }
    }

    /// Counts what a buffer held before now.
    fn count_content(&mut self, inlet: u32) {
        let now = self.now;
        let buffer = &mut self.streams[inlet as usize];
        buffer.content = buffer
            .content
            .through(&buffer.arrivals, &buffer.departures, now);
        debug_assert!(
            buffer.content.most <= u64::from(self.input_buffer_flits),
            "buffer {inlet} overflows before {now}: {:?}",
            buffer.content
        );
    }

    /// What a buffer held before now.
    pub(super) fn content(&self, inlet: u32) -> Content {
        let buffer = &self.streams[inlet as usize];
        buffer
            .content
            .through(&buffer.arrivals, &buffer.departures, self.now)
    }

    /// Phase 7, for a buffer that something happened to: this emits a symbol if one is due, and plans
    /// the next.
    pub(super) fn watch(&mut self, inlet: u32) {
        self.count_content(inlet);
        let now = self.now;
        let flight = u64::from(self.channels[self.channel_of(inlet)].flight);
        let arrives_at = now + flight + self.control_delay;
        let (stop_above, go_below) = (self.stop_above, self.go_below);
        let buffer = &mut self.streams[inlet as usize];
        buffer.is_touched = false;
        let mut content = buffer.content;
        loop {
            let bound = if buffer.stop_outstanding {
                Bound::Below(go_below)
            } else {
                Bound::Above(stop_above)
            };
            let at = content.first_beyond(&buffer.arrivals, &buffer.departures, bound);
            let at = at.unwrap_or(NEVER);
            if at == now {
                let event = if buffer.stop_outstanding {
                    Event::Go
                } else {
                    Event::Stop
                };
                buffer.stop_outstanding = !buffer.stop_outstanding;
                buffer.symbols += 1;
                self.queue.push(arrives_at, event.at(inlet));
                content = content.through(&buffer.arrivals, &buffer.departures, now + 1);
                continue;
            }
            if at < NEVER && at != buffer.symbol_at {
                self.queue.push(at, Event::Symbol.at(inlet));
            }
            buffer.symbol_at = at;
            return;
        }
    }
}
