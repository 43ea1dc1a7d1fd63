//! Stop & go: a receiver stops its sender at one occupancy and lets it go on at another. Packets are sent
//! in runs. A run is planned as far as the flits are known to come, and cut when a stop arrives or when
//! its own flits are cut upstream. Packets that nothing can halt go a shorter way, without events of their own.

mod buffer;
mod changing;
mod content;
mod planning;
mod sender;
mod whole;

use super::{grant_all, next_grant};
use crate::cut_through::event::Event;
use crate::cut_through::far_room::FarRoom;
use crate::cut_through::network::Network;
use crate::cut_through::setting::{Changing, Setting};
use crate::cut_through::switches::Grant;
use crate::ids::{InletId, OutletId, PacketId, Records, Table};
use crate::memory::fetch_whole;
use crate::queue::NEVER;
use buffer::{Buffer, Symbol};
use sender::{Sender, Sent, Visit};
use weft_fabric::{ChannelId, narrow};
use weft_model::LossCause;
use weft_model::cut_through::LaneUse;

/// What is known of the flits at both ends of all lanes.
#[derive(Debug)]
pub(crate) struct StopAndGo {
    senders: Records<OutletId, Sender>,
    buffers: Records<InletId, Buffer>,
    /// Buffers to be watched at the end of the present cycle.
    touched: Vec<InletId>,
    /// Flits above which a stop is due, and below which a go.
    thresholds: [u64; 2],
    control_delay: u64,
    /// Flits that each buffer holds.
    buffer_flits: u32,
}

impl StopAndGo {
    /// All buffers are empty, and nothing is stopped.
    #[expect(unsafe_code, reason = "lanes are looked up several times an event")]
    pub(super) fn new(
        thresholds: [u64; 2],
        control_delay: u64,
        buffer_flits: u32,
        lanes: usize,
    ) -> Self {
        let senders = Table::of(Sender::IDLE, lanes);
        let buffers = Table::of(Buffer::new(), lanes);
        // SAFETY: there are as many lanes as the network has, which names no others.
        let (senders, buffers) = unsafe { (Records::of(senders), Records::of(buffers)) };
        Self {
            senders,
            buffers,
            touched: Vec::new(),
            thresholds,
            control_delay,
            buffer_flits,
        }
    }

    /// The events of stop & go, in phases 1 and 2.
    pub(crate) fn handle(&mut self, network: &mut Network, event: Event) {
        match event {
            Event::Stop(outlet) => self.stop(network, outlet),
            Event::Go(outlet) => self.go(network, outlet),
            Event::Crossed(inlet) => self.crossed(network, inlet),
            Event::Symbol(inlet) => self.touch(inlet),
            Event::Look(_) | Event::Request(_) | Event::Act(_) | Event::Arrive(_) => {
                unreachable!("{event:?} has nothing to do with stop & go")
            }
        }
    }

    /// What is kept here of all channels.
    pub(super) fn bytes_of_channels(&self) -> usize {
        self.senders.len() * (size_of::<Sender>() + size_of::<Buffer>())
    }

    /// Has the memory bring what is known of both ends of a lane.
    #[inline]
    pub(super) fn fetch(&self, outlet: OutletId) {
        fetch_whole(&self.senders[outlet]);
        fetch_whole(&self.buffers[outlet.far_end()]);
    }

    /// Phase 2: the run of a link has ended. A packet whose last flit was sent is released.
    pub(crate) fn settle(&mut self, network: &mut Network, channel: ChannelId) {
        let state = &network.channels[channel];
        let Some(lane) = state.holder else {
            return;
        };
        if state.free_at > network.clock.now() {
            return;
        }
        let outlet = network.lanes.outlet(channel, lane);
        if network.following.is_some() {
            self.note_motion(network, outlet);
        }
        if let Some(sent) = self.senders[outlet].end() {
            self.finish(network, channel, outlet, &sent);
        }
    }

    /// The last flit of a packet was sent: it releases the link and its room.
    fn finish(&mut self, network: &mut Network, channel: ChannelId, outlet: OutletId, sent: &Sent) {
        let now = network.clock.now();
        let crossbar = network.switches.crossbar;
        let state = &mut network.channels[channel];
        state.holder = None;
        let last_arrival = now - u64::from(state.cycles_per_flit) + state.latency;
        let sender = &mut network.switches.outlets[outlet];
        sender.released_at = now;
        if sender.packets.is_empty() {
            state.loaded.remove(network.lanes.lane(outlet));
        }
        let delivers = state.leads_to_host();
        self.buffers[outlet.far_end()].is_fed = false;
        if let Some(from) = sent.from {
            if crossbar.has_output_buffers() {
                sender.room += sent.flits;
            } else {
                sender.crossbar_free_at = now;
                self.empty(network, from);
            }
        }
        if sent.is_swallowed {
            network.lose(sent.packet, last_arrival, LossCause::Failure);
        } else if last_arrival >= network.clock.horizon {
            network.note_under_way(channel, sent.packet, last_arrival, delivers);
        } else if delivers {
            network.deliver::<Changing>(sent.packet, last_arrival);
        }
    }

    /// A packet has the lane of an output. When it will have crossed is known where all of it comes for certain.
    pub(super) fn grant<S: Setting>(&mut self, network: &mut Network, grant: Grant) {
        if !S::CHANGES && self.grant_whole(network, &grant) {
            return;
        }
        let Grant {
            outlet,
            inlet,
            packet,
            ..
        } = grant;
        let crossbar = network.switches.crossbar;
        let first = network.clock.now() + crossbar.routing_delay;
        let state = &mut network.packets[packet];
        let granted = &mut network.switches.outlets[outlet];
        let (flits, switches) = (state.flits, state.switches);
        granted.crossbar_free_at = NEVER;
        state.inlet = inlet.into();
        self.buffers[inlet].grant(
            Visit { packet, switches },
            flits,
            first,
            network.clock.now(),
        );
        if crossbar.has_output_buffers() {
            granted.room -= flits;
            state.at = first + crossbar.cycles_per_flit;
            self.plan_crossing(network, inlet);
        } else {
            state.at = first;
        }
        network.load(outlet, packet);
    }

    /// With output buffers: plans the crossing of the packet that has an output.
    fn plan_crossing(&mut self, network: &mut Network, inlet: InletId) {
        let cycles = network.switches.crossbar.cycles_per_flit;
        if let Some(crossed_at) = self.buffers[inlet].plan_crossing(cycles) {
            network.clock.plan(crossed_at, Event::Crossed(inlet));
        }
        self.touch(inlet);
    }

    /// The last flit of a packet may have crossed.
    fn crossed(&mut self, network: &mut Network, inlet: InletId) {
        let now = network.clock.now();
        if self.buffers[inlet].crossed_at != Some(now) {
            return;
        }
        match network.switches.inlets[inlet].found() {
            Some(outlet) => {
                network.switches.outlets[outlet].crossbar_free_at = now;
                let channel = network.lanes.channel(outlet);
                if !network.channels[channel].asked.is_empty() {
                    network.contest(channel);
                }
            }
            None => self.forget_discarded(network, inlet),
        }
        self.empty(network, inlet);
    }

    /// The packet that had an output has left a buffer for good: the next one is in front.
    fn empty(&mut self, network: &mut Network, inlet: InletId) {
        let now = network.clock.now();
        self.buffers[inlet].empty(now);
        match network.release(inlet, now) {
            Some(ask_at) if ask_at > now => network.clock.plan(ask_at, Event::Request(inlet)),
            Some(_) => network.clock.asking.push(inlet),
            None => {}
        }
    }

    /// Does what is possible at the source of a channel now, and plans the next look.
    #[inline]
    pub(super) fn resolve<S: Setting>(&mut self, network: &mut Network, channel: ChannelId) {
        if S::CHANGES || !self.pass(network, channel) {
            self.grant_and_serve::<S>(network, channel);
        }
    }

    #[inline(never)]
    fn grant_and_serve<S: Setting>(&mut self, network: &mut Network, channel: ChannelId) {
        grant_all(network, channel, |network, grant| {
            self.grant::<S>(network, grant);
        });
        self.serve::<S>(network, channel);
    }

    /// Uses the link of a channel, if it can be, and plans the next look at it.
    fn serve<S: Setting>(&mut self, network: &mut Network, channel: ChannelId) {
        self.continue_or_arbitrate::<S>(network, channel);
        if !S::CHANGES {
            self.send_ahead(network, channel);
        }
        let next = self.next_look(network, channel);
        network.look(channel, next);
    }

    /// Gives a link to a lane: to the one that has it, if it can go on, else to the next
    /// candidate in turn.
    fn continue_or_arbitrate<S: Setting>(&mut self, network: &mut Network, channel: ChannelId) {
        let now = network.clock.now();
        let state = &network.channels[channel];
        if state.free_at > now {
            return;
        }
        if let Some(lane) = state.holder {
            let outlet = network.lanes.outlet(channel, lane);
            if self.candidate_at(network, outlet) <= now {
                self.run(network, channel, outlet);
                return;
            }
            network.channels[channel].holder = None;
        }
        for lane in network.channels[channel].loaded_in_turn() {
            let outlet = network.lanes.outlet(channel, lane);
            if self.candidate_at(network, outlet) <= now {
                if !S::CHANGES && self.send_whole(network, channel, lane, now) {
                    return;
                }
                let state = &mut network.channels[channel];
                state.holder = Some(lane);
                state.serve(lane, network.lanes);
                if self.senders[outlet].sending.is_none() {
                    self.start(network, channel, outlet);
                }
                self.run(network, channel, outlet);
                return;
            }
        }
    }

    /// A packet leaves the queue of its lane and gets the link for the first time.
    fn start(&mut self, network: &mut Network, channel: ChannelId, outlet: OutletId) {
        let queue = &mut network.switches.outlets[outlet].packets;
        let Some(number) = queue.pop(&network.packets) else {
            unreachable!("a link is given to a lane with a packet in front");
        };
        let packet = &network.packets[number];
        let visit = Visit {
            packet: number,
            switches: packet.switches,
        };
        let state = &network.channels[channel];
        self.senders[outlet].start(visit, packet.flits, packet.inlet.get(), state.is_down);
        if packet.inlet.get().is_none() {
            network.inject(number);
        }
        let state = &network.channels[channel];
        if !state.takes_all::<Changing>() {
            let arrival = network.clock.now() + state.latency;
            network.enter(outlet.far_end(), number, arrival);
        }
    }

    /// A stop arrives at the source of a lane.
    fn stop(&mut self, network: &mut Network, outlet: OutletId) {
        let now = network.clock.now();
        self.buffers[outlet.far_end()].symbols -= 1;
        let sender = &mut self.senders[outlet];
        sender.stopped_since = Some(now);
        if let Some(run) = sender.run
            && !sender.is_swallowed
            && let Some(inlet) = self.cut(network, outlet, run.count_before(now))
        {
            self.supply_changed(network, inlet);
        }
    }

    /// A go arrives at the source of a lane.
    fn go(&mut self, network: &mut Network, outlet: OutletId) {
        let channel = network.lanes.channel(outlet);
        if let Some(host) = network.channels[channel].source_host.get() {
            network.feed::<Changing>(host, channel, network.clock.now());
        }
        let stopped = self.stopped_cycles(network, outlet);
        network.switches.waiting.keep_back(outlet, stopped);
        self.buffers[outlet.far_end()].symbols -= 1;
        self.senders[outlet].stopped_since = None;
        network.contest(channel);
    }

    /// Cycles before now for which a stop has kept back the packet in front of a lane.
    fn stopped_cycles(&self, network: &Network, outlet: OutletId) -> u64 {
        let now = network.clock.now();
        let sender = &self.senders[outlet];
        let Some(stopped_since) = sender.stopped_since else {
            return 0;
        };
        if self.takes_all(network, outlet) {
            return 0;
        }
        let since = if sender.has_more(now) {
            stopped_since
        } else {
            let released_at = match sender.run {
                Some(run) => run.end(),
                None => network.switches.outlets[outlet].released_at,
            };
            let ready_at = ready_at(network, outlet).max(released_at);
            ready_at.max(stopped_since)
        };
        now.saturating_sub(since)
    }

    /// The first cycle in which the link of a channel may be given to a lane, as far as is known.
    fn next_look(&self, network: &Network, channel: ChannelId) -> u64 {
        let now = network.clock.now();
        let state = &network.channels[channel];
        let free_at = state.free_at;
        let mut next = next_grant(network, channel);
        if free_at > now && state.holder.is_some() {
            // No lane has the link sooner.
            next = next.min(free_at);
        } else {
            for lane in state.loaded {
                let at = self.candidate_at(network, network.lanes.outlet(channel, lane));
                let at = at.max(free_at);
                if at > now {
                    next = next.min(at);
                }
            }
        }
        match state.source_host.get() {
            Some(host) => next.min(network.next_generation::<Changing>(host, channel)),
            None => next,
        }
    }

    /// A buffer is to be watched at the end of the cycle.
    fn touch(&mut self, inlet: InletId) {
        if self.buffers[inlet].touch() {
            self.touched.push(inlet);
        }
    }

    /// Phase 7: emits the symbols that are due at buffers that something happened to, and plans the next.
    pub(crate) fn watch_touched(&mut self, network: &mut Network) {
        let now = network.clock.now();
        while let Some(inlet) = self.touched.pop() {
            let buffer = &mut self.buffers[inlet];
            let (due, next) = buffer.watch(now, self.thresholds);
            debug_assert!(
                buffer.content_before(now).1 <= self.buffer_flits.into(),
                "{inlet:?} overflows before {now}: {buffer:?}"
            );
            if let Some(symbol) = due {
                let flight = u64::from(network.switches.inlets[inlet].flight);
                let arrives_at = now + flight + self.control_delay;
                let event = match symbol {
                    Symbol::Stop => Event::Stop(inlet.near_end()),
                    Symbol::Go => Event::Go(inlet.near_end()),
                };
                network.clock.plan(arrives_at, event);
            }
            if let Some(cycle) = next {
                network.clock.plan(cycle, Event::Symbol(inlet));
            }
        }
    }

    /// Flits taken of the buffer at the end of a lane, as far as its source knows.
    pub(super) fn taken(&self, outlet: OutletId, _: &FarRoom, _: u64) -> u32 {
        match self.senders[outlet].stopped_since {
            Some(_) => self.buffer_flits,
            None => 0,
        }
    }

    /// How a lane was used: sums since the beginning, and maxima since the last reset.
    pub(super) fn lane_use(&self, network: &Network, outlet: OutletId) -> LaneUse {
        let now = network.clock.now();
        let counted = network.switches.waiting.counted(outlet);
        let busy_cycles = network.switches.outlets[outlet].busy_cycles;
        let (flit_cycles, most) = self.buffers[outlet.far_end()].content_before(now);
        let cycles_per_flit = network.channels[network.lanes.channel(outlet)].cycles_per_flit;
        let of_whole = network.switches.outlets[outlet].cycles_to_come(now, cycles_per_flit);
        let to_come = of_whole + self.cycles_to_come(outlet, now);
        LaneUse {
            busy_cycles: busy_cycles - to_come,
            blocked_cycles: counted.blocked_cycles + self.stopped_cycles(network, outlet),
            occupancy_flit_cycles: flit_cycles,
            max_occupancy_flits: narrow(most, "a buffer holds what it has room for"),
            ..counted
        }
    }

    /// Cycles of link time that are to come of the run of a lane.
    pub(super) fn cycles_to_come(&self, outlet: OutletId, now: u64) -> u64 {
        let run = self.senders[outlet].run;
        run.map_or(0, |run| run.end().saturating_sub(now))
    }

    /// Counts the maxima of buffers anew.
    pub(super) fn reset(&mut self, network: &Network) {
        let now = network.clock.now();
        for inlet in self.buffers.ids() {
            self.buffers[inlet].reset(now);
        }
    }

    /// Whether a stop holds a lane with a packet, and the buffer that sent it sends no go.
    pub(super) fn is_kept_back(&self, network: &Network, outlet: OutletId) -> bool {
        let now = network.clock.now();
        let sender = &self.senders[outlet];
        let has_packet = sender.has_more(now) || ready_at(network, outlet) <= now;
        let is_stopped = sender.stopped_since.is_some();
        let is_kept = is_stopped && !self.takes_all(network, outlet);
        has_packet && is_kept && self.buffers[outlet.far_end()].sends_no_go()
    }

    /// The packet that has an output and is in a buffer yet.
    pub(super) fn crossing(&self, inlet: InletId) -> Option<PacketId> {
        self.buffers[inlet].granted.map(|visit| visit.packet)
    }
}

/// The first cycle in which the packet in front of a lane is ready.
fn ready_at(network: &Network, outlet: OutletId) -> u64 {
    let front = network.switches.outlets[outlet].packets.front();
    front.map_or(NEVER, |packet| network.packets[packet].at)
}
