//! What reaches hosts: marks of packets in transit, and tails.

use super::Core;
use crate::cycle::Cycle;
use crate::ids::PacketId;
use crate::wormhole::borders::Loss;
use crate::wormhole::ends::Target;
use crate::wormhole::event::Event;
use crate::wormhole::flow::{Run, Timing};
use crate::wormhole::hosts::{LossPlace, Lost, Received};
use weft_fabric::HostId;
use weft_model::{LossCause, LossRecord, PacketRecord};

/// The tail of a packet that has left an output.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tail<S> {
    pub(super) packet: PacketId,
    /// The run it ends.
    pub(super) run: Run<S>,
    /// Whether the packet is at its destination at the far end.
    pub(super) delivers: bool,
}

impl<T: Timing> Core<'_, T> {
    /// The mark of an in-transit packet may have reached a host.
    pub(super) fn handle_mark(&mut self, host: HostId) {
        let now = self.clock.now();
        let Some(mark) = self.hosts.take_mark(now, host) else {
            return;
        };
        let packet = mark.packet;
        let flits = self.traffic.stop_in_transit(packet);
        let pooled = self.pools.admit(&self.flow, now, host, packet, flits);
        if !self.hosts.receive(&mut self.clock, host, &mark, pooled) {
            self.traffic.packets[packet].dropped_at = host.into();
            self.lose(packet, now, LossCause::Overflow, LossPlace::Host(host));
            // The tail may be gone already; otherwise it takes the packet with it.
            let ejection = self.hosts.injection(host).reverse();
            if !self.flow.packet(ejection).is(packet) {
                self.traffic.packets.remove(packet);
            }
        }
    }

    /// A packet's tail has been sent to a host in the cycle before, at the end of `run`.
    pub(super) fn tail_sent_to_host(&mut self, host: HostId, tail: Tail<T::Stride>) {
        let Tail {
            packet,
            run,
            delivers,
        } = tail;
        let what = if delivers {
            self.end_of_way(host, packet, run)
        } else {
            self.pools.end_arrival(host);
            if self.traffic.packets[packet].dropped_at.is(host) {
                self.traffic.packets.remove(packet);
                Received::Nothing
            } else {
                Received::InTransit(packet)
            }
        };
        if self.hosts.has_firmware {
            let (clock, flow) = (&mut self.clock, &self.flow);
            self.hosts.expect_tail(clock, flow, host, run, what);
        }
    }

    /// A packet is at the end of its way: it is delivered, now or when firmware has brought it to its
    /// host, unless it is damaged.
    fn end_of_way(&mut self, host: HostId, packet: PacketId, run: Run<T::Stride>) -> Received {
        let ejection = self.hosts.injection(host).reverse();
        let delivery = run.end + self.flow.latency(ejection);
        let record = self.traffic.record(packet, delivery);
        let is_damaged =
            self.traffic.is_lossy() && self.traffic.is_damaged(packet, self.flit_hops_of(packet));
        let cause = if T::HAS_CHANGES && self.traffic.packets[packet].is_broken {
            Some(LossCause::Failure)
        } else {
            is_damaged.then_some(LossCause::Damage)
        };
        let what = if let Some(cause) = cause {
            self.lose(packet, delivery, cause, LossPlace::Host(host));
            Received::Nothing
        } else if self.hosts.has_firmware {
            Received::Delivery(record)
        } else {
            self.deliver(record);
            Received::Nothing
        };
        self.traffic.packets.remove(packet);
        what
    }

    /// A packet is in host memory, now or later.
    pub(super) fn deliver(&mut self, record: PacketRecord) {
        if let Some(cycle) = self.hosts.script.deliver(&record) {
            let act = Event::Act(record.destination);
            self.clock.plan(Cycle::new(cycle), act);
        }
        self.reports.deliver(record);
    }

    /// A packet is lost in `cycle`, now or later: its source will send it again, unless it is lost in a failure
    /// and that is not to be.
    pub(super) fn lose(
        &mut self,
        packet: PacketId,
        cycle: Cycle,
        cause: LossCause,
        place: LossPlace,
    ) {
        let lost = &self.traffic.packets[packet];
        let source = lost.source;
        self.reports.lose(LossRecord {
            cycle: cycle.number(),
            source,
            sequence: lost.sequence,
            destination: lost.destination,
            cause,
        });
        let due = match cause {
            LossCause::Failure | LossCause::NoEntry => self.retry_due(packet, cycle),
            _ => Some(cycle + self.hosts.retransmit_after),
        };
        let Some(due) = due else { return };
        let again = self.traffic.add_again(packet);
        if matches!(cause, LossCause::Failure | LossCause::NoEntry) {
            self.traffic.packets[again].tries += 1;
        }
        let lost = Lost { due, cycle, place };
        let switch = self.traffic.host_switches[source];
        if let Some(letter) = self.borders.letter_to(switch) {
            let packet = self.traffic.take(again);
            letter.losses.push(Loss { packet, lost });
        } else {
            self.hosts.send_again(&mut self.clock, source, lost, again);
        }
    }

    /// Flits that a packet at the end of its way, on its last channel, has sent over all of them.
    #[cold]
    fn flit_hops_of(&self, packet: PacketId) -> u64 {
        let state = &self.traffic.packets[packet];
        let mut here = self.traffic.host_switches[state.source];
        let mut flits = u64::from(state.flits)
            + u64::from(state.step_count)
            + 1
            + u64::from(state.in_transit_stops);
        let mut hops = flits;
        for port in self.traffic.steps(packet) {
            flits -= 1;
            hops += flits;
            let channel = self.switching.channel_at(here, port);
            if let Target::Switch(next) | Target::Border(next) = self.flow.ends(channel).target() {
                here = next;
            } else {
                // The mark stays at the host, which sends the rest back.
                flits -= 1;
                hops += flits;
            }
        }
        hops + flits - 1
    }
}
