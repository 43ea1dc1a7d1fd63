//! The cut-through model simulated event by event, exact to the cycle.
//!
//! ```text
//!  events ──┬─► request: a head is in front of a buffer, its packet asks for an output ─┐
//!           └─► look: at the source of a channel ◄──────────────────────────────────────┘
//!                  grants of the crossbar, then the link; then the next look is planned
//! ```
//!
//! With credits nothing that has started ever waits: when a packet is granted an output, the cycle its
//! last flit crosses in is known, and with it when its room is given back; when it gets the link, so
//! are its arrival at the next switch and the release of the link. All of that is entered ahead of
//! time. Outputs and links are given away ahead of time too, as far as it is known who comes (the
//! [foresight](switches::Crossbar::foresight)), so that mostly a packet costs one event a channel, its
//! request, and a look where it waits.
//!
//! Within a cycle the order of events does not matter: requests are put in order as they are entered,
//! and grants and links are decided when all events of the cycle are handled. A channel takes at least
//! one cycle, and so does a flit, so nothing decided in a cycle is seen elsewhere in the same one.
//!
//! Who owns what, and calls only what stands below it:
//!
//! ```text
//!  Engine ─► Flow ─► Network ─► Clock      the present cycle, what is planned
//!          (credits,          ├► Hosts      what they send, what they are told
//!         stop & go)          ├► Channels   who has the link
//!                             ├► Switches   both ends of lanes: buffers, requests, grants
//!                             ├► Packets
//!                             └► Meters
//! ```

mod changes;
mod channel_state;
mod clock;
mod deadlock;
mod error;
mod event;
mod far_room;
mod flow;
mod following;
mod hosts;
mod lane_numbers;
mod lane_use;
mod network;
mod occupancy;
mod order;
mod packet_state;
mod setting;
mod switches;
mod under_way;
mod waiting_hosts;

pub use error::EngineError;

use crate::event::MAX_PARTS;
use crate::following::Following;
use crate::memory::{TOGETHER, fetch};
use crate::probe::{Counters, Motion, Probe, Simulator, WaitingPacket};
use event::Event;
use far_room::FarRoom;
use flow::Flow;
use lane_numbers::Lanes;
use network::Network;
use setting::{Changing, Setting, Steady};
use switches::{Guide, Selects};
use weft_fabric::{ChannelId, Fabric, HostId};
use weft_model::changes::Changes;
use weft_model::cut_through::{CutThroughModel, LaneUse};
use weft_model::workload::{Execution, Workload};
use weft_model::{ChannelTimings, ChannelUse, PoolUse};
use weft_routing::{ChangingForwarding, CheckedRoutes, HoldsRoutes, Lane, Routes};

/// The event-driven engine of the cut-through model.
///
/// For every packet and lane it gives what the model, stepped cycle by cycle, would give; it borrows
/// checked routes and workload, so that many engines can share them.
#[derive(Debug)]
pub struct Engine<'a> {
    network: Network<'a>,
    flow: Flow,
    /// Lanes of the hardware, those that no packet takes included.
    lane_count: u8,
}

impl<'a> Engine<'a> {
    /// Makes an engine at cycle 0 with an empty network.
    ///
    /// # Errors
    /// [`EngineError`] when parameters contradict one another, or routes or packets do not fit.
    pub fn new<R: HoldsRoutes>(
        fabric: &Fabric,
        routes: &'a CheckedRoutes<R>,
        model: &CutThroughModel,
        timings: &ChannelTimings,
        workload: &'a Workload,
    ) -> Result<Self, EngineError> {
        let hardware = (model, timings);
        Self::with_changes(fabric, routes, &[], &Changes::default(), hardware, workload)
    }

    /// The same, of a network to which things happen. Switches and hosts have the tables of `routes`, place 0,
    /// until a change gives them those of `others`, from place 1 on; by these packets need not arrive.
    ///
    /// # Errors
    /// The same. Where packets choose, parts may fail, and no tables change.
    pub fn with_changes<R: HoldsRoutes>(
        fabric: &Fabric,
        routes: &'a CheckedRoutes<R>,
        others: &'a [Routes],
        changes: &Changes,
        (model, timings): (&CutThroughModel, &ChannelTimings),
        workload: &'a Workload,
    ) -> Result<Self, EngineError> {
        if !timings.fits(fabric.link_count()) {
            return Err(EngineError::Timings {
                expected: fabric.link_count(),
            });
        }
        model.check(timings)?;
        model.check_packet(workload.most_payload_bytes())?;
        if let Some(unknown) = changes.unknown_part(fabric, others.len() + 1) {
            return Err(unknown.into());
        }
        let of_others = others.iter().map(Routes::lane_count);
        let used = of_others.fold(routes.routes().lane_count(), u8::max);
        if used > model.data_lanes() {
            return Err(EngineError::Lanes {
                used,
                available: model.data_lanes(),
            });
        }
        // Lanes that no packet takes need no state.
        let lanes = Lanes::new(model.control_lanes_from + used);
        let limit = lanes.channels_below(MAX_PARTS) - 1;
        if fabric.channel_count() > limit {
            return Err(EngineError::TooLarge {
                found: fabric.channel_count(),
                lanes: lanes.count(),
                limit,
            });
        }
        let guide = if changes.are_of_tables() {
            let forwarding = ChangingForwarding::new(fabric, routes, others)?;
            Guide::Changing(Box::new(forwarding))
        } else {
            let numbers = lanes.numbers(fabric.channel_count());
            let selects = Selects::new(model.selection, workload.seed());
            Guide::new(fabric, routes.forwarding(fabric)?, numbers, selects)
        };
        let hardware = (model, timings);
        Ok(Self {
            network: Network::new(fabric, guide, changes, hardware, workload, lanes),
            flow: Flow::new(model, lanes.numbers(fabric.channel_count())),
            lane_count: model.lanes,
        })
    }

    /// What happens to a part of the network, requests and looks left out.
    #[inline]
    fn handle(&mut self, event: Event) {
        let Self { network, flow, .. } = self;
        match (event, flow) {
            (Event::Act(host), _) => network.act(host),
            (Event::Arrive(channel), _) => network.arrive_after_changes(channel),
            (event, Flow::StopAndGo(streams)) => streams.handle(network, event),
            (event, Flow::Credits(_)) => unreachable!("{event:?} with credits"),
        }
    }

    /// The sources of some channels, at which something may have changed, are to be looked at where a look is
    /// due.
    fn contest_due(&mut self, looks: &mut Vec<ChannelId>) {
        let Self { network, flow, .. } = self;
        for some in looks.chunks(TOGETHER) {
            if some.len() > 1 {
                for &channel in some {
                    fetch(&network.channels[channel]);
                }
            }
            for &channel in some {
                let look = &mut network.channels[channel].look;
                if network.clock.contest_if_due(channel, look)
                    && let Flow::StopAndGo(streams) = flow
                {
                    streams.settle(network, channel);
                }
            }
        }
        looks.clear();
    }

    /// Where packets choose: those at all switches at which something happened in this cycle take what
    /// they can.
    #[cold]
    fn serve_switches(&mut self) {
        let Self { network, flow, .. } = self;
        let now = network.clock.now();
        network.contest_switches();
        while let Some((switch, mut waiting)) = network.switches.choices_mut().next_contested() {
            for &inlet in &waiting {
                network.offer(inlet, |outlet, far_room: &FarRoom| {
                    flow.taken(outlet, far_room, now)
                });
            }
            waiting.retain(|&inlet| {
                let taken = |outlet, far_room: &FarRoom| flow.taken(outlet, far_room, now);
                let grant = network.grant_best(inlet, taken);
                if let Some(grant) = grant {
                    flow.grant(network, grant);
                }
                grant.is_none()
            });
            network.wait(switch, waiting);
        }
    }

    /// Does what is possible at the source of a channel now, and plans the next look.
    fn resolve<S: Setting>(&mut self, channel: ChannelId) {
        let Self { network, flow, .. } = self;
        let state = &mut network.channels[channel];
        state.look.done();
        if let Some(host) = state.source_host.get() {
            network.feed::<S>(host, channel, network.clock.now());
            network.take_in_turn(host, channel);
        }
        flow.resolve::<S>(network, channel);
    }

    /// Handles all cycles before `until_cycle`.
    fn advance_in<S: Setting>(&mut self, until_cycle: u64, probe: &mut impl Probe) {
        let looks_come_first = matches!(self.flow, Flow::StopAndGo(_));
        let mut looks = Vec::new();
        let mut others = Vec::new();
        while let Some(mut taken) = self.network.clock.begin_cycle(until_cycle) {
            if S::CHANGES && self.network.clock.now() >= self.network.clock.horizon {
                self.change();
            }
            while let Some(event) = self.network.clock.next_event(&mut taken) {
                match event {
                    Event::Request(inlet) => self.network.clock.asking.push(inlet),
                    Event::Look(channel) => looks.push(channel),
                    // With stop & go other events may plan looks, which would hide those of this cycle.
                    event if looks_come_first => others.push(event),
                    event => self.handle(event),
                }
            }
            self.contest_due(&mut looks);
            for event in others.drain(..) {
                self.handle(event);
            }
            self.network.request_all::<S>();
            while S::CHANGES
                && let Some(inlet) = self.network.clock.discarded.pop()
            {
                self.flow.discard(&mut self.network, inlet);
            }
            if self.network.switches.choose() {
                self.serve_switches();
            }
            while !self.network.clock.contested.is_empty() {
                self.network.fetch_contested();
                for _ in 0..TOGETHER {
                    let Some(channel) = self.network.clock.next_contested() else {
                        break;
                    };
                    self.resolve::<S>(channel);
                }
            }
            if let Flow::StopAndGo(streams) = &mut self.flow {
                streams.watch_touched(&mut self.network);
            }
            let now = self.network.clock.now();
            let reports = &mut self.network.hosts.reports;
            if reports.are_many() {
                reports.tell(now, probe);
            }
        }
        let network = &mut self.network;
        if network.clock.end(until_cycle) {
            // What a host has generated counts as waiting, wherever it is kept.
            for host in network.hosts.sources.ids() {
                let channel = network.hosts.sources[host].channel;
                network.feed::<S>(host, channel, until_cycle - 1);
            }
        }
        network.hosts.reports.tell(network.clock.now(), probe);
    }
}

impl Simulator for Engine<'_> {
    fn now(&self) -> u64 {
        self.network.clock.now()
    }

    fn advance(&mut self, until_cycle: u64, probe: &mut impl Probe) {
        if self.network.happening.is_any() {
            self.advance_in::<Changing>(until_cycle, probe);
        } else {
            self.advance_in::<Steady>(until_cycle, probe);
        }
    }

    fn reset_use(&mut self) {
        for outlet in self.network.switches.outlets.ids() {
            let in_all = self.flow.lane_use(&self.network, outlet);
            self.network.meters.reset(outlet, in_all);
            self.network.switches.outlets[outlet].meter.reset();
        }
        self.flow.reset(&mut self.network);
    }

    fn lane_count(&self) -> u8 {
        self.lane_count
    }

    fn lane_use(&self, channel: ChannelId, lane: Lane) -> LaneUse {
        if lane.number() >= self.network.lanes.count() {
            return LaneUse::default();
        }
        let outlet = self.network.lanes.outlet(channel, lane);
        self.network.switches.outlets.expect(outlet);
        let in_all = self.flow.lane_use(&self.network, outlet);
        self.network.meters.since_reset(outlet, in_all)
    }

    fn channel_use(&self, channel: ChannelId) -> ChannelUse {
        let lanes = (0..self.lane_count()).map(|lane| self.lane_use(channel, Lane::new(lane)));
        let mut sum = ChannelUse::default();
        for lane in lanes {
            sum.busy_cycles += lane.busy_cycles;
            // Lanes are kept back at the same time; the channel counts as blocked like the worst.
            sum.blocked_cycles = sum.blocked_cycles.max(lane.blocked_cycles);
            sum.longest_wait_cycles = sum.longest_wait_cycles.max(lane.longest_wait_cycles);
        }
        sum
    }

    fn pool_use(&self, _: HostId) -> PoolUse {
        PoolUse::default()
    }

    fn execution(&self) -> Option<&Execution> {
        self.network.hosts.script.execution()
    }

    fn waiting_cycle(&self) -> Option<Vec<WaitingPacket>> {
        deadlock::find_waiting_cycle(&self.network, &self.flow)
    }

    fn follow_packets(&mut self) -> bool {
        let outlets = self.network.switches.outlets.len();
        self.network.following = Some(Following::of(outlets));
        true
    }

    fn motions(&mut self) -> Vec<Motion> {
        self.flow.note_motions(&mut self.network);
        let following = self.network.following.as_mut();
        following.map(Following::take).unwrap_or_default()
    }

    fn is_at_rest(&self) -> bool {
        self.network.clock.is_at_rest()
    }

    fn counters(&self) -> Counters {
        let Network {
            clock,
            hosts,
            meters,
            ..
        } = &self.network;
        Counters {
            events: clock.events,
            packet_hops: meters.packet_hops,
            packets_alive: meters.packets_injected - hosts.reports.delivered - hosts.reports.lost,
        }
    }

    fn tells_order(&self) -> bool {
        self.network.order.is_some()
    }

    fn hops_to_come(&self) -> u64 {
        self.flow.grants_to_come(&self.network)
    }

    fn flit_hops(&self) -> u64 {
        self.network.meters.flits_started - self.flow.flits_to_come(&self.network)
    }
}
