//! Flits in motion: when an output's flits leave.
//!
//! An output's flits leave in [`Run`]s. A run is planned as soon as its beginning is known, to the
//! packet's tail, and changed when something intervenes: a stop, a go, or the buffer it draws from
//! running dry. When the run that feeds it is cut short, it is looked at again in the cycle in which
//! it will have sent all that is known to come; mostly more has come by then.

use super::Core;
use super::event::Event;
use super::run::{Run, Stride, Timing};
use super::state::{LOCAL, NONE, Output};
use crate::queue::NEVER;

impl<T: Timing> Core<'_, T> {
    /// Plans the present packet's flits on an output anew, from cycle `now` on, and passes the
    /// change on to the buffers at both ends and to the output the packet goes on to.
    pub(super) fn plan(&mut self, channel: u32) {
        let now = self.now;
        let output = &self.channels[channel as usize].output;
        let old = output.run;
        if output.packet == NONE || (output.stopped && (old.end < now || old.start >= NEVER)) {
            return;
        }
        let sent = if now == 0 {
            0
        } else {
            output.sent_through(now - 1)
        };
        if sent == u64::from(output.flits) {
            return;
        }
        let pace = self.timing.pace(channel);
        let mut new = Run::NONE;
        if !output.stopped
            && let Some(supply) = self.supply(channel, sent, self.next_flit(channel))
        {
            let remaining = u64::from(output.flits) - sent;
            new = Run {
                start: supply.start,
                end: NEVER,
                stride: supply.stride,
            };
            // Beyond the flits known to come, the run is planned as if more came in time; whether
            // they do is looked at when they are needed.
            let planned = if supply.pauses {
                supply.flits
            } else {
                remaining
            };
            new.end = new.cycle_of(planned - 1);
            if supply.flits < remaining {
                let dry_at = new.cycle_of(supply.flits - 1) + pace.cycles();
                self.queue.push(dry_at, Event::Dry.on(channel));
            }
        }
        let begun = old.start < now;
        let past = if begun {
            old.through(now - 1)
        } else {
            Run::NONE
        };
        // What was sent and what is to come are one run, unless a pause or a change of pace lies
        // between them.
        let continues = new.start == past.end + new.stride.cycles()
            && (new.stride == old.stride || old.start == old.end);
        let pauses = begun && !continues && new != Run::NONE;
        let run = match (begun, continues) {
            (true, true) => Run {
                start: old.start,
                ..new
            },
            (true, false) if !pauses => past,
            _ => new,
        };
        if run == old {
            return;
        }
        self.touch_ends(channel);
        if pauses {
            self.close_run(channel, past);
        }
        let output = &mut self.channels[channel as usize].output;
        output.run = run;
        if output.awaited && run.end != old.end && output.ends_with_tail() {
            self.queue
                .push(run.end + pace.cycles(), Event::Free.on(channel));
        }
        let head_moved = output.sent_before_run == 0 && run.start != old.start;
        let (packet, visit, is_local) = (output.packet, output.visit, output.input == LOCAL);
        if head_moved && is_local {
            self.packets[packet].injection_cycle = run.start;
        }
        if head_moved {
            let arrival = if run == Run::NONE {
                NEVER
            } else {
                run.start + self.timing.latency(channel)
            };
            self.announce_head(channel, visit, arrival);
        }
        let next = self.next_output(channel);
        if next == NONE {
            return;
        }
        // A packet may stop in transit at the host it came from, which then sends it twice at once.
        let Output {
            packet: next_packet,
            input,
            run: next_run,
            ..
        } = self.channels[next as usize].output;
        if next_packet != packet || input != channel {
            return;
        }
        if !begun || next_run.start >= now || next_run.end < now {
            self.plan(next);
        } else if old.end >= now && (run.start != old.start || run.end < old.end) {
            self.note_dry(channel, next);
        }
    }

    /// The first cycle from now on in which an output may begin to send the next flit of its packet,
    /// if it is there.
    fn next_flit(&self, channel: u32) -> u64 {
        let output = &self.channels[channel as usize].output;
        let first = self.now.max(output.earliest);
        if T::Stride::IS_ONE {
            return first;
        }
        first.max(self.leaves_until(channel))
    }

    /// The cycle from which on no flit of an output's packet that has begun to leave is leaving.
    pub(super) fn leaves_until(&self, channel: u32) -> u64 {
        let output = &self.channels[channel as usize].output;
        let last = if output.run.start < self.now {
            output.run.through(self.now - 1).end
        } else if output.sent_before_run > 0 {
            output.history_end
        } else {
            return 0;
        };
        last + self.timing.pace(channel).cycles()
    }

    /// The run of `channel` has been cut short while the packet's next output is sending: this plans
    /// a look at that output for the cycle in which it will have sent all that came before the cut.
    fn note_dry(&mut self, channel: u32, next: u32) {
        let feed = &self.channels[channel as usize].output;
        let output = &self.channels[next as usize].output;
        let sent = if feed.run.start < self.now {
            feed.run.flits()
        } else {
            0
        };
        let known = feed.total_before_run + sent - output.first_index;
        let dry_at = output
            .run
            .cycle_of(known - u64::from(output.sent_before_run));
        if dry_at <= output.run.end {
            self.queue.push(dry_at, Event::Dry.on(next));
        }
    }

    /// Moves what was sent of the present packet into the channel's history.
    pub(super) fn close_run(&mut self, channel: u32, sent: Run<T::Stride>) {
        let host = self.channels[channel as usize].ends.target_host();
        if host != NONE {
            self.note_pool_arrival(channel, host, sent);
        }
        self.remember(channel, sent);
        self.channels[channel as usize].output.close(sent);
    }

    /// Adds a run to the history of a channel, of which two flight times are needed.
    #[inline]
    pub(super) fn remember(&mut self, channel: u32, sent: Run<T::Stride>) {
        if self.channels[channel as usize].output.history_end + self.history_cycles < self.now {
            self.runs.forget(channel);
        }
        self.runs.push(channel, sent);
    }

    /// The output that draws from the far end of a channel, or `NONE`.
    fn next_output(&self, channel: u32) -> u32 {
        match self.channels[channel as usize].ends.target_host() {
            NONE => self.channels[channel as usize].input.drain,
            host => self.nics[host as usize].channel,
        }
    }

    /// Tells the far end of a channel when the head of a packet arrives.
    fn announce_head(&mut self, channel: u32, visit: u32, arrival: u64) {
        let host = self.channels[channel as usize].ends.target_host();
        if host != NONE {
            self.announce_head_to_host(channel, host, arrival);
            return;
        }
        self.visits[visit].head_arrival = arrival;
        let input = &self.channels[channel as usize].input;
        let next_to_ask = match input.drain {
            NONE => input.front,
            _ => self.visits[input.front].next,
        };
        if arrival != NEVER && next_to_ask == visit {
            self.queue.push(arrival, Event::Head.on(channel));
        }
    }

    /// Makes ready for a change of a channel's run: the buffers it fills and drains are brought
    /// up to date under the old plan.
    fn touch_ends(&mut self, channel: u32) {
        let input = self.channels[channel as usize].output.input;
        if input < LOCAL && self.channels[input as usize].ends.target_host() == NONE {
            self.touch(input);
        }
        match self.channels[channel as usize].ends.target_host() {
            NONE if self.awaits_head(channel) => {}
            NONE => self.touch(channel),
            _ if self.channels[channel as usize].output.delivers => {}
            host => self.touch_pool(host),
        }
        let host = self.channels[channel as usize].ends.source_host();
        if host != NONE && self.nics[host as usize].sends_pooled {
            self.touch_pool(host);
        }
    }

    /// Whether a buffer is empty until the head of the packet now being sent to it arrives: then the
    /// head's event predicts its crossings, with more known.
    fn awaits_head(&self, channel: u32) -> bool {
        let (output, buffer) = (
            &self.channels[channel as usize].output,
            &self.channels[channel as usize].input,
        );
        output.sent_before_run == 0
            && output.run == Run::NONE
            && buffer.front == output.visit
            && !buffer.stop_outstanding
            && buffer.crossing_at == NEVER
    }
}
