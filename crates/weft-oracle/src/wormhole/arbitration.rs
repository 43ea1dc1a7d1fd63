//! Who goes next: inputs for the outputs of switches, packets for NICs.

use super::Oracle;
use super::channel::Reservation;
use super::flit::{self, Attempt, Flit, FlitKind};
use super::nic::{Outgoing, Place, Served};
use weft_fabric::{ChannelId, HostId, SwitchId};
use weft_model::Arbitration;
use weft_model::workload::Packet;

impl Oracle<'_> {
    /// Phase 3, switches.
    pub(super) fn arbitration(&mut self) {
        for switch in self.fabric.switch_ids() {
            for &output in self.fabric.outgoing(switch) {
                if self.channels[output.index()].reservation.is_none()
                    && let Some(input) = self.choose(switch, output)
                {
                    self.grant(input, output);
                }
            }
        }
    }

    /// This is the output an input requests: it has no granted packet, and a routing flit in front.
    pub(super) fn requested_output(&self, switch: SwitchId, input: ChannelId) -> Option<ChannelId> {
        let input = &self.channels[input.index()];
        match input.buffer.front() {
            Some(Flit {
                kind: FlitKind::Routing(port),
                ..
            }) if !input.is_granted => self.fabric.outgoing_at(switch, *port),
            _ => None,
        }
    }

    /// This is the requesting input an output serves next.
    fn choose(&self, switch: SwitchId, output: ChannelId) -> Option<ChannelId> {
        // The channel into a port is the reverse of the channel out of it.
        let inputs = self
            .fabric
            .outgoing(switch)
            .iter()
            .map(|channel| channel.reverse());
        let requests = inputs.filter(|&i| self.requested_output(switch, i) == Some(output));
        match self.model.arbitration {
            Arbitration::RoundRobin => requests.min_by_key(|&input| {
                let port = self.fabric.target(input).port;
                (port <= self.channels[output.index()].last_granted, port)
            }),
            other => unimplemented_policy(other),
        }
    }

    fn grant(&mut self, input: ChannelId, output: ChannelId) {
        let first_flit_cycle = self.now + u64::from(self.model.routing_delay_cycles);
        self.channels[input.index()].is_granted = true;
        self.channels[input.index()].buffer.pop_front();
        self.channels[output.index()].reservation = Some(Reservation {
            input,
            first_flit_cycle,
        });
        self.channels[output.index()].last_granted = self.fabric.target(input).port;
        self.packet_hops += 1;
    }

    /// Phase 3, NICs.
    pub(super) fn service(&mut self) {
        let (now, equal_at) = (self.now, self.model.local_equal_at_packets);
        for host in self.fabric.host_ids() {
            let nic = &mut self.nics[host.index()];
            let service = nic.next_service(now, equal_at);
            self.packet_hops += u64::from(service.is_some());
            match service {
                None => {}
                Some(Served::InTransit) => {
                    nic.sending = nic.in_transit.pop_front();
                    nic.last_served = Served::InTransit;
                }
                Some(Served::Local) => {
                    let (sequence, packet) = nic.take_local(now);
                    nic.last_served = Served::Local;
                    let flits = self.begin_attempt(host, sequence, packet);
                    self.nics[host.index()].sending = Some(flits);
                }
            }
        }
    }

    fn begin_attempt(&mut self, source: HostId, sequence: u64, packet: Packet) -> Outgoing {
        let number = self.next_attempt;
        self.next_attempt += 1;
        let steps = self.routes.steps(self.fabric, source, packet.destination);
        let kinds = flit::packet_flits(self.fabric, &self.model, source, steps, packet);
        self.attempts
            .insert(number, Attempt::new(source, sequence, packet, &kinds));
        Outgoing {
            attempt: number,
            place: Place::Local,
            ready_cycle: self.now,
            flits: flit::number_flits(number, &kinds),
        }
    }
}

fn unimplemented_policy(policy: Arbitration) -> ! {
    unreachable!("the oracle knows no arbitration policy {policy:?}")
}
