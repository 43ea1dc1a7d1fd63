//! The wormhole model simulated event by event, exact to the flit.
//!
//! ```text
//!           ┌ switch: head at front → request → arbitration → grant ┐
//!  events ──┤ nic: what to send next, in-transit stops, deliveries  ├──► flow: runs of flits planned,
//!           └ control: stop and go reach a sender                   ┘    crossings predicted
//! ```
//!
//! Within a cycle the order of events does not matter: each only notes what it changes, and the
//! choices (arbitration, then NICs) are made when all events of the cycle have been handled. What
//! is sent in a cycle has no effect elsewhere before the next one, because a channel takes at least
//! one cycle.

mod arbitration;
mod crossings;
mod deadlock;
mod event;
mod firmware;
mod flow;
mod forecast;
mod loss;
mod network;
mod nic;
mod pass;
mod ping;
mod pool;
mod pool_flows;
mod reception;
mod run;
mod state;
mod stores;
mod supply;
mod switch;
mod way;

pub use network::EngineError;
pub use ping::idle_latency_cycles;

use crate::probe::{Counters, Probe, Simulator, WaitingPacket};
use crate::queue::{EventQueue, NEVER};
use crate::reports::Reports;
use crate::script::Script;
use crate::slab::Slab;
use event::Event;
use nic::Nic;
use run::{Even, Mixed, Run, Stride, Timing};
use state::{Blocked, Channel, Packet, Visit};
use stores::Rings;
use weft_fabric::{ChannelId, Fabric, HostId};
use weft_model::workload::{Execution, Workload};
use weft_model::{ChannelUse, Overflow, PoolUse, WormholeModel};

/// The event-driven engine of the wormhole model.
///
/// For every packet and channel it gives what the model, stepped cycle by cycle, would give; it
/// borrows routes and workload, so that many engines can share them.
#[derive(Debug)]
pub struct Engine<'a>(Machine<'a>);

/// The engine, compiled once for channels that are all alike and once for others.
#[derive(Debug)]
enum Machine<'a> {
    Even(Box<Core<'a, Even>>),
    Mixed(Box<Core<'a, Mixed>>),
}

impl<'a> Engine<'a> {
    /// Makes an engine at cycle 0 with an empty network.
    ///
    /// # Errors
    /// [`EngineError`] when parameters contradict one another or the routes do not fit the fabric.
    pub fn new(
        fabric: &Fabric,
        routes: &'a weft_routing::SourceRoutes,
        model: &WormholeModel,
        workload: &'a Workload,
    ) -> Result<Self, EngineError> {
        model.check_on(fabric)?;
        Ok(Self(if let Some(even) = Even::of(&model.channels) {
            let core = Core::new(fabric, routes, model, workload, even)?;
            Machine::Even(Box::new(core))
        } else {
            let part_count = network::part_count(fabric, model);
            let mixed = Mixed::new(&model.channels, fabric.channel_count(), part_count);
            let core = Core::new(fabric, routes, model, workload, mixed)?;
            Machine::Mixed(Box::new(core))
        }))
    }
}

/// Calls a method of whichever engine it is.
macro_rules! core {
    ($engine:expr, $core:ident => $call:expr) => {
        match $engine {
            Engine(Machine::Even($core)) => $call,
            Engine(Machine::Mixed($core)) => $call,
        }
    };
}

impl Simulator for Engine<'_> {
    fn now(&self) -> u64 {
        core!(self, core => core.now)
    }

    fn advance(&mut self, until_cycle: u64, probe: &mut impl Probe) {
        core!(self, core => core.advance(until_cycle, probe));
    }

    fn reset_use(&mut self) {
        core!(self, core => core.reset_use());
    }

    fn reset_pools(&mut self) {
        core!(self, core => core.reset_pools());
    }

    fn channel_use(&self, channel: ChannelId) -> ChannelUse {
        core!(self, core => core.channel_use(channel))
    }

    fn pool_use(&self, host: HostId) -> PoolUse {
        core!(self, core => core.pool_use(host))
    }

    fn execution(&self) -> Option<&Execution> {
        core!(self, core => core.script.execution())
    }

    fn waiting_cycle(&self) -> Option<Vec<WaitingPacket>> {
        core!(self, core => core.find_waiting_cycle())
    }

    fn counters(&self) -> Counters {
        core!(self, core => core.counters())
    }
}

/// The state of the engine.
#[derive(Debug)]
struct Core<'a, T: Timing> {
    // Parameters, in cycles and flits.
    model: WormholeModel,
    timing: T,
    routing_delay: u64,
    /// Whether link errors damage packets.
    is_lossy: bool,
    stop_above: i32,
    go_below: i32,
    in_transit_delay: u64,
    pool_flits: u64,
    overflow: Overflow,
    /// Cycles a packet waits for an output of a switch, or `NEVER` when it may wait for ever.
    timeout: u64,
    /// Whether NICs have firmware.
    has_firmware: bool,
    retransmit_after: u64,
    local_equal_at: usize,

    // The network. "None" is `state::NONE`.
    workload: &'a Workload,
    /// What hosts do, if the workload is a program.
    script: Script<'a>,
    /// Seed of all draws but the workload's.
    seed: u64,
    routes: &'a weft_routing::SourceRoutes,
    /// In-transit stops per pair of the routes, empty when there are none at all.
    stop_counts: Vec<u8>,
    host_ports: Vec<u8>,
    host_switches: Vec<u32>,
    /// Outgoing channel of each switch and port, one row of `ports_per_switch` per switch.
    port_channels: Vec<u32>,
    ports_per_switch: usize,

    // State by channel. Where packets time out, each has a sink besides; see `loss`.
    channel_count: usize,
    channels: Vec<Channel<T::Stride>>,
    /// Finished runs of each channel: two flight times of history.
    runs: Rings<Run<T::Stride>>,
    history_cycles: u64,
    /// Cycles in which each channel's receiver emitted its last stops and gos.
    symbols: Rings<u64>,
    /// Ports that ask for each output, `words` words of bits per output.
    requests: Vec<u64>,
    words: usize,
    last_granted: Vec<u8>,
    /// Grants of each output, counted where they key random choices.
    grants: Vec<u64>,
    blocked: Vec<Blocked>,
    busy_at_reset: Vec<u64>,
    /// Whether a look at the packet in front of each input buffer is planned.
    watched: Vec<bool>,

    // State by packet and host.
    packets: Slab<Packet>,
    visits: Slab<Visit>,
    nics: Vec<Nic<T::Stride>>,
    /// Hosts whose in-transit pool holds flits or has some coming or going.
    pool_active: Vec<bool>,
    /// Packets whose tail has left, and those that are lost.
    reports: Reports,

    // Time.
    now: u64,
    queue: EventQueue,
    events: u64,
    packet_hops: u64,
    /// Outputs that were asked for or freed in the present cycle.
    contested: Vec<u32>,
    /// Input buffers whose front packet has waited too long in the present cycle.
    timed_out: Vec<u32>,
    /// Hosts whose NIC may take a packet in the present cycle.
    undecided: Vec<u32>,
    /// Buffers touched in the present cycle.
    touched_inputs: Vec<u32>,
}

impl<T: Timing> Core<'_, T> {
    fn handle(&mut self, event: u32) {
        match Event::decode(event) {
            (Event::Head, input) => self.handle_head(input),
            (Event::Free, output) => self.handle_free(output),
            (Event::Dry, output) => self.plan(output),
            (Event::Control, channel) => self.handle_control(channel),
            (Event::Nic, host) => self.undecided.push(host),
            (Event::Mark, host) => self.handle_mark(host),
            (Event::Timeout, input) => self.handle_timeout(input),
            (Event::Act, host) => self.handle_act(host),
        }
    }

    /// Flits sent on a channel before `now`.
    fn flits_sent(&self, channel: usize) -> u64 {
        let output = &self.channels[channel].output;
        match self.now.checked_sub(1) {
            Some(last) => output.total_before_run + output.run.flits_through(last),
            None => 0,
        }
    }

    /// Cycles before `now` in which a flit was leaving on a channel.
    fn busy_cycles(&self, channel: usize) -> u64 {
        let flits = self.flits_sent(channel);
        if T::Stride::IS_ONE || flits == 0 {
            return flits;
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "channels are fewer than events can number"
        )]
        let pace = self.timing.pace(channel as u32).cycles();
        let output = &self.channels[channel].output;
        let last = if output.run.start < self.now {
            output.run.through(self.now - 1).end
        } else {
            output.history_end
        };
        flits * pace - (last + pace).saturating_sub(self.now)
    }

    fn advance(&mut self, until_cycle: u64, probe: &mut impl Probe) {
        loop {
            let cycle = self.queue.next_cycle();
            if cycle >= until_cycle {
                break;
            }
            self.now = cycle;
            let mut events = self.queue.take(cycle);
            while let Some(event) = self.queue.pop(&mut events) {
                self.events += 1;
                self.handle(event);
            }
            self.arbitrate();
            self.discard_timed_out();
            self.decide();
            self.predict_touched();
            self.reports.tell_if_many(cycle, probe);
        }
        self.now = self.now.max(until_cycle);
        self.reports.tell(self.now, probe);
    }

    fn reset_use(&mut self) {
        for channel in 0..self.channel_count {
            self.busy_at_reset[channel] = self.busy_cycles(channel);
            let blocked = &mut self.blocked[channel];
            blocked.cycles = 0;
            blocked.longest_wait = 0;
            if blocked.since != NEVER {
                blocked.since = blocked.since.max(self.now);
            }
        }
        self.reset_pools();
    }

    fn reset_pools(&mut self) {
        for host in 0..self.nics.len() {
            let Ok(number) = u32::try_from(host) else {
                break;
            };
            self.touch_pool(number);
            self.nics[host].pool.reset();
        }
    }

    fn channel_use(&self, channel: ChannelId) -> ChannelUse {
        let index = channel.index();
        let Blocked {
            since,
            cycles,
            longest_wait,
        } = self.blocked[index];
        let blocked_now = self.now.saturating_sub(since);
        ChannelUse {
            busy_cycles: self.busy_cycles(index) - self.busy_at_reset[index],
            blocked_cycles: cycles + blocked_now,
            longest_wait_cycles: longest_wait.max(self.longest_wait_now(channel.number())),
        }
    }

    fn pool_use(&self, host: HostId) -> PoolUse {
        let mut pool = self.nics[host.index()].pool.clone();
        if self.pool_active[host.index()] {
            let (arriving, leaving) = self.pool_flows(host.number());
            pool.follow(self.now, arriving, leaving);
        }
        pool.used()
    }

    fn counters(&self) -> Counters {
        Counters {
            events: self.events,
            packet_hops: self.packet_hops,
            flit_hops: (0..self.channel_count)
                .map(|channel| self.flits_sent(channel))
                .sum(),
            packets_alive: self.packets.len() as u64,
        }
    }
}
