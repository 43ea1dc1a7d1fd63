//! Flits arrive: in buffers of switches, at their destination, at an in-transit stop.

use super::Oracle;
use super::flit::{Attempt, Flit, FlitKind};
use super::nic::{Outgoing, Place, Receiving};
use crate::draws::is_damaged;
use crate::pop_due;
use std::collections::VecDeque;
use weft_fabric::{HostId, Node};
use weft_model::{LossCause, NicModel, Overflow, PacketRecord};

impl Oracle<'_> {
    /// Phase 1. Hosts in ascending order, since drops of one cycle queue in the order of the hosts.
    pub(super) fn arrival(&mut self, delivered: &mut Vec<PacketRecord>) {
        for channel in self.fabric.channel_ids() {
            let state = &mut self.channels[channel.index()];
            if matches!(self.fabric.target(channel).node, Node::Switch(_))
                && let Some(flit) = pop_due(&mut state.flits, self.now)
            {
                state.buffer.push_back((self.now, flit));
                let most = self.model.buffer_flits as usize;
                assert!(state.buffer.len() <= most, "no buffer overflows");
            }
        }
        for host in self.fabric.host_ids() {
            let ejection = self.fabric.ejection_channel(host).index();
            if let Some(flit) = pop_due(&mut self.channels[ejection].flits, self.now) {
                self.receive(host, flit, delivered);
            }
        }
    }

    fn receive(&mut self, host: HostId, flit: Flit, delivered: &mut Vec<PacketRecord>) {
        let before = self.nics[host.index()].receiving;
        match before {
            Receiving::Nothing if flit.kind == FlitKind::Mark => self.receive_mark(host, flit),
            Receiving::Nothing | Receiving::Delivery if flit.is_last() => {
                let attempt = self.end_attempt(flit.attempt);
                assert_eq!(
                    attempt.packet.destination, host,
                    "a packet arrives where it should"
                );
                self.nics[host.index()].receiving = Receiving::Nothing;
                let record = attempt.record(self.now);
                let name = [
                    record.source.number().into(),
                    record.sequence,
                    record.injection_cycle,
                ];
                let (seed, rate) = (self.workload.seed(), self.model.bit_error_rate);
                if attempt.is_broken {
                    self.lose(&attempt, LossCause::Failure);
                } else if is_damaged(seed, rate, name, attempt.flit_hops) {
                    self.lose(&attempt, LossCause::Damage);
                } else {
                    match self.model.nic {
                        NicModel::Delays { .. } => self.deliver(record, delivered),
                        NicModel::Firmware(_) => {
                            self.machines[host.index()].note_received(Some(record));
                        }
                    }
                }
            }
            Receiving::Nothing | Receiving::Delivery => {
                self.nics[host.index()].receiving = Receiving::Delivery;
            }
            Receiving::InTransit => self.nics[host.index()].receive_in_transit(flit),
            Receiving::Dropped if flit.is_last() => {
                self.end_attempt(flit.attempt);
                self.nics[host.index()].receiving = Receiving::Nothing;
            }
            Receiving::Dropped => {}
        }
        self.note_flit(host, flit, before);
    }

    /// A packet is delivered.
    pub(super) fn deliver(&mut self, record: PacketRecord, delivered: &mut Vec<PacketRecord>) {
        delivered.push(record);
        if let Some(ranks) = &mut self.ranks {
            ranks.deliver(record.destination, (record.source, record.sequence));
        }
    }

    /// Tells the firmware of a NIC, if it has one, of a flit that has arrived.
    fn note_flit(&mut self, host: HostId, flit: Flit, before: Receiving) {
        let Some(firmware) = self.firmware() else {
            return;
        };
        let in_transit = match (before, self.nics[host.index()].receiving) {
            (Receiving::Dropped, _) | (_, Receiving::Dropped) => return,
            (Receiving::InTransit, _) | (_, Receiving::InTransit) => true,
            _ => false,
        };
        let machines = &mut self.machines[host.index()];
        machines.note_flit(flit, in_transit, &firmware);
        if flit.is_last() && in_transit {
            machines.note_received(None);
        }
    }

    fn receive_mark(&mut self, host: HostId, mark: Flit) {
        let ready_cycle = match self.model.nic {
            NicModel::Delays { in_transit_cycles } => self.now + u64::from(in_transit_cycles),
            NicModel::Firmware(_) => 0,
        };
        let later = self.overflow_cycles();
        let nic = &mut self.nics[host.index()];
        let fits = nic.held_flits + u64::from(mark.followed_by) <= u64::from(self.model.pool_flits);
        nic.pool_use.packets += u64::from(fits);
        nic.pool_use.overflows += u64::from(!fits);
        if !fits && self.model.overflow == Overflow::Drop {
            nic.receiving = Receiving::Dropped;
            let attempt = self.attempts[&mark.attempt];
            return self.lose(&attempt, LossCause::Overflow);
        }
        let (place, ready_cycle) = if fits {
            (Place::Pool, ready_cycle)
        } else {
            (Place::HostMemory, ready_cycle + later)
        };
        nic.receiving = Receiving::InTransit;
        nic.in_transit.push_back(Outgoing {
            attempt: mark.attempt,
            place,
            ready_cycle,
            was_seen: false,
            flits: VecDeque::new(),
        });
    }

    /// How much later a packet in host memory may be sent on.
    pub(super) fn overflow_cycles(&self) -> u64 {
        match self.model.overflow {
            Overflow::HostMemory { delay_cycles } => delay_cycles.into(),
            Overflow::Drop => 0,
        }
    }

    pub(super) fn end_attempt(&mut self, attempt: u64) -> Attempt {
        let ended = self.attempts.remove(&attempt);
        // Invariant: an attempt ends once, with its last flit.
        ended.unwrap_or_else(|| unreachable!("attempt {attempt} is under way"))
    }
}
