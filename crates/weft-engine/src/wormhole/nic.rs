//! At the hosts: what a NIC sends next, in-transit stops, deliveries.

use super::Core;
use super::event::Event;
use super::firmware::{Control, Received};
use super::loss::LossPlace;
use super::pool::PoolMeter;
use super::run::{Run, Stride, Timing};
use super::state::{LOCAL, NONE, Packet};
use crate::queue::NEVER;
use std::collections::VecDeque;
use weft_model::workload::{self, HostStream};
use weft_model::{LossCause, Overflow, PacketRecord};

/// An in-transit packet on its way to the NIC, until its mark arrives.
#[derive(Clone, Copy, Debug)]
struct ComingMark {
    arrival: u64,
    packet: u32,
    /// Index of the mark among all flits that ever arrived at the host.
    first_index: u64,
}

/// An in-transit packet at the NIC.
#[derive(Clone, Copy, Debug)]
pub(super) struct InTransit {
    /// First cycle in which it may be sent on, `NEVER` until the firmware has seen it.
    pub(super) ready: u64,
    packet: u32,
    /// Index, among all flits that ever arrived at the host, of the first one to send.
    first_index: u64,
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
    coming: VecDeque<ComingMark>,
    /// Packet whose mark arrived last, and whether it went to the pool.
    last_mark: (u32, bool),
    pub(super) in_transit: VecDeque<InTransit>,
    pub(super) retransmissions: VecDeque<Retransmission>,
    served_in_transit_last: bool,
    /// Whether the packet being sent came from the pool.
    sends_pooled: bool,
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
    /// This lets every idle NIC that may have something to send take its next packet.
    pub(super) fn decide(&mut self) {
        while let Some(host) = self.undecided.pop() {
            if let Some(mut control) = self.nics[host as usize].control.take() {
                self.run_firmware(host, &mut control);
                self.nics[host as usize].control = Some(control);
                continue;
            }
            let channel = self.nics[host as usize].channel;
            if self.channels[channel as usize].output.packet == NONE {
                self.take_next(host);
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

    /// This sends the first in-transit packet.
    pub(super) fn send_in_transit(&mut self, host: u32) {
        self.touch_pool(host);
        let nic = &mut self.nics[host as usize];
        if let Some(stop) = nic.in_transit.pop_front() {
            nic.sends_pooled = stop.pooled;
            let channel = nic.channel;
            self.start(
                channel,
                stop.packet,
                channel ^ 1,
                stop.first_index,
                self.now,
            );
        }
    }

    /// This sends a packet of the host's.
    pub(super) fn send_local(&mut self, host: u32, packet: u32) {
        self.touch_pool(host);
        let nic = &mut self.nics[host as usize];
        nic.sends_pooled = false;
        let channel = nic.channel;
        self.start(channel, packet, LOCAL, 0, self.now);
    }

    /// This takes the first local packet, if one is due.
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

    /// This plans a look at a NIC for when its next local packet is due.
    pub(super) fn wake_for_local(&mut self, host: u32) {
        let nic = &mut self.nics[host as usize];
        let again_due = nic.retransmissions.front().map_or(NEVER, |again| again.due);
        let wake = nic.generation_of(self.workload, 0).min(again_due);
        self.wake(host, wake);
    }

    /// This plans a look at a NIC for a cycle to come, unless one is planned before.
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

    /// This takes the next packet from a host's stream.
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
            first_step: route.first_step,
            step_count: route.step_count,
            step: 0,
            source: host,
            destination,
            payload_bytes: next.payload_bytes,
            flits,
            in_transit_stops: 0,
            dropped_at: NONE,
            flit_hops: 0,
        })
    }

    /// This tells a host when the head of a packet arrives.
    pub(super) fn announce_head_to_host(&mut self, channel: u32, host: u32, arrival: u64) {
        if self.nics[host as usize].control.is_some() && !self.is_sink(channel) {
            self.expect_early(channel, host, arrival);
        }
        let output = &self.channels[channel as usize].output;
        let (packet, first_index) = (output.packet, output.total_before_run);
        if output.delivers {
            return;
        }
        let coming = &mut self.nics[host as usize].coming;
        match coming.back_mut() {
            Some(mark) if mark.packet == packet => mark.arrival = arrival,
            _ => coming.push_back(ComingMark {
                arrival,
                packet,
                first_index,
            }),
        }
        if arrival != NEVER {
            self.queue.push(arrival, Event::Mark.on(host));
        }
    }

    /// The mark of an in-transit packet may have reached a host.
    pub(super) fn handle_mark(&mut self, host: u32) {
        let now = self.now;
        let Some(&mark) = self.nics[host as usize].coming.front() else {
            return;
        };
        if mark.arrival != now {
            return;
        }
        self.follow_pool(host);
        self.pool_active[host as usize] = true;
        let packet = &mut self.packets[mark.packet];
        packet.flits -= 1;
        packet.in_transit_stops += 1;
        let nic = &mut self.nics[host as usize];
        nic.coming.pop_front();
        let pooled = nic.pool.held() + u64::from(packet.flits) <= self.pool_flits;
        nic.pool.decide(mark.packet, pooled);
        if self.channels[(nic.channel ^ 1) as usize].output.packet == mark.packet {
            nic.last_mark = (mark.packet, pooled);
        }
        let has_firmware = nic.control.is_some();
        if !pooled && self.overflow == Overflow::Drop {
            self.drop_packet(host, mark.packet);
            return;
        }
        let mut ready = now + self.in_transit_delay;
        if !pooled {
            ready += self.overflow_cycles();
        }
        if has_firmware {
            ready = NEVER;
        }
        let nic = &mut self.nics[host as usize];
        nic.in_transit.push_back(InTransit {
            ready,
            packet: mark.packet,
            first_index: mark.first_index + 1,
            pooled,
        });
        self.undecided.push(host);
    }

    /// How much later a packet in host memory may be sent on.
    pub(super) fn overflow_cycles(&self) -> u64 {
        match self.overflow {
            Overflow::HostMemory { delay_cycles } => delay_cycles.into(),
            Overflow::Drop => 0,
        }
    }

    /// This discards an in-transit packet that finds no room.
    fn drop_packet(&mut self, host: u32, packet: u32) {
        self.packets[packet].dropped_at = host;
        if let Some(control) = &mut self.nics[host as usize].control {
            control.forget(packet);
        }
        self.lose(packet, self.now, LossCause::Overflow, LossPlace::Host(host));
        // The tail may be gone already; otherwise it takes the packet with it.
        let ejection = self.nics[host as usize].channel ^ 1;
        if self.channels[ejection as usize].output.packet != packet {
            self.packets.remove(packet);
        }
    }

    /// A packet's tail has been sent to a host in the cycle before, at the end of `run`.
    pub(super) fn tail_sent_to_host(
        &mut self,
        host: u32,
        packet: u32,
        run: Run<T::Stride>,
        delivers: bool,
    ) {
        let state = &self.packets[packet];
        if !delivers {
            self.nics[host as usize].last_mark = (NONE, false);
            let is_dropped = state.dropped_at == host;
            if is_dropped {
                self.packets.remove(packet);
            }
            let what = if is_dropped {
                Received::Nothing
            } else {
                Received::InTransit(packet)
            };
            self.expect_tail(host, run, what);
            return;
        }
        let record = PacketRecord {
            source: weft_fabric::HostId::new(state.source),
            sequence: state.sequence,
            destination: weft_fabric::HostId::new(state.destination),
            payload_bytes: state.payload_bytes,
            generation_cycle: state.generation_cycle,
            injection_cycle: state.injection_cycle,
            delivery_cycle: run.end + self.timing.latency(self.nics[host as usize].channel ^ 1),
            switches: state.step,
            in_transit_stops: state.in_transit_stops,
        };
        let attempt = (record.source, record.sequence, record.injection_cycle);
        if self.model.is_damaged(self.seed, attempt, state.flit_hops) {
            let place = LossPlace::Host(host);
            self.lose(packet, record.delivery_cycle, LossCause::Damage, place);
            self.expect_tail(host, run, Received::Nothing);
        } else if self.nics[host as usize].control.is_some() {
            self.expect_tail(host, run, Received::Delivery(record));
        } else {
            self.deliver(record);
        }
        self.packets.remove(packet);
    }

    /// This reports a packet delivered now or later.
    pub(super) fn deliver(&mut self, record: PacketRecord) {
        // Over a shorter channel a tail arrives before others that were sent earlier.
        let is_later = |other: &PacketRecord| other.delivery_cycle > record.delivery_cycle;
        let later = self.deliveries.iter().rev();
        let later = later.take_while(|other| is_later(other)).count();
        self.deliveries
            .insert(self.deliveries.len() - later, record);
        if self.execution.is_some() {
            self.tell_program(&record);
        }
    }

    /// This brings a host's pool up to date, before a change of what it receives or sends.
    #[inline]
    pub(super) fn touch_pool(&mut self, host: u32) {
        if self.pool_active[host as usize] {
            self.follow_pool(host);
        }
    }

    fn follow_pool(&mut self, host: u32) {
        let (arriving, leaving) = self.pool_flows(host);
        let nic = &mut self.nics[host as usize];
        nic.pool.follow(self.now, arriving, leaving);
        self.pool_active[host as usize] =
            nic.sends_pooled || nic.last_mark.0 != NONE || !nic.pool.is_empty();
    }

    /// The runs of pooled flits that arrive at and leave a host's NIC, in cycles there.
    pub(super) fn pool_flows(&self, host: u32) -> (Run<T::Stride>, Run<T::Stride>) {
        let nic = &self.nics[host as usize];
        let (injection, ejection) = (
            &self.channels[nic.channel as usize].output,
            &self.channels[(nic.channel ^ 1) as usize].output,
        );
        let arriving = if nic.last_mark == (ejection.packet, true) {
            self.arrival_run(nic.channel ^ 1, ejection.run, ejection.sent_before_run == 0)
        } else {
            Run::NONE
        };
        let leaving = if nic.sends_pooled {
            injection.run
        } else {
            Run::NONE
        };
        (arriving, leaving)
    }

    /// A run of an ejection channel in cycles of arrival, without the mark if it begins with it.
    fn arrival_run(&self, channel: u32, run: Run<T::Stride>, has_mark: bool) -> Run<T::Stride> {
        run.later(self.timing.latency(channel))
            .after(u64::from(has_mark))
    }

    /// This notes a finished run of an in-transit packet on an ejection channel; `sent` is about to
    /// be closed, the pool up to date.
    pub(super) fn note_pool_arrival(&mut self, channel: u32, host: u32, sent: Run<T::Stride>) {
        let output = &self.channels[channel as usize].output;
        if output.delivers {
            return;
        }
        let packet = output.packet;
        let run = self.arrival_run(channel, sent, output.sent_before_run == 0);
        self.follow_pool(host);
        self.pool_active[host as usize] = true;
        let nic = &mut self.nics[host as usize];
        let pooled = (nic.last_mark.0 == packet).then_some(nic.last_mark.1);
        nic.pool.add_arrival(run, packet, pooled);
    }
}
