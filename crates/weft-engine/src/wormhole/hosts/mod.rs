//! At the hosts: what a NIC sends next, what reaches it, and what the host does about it.

mod backlog;
mod firmware;
mod upcoming;

pub(super) use backlog::{InTransit, LossPlace, Lost, Sending};
pub(super) use firmware::{Deed, Received};

use super::clock::Clock;
use super::event::Event;
use super::flow::{ComingHead, Flow, Run, Timing};
use super::traffic::Traffic;
use crate::cycle::Cycle;
use crate::ids::{PacketId, Table};
use crate::memory::fetch_whole;
use crate::script::Script;
use crate::waiting_pair::Turns;
use backlog::Backlog;
use firmware::Control;
use std::collections::VecDeque;
use weft_fabric::{ChannelId, Fabric, HostId};
use weft_model::workload::Workload;
use weft_model::{NicModel, Overflow, WormholeModel};

/// An in-transit packet on its way to the NIC, until its mark arrives.
#[derive(Clone, Copy, Debug)]
pub(super) struct ComingMark {
    arrival: Cycle,
    pub(super) packet: PacketId,
    /// Index of the mark among all flits that ever arrived at the host.
    first_index: u64,
}

/// A host's network interface.
#[derive(Debug)]
#[repr(C, align(64))]
struct Nic {
    injection: ChannelId,
    backlog: Backlog,
    coming: VecDeque<ComingMark>,
    /// Of a NIC with firmware.
    control: Option<Box<Control>>,
}

/// The hosts and their NICs.
#[derive(Debug)]
pub(super) struct Hosts<'a> {
    nics: Table<HostId, Nic>,
    workload: &'a Workload,
    /// What hosts do, if the workload is a program.
    pub(super) script: Script<'a>,
    /// Whether NICs have firmware.
    pub(super) has_firmware: bool,
    /// Whether they are to know at once of the tails of packets in transit.
    pub(super) hear_tails: bool,
    in_transit_delay: u64,
    overflow: Overflow,
    pub(super) retransmit_after: u64,
    local_equal_at: usize,
}

impl<'a> Hosts<'a> {
    /// Hosts that have done nothing; the first looks and acts of those that are here are planned.
    pub(super) fn new(
        clock: &mut Clock,
        fabric: &Fabric,
        model: &WormholeModel,
        workload: &'a Workload,
        is_here: impl Fn(HostId) -> bool,
    ) -> Self {
        let nic = |host| {
            if is_here(host) {
                clock.plan(Cycle::ZERO, Event::Nic(host));
            }
            Nic {
                injection: fabric.injection_channel(host),
                backlog: Backlog::new(host, workload.stream(host), Turns::of(workload)),
                coming: VecDeque::new(),
                control: Control::of(model.nic),
            }
        };
        let nics = fabric.host_ids().map(nic).collect();
        let script = Script::new(workload);
        for (host, cycle) in script.first_acts(fabric.host_count()) {
            clock.plan(Cycle::new(cycle), Event::Act(host));
        }
        let has_firmware = matches!(model.nic, NicModel::Firmware(_));
        Self {
            nics,
            workload,
            script,
            has_firmware,
            hear_tails: has_firmware || model.overflow == Overflow::Drop,
            in_transit_delay: match model.nic {
                NicModel::Delays { in_transit_cycles } => in_transit_cycles.into(),
                NicModel::Firmware(_) => 0,
            },
            overflow: model.overflow,
            retransmit_after: model.retransmit_after_cycles.into(),
            local_equal_at: model.local_equal_at_packets as usize,
        }
    }

    /// The channel out of a host.
    #[inline]
    pub(super) fn injection(&self, host: HostId) -> ChannelId {
        self.nics[host].injection
    }

    /// Has the memory bring what a NIC looks at when it decides.
    #[inline]
    pub(super) fn fetch(&self, host: HostId) {
        fetch_whole(&self.nics[host]);
    }

    /// Where the next packet of a host's stream goes, as far as that is known.
    #[inline]
    pub(super) fn next_destination(&self, host: HostId) -> Option<HostId> {
        self.nics[host].backlog.next_destination()
    }

    /// A host of a program may have something to do.
    pub(super) fn act(&mut self, clock: &mut Clock, host: HostId) {
        let Some(act) = self.script.act(host, clock.now().number()) else {
            return;
        };
        for (next, cycle) in act.next_acts(host) {
            clock.plan(Cycle::new(cycle), Event::Act(next));
        }
        if !act.packets.is_empty() {
            self.nics[host].backlog.extend(act.packets);
            clock.undecided.push(host);
        }
    }

    /// A packet is lost in some cycle, now or later; its source, which has a copy of it, will send that.
    pub(super) fn send_again(
        &mut self,
        clock: &mut Clock,
        source: HostId,
        lost: Lost,
        packet: PacketId,
    ) {
        self.nics[source].backlog.send_again(lost, packet);
        clock.undecided.push(source);
    }

    /// The channel out of a host works, or is down. Who decides for a NIC without firmware looks at that itself.
    pub(super) fn set_connected(&mut self, host: HostId, is_connected: bool) {
        if let Some(control) = &mut self.nics[host].control {
            control.is_connected = is_connected;
        }
    }

    /// The next packet that an idle NIC without firmware sends in the present cycle.
    #[expect(
        clippy::inline_always,
        reason = "once a packet and channel: a call costs more than it saves"
    )]
    #[inline(always)]
    pub(super) fn next_to_send(
        &mut self,
        clock: &mut Clock,
        traffic: &mut Traffic<'_>,
        host: HostId,
    ) -> Option<Sending> {
        let backlog = &mut self.nics[host].backlog;
        let next = backlog.next(clock, self.workload, traffic, self.local_equal_at);
        self.tell_left(clock, host);
        next
    }

    /// Tells a host of the packet that has left its queue pair, if there is one to be told of.
    #[expect(
        clippy::inline_always,
        reason = "once a packet and channel: a call costs more than it saves"
    )]
    #[inline(always)]
    fn tell_left(&mut self, clock: &mut Clock, host: HostId) {
        if let Some(sequence) = self.nics[host].backlog.take_left()
            && let Some(cycle) = self.script.leave(host, sequence, clock.now().number())
        {
            clock.plan(Cycle::new(cycle), Event::Act(host));
        }
    }

    /// Tells whether a host has nothing to send until after some cycle, and then plans a look at it
    /// for when it has. Firmware wants to know of every tail.
    #[inline]
    pub(super) fn wakes_after(&mut self, clock: &mut Clock, host: HostId, cycle: Cycle) -> bool {
        let backlog = &mut self.nics[host].backlog;
        !self.has_firmware && backlog.wakes_after(clock, self.workload, cycle)
    }

    /// The packet a host was sending has left.
    #[inline]
    pub(super) fn end_sending(&mut self, host: HostId) {
        if let Some(control) = &mut self.nics[host].control {
            control.sent = true;
        }
    }

    /// The head of a packet will arrive in some cycle, or it is not known when.
    pub(super) fn announce(
        &mut self,
        clock: &mut Clock,
        host: HostId,
        head: &ComingHead,
        delivers: bool,
    ) {
        let nic = &mut self.nics[host];
        if let Some(control) = &mut nic.control {
            control.expect_early(clock, host, head, delivers);
        }
        if delivers {
            return;
        }
        let &ComingHead {
            packet,
            arrival,
            first_index,
            ..
        } = head;
        match nic.coming.back_mut() {
            Some(mark) if mark.packet == packet => mark.arrival = arrival,
            _ => nic.coming.push_back(ComingMark {
                arrival,
                packet,
                first_index,
            }),
        }
        if !arrival.is_never() {
            clock.plan(arrival, Event::Mark(host));
        }
    }

    /// Takes the mark of an in-transit packet, if one reaches a host in the present cycle.
    pub(super) fn take_mark(&mut self, now: Cycle, host: HostId) -> Option<ComingMark> {
        let coming = &mut self.nics[host].coming;
        let is_here = coming.front().is_some_and(|mark| mark.arrival == now);
        if is_here { coming.pop_front() } else { None }
    }

    /// Receives an in-transit packet, the mark of which has arrived: `false`, when it finds no room and is
    /// to be discarded.
    pub(super) fn receive(
        &mut self,
        clock: &mut Clock,
        host: HostId,
        mark: &ComingMark,
        pooled: bool,
    ) -> bool {
        if !pooled && self.overflow == Overflow::Drop {
            if let Some(control) = &mut self.nics[host].control {
                control.forget(mark.packet);
            }
            return false;
        }
        let mut ready = clock.now() + self.in_transit_delay;
        if !pooled {
            ready += overflow_cycles(self.overflow);
        }
        if self.has_firmware {
            ready = Cycle::NEVER;
        }
        let backlog = &mut self.nics[host].backlog;
        backlog.in_transit.push_back(InTransit {
            ready,
            packet: mark.packet,
            first_index: mark.first_index + 1,
            pooled,
        });
        if self.has_firmware || ready == clock.now() {
            clock.undecided.push(host);
        } else {
            backlog.wake(clock, ready);
        }
        true
    }

    /// A packet's tail has been sent to a host with firmware, at the end of `run`.
    pub(super) fn expect_tail<T: Timing>(
        &mut self,
        clock: &mut Clock,
        flow: &Flow<T>,
        host: HostId,
        run: Run<T::Stride>,
        what: Received,
    ) {
        let nic = &mut self.nics[host];
        if let Some(control) = &mut nic.control {
            let ejection = nic.injection.reverse();
            let due = run.end + flow.latency(ejection);
            let flits = flow.total_sent(ejection);
            control.expect_tail(clock, host, due, flits, what);
        }
    }

    /// Takes note of what a NIC with firmware has got and done by the present cycle: what that asks for.
    pub(super) fn finish_handler<T: Timing>(
        &mut self,
        clock: &mut Clock,
        flow: &Flow<T>,
        host: HostId,
    ) -> Option<Deed> {
        let nic = &mut self.nics[host];
        let control = nic.control.as_mut()?;
        let ejection = nic.injection.reverse();
        control.note_arrivals(clock, flow, host, ejection);
        let overflow_cycles = overflow_cycles(self.overflow);
        control.take_effect(clock, host, &mut nic.backlog, overflow_cycles)
    }

    /// Lets the firmware of a NIC begin what it has to do next. A packet that it takes and has no route for is
    /// returned.
    pub(super) fn begin_handler<T: Timing>(
        &mut self,
        clock: &mut Clock,
        flow: &Flow<T>,
        traffic: &mut Traffic<'_>,
        host: HostId,
    ) -> Option<PacketId> {
        let nic = &mut self.nics[host];
        let control = nic.control.as_mut()?;
        control.begin_transfer(clock, flow, host, nic.injection);
        let unreachable =
            control.begin_handler(clock, traffic, host, &mut nic.backlog, self.workload);
        self.tell_left(clock, host);
        unreachable
    }
}

/// How much later a packet in host memory may be sent on.
fn overflow_cycles(overflow: Overflow) -> u64 {
    match overflow {
        Overflow::HostMemory { delay_cycles } => delay_cycles.into(),
        Overflow::Drop => 0,
    }
}
