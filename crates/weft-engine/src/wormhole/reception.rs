//! At the hosts: what arrives there, in transit or to be delivered.

use super::Core;
use super::event::Event;
use super::firmware::Received;
use super::loss::LossPlace;
use super::nic::{ComingMark, InTransit};
use super::run::{Run, Timing};
use super::state::NONE;
use crate::queue::NEVER;
use weft_model::{LossCause, Overflow, PacketRecord};

impl<T: Timing> Core<'_, T> {
    /// Tells a host when the head of a packet arrives.
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

    /// Discards an in-transit packet that finds no room.
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
        if self.is_lossy
            && self
                .model
                .is_damaged(self.seed, attempt, self.flit_hops(state))
        {
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

    /// Reports a packet delivered now or later.
    pub(super) fn deliver(&mut self, record: PacketRecord) {
        if let Some(cycle) = self.script.deliver(&record) {
            let host = record.destination.number();
            self.queue.push(cycle, Event::Act.on(host));
        }
        self.reports.deliver(record);
    }
}
