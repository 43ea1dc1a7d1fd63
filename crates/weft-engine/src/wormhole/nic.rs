//! At the hosts: what a NIC sends next.

use super::Core;
use super::event::Event;
use super::firmware::Control;
use super::loss::LossPlace;
use super::pass::Launch;
use super::pool::PoolMeter;
use super::run::{Stride, Timing};
use super::state::{LOCAL, NONE, Packet};
use crate::queue::NEVER;
use std::collections::VecDeque;
use weft_fabric::HostId;
use weft_model::workload::{self, HostStream};

/// An in-transit packet on its way to the NIC, until its mark arrives.
#[derive(Clone, Copy, Debug)]
pub(super) struct ComingMark {
    pub(super) arrival: u64,
    pub(super) packet: u32,
    /// Index of the mark among all flits that ever arrived at the host.
    pub(super) first_index: u64,
}

/// An in-transit packet at the NIC.
#[derive(Clone, Copy, Debug)]
pub(super) struct InTransit {
    /// First cycle in which it may be sent on, `NEVER` until the firmware has seen it.
    pub(super) ready: u64,
    pub(super) packet: u32,
    /// Index, among all flits that ever arrived at the host, of the first one to send.
    pub(super) first_index: u64,
    pub(super) pooled: bool,
}

/// A packet that was lost and that its source will send again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Retransmission {
    pub(super) due: u64,
    /// Where it was lost; settles the order of packets due in one cycle.
    pub(super) place: LossPlace,
    pub(super) packet: u32,
}

/// A host's network interface.
#[derive(Debug)]
pub(super) struct Nic<S> {
    /// The host's injection channel.
    pub(super) channel: u32,
    stream: HostStream,
    /// The next packets of the stream, as many as were looked at.
    upcoming: VecDeque<workload::Packet>,
    /// Packets taken from the stream so far.
    taken: u64,
    /// Earliest cycle for which a look at the NIC is planned.
    wake_at: u64,
    pub(super) coming: VecDeque<ComingMark>,
    /// Packet whose mark arrived last, and whether it went to the pool.
    pub(super) last_mark: (u32, bool),
    pub(super) in_transit: VecDeque<InTransit>,
    pub(super) retransmissions: VecDeque<Retransmission>,
    served_in_transit_last: bool,
    /// Whether the packet being sent came from the pool.
    pub(super) sends_pooled: bool,
    pub(super) pool: PoolMeter<S>,
    /// Of a NIC with firmware.
    pub(super) control: Option<Box<Control>>,
}

impl<S: Stride> Nic<S> {
    pub(super) fn new(channel: u32, stream: HostStream, control: Option<Box<Control>>) -> Self {
        Self {
            channel,
            stream,
            upcoming: VecDeque::new(),
            taken: 0,
            wake_at: NEVER,
            coming: VecDeque::new(),
            last_mark: (NONE, false),
            in_transit: VecDeque::new(),
            retransmissions: VecDeque::new(),
            served_in_transit_last: false,
            sends_pooled: false,
            pool: PoolMeter::new(),
            control,
        }
    }

    /// The packet being sent has left.
    pub(super) fn tail_sent(&mut self) {
        self.sends_pooled = false;
        if let Some(control) = &mut self.control {
            control.note_sent();
        }
    }

    /// These packets, generated now, are the next.
    pub(super) fn queue(&mut self, packets: Vec<workload::Packet>) {
        self.upcoming.extend(packets);
    }

    /// Generation cycle of the `index`-th packet still in the stream (0 is the next).
    #[inline]
    fn generation_of(&mut self, workload: &workload::Workload, index: usize) -> u64 {
        while self.upcoming.len() <= index {
            match workload.next_packet(&mut self.stream) {
                Some(packet) => self.upcoming.push_back(packet),
                None => return NEVER,
            }
        }
        self.upcoming[index].generation_cycle
    }
}

impl<T: Timing> Core<'_, T> {
    /// A host of a program may have something to do.
    pub(super) fn handle_act(&mut self, host: u32) {
        let Some(act) = self.script.act(HostId::new(host), self.now) else {
            return;
        };
        if let Some(cycle) = act.next_cycle {
            self.queue.push(cycle, Event::Act.on(host));
        }
        if !act.packets.is_empty() {
            self.nics[host as usize].queue(act.packets);
            self.undecided.push(host);
        }
    }

    /// Lets every idle NIC that may have something to send take its next packet.
    pub(super) fn decide(&mut self) {
        while let Some(host) = self.undecided.pop() {
            if let Some(mut control) = self.nics[host as usize].control.take() {
                self.run_firmware(host, &mut control);
                self.nics[host as usize].control = Some(control);
                continue;
            }
            let channel = self.nics[host as usize].channel;
            if self.settle(channel) {
                self.take_next(host);
            } else {
                self.await_tail(channel);
            }
        }
    }

    fn take_next(&mut self, host: u32) {
        let now = self.now;
        let nic = &mut self.nics[host as usize];
        let transit_ready = nic.in_transit.front().map_or(NEVER, |packet| packet.ready);
        let again_due = nic.retransmissions.front().map_or(NEVER, |again| again.due);
        let generation = nic.generation_of(self.workload, 0);
        let local_ready = again_due.min(generation);
        if transit_ready > now && local_ready > now {
            self.wake(host, transit_ready.min(local_ready));
            return;
        }
        let in_transit_first = if transit_ready <= now && local_ready <= now {
            !self.local_queue_is_long(host) || !self.nics[host as usize].served_in_transit_last
        } else {
            transit_ready <= now
        };
        self.nics[host as usize].served_in_transit_last = in_transit_first;
        self.packet_hops += 1;
        if in_transit_first {
            self.send_in_transit(host);
        } else if let Some(packet) = self.take_local(host) {
            self.send_local(host, packet);
        }
    }

    /// Sends the first in-transit packet.
    pub(super) fn send_in_transit(&mut self, host: u32) {
        self.touch_pool(host);
        let nic = &mut self.nics[host as usize];
        let Some(stop) = nic.in_transit.pop_front() else {
            return;
        };
        nic.sends_pooled = stop.pooled;
        let channel = nic.channel;
        let (packet, input, first_index) = (stop.packet, channel ^ 1, stop.first_index);
        if self.channels[channel as usize].output.stopped || !self.comes_in_time(channel, &stop) {
            self.start(channel, packet, input, first_index, self.now);
            return;
        }
        let launch = Launch {
            packet,
            input,
            first_index,
            start: self.now,
            flits: self.packets[packet].flits,
            delivers: false,
            awaited: true,
        };
        self.launch(channel, &launch);
    }

    /// Whether an in-transit packet, sent from now on without a pause, is received in time as far as is
    /// known: it is here, or comes at the pace it is sent at.
    fn comes_in_time(&self, channel: u32, stop: &InTransit) -> bool {
        let feed = &self.channels[(channel ^ 1) as usize].output;
        let latency = self.timing.latency(channel ^ 1);
        if feed.packet == stop.packet {
            // The mark stays here.
            return feed.sent_before_run == 0
                && feed.run.flits() == u64::from(feed.flits)
                && feed.run.stride == self.timing.pace(channel)
                && feed.run.cycle_of(1) + latency <= self.now;
        }
        feed.history_end + latency <= self.now
    }

    /// Sends a packet of the host's, which lies whole in NIC memory. If the next one comes later
    /// than its tail leaves, it is the next one that is an event.
    pub(super) fn send_local(&mut self, host: u32, packet: u32) {
        let nic = &mut self.nics[host as usize];
        nic.sends_pooled = false;
        let channel = nic.channel;
        if self.channels[channel as usize].output.stopped {
            self.start(channel, packet, LOCAL, 0, self.now);
            return;
        }
        let state = &mut self.packets[packet];
        state.injection_cycle = self.now;
        let flits = state.flits;
        let free_at = self.now + u64::from(flits) * self.timing.pace(channel).cycles();
        let launch = Launch {
            packet,
            input: LOCAL,
            first_index: 0,
            start: self.now,
            flits,
            delivers: false,
            awaited: !self.wakes_after(host, free_at),
        };
        self.launch(channel, &launch);
    }

    /// Tells whether a host has nothing to send until after some cycle, and then plans a look at it
    /// for when it has. Firmware wants to know of every tail.
    fn wakes_after(&mut self, host: u32, cycle: u64) -> bool {
        let nic = &mut self.nics[host as usize];
        if self.has_firmware || !nic.in_transit.is_empty() || !nic.retransmissions.is_empty() {
            return false;
        }
        let wake = nic.generation_of(self.workload, 0);
        if wake <= cycle {
            return false;
        }
        self.wake(host, wake);
        true
    }

    /// Takes the first local packet, if one is due.
    pub(super) fn take_local(&mut self, host: u32) -> Option<u32> {
        let now = self.now;
        let nic = &mut self.nics[host as usize];
        if nic
            .retransmissions
            .front()
            .is_some_and(|again| again.due <= now)
        {
            return nic.retransmissions.pop_front().map(|again| again.packet);
        }
        let is_due = nic.generation_of(self.workload, 0) <= now;
        is_due.then(|| self.new_packet(host))
    }

    /// Plans a look at a NIC for when its next local packet is due.
    pub(super) fn wake_for_local(&mut self, host: u32) {
        let nic = &mut self.nics[host as usize];
        let again_due = nic.retransmissions.front().map_or(NEVER, |again| again.due);
        let wake = nic.generation_of(self.workload, 0).min(again_due);
        self.wake(host, wake);
    }

    /// Plans a look at a NIC for a cycle to come, unless one is planned before.
    fn wake(&mut self, host: u32, wake: u64) {
        let nic = &mut self.nics[host as usize];
        if wake < NEVER && (wake < nic.wake_at || nic.wake_at <= self.now) {
            nic.wake_at = wake;
            self.queue.push(wake, Event::Nic.on(host));
        }
    }

    /// Whether the local queue is long enough to alternate with the in-transit queue.
    fn local_queue_is_long(&mut self, host: u32) -> bool {
        let now = self.now;
        let nic = &mut self.nics[host as usize];
        let again = nic
            .retransmissions
            .iter()
            .take_while(|again| again.due <= now)
            .count();
        match self.local_equal_at.checked_sub(again) {
            None | Some(0) => true,
            Some(missing) => nic.generation_of(self.workload, missing - 1) <= now,
        }
    }

    /// Takes the next packet from a host's stream.
    fn new_packet(&mut self, host: u32) -> u32 {
        let nic = &mut self.nics[host as usize];
        let sequence = nic.taken;
        nic.taken += 1;
        // Invariant: the caller has looked at the next packet's generation time.
        let Some(next) = nic.upcoming.pop_front() else {
            unreachable!("a packet is waiting")
        };
        let destination = next.destination.number();
        let route = self.route(host, destination);
        let flits = self.packet_flits(route, next.payload_bytes);
        self.packets.insert(Packet {
            generation_cycle: next.generation_cycle,
            injection_cycle: NEVER,
            sequence,
            step_count: route.step_count,
            step: 0,
            source: host,
            destination,
            payload_bytes: next.payload_bytes,
            flits,
            in_transit_stops: 0,
            dropped_at: NONE,
            ports: self.ports_from(host, destination, 0),
        })
    }
}
