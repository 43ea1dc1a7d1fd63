//! The engine proper: what happens in a cycle is told to whom it concerns, and what that asks for is
//! carried out.
//!
//! Each owner knows its own state alone and is told of others' in a call: the [`Clock`] of events to come,
//! [`Flow`] of what channels send, [`Switching`] of requests and grants, [`Pools`] and [`Hosts`] of what
//! NICs hold and send, [`Traffic`] of packets, [`Reports`] of what is to be told. None calls another that
//! changes something, the clock and the packets below all of them excepted; what is to happen elsewhere
//! comes back as a value. What flow and switching know of a channel stands in one record, for the caches'
//! sake: each changes its own part alone.

mod borders;
mod changes;
mod claims;
mod deadlock;
mod departures;
mod losses;
mod motion;
mod prefetch;
mod receptions;
mod sending;
mod tails;

pub(super) use deadlock::find_waiting_cycle;

use self::prefetch::Scout;
use super::borders::Borders;
use super::clock::Clock;
use super::error::EngineError;
use super::event::Event;
use super::flow::{Channel, Flow, Timing};
use super::hosts::Hosts;
use super::pools::Pools;
use super::switching::Switching;
use super::traffic::Traffic;
use super::whole::Whole;
use crate::cycle::Cycle;
use crate::event::MAX_PARTS;
use crate::happening::Happening;
use crate::ids::{PacketId, Table};
use crate::prefetch::{Prefetcher, Prefetches};
use crate::probe::{Counters, Motion, Probe, WaitingPacket};
use crate::reporting::Reports;
use weft_fabric::{ChannelId, HostId};
use weft_model::workload::Execution;
use weft_model::{ChannelUse, PoolUse};

/// The state of the engine.
#[derive(Debug)]
pub(super) struct Core<'a, T: Timing> {
    clock: Clock,
    traffic: Traffic<'a>,
    flow: Flow<T>,
    switching: Switching,
    pools: Pools<T::Stride>,
    hosts: Hosts<'a>,
    happening: Happening,
    /// The last cycle in which each host took a packet that it had no route for, where that may be.
    taken_in_vain: Table<HostId, Cycle>,
    /// Packets that are delivered or lost, or will be.
    reports: Reports,
    /// What is asked of the memory before it is needed.
    prefetcher: Prefetcher<Scout>,
    /// What other parts of the fabric are to be told, where this is the core of a part.
    borders: Borders<T::Stride>,
}

impl<'a, T: Timing> Core<'a, T> {
    /// Makes an engine at cycle 0 with an empty network, or that of a part; all has been checked.
    pub(super) fn new(
        whole: &Whole<'_, 'a>,
        timing: T,
        borders: Borders<T::Stride>,
    ) -> Result<Self, EngineError> {
        let &Whole {
            fabric,
            routes,
            model,
            workload,
            ..
        } = whole;
        let part_count = whole.part_count();
        if part_count >= MAX_PARTS {
            return Err(EngineError::TooLarge {
                found: fabric.channel_count(),
                limit: (MAX_PARTS - 1) >> u32::from(whole.has_sinks()),
            });
        }
        let seed = workload.seed();
        let mut clock = Clock::new();
        let mut core = Self {
            traffic: Traffic::new(fabric, routes, model, seed)?,
            flow: Flow::new(fabric, model, timing, &borders, part_count),
            switching: Switching::new(fabric, model, seed, part_count),
            pools: Pools::new(fabric, model, whole.has_stops()),
            hosts: Hosts::new(&mut clock, fabric, model, workload, |host| {
                borders.contain(fabric.host_switch(host))
            }),
            happening: Happening::new(fabric, whole.changes),
            taken_in_vain: Vec::new().into(),
            clock,
            reports: Reports::new(),
            prefetcher: Prefetcher::of::<Self>(part_count * size_of::<Channel<T::Stride>>()),
            borders,
        };
        if T::HAS_CHANGES {
            core.taken_in_vain = Table::of(Cycle::NEVER, fabric.host_count());
            core.traffic.add_routes(fabric, whole.others)?;
            core.plan_change();
        }
        Ok(core)
    }

    /// Simulates what happens before `until`, or until there is much to tell: whether it has stopped for that.
    /// It does not depend on whom that is told, so that it is compiled once, and all it calls into it.
    #[inline(never)]
    pub(super) fn run_before(&mut self, until: Cycle) -> bool {
        while let Some((mut event, mut others)) = self.clock.begin_before(until) {
            if T::HAS_CHANGES {
                self.change();
            }
            if self.prefetcher.pays {
                self.fetch_ahead();
            }
            loop {
                self.handle(event);
                match self.clock.next_event(&mut others) {
                    Some(other) => event = other,
                    None => break,
                }
            }
            self.arbitrate();
            self.discard_refused();
            self.decide();
            self.flow.predict_touched(&mut self.clock);
            if self.reports.are_many() {
                return true;
            }
        }
        self.clock.rest(until);
        false
    }

    /// Where packets are followed: a packet is given an output.
    #[inline]
    fn follow(&mut self, output: ChannelId, packet: PacketId) {
        if self.flow.is_followed() {
            let packet = self.traffic.motion(packet, output);
            self.flow.follow(packet);
        }
    }

    #[inline]
    fn handle(&mut self, event: Event) {
        match event {
            Event::Head(input) => self.handle_head(input),
            Event::Free(output) => self.handle_free(output),
            Event::Dry(output) => self.handle_dry(output),
            Event::Control(channel) => self.handle_control(channel),
            Event::Nic(host) => self.clock.undecided.push(host),
            Event::Mark(host) => self.handle_mark(host),
            Event::Timeout(input) => {
                let (channels, traffic) = (&self.flow.channels, &self.traffic);
                self.switching
                    .look_for_timeout(&mut self.clock, channels, traffic, input);
            }
            Event::Act(host) => self.hosts.act(&mut self.clock, host),
        }
    }
}

/// What [`Engine`](super::Engine) asks of the core of a whole fabric, and parts of each of theirs.
impl<T: Timing> Core<'_, T> {
    pub(super) fn now(&self) -> u64 {
        self.clock.now().number()
    }

    /// Tells the deliveries and losses before the present cycle.
    pub(super) fn tell(&mut self, probe: &mut impl Probe) {
        self.reports.tell(self.clock.now().number(), probe);
    }

    pub(super) fn reset_use(&mut self) {
        self.flow.reset_use(self.clock.now());
        self.switching.reset_waits();
        self.reset_pools();
    }

    pub(super) fn reset_pools(&mut self) {
        self.pools.reset(&self.flow, self.clock.now());
    }

    pub(super) fn channel_use(&self, channel: ChannelId) -> ChannelUse {
        self.flow.channels.expect(channel);
        let now = self.clock.now();
        ChannelUse {
            longest_wait_cycles: self.switching.longest_wait(
                now,
                &self.flow.channels,
                &self.traffic,
                channel,
            ),
            ..self.flow.channel_use(now, channel)
        }
    }

    pub(super) fn pool_use(&self, host: HostId) -> PoolUse {
        self.pools.used(&self.flow, self.clock.now(), host)
    }

    pub(super) fn execution(&self) -> Option<&Execution> {
        self.hosts.script.execution()
    }

    pub(super) fn is_at_rest(&self) -> bool {
        self.clock.next_cycle().is_never()
    }

    pub(super) fn counters(&self) -> Counters {
        Counters {
            events: self.clock.events,
            packet_hops: self.traffic.hops,
            packets_alive: self.traffic.packets.len() as u64 + self.borders.packets_unread()
                - self.borders.packets_gone,
        }
    }

    pub(super) fn follow_packets(&mut self) {
        self.flow.follow_packets();
    }

    pub(super) fn motions(&mut self) -> Vec<Motion> {
        self.flow.motions(self.clock.now())
    }

    pub(super) fn flit_hops(&self) -> u64 {
        self.flow.flit_hops(self.clock.now())
    }

    pub(super) fn waiting_cycle(&self) -> Option<Vec<WaitingPacket>> {
        find_waiting_cycle(self, |_| [self, self])
    }
}
