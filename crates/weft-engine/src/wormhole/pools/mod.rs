//! The in-transit pools of hosts: what flows into them and out of them, and how full they are.

mod meter;

use super::flow::{Flow, Run, Stride, Timing};
use crate::cycle::Cycle;
use crate::ids::{PacketId, Table};
use meter::PoolMeter;
use weft_fabric::{ChannelId, Fabric, HostId};
use weft_model::{PoolUse, WormholeModel};

/// The pools of all hosts, or of none where no packet stops in transit.
#[derive(Debug)]
pub(super) struct Pools<S> {
    states: Table<HostId, Pool<S>>,
    /// Hosts whose pool holds flits or has some coming or going.
    active: Table<HostId, bool>,
    /// Flits a pool can hold.
    capacity: u64,
}

/// The pool of a host.
#[derive(Clone, Debug)]
struct Pool<S> {
    injection: ChannelId,
    meter: PoolMeter<S>,
    /// What became of the packet whose mark arrived last, until its tail is here.
    entering: Option<Entering>,
    /// Whether the packet being sent comes from the pool.
    sends: bool,
}

/// A packet that is being received in transit.
#[derive(Clone, Copy, Debug)]
struct Entering {
    packet: PacketId,
    /// Whether it goes to the pool.
    pooled: bool,
}

impl<S: Stride> Pools<S> {
    /// Empty pools, where packets may stop in transit.
    pub(super) fn new(fabric: &Fabric, model: &WormholeModel, are_used: bool) -> Self {
        let pool = |host| Pool {
            injection: fabric.injection_channel(host),
            meter: PoolMeter::new(),
            entering: None,
            sends: false,
        };
        let hosts = || fabric.host_ids().filter(|_| are_used);
        Self {
            states: hosts().map(pool).collect(),
            active: hosts().map(|_| false).collect(),
            capacity: model.pool_flits.into(),
        }
    }

    /// A run that a host has sent is about to be closed.
    #[inline]
    pub(super) fn close_departure<T: Timing<Stride = S>>(
        &mut self,
        flow: &Flow<T>,
        now: Cycle,
        host: HostId,
    ) {
        if self.states[host].sends {
            self.follow(flow, now, host);
        }
    }

    #[expect(
        clippy::inline_always,
        reason = "once a packet and channel: a call costs more than it saves"
    )]
    #[inline(always)]
    fn follow<T: Timing<Stride = S>>(&mut self, flow: &Flow<T>, now: Cycle, host: HostId) {
        let pool = &mut self.states[host];
        pool.follow(flow, now);
        self.active[host] = pool.sends || pool.entering.is_some() || !pool.meter.is_empty();
    }

    /// Notes a run of an in-transit packet on an ejection channel, which is about to be closed.
    pub(super) fn close_arrival<T: Timing<Stride = S>>(
        &mut self,
        flow: &Flow<T>,
        host: HostId,
        sent: Run<S>,
    ) {
        self.active[host] = true;
        let pool = &mut self.states[host];
        let ejection = pool.injection.reverse();
        let packet = flow.packet(ejection).known("a run is a packet's");
        let run = without_mark(flow, ejection, sent);
        let entering = pool.entering.filter(|entering| entering.packet == packet);
        pool.meter
            .add_arrival(run, packet, entering.map(|entering| entering.pooled));
    }

    /// The mark of a packet of so many flits has arrived: whether the packet goes to the pool.
    pub(super) fn admit<T: Timing<Stride = S>>(
        &mut self,
        flow: &Flow<T>,
        now: Cycle,
        host: HostId,
        packet: PacketId,
        flits: u32,
    ) -> bool {
        if self.active[host] {
            self.follow(flow, now, host);
        }
        self.active[host] = true;
        let pool = &mut self.states[host];
        let pooled = pool.meter.held() + u64::from(flits) <= self.capacity;
        pool.meter.decide(packet, pooled);
        if flow.packet(pool.injection.reverse()).is(packet) {
            pool.entering = Some(Entering { packet, pooled });
        }
        pooled
    }

    /// The tail of an in-transit packet has been sent to a host.
    pub(super) fn end_arrival(&mut self, host: HostId) {
        self.states[host].entering = None;
    }

    /// A host, which has sent nothing since its last packet, begins to send one in transit, from the pool or not.
    pub(super) fn begin_sending(&mut self, host: HostId, pooled: bool) {
        self.states[host].sends = pooled;
    }

    /// The packet a host was sending has left.
    #[inline]
    pub(super) fn end_sending(&mut self, host: HostId) {
        self.states[host].sends = false;
    }

    /// How a host's pool was used since the last reset.
    pub(super) fn used<T: Timing<Stride = S>>(
        &self,
        flow: &Flow<T>,
        now: Cycle,
        host: HostId,
    ) -> PoolUse {
        if self.states.is_empty() {
            return PoolUse::default();
        }
        let mut pool = self.states[host].clone();
        if self.active[host] {
            pool.follow(flow, now);
        }
        pool.meter.used()
    }

    /// Starts the counts anew.
    pub(super) fn reset<T: Timing<Stride = S>>(&mut self, flow: &Flow<T>, now: Cycle) {
        for host in self.states.ids() {
            if self.active[host] {
                self.follow(flow, now, host);
            }
            self.states[host].meter.reset();
        }
    }
}

impl<S: Stride> Pool<S> {
    fn follow<T: Timing<Stride = S>>(&mut self, flow: &Flow<T>, now: Cycle) {
        let ejection = self.injection.reverse();
        let receives = self
            .entering
            .is_some_and(|entering| entering.pooled && flow.packet(ejection).is(entering.packet));
        let arriving = if receives {
            without_mark(flow, ejection, flow.run(ejection).0)
        } else {
            Run::NONE
        };
        let leaving = if self.sends {
            flow.run(self.injection).0
        } else {
            Run::NONE
        };
        self.meter.follow(now, arriving, leaving);
    }
}

/// A run of an ejection channel in cycles of arrival, without the mark if it begins with it.
fn without_mark<T: Timing>(
    flow: &Flow<T>,
    ejection: ChannelId,
    run: Run<T::Stride>,
) -> Run<T::Stride> {
    let (_, is_first) = flow.run(ejection);
    run.later(flow.latency(ejection)).after(u64::from(is_first))
}
