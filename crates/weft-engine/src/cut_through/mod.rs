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
//! time, so a packet costs two events a channel, a request and a look, and another look where it
//! waits.
//!
//! Within a cycle the order of events does not matter: requests are put in order as they are entered,
//! and grants and links are decided when all events of the cycle are handled. A channel takes at least
//! one cycle, and so does a flit, so nothing decided in a cycle is seen elsewhere in the same one.

mod buffer;
mod choices;
mod credit;
mod deadlock;
mod event;
mod host;
mod link;
mod meter;
mod network;
mod runs;
mod state;
mod stream;
mod supply;
mod switch;

pub use network::EngineError;

use crate::probe::{Counters, Probe, Simulator, WaitingPacket};
use crate::queue::EventQueue;
use crate::reports::Reports;
use crate::script::Script;
use crate::slab::Slab;
use choices::Guide;
use event::Event;
use host::Source;
use meter::Meter;
use state::{Channel, Credit, Inlet, NONE, Outlet, Packet};
use supply::Stream;
use weft_fabric::{ChannelId, HostId};
use weft_model::cut_through::{LaneUse, PacketFormat};
use weft_model::workload::{Execution, Workload};
use weft_model::{ChannelUse, PoolUse};
use weft_routing::Lane;

/// The event-driven engine of the cut-through model.
///
/// For every packet and lane it gives what the model, stepped cycle by cycle, would give; it borrows
/// routes and workload, so that many engines can share them.
#[derive(Debug)]
pub struct Engine<'a> {
    // Parameters, in cycles and flits.
    lane_count: u8,
    /// First of the lanes for control; 0 for none.
    control_lanes_from: u8,
    /// A lane's number is `channel << lane_bits | lane`.
    lane_bits: u32,
    /// A bit for each lane.
    all_lanes: u16,
    /// Cycles from one flit to the next through the crossbar.
    crossbar: u64,
    lookup_delay: u64,
    routing_delay: u64,
    has_output_buffers: bool,
    input_buffer_flits: u32,
    /// 0 without output buffers.
    output_buffer_flits: u32,
    packet_format: PacketFormat,
    /// Thresholds of stop & go.
    stop_above: u64,
    go_below: u64,
    control_delay: u64,

    // The network.
    workload: &'a Workload,
    guide: Guide<'a>,
    /// Outgoing channel of each switch and port, one row of `ports_per_switch` per switch.
    port_channels: Vec<u32>,
    ports_per_switch: usize,

    // State by channel, lane, host and packet.
    channels: Vec<Channel>,
    outlets: Vec<Outlet>,
    inlets: Vec<Inlet>,
    meters: Vec<Meter>,
    /// With stop & go one a lane, with credits none.
    streams: Vec<Stream>,
    sources: Vec<Source>,
    /// What hosts do, if the workload is a program.
    script: Script<'a>,
    packets: Slab<Packet>,
    credits: Slab<Credit>,
    reports: Reports,

    // Time.
    now: u64,
    queue: EventQueue,
    /// Channels to be looked at in the present cycle.
    contested: Vec<u32>,
    /// With stop & go: buffers to be watched at the end of the present cycle.
    touched: Vec<u32>,
    events: u64,
    packet_hops: u64,
    /// Flits of the packets that got a link, those not yet sent included.
    flits_started: u64,
    packets_injected: u64,
}

impl Engine<'_> {
    #[inline]
    fn lane_index(&self, channel: u32, lane: u8) -> u32 {
        channel << self.lane_bits | u32::from(lane)
    }

    #[inline]
    fn channel_of(&self, lane: u32) -> usize {
        (lane >> self.lane_bits) as usize
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "lanes have four bits")]
    fn lane_of(&self, lane: u32) -> u8 {
        (lane & ((1 << self.lane_bits) - 1)) as u8
    }

    /// A channel is to be looked at in the present cycle.
    #[inline]
    fn contest(&mut self, channel: u32) {
        let state = &mut self.channels[channel as usize];
        if !state.is_contested {
            state.is_contested = true;
            self.contested.push(channel);
        }
    }

    /// Does what is possible at the source of a channel now, and plans the next look.
    fn resolve(&mut self, channel: u32) {
        let state = &mut self.channels[channel as usize];
        state.is_contested = false;
        let (host, mut asked) = (state.source_host, state.asked);
        if host != NONE {
            self.feed(host, channel, self.now);
        }
        while asked != 0 {
            let lane = asked.trailing_zeros();
            asked &= asked - 1;
            self.grant(channel << self.lane_bits | lane);
        }
        if self.streams.is_empty() {
            self.arbitrate(channel);
            self.plan(channel);
            #[cfg(debug_assertions)]
            self.assert_conserved(channel);
        } else {
            self.continue_or_arbitrate(channel);
            self.plan_streams(channel);
        }
    }
}

impl Simulator for Engine<'_> {
    fn now(&self) -> u64 {
        self.now
    }

    fn advance(&mut self, until_cycle: u64, probe: &mut impl Probe) {
        let mut events = Vec::new();
        loop {
            let cycle = self.queue.next_cycle();
            if cycle >= until_cycle {
                break;
            }
            self.now = cycle;
            let mut taken = self.queue.take(cycle);
            events.clear();
            while let Some(event) = self.queue.pop(&mut taken) {
                events.push(event);
            }
            self.events += events.len() as u64;
            if !self.streams.is_empty() {
                // The other events may plan looks, which would hide those of this cycle.
                events.sort_unstable();
            }
            for &event in &events {
                match Event::decode(event) {
                    (Event::Request, inlet) => self.request(inlet),
                    (Event::Look, channel) => {
                        if self.channels[channel as usize].look_at == cycle {
                            self.settle(channel);
                            self.contest(channel);
                        }
                    }
                    (Event::Act, host) => self.act(host),
                    (event, lane) => self.handle_stream_event(event, lane),
                }
            }
            if let Guide::Adaptive(_) = self.guide {
                self.serve_contested();
            }
            while let Some(channel) = self.contested.pop() {
                self.resolve(channel);
            }
            while let Some(inlet) = self.touched.pop() {
                self.watch(inlet);
            }
            self.reports.tell_if_many(cycle, probe);
        }
        if until_cycle > self.now {
            self.now = until_cycle;
            for host in 0..self.sources.len() {
                // What a host has generated counts as waiting, wherever it is kept.
                let channel = self.sources[host].channel;
                self.feed(HostId::from_index(host).number(), channel, until_cycle - 1);
            }
        }
        self.reports.tell(self.now, probe);
    }

    fn reset_use(&mut self) {
        for lane in 0..self.meters.len() {
            self.reset_lane_use(u32::try_from(lane).unwrap_or(NONE));
        }
    }

    fn lane_count(&self) -> u8 {
        self.lane_count
    }

    fn lane_use(&self, channel: ChannelId, lane: Lane) -> LaneUse {
        self.lane_use_since_reset(self.lane_index(channel.number(), lane.number()))
    }

    fn channel_use(&self, channel: ChannelId) -> ChannelUse {
        let lanes = (0..self.lane_count).map(|lane| self.lane_use(channel, Lane::new(lane)));
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
        self.script.execution()
    }

    fn waiting_cycle(&self) -> Option<Vec<WaitingPacket>> {
        self.find_waiting_cycle()
    }

    fn counters(&self) -> Counters {
        let not_yet_sent = |channel: &Channel| {
            channel.free_at.saturating_sub(self.now) / u64::from(channel.cycles_per_flit)
        };
        Counters {
            events: self.events,
            packet_hops: self.packet_hops,
            flit_hops: self.flits_started - self.channels.iter().map(not_yet_sent).sum::<u64>(),
            packets_alive: self.packets_injected - self.reports.delivered(),
        }
    }
}
