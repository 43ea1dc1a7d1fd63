//! On a link with stop & go: packets are sent in runs. A run is planned as far as the flits are known
//! to come, and cut when a stop arrives or when its own flits are cut upstream.

use super::Engine;
use super::event::Event;
use super::runs::Run;
use super::state::NONE;
use super::supply::Visit;
use crate::queue::NEVER;

/// No lane.
pub(super) const NO_LANE: u8 = u8::MAX;

impl Engine<'_> {
    /// Phase 2: the run of a link has ended. A packet whose last flit was sent is released.
    pub(super) fn settle(&mut self, channel: u32) {
        let state = &self.channels[channel as usize];
        let (holder, free_at) = (state.holder, state.free_at);
        if holder == NO_LANE || free_at > self.now {
            return;
        }
        let outlet = self.lane_index(channel, holder);
        let stream = &mut self.streams[outlet as usize];
        if let Some(run) = stream.run.take() {
            stream.sent += run.count;
        }
        if stream.sent == stream.flits {
            self.finish(channel, holder);
        }
    }

    /// The last flit of a packet was sent: it releases the link and its room.
    fn finish(&mut self, channel: u32, lane: u8) {
        let now = self.now;
        let outlet = self.lane_index(channel, lane);
        let state = &mut self.channels[channel as usize];
        state.holder = NO_LANE;
        let last_arrival = now - u64::from(state.cycles_per_flit) + state.latency;
        let stream = &mut self.streams[outlet as usize];
        let (number, from) = (stream.sending.packet, stream.from);
        stream.sending = Visit::NONE;
        let sender = &mut self.outlets[outlet as usize];
        sender.released_at = now;
        if sender.front == NONE {
            state.loaded &= !(1 << lane);
        }
        if state.target_host != NONE {
            self.deliver(number, last_arrival);
        }
        if from == NONE {
            return;
        }
        if self.has_output_buffers {
            let flits = self.packet_flits(outlet);
            self.outlets[outlet as usize].room += flits;
        } else {
            self.outlets[outlet as usize].crossbar_free_at = now;
            self.empty(from);
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "packets fit buffers, whose flits are 32-bit numbers"
    )]
    fn packet_flits(&self, outlet: u32) -> u32 {
        self.streams[outlet as usize].flits as u32
    }

    /// Gives a link to a lane: to the one that has it, if it can go on, else to the next
    /// candidate in turn.
    pub(super) fn continue_or_arbitrate(&mut self, channel: u32) {
        let state = &self.channels[channel as usize];
        if state.free_at > self.now {
            return;
        }
        if state.holder != NO_LANE {
            let outlet = self.lane_index(channel, state.holder);
            if self.candidate_at(outlet) <= self.now {
                self.run(channel, outlet);
                return;
            }
            self.channels[channel as usize].holder = NO_LANE;
        }
        let state = &self.channels[channel as usize];
        let before = state.loaded & ((1 << state.next_lane) - 1);
        for mut lanes in [state.loaded ^ before, before] {
            while lanes != 0 {
                #[expect(clippy::cast_possible_truncation, reason = "at most 16")]
                let lane = lanes.trailing_zeros() as u8;
                lanes &= lanes - 1;
                let outlet = self.lane_index(channel, lane);
                if self.candidate_at(outlet) <= self.now {
                    let state = &mut self.channels[channel as usize];
                    state.holder = lane;
                    state.next_lane = if lane + 1 == self.lane_count {
                        0
                    } else {
                        lane + 1
                    };
                    if self.streams[outlet as usize].sending == Visit::NONE {
                        self.start(channel, outlet);
                    }
                    self.run(channel, outlet);
                    return;
                }
            }
        }
    }

    /// A packet leaves the queue of its lane and gets the link for the first time.
    fn start(&mut self, channel: u32, outlet: u32) {
        let now = self.now;
        let sender = &mut self.outlets[outlet as usize];
        let number = sender.front;
        let packet = &mut self.packets[number];
        sender.front = packet.next;
        if packet.inlet == NONE {
            packet.injection_cycle = now;
            self.packets_injected += 1;
            self.packet_hops += 1;
        }
        let stream = &mut self.streams[outlet as usize];
        stream.sending = Visit {
            packet: number,
            switches: packet.switches,
        };
        stream.flits = u64::from(packet.flits);
        stream.from = packet.inlet;
        stream.sent = 0;
        let state = &self.channels[channel as usize];
        if state.target_host == NONE {
            let arrival = now + state.latency;
            self.enter(outlet, number, arrival);
        }
    }

    /// A lane sends from now on, as long as flits are known to come.
    fn run(&mut self, channel: u32, outlet: u32) {
        let now = self.now;
        let state = &self.channels[channel as usize];
        let step = u64::from(state.cycles_per_flit);
        let (latency, target_host) = (state.latency, state.target_host);
        let run = Run {
            start: now,
            count: self.sendable(outlet, now, step),
            step,
        };
        debug_assert!(run.count > 0, "a candidate has a flit to send");
        self.channels[channel as usize].free_at = run.end();
        self.meters[outlet as usize].busy_cycles += run.count * step;
        self.flits_started += run.count;
        let stream = &mut self.streams[outlet as usize];
        let (is_first, from) = (stream.sent == 0, stream.from);
        stream.run = Some(run);
        if target_host == NONE {
            let arrival = Run {
                start: now + latency,
                ..run
            };
            match stream.arrivals.back_mut() {
                Some(last) if !is_first && last.end() == arrival.start => {
                    last.count += arrival.count;
                }
                _ => stream.arrivals.push_back(arrival),
            }
        }
        if from != NONE && !self.has_output_buffers {
            self.depart(from, run);
        }
        if target_host == NONE {
            self.supply_changed(outlet);
        }
    }

    /// A run is cut down to its first `count` flits, of which none is later than now.
    fn cut(&mut self, outlet: u32, count: u64) {
        let channel = outlet >> self.lane_bits;
        let stream = &mut self.streams[outlet as usize];
        let Some(run) = &mut stream.run else {
            return;
        };
        let removed = run.count - count;
        if removed == 0 {
            return;
        }
        run.count = count;
        let (end, step, from) = (run.end(), run.step, stream.from);
        self.meters[outlet as usize].busy_cycles -= removed * step;
        self.flits_started -= removed;
        if from != NONE && !self.has_output_buffers {
            self.depart_less(from, removed);
        }
        let state = &mut self.channels[channel as usize];
        state.free_at = end;
        if state.target_host == NONE {
            let arrivals = &mut self.streams[outlet as usize].arrivals;
            if let Some(last) = arrivals.back_mut() {
                last.count -= removed;
                if last.count == 0 {
                    arrivals.pop_back();
                }
            }
            self.supply_changed(outlet);
        }
        if end <= self.now {
            self.settle(channel);
            self.contest(channel);
        } else {
            self.look(channel, end);
        }
    }

    /// What is known to come to a lane has changed: its run may have to be cut, or may begin.
    pub(super) fn adjust(&mut self, outlet: u32) {
        let Some(run) = self.streams[outlet as usize].run else {
            let at = self.candidate_at(outlet).max(self.now + 1);
            self.look(outlet >> self.lane_bits, at);
            return;
        };
        let count = self.sendable(outlet, run.start, run.step);
        if count < run.count {
            self.cut(outlet, count);
        }
    }

    /// A stop arrives at the source of a lane.
    pub(super) fn stop(&mut self, outlet: u32) {
        let now = self.now;
        let stream = &mut self.streams[outlet as usize];
        stream.symbols -= 1;
        stream.is_stopped = true;
        stream.stopped_since = now;
        if let Some(run) = stream.run {
            self.cut(outlet, run.count_before(now));
        }
    }

    /// A go arrives at the source of a lane.
    pub(super) fn go(&mut self, outlet: u32) {
        let channel = outlet >> self.lane_bits;
        let source = self.channels[channel as usize].source_host;
        if source != NONE {
            self.feed(source, channel, self.now);
        }
        self.meters[outlet as usize].blocked_cycles += self.stopped_cycles(outlet);
        let stream = &mut self.streams[outlet as usize];
        stream.symbols -= 1;
        stream.is_stopped = false;
        self.contest(channel);
    }

    /// Cycles before now for which a stop has kept back the packet in front of a lane.
    pub(super) fn stopped_cycles(&self, outlet: u32) -> u64 {
        let stream = &self.streams[outlet as usize];
        if !stream.is_stopped {
            return 0;
        }
        let since = if stream.has_more(self.now) {
            stream.stopped_since
        } else {
            let sender = &self.outlets[outlet as usize];
            let released_at = match stream.run {
                Some(run) => run.end(),
                None => sender.released_at,
            };
            let ready_at = self.ready_at(outlet).max(released_at);
            ready_at.max(stream.stopped_since)
        };
        self.now.saturating_sub(since)
    }

    /// Plans the next look at a channel.
    pub(super) fn plan_streams(&mut self, channel: u32) {
        let state = &self.channels[channel as usize];
        let (free_at, mut loaded, source) = (state.free_at, state.loaded, state.source_host);
        let mut next = if free_at > self.now { free_at } else { NEVER };
        while loaded != 0 {
            let lane = loaded.trailing_zeros();
            loaded &= loaded - 1;
            let at = self.candidate_at(channel << self.lane_bits | lane);
            if at > self.now {
                next = next.min(at.max(free_at));
            }
        }
        if source != NONE {
            next = next.min(self.next_generation(source, channel));
        }
        self.look(channel, next);
    }

    /// The events of stop & go, in phases 1 and 2.
    pub(super) fn handle_stream_event(&mut self, event: Event, lane: u32) {
        match event {
            Event::Stop => self.stop(lane),
            Event::Go => self.go(lane),
            Event::Crossed => self.crossed(lane),
            Event::Symbol => self.touch(lane),
            Event::Request | Event::Look | Event::Act => {}
        }
    }
}
