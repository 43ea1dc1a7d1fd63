//! The wormhole model, plain.
//!
//! # Time
//! Time is a whole number of cycles; a flit is one byte. A channel has a *flit time* of one cycle or
//! more and a *flight*; its *latency* is flit time − 1 + flight. Every cycle `t` has these phases, and
//! each is one function below:
//!
//! 0. **Generation.** Packets with generation cycle ≤ `t` join their host's local queue. In a program
//!    hosts act as [`weft_model::workload::program`] says.
//! 1. **Arrival.** Flits that began to leave in `t − latency` arrive: in a switch's input buffer, or
//!    at a host. A flit arrives when it is there as a whole.
//! 2. **Control.** Stop and go symbols emitted in `t − latency` take effect. A symbol takes as long as
//!    a flit and no room on the channel.
//! 3. **Arbitration.** Free outputs of switches pick one requesting input each; idle NICs take a
//!    packet.
//! 4. **Transmission.** Every output with a packet, past its routing delay, not stopped and with no
//!    flit leaving, begins to send one if there is one. The flit leaves the buffer at once, and has
//!    left as a whole after the flit time, whatever is stopped meanwhile.
//! 5. **Flow control**, on the occupancy now: above `stop` and no stop outstanding, emit stop;
//!    below `go` and a stop outstanding, emit go.
//!
//! # Packets
//! As its source sends it, a packet is: one routing flit per switch of the first segment; for each
//! in-transit stop the mark and one routing flit per switch of the next segment; type; payload;
//! checksum. The switch before an in-transit stop is traversed twice and spends a routing flit each
//! time. A switch strips the routing flit at its front when it grants the output; an in-transit NIC
//! strips the mark.
//!
//! # Switches
//! An input requests when it holds no granted packet and a routing flit is at its front. A grant in
//! `g` takes the routing flit out of the buffer at once and does not look at the stop state; the
//! first flit leaves in `g + routing_delay` at the earliest (in `g` itself if that is 0). When the
//! last flit has left as a whole at the end of `t`, input and output may be granted again in `t + 1`. Which requesting
//! input a free output serves, and how ties are broken, says [`weft_model::Arbitration`]; what is
//! served in turn goes by ascending port number, starting as if the highest wired port had been
//! served last.
//!
//! A packet that has waited `timeout` for its output, and is not granted it in that cycle either, is
//! discarded: its routing flit is taken out of the buffer at once, the others one a cycle (phase 4,
//! from the same cycle on) as they have arrived. When the last one is gone in `t`, the next packet
//! may be granted in `t + 1`.
//!
//! # Hosts
//! A host takes what arrives at link rate. A packet is delivered when its last flit arrives, unless a
//! link error damaged it on its way, which its checksum tells only there: an in-transit host sends on
//! before it could. A packet that begins with a mark, arriving in cycle `a`, is in transit:
//!
//! * Where NICs are nothing but delays, it may be taken from `ready = a + in_transit_cycles` on. In-transit packets queue in
//!   the order in which their marks arrived, and only the first may be taken.
//! * **Pool.** In `a` the pool holds the flits received and not sent again until then. If these and
//!   the packet without its mark exceed the pool, the packet overflows. *Host memory*: its flits
//!   take no room, and it is ready `delay` later. *Drop*: it is lost, and its flits vanish as they
//!   arrive.
//! * **Losses.** A packet lost in cycle `a` (dropped, damaged or timed out) may be taken by its
//!   source again, whole, from `a + retransmit_after` on.
//! * **The NIC** is idle when it sends no packet; it takes one in phase 3 and may send in phase 4 of
//!   the same cycle; after a last flit that has left at the end of `t` it takes the next in `t + 1`. Its candidates are the
//!   first in-transit packet, if ready, and the first local one: the first retransmission that is
//!   due (in the order of their losses: by cycle, then those at hosts by host, then those at
//!   switches by channel), else the head of the local queue. While fewer than `local_equal_at_packets` packets wait locally (due retransmissions
//!   counted), the in-transit packet goes first; from there on the two queues alternate: the one
//!   not served last goes first, and before the first service the local one counts as served last.
//!   A candidate without rival goes; every service counts for the alternation.
//! * An in-transit packet that was taken is sent flit by flit as they have arrived (one that arrived
//!   in phase 1 of `t` may leave in `t`), so bubbles can occur.
//!
//! NICs with firmware take packets by the rules of [`weft_model::Firmware`] instead; what is said here
//! of the pool, of losses and of flits holds for them too. A packet is delivered when it is in host
//! memory.
//!
//! # Failures
//! What happens when parts fail and hosts get other routes says [`weft_model::changes`]. Of a cycle it comes
//! before all other phases; a packet that asks for what is down is discarded in phase 3 after grants, like one
//! that has waited too long. Losses of a cycle for want of a route come after all others.
//!
//! # Figures
//! A channel is *busy* in a cycle in which a flit is leaving, and *blocked* in a cycle in which, at
//! phase 4, its output holds a packet and is stopped and no flit is leaving. A packet that first requests an output in
//! phase 3 of `r` and is granted it in `g` has waited `g − r`. The pool's occupancy is that at the
//! end of the cycle. The injection cycle of a record is that of the attempt that was delivered.

mod again;
mod arbitration;
mod arrival;
mod changes;
mod channel;
mod firmware;
mod flit;
mod nic;
mod pauses;
mod transmission;

use crate::pop_due;
use crate::program::Ranks;
use changes::Happening;
use channel::{Channel, Symbol};
use firmware::Machines;
use flit::Attempt;
use nic::Nic;
use std::collections::BTreeMap;
use weft_fabric::{ChannelId, Fabric, HostId, Node};
use weft_model::workload::Workload;
use weft_model::{
    Changes, ChannelUse, LossRecord, PacketRecord, PoolUse, WormholeError, WormholeModel,
};
use weft_routing::{MappedRoutes, SourceRoutes};

/// The packet at the front of a switch's input buffer, and where it goes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Front {
    /// Host that sent it.
    pub source: HostId,
    /// Host it goes to.
    pub destination: HostId,
    /// Its number among the packets of its source.
    pub sequence: u64,
    /// Output it asks for, or has.
    pub output: ChannelId,
    /// It has the output.
    pub is_granted: bool,
}

/// The wormhole model, one cycle and one flit at a time.
#[derive(Debug)]
pub struct Oracle<'a> {
    fabric: &'a Fabric,
    routes: &'a SourceRoutes,
    workload: &'a Workload,
    /// What hosts do, if the workload is a program.
    ranks: Option<Ranks<'a>>,
    happening: Happening<'a>,
    model: WormholeModel,
    now: u64,
    channels: Vec<Channel>,
    nics: Vec<Nic>,
    /// Of NICs with firmware.
    machines: Vec<Machines>,
    attempts: BTreeMap<u64, Attempt>,
    losses: Vec<LossRecord>,
    next_attempt: u64,
    flit_hops: u64,
    packet_hops: u64,
    most_symbols_under_way: usize,
    passes_pauses: bool,
    /// No flit was sent in the cycle before.
    is_quiet: bool,
}

impl<'a> Oracle<'a> {
    /// Prepares a simulation that starts with cycle 0.
    ///
    /// # Errors
    /// [`WormholeError`] when the parameters of the model contradict one another or the fabric.
    pub fn new(
        fabric: &'a Fabric,
        routes: &'a SourceRoutes,
        model: &WormholeModel,
        workload: &'a Workload,
    ) -> Result<Self, WormholeError> {
        Self::with_changes(fabric, routes, &[], &Changes::default(), model, workload)
    }

    /// The same, to which things happen: the routes of hosts are those of `routes`, 0, or `others`, from 1 on.
    ///
    /// # Errors
    /// The same.
    ///
    /// # Panics
    /// When a change names what is not there, or tables of switches, or what is simulated is a program.
    pub fn with_changes(
        fabric: &'a Fabric,
        routes: &'a SourceRoutes,
        others: &'a [MappedRoutes],
        changes: &Changes,
        model: &WormholeModel,
        workload: &'a Workload,
    ) -> Result<Self, WormholeError> {
        model.check_on(fabric)?;
        assert_eq!(changes.unknown_part(fabric, others.len() + 1), None);
        Ok(Self {
            fabric,
            routes,
            workload,
            ranks: workload
                .program()
                .map(|program| Ranks::new(program, fabric.host_ids())),
            happening: Happening::new(changes, others, fabric.host_count()),
            model: model.clone(),
            now: 0,
            channels: vec![Channel::default(); fabric.channel_count()],
            nics: fabric
                .host_ids()
                .map(|host| Nic::new(workload, host))
                .collect(),
            machines: fabric.host_ids().map(|_| Machines::default()).collect(),
            attempts: BTreeMap::new(),
            losses: Vec::new(),
            next_attempt: 0,
            flit_hops: 0,
            packet_hops: 0,
            most_symbols_under_way: 0,
            passes_pauses: false,
            is_quiet: true,
        })
    }

    /// The first cycle not yet simulated.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Simulates all cycles before `until_cycle` and appends the packets delivered, by cycle
    /// and then by destination.
    ///
    /// # Panics
    /// When a route uses a port that is not wired or does not lead to its destination.
    pub fn advance(&mut self, until_cycle: u64, delivered: &mut Vec<PacketRecord>) {
        while self.now < until_cycle {
            let (before, hops) = (self.before_a_pause(), self.flit_hops);
            self.change();
            self.generation();
            self.arrival(delivered);
            self.control();
            self.requests();
            self.arbitration();
            self.discards();
            self.service(delivered);
            self.transmission();
            self.discarding();
            self.flow_control();
            for nic in &mut self.nics {
                nic.account();
            }
            self.now += 1;
            self.is_quiet = self.flit_hops == hops;
            if let Some(before) = before {
                self.pass_pause(&before, until_cycle);
            }
        }
    }

    /// The losses not yet taken, in the order in which they happened.
    pub fn take_losses(&mut self) -> Vec<LossRecord> {
        std::mem::take(&mut self.losses)
    }

    /// Lets the counters of channels and pools start anew.
    pub fn reset_use(&mut self) {
        for channel in &mut self.channels {
            channel.usage = ChannelUse::default();
        }
        for nic in &mut self.nics {
            nic.pool_use = PoolUse::default();
        }
    }

    /// How a channel spent the cycles since the last reset.
    pub fn channel_use(&self, channel: ChannelId) -> ChannelUse {
        let mut usage = self.channels[channel.index()].usage;
        if let Node::Switch(switch) = self.fabric.source(channel).node {
            for input in self.inputs(switch) {
                if let Some(since) = self.channels[input.index()].asking_since
                    && self.requested_output(switch, input) == Some(channel)
                {
                    usage.longest_wait_cycles = usage.longest_wait_cycles.max(self.now - since);
                }
            }
        }
        usage
    }

    /// How a host's in-transit pool was used since the last reset.
    pub fn pool_use(&self, host: HostId) -> PoolUse {
        self.nics[host.index()].pool_use
    }

    /// How far a program is; `None` of other workloads.
    pub fn ranks(&self) -> Option<&Ranks<'a>> {
        self.ranks.as_ref()
    }

    /// Counts the flits sent so far, on every channel, host links included.
    pub fn flit_hops(&self) -> u64 {
        self.flit_hops
    }

    /// Counts the channels taken by packets so far: outputs granted, and packets taken by NICs.
    pub fn packet_hops(&self) -> u64 {
        self.packet_hops
    }

    /// The largest number of control symbols that were under way on one channel at once.
    pub fn most_symbols_under_way(&self) -> usize {
        self.most_symbols_under_way
    }

    /// Counts the packets that left their source's queue and have not been delivered or
    /// dropped entirely.
    pub fn packets_under_way(&self) -> usize {
        self.attempts.len()
    }

    /// Counts the flits in the buffer at the end of a channel.
    pub fn buffered_flits(&self, channel: ChannelId) -> usize {
        self.channels[channel.index()].buffer.len()
    }

    /// The packet at the front of the buffer at the end of a channel, if any flit is there.
    pub fn front_at(&self, channel: ChannelId) -> Option<Front> {
        let Node::Switch(switch) = self.fabric.target(channel).node else {
            return None;
        };
        let (_, front) = self.channels[channel.index()].buffer.front()?;
        let has = |output: &&ChannelId| {
            let reservation = self.channels[output.index()].reservation;
            reservation.is_some_and(|reservation| reservation.input == channel)
        };
        let granted = self.fabric.outgoing(switch).iter().find(has).copied();
        let output = granted.or_else(|| self.requested_output(switch, channel))?;
        let Attempt {
            source,
            sequence,
            packet,
            ..
        } = self.attempts[&front.attempt];
        let (destination, is_granted) = (packet.destination, granted.is_some());
        Some(Front {
            source,
            destination,
            sequence,
            output,
            is_granted,
        })
    }

    /// Phase 0.
    fn generation(&mut self) {
        for nic in &mut self.nics {
            nic.generate(self.workload, self.now);
        }
        if let Some(ranks) = &mut self.ranks {
            for (host, nic) in self.fabric.host_ids().zip(&mut self.nics) {
                nic.queue(ranks.act(self.now, host));
            }
        }
    }

    /// Phase 2.
    fn control(&mut self) {
        for channel in &mut self.channels {
            if let Some(symbol) = pop_due(&mut channel.symbols, self.now) {
                channel.is_stopped = symbol == Symbol::Stop;
            }
        }
    }
}
