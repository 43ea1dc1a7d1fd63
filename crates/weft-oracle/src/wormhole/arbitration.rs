//! Who goes next: inputs for the outputs of switches, packets for NICs.

use super::Oracle;
use super::again::Again;
use super::channel::Reservation;
use super::flit::{self, Attempt, Flit, FlitKind};
use super::nic::{Outgoing, Place, Served};
use crate::draws::arbiter_choice;
use std::cmp::Reverse;
use weft_fabric::{ChannelId, HostId, Node, SwitchId};
use weft_model::{Arbitration, LossCause, PacketRecord};
use weft_routing::{MappedRoutes, PairGranularity};

impl Oracle<'_> {
    /// Phase 3, switches: since when each input has requested.
    pub(super) fn requests(&mut self) {
        for switch in self.fabric.switch_ids() {
            for input in self.inputs(switch).collect::<Vec<_>>() {
                if self.requested_output(switch, input).is_some() {
                    let input = &mut self.channels[input.index()];
                    input.asking_since.get_or_insert(self.now);
                }
            }
        }
    }

    /// Phase 3, switches: grants.
    pub(super) fn arbitration(&mut self) {
        for switch in self.fabric.switch_ids() {
            for &output in self.fabric.outgoing(switch) {
                let state = &self.channels[output.index()];
                if state.reservation.is_none()
                    && !state.is_down
                    && let Some(input) = self.choose(switch, output)
                {
                    self.grant(input, output);
                }
            }
        }
    }

    /// The output an input requests: it has no granted packet, and a routing flit in front.
    pub(super) fn requested_output(&self, switch: SwitchId, input: ChannelId) -> Option<ChannelId> {
        let input = &self.channels[input.index()];
        match input.buffer.front() {
            Some((
                _,
                Flit {
                    kind: FlitKind::Routing(port),
                    ..
                },
            )) if !input.is_granted && !input.is_discarding => {
                self.fabric.outgoing_at(switch, *port)
            }
            _ => None,
        }
    }

    /// The channels into a switch, each the reverse of the one out of its port.
    pub(super) fn inputs(&self, switch: SwitchId) -> impl Iterator<Item = ChannelId> + use<'_> {
        let outgoing = self.fabric.outgoing(switch).iter();
        outgoing.map(|channel| channel.reverse())
    }

    /// The requesting input an output serves next.
    fn choose(&self, switch: SwitchId, output: ChannelId) -> Option<ChannelId> {
        let requests = || {
            let inputs = self.inputs(switch);
            inputs.filter(|&input| self.requested_output(switch, input) == Some(output))
        };
        let port = |input: &ChannelId| self.fabric.target(*input).port;
        let turn = |input: &ChannelId| {
            let has_passed = Some(port(input)) <= self.channels[output.index()].last_granted;
            (has_passed, port(input))
        };
        match self.model.arbitration {
            Arbitration::RoundRobin => requests().min_by_key(turn),
            Arbitration::Random => {
                let mut inputs: Vec<_> = requests().collect();
                inputs.sort_by_key(port);
                let grants = self.channels[output.index()].grants;
                let seed = self.workload.seed();
                let index = arbiter_choice(seed, output.number(), grants, inputs.len());
                inputs.get(index).copied()
            }
            Arbitration::InjectionTime => requests().min_by_key(|input| {
                let injection_cycle = self.attempt_in_front(*input).injection_cycle;
                (injection_cycle, port(input))
            }),
            Arbitration::WaitingTime => requests().min_by_key(|input| {
                let (arrival_cycle, _) = self.channels[input.index()].buffer[0];
                (arrival_cycle, port(input))
            }),
            Arbitration::DistanceToTravel => requests().min_by_key(|input| {
                let distance = self.attempt_in_front(*input).switches_after_this();
                (distance, turn(input))
            }),
            Arbitration::DistanceTravelled => requests().min_by_key(|input| {
                let distance = self.attempt_in_front(*input).switches_passed;
                (Reverse(distance), turn(input))
            }),
        }
    }

    /// Phase 3, switches: packets that have waited too long, or ask for what is down, by the number of their
    /// input's channel.
    pub(super) fn discards(&mut self) {
        for channel in self.fabric.channel_ids() {
            let since = self.channels[channel.index()].asking_since;
            let (Some(since), Node::Switch(switch)) = (since, self.fabric.target(channel).node)
            else {
                continue;
            };
            let Some(output) = self.requested_output(switch, channel) else {
                continue;
            };
            let waited = self.now - since;
            let timeout = self.model.timeout_cycles;
            let cause = if self.channels[output.index()].is_down {
                LossCause::Failure
            } else if timeout.is_some_and(|timeout| waited >= u64::from(timeout.get())) {
                LossCause::Timeout
            } else {
                continue;
            };
            let usage = &mut self.channels[output.index()].usage;
            usage.longest_wait_cycles = usage.longest_wait_cycles.max(waited);
            let attempt = *self.attempt_in_front(channel);
            let input = &mut self.channels[channel.index()];
            input.buffer.pop_front();
            input.asking_since = None;
            input.is_discarding = true;
            self.lose(&attempt, cause);
        }
    }

    /// The packet in front of a buffer that is not empty.
    fn attempt_in_front(&self, input: ChannelId) -> &Attempt {
        let (_, flit) = self.channels[input.index()].buffer[0];
        &self.attempts[&flit.attempt]
    }

    fn grant(&mut self, input: ChannelId, output: ChannelId) {
        let port = self.fabric.target(input).port;
        let (input_number, input) = (input, &mut self.channels[input.index()]);
        input.is_granted = true;
        // Invariant: an input that is granted an output requested it.
        let (Some((_, routing_flit)), Some(since)) =
            (input.buffer.pop_front(), input.asking_since.take())
        else {
            unreachable!("a routing flit in front asks")
        };
        if let Some(attempt) = self.attempts.get_mut(&routing_flit.attempt) {
            attempt.switches_passed += 1;
        }
        let output = &mut self.channels[output.index()];
        output.packet = Some(routing_flit.attempt);
        output.reservation = Some(Reservation {
            input: input_number,
            first_flit_cycle: self.now + u64::from(self.model.routing_delay_cycles),
        });
        output.last_granted = Some(port);
        output.grants += 1;
        let longest_wait = &mut output.usage.longest_wait_cycles;
        *longest_wait = (*longest_wait).max(self.now - since);
        self.packet_hops += 1;
    }

    /// Phase 3, NICs.
    pub(super) fn service(&mut self, delivered: &mut Vec<PacketRecord>) {
        if let Some(firmware) = self.firmware() {
            for host in self.fabric.host_ids() {
                self.run_firmware(host, &firmware, delivered);
            }
            return;
        }
        let (now, equal_at) = (self.now, self.model.local_equal_at_packets);
        for host in self.fabric.host_ids() {
            if !self.is_connected(host) {
                continue;
            }
            let nic = &mut self.nics[host.index()];
            match nic.next_service(now, equal_at) {
                None => {}
                Some(Served::InTransit) => {
                    nic.sending = nic.in_transit.pop_front();
                    nic.last_served = Served::InTransit;
                    self.packet_hops += 1;
                }
                Some(Served::Local) => {
                    let taken = nic.take_local(now);
                    nic.last_served = Served::Local;
                    if let Some(flits) = self.begin_attempt(host, taken) {
                        self.nics[host.index()].sending = Some(flits);
                        self.packet_hops += 1;
                    }
                }
            }
        }
    }

    /// A packet as it is sent, unless its source has no route for it: then it is lost.
    pub(super) fn begin_attempt(&mut self, source: HostId, taken: Again) -> Option<Outgoing> {
        if let Some(ranks) = &mut self.ranks {
            ranks.leave((source, taken.sequence));
        }
        let packet = taken.packet;
        if !self.leads(source, packet.destination) {
            self.lose_packet(source, None, taken, LossCause::NoEntry);
            return None;
        }
        let number = self.next_attempt;
        self.next_attempt += 1;
        let routes = self.happening.routes_of(source);
        let routes = routes.map_or(self.routes, MappedRoutes::routes);
        let [from, to] = [source, packet.destination].map(|host| match routes.granularity() {
            PairGranularity::Host => host.index(),
            PairGranularity::Switch => self.fabric.host_switch(host).index(),
        });
        let steps: Vec<_> = routes.steps_between(from, to).collect();
        let kinds = flit::packet_flits(self.fabric, &self.model, source, &steps, packet);
        self.attempts
            .insert(number, Attempt::new(source, taken, &kinds));
        Some(Outgoing {
            attempt: number,
            place: Place::Local,
            ready_cycle: self.now,
            was_seen: true,
            flits: flit::number_flits(number, &kinds),
        })
    }
}
