//! The core: a network and its flow control, cycle by cycle in which something happens.

mod deadlock;
mod handling;
mod prefetch;

pub(super) use deadlock::find_waiting_cycle;

use crate::cut_through::borders::Letter;
use crate::cut_through::flow::Flow;
use crate::cut_through::network::Network;
use crate::cut_through::setting::{Changing, InPart, Setting, Steady};
use crate::following::Following;
use crate::parallel::Part;
use crate::prefetch::Prefetcher;
use crate::probe::{Counters, Motion, Probe, WaitingPacket};
use prefetch::Scout;
use weft_fabric::ChannelId;
use weft_model::cut_through::LaneUse;
use weft_model::workload::Execution;
use weft_routing::Lane;

/// What simulates a fabric, or a part of one.
#[derive(Debug)]
pub(super) struct Core<'a> {
    pub(super) network: Network<'a>,
    pub(super) flow: Flow,
    prefetcher: Prefetcher<Scout>,
    /// Whether what requests and looks of one cycle look at is fetched together.
    fetches: bool,
}

/// Up to so many bytes of channels are in a cache, and what happens to them is handled sooner than fetched, unless a
/// program has memory of its own. Tests on small networks are to see either, where assertions are made.
const IN_CACHE: usize = if cfg!(debug_assertions) {
    10 << 10
} else {
    2 << 20
};

impl<'a> Core<'a> {
    /// At cycle 0.
    pub(super) fn new(network: Network<'a>, flow: Flow) -> Self {
        let bytes = network.bytes_of_channels() + flow.bytes_of_channels();
        let has_program = network.hosts.script.execution().is_some();
        Self {
            fetches: bytes > IN_CACHE || has_program || !network.switches.are_fixed(),
            network,
            flow,
            prefetcher: Prefetcher::of::<Self>(bytes),
        }
    }

    /// Handles all cycles before `until`.
    pub(super) fn advance(&mut self, until: u64, probe: &mut impl Probe) {
        if self.network.happening.is_any() {
            self.advance_in::<Changing>(until, probe);
        } else {
            self.advance_in::<Steady>(until, probe);
        }
    }

    fn advance_in<S: Setting>(&mut self, until: u64, probe: &mut impl Probe) {
        while self.run_before::<S>(until) {
            self.tell(probe);
        }
        self.end::<S>(until);
        self.tell(probe);
    }

    /// The present cycle.
    pub(super) fn now(&self) -> u64 {
        self.network.clock.now()
    }

    /// All cycles before `until` have been handled.
    pub(super) fn end<S: Setting>(&mut self, until: u64) {
        let network = &mut self.network;
        if network.clock.end(until) {
            // What a host has generated counts as waiting, wherever it is kept.
            for index in 0..network.borders.hosts.len() {
                let host = network.borders.hosts[index];
                let channel = network.hosts.sources[host].channel;
                network.feed::<S>(host, channel, until - 1);
            }
        }
    }

    /// Tells the deliveries and losses before the present cycle.
    pub(super) fn tell(&mut self, probe: &mut impl Probe) {
        let now = self.network.clock.now();
        self.network.hosts.reports.tell(now, probe);
    }

    pub(super) fn reset_use(&mut self) {
        for outlet in self.network.switches.outlets.ids() {
            let in_all = self.flow.lane_use(&self.network, outlet);
            self.network.meters.reset(outlet, &in_all);
            self.network.switches.waiting.reset(outlet);
        }
        self.flow.reset(&mut self.network);
    }

    /// How a lane was used since the last reset, as far as it is known here: of a part, at its own end.
    pub(super) fn lane_use(&self, channel: ChannelId, lane: Lane) -> LaneUse {
        let outlet = self.network.lanes.outlet(channel, lane);
        self.network.switches.outlets.expect(outlet);
        let in_all = self.flow.lane_use(&self.network, outlet);
        self.network.meters.since_reset(outlet, in_all)
    }

    pub(super) fn execution(&self) -> Option<&Execution> {
        self.network.hosts.script.execution()
    }

    pub(super) fn waiting_cycle(&self) -> Option<Vec<WaitingPacket>> {
        find_waiting_cycle(self, |_| [self, self])
    }

    pub(super) fn follow_packets(&mut self) {
        let outlets = self.network.switches.outlets.len();
        self.network.following = Some(Following::of(outlets));
    }

    pub(super) fn motions(&mut self) -> Vec<Motion> {
        self.flow.note_motions(&mut self.network);
        let following = self.network.following.as_mut();
        following.map(Following::take).unwrap_or_default()
    }

    pub(super) fn is_at_rest(&self) -> bool {
        self.network.clock.is_at_rest()
    }

    /// What was done. A part delivers packets that others have injected: below zero, those that are alive count
    /// from the largest number.
    pub(super) fn counters(&self) -> Counters {
        let Network {
            clock,
            hosts,
            meters,
            ..
        } = &self.network;
        let ended = hosts.reports.delivered + hosts.reports.lost;
        Counters {
            events: clock.events,
            packet_hops: meters.packet_hops,
            packets_alive: meters.packets_injected.wrapping_sub(ended),
        }
    }

    pub(super) fn tells_order(&self) -> bool {
        self.network.order.is_some()
    }

    pub(super) fn hops_to_come(&self) -> u64 {
        self.flow.grants_to_come(&self.network)
    }

    pub(super) fn flit_hops(&self) -> u64 {
        self.network.meters.flits_started - self.flow.flits_to_come(&self.network)
    }
}

impl Part for Core<'_> {
    type Letter = Letter;

    fn now(&self) -> u64 {
        self.now()
    }

    fn advance_window(&mut self, until: u64) {
        self.run_before::<InPart>(until);
        // What is told now is known before the next cycle.
        self.network.clock.end(until - 1);
    }

    fn letters(&mut self) -> &mut [Letter] {
        &mut self.network.borders.letters
    }

    fn receive(&mut self, _from: usize, letter: &mut Letter) {
        for arriving in letter.arriving.drain(..) {
            let packet = self.network.packets.insert(arriving.packet);
            self.network.enter(arriving.inlet, packet, arriving.at);
        }
        for returning in letter.returning.drain(..) {
            self.flow.give_back(&mut self.network, &returning);
        }
    }

    fn next_event_cycle(&self) -> u64 {
        self.network.clock.no_earlier_than()
    }

    fn events(&self) -> u64 {
        self.network.clock.events
    }
}
