//! Flits leave, and the control symbols that hold them back.

use super::Oracle;
use super::channel::{Leaving, Reservation, Symbol};
use super::flit::Flit;
use super::nic::Place;
use crate::latency_cycles;
use weft_fabric::{ChannelId, HostId, Node};

impl Oracle<'_> {
    /// Phase 4.
    pub(super) fn transmission(&mut self) {
        for channel in self.fabric.channel_ids() {
            if self.channels[channel.index()].leaving.is_none() {
                self.begin_flit(channel);
            }
            let state = &mut self.channels[channel.index()];
            let Some(leaving) = state.leaving else {
                continue;
            };
            state.usage.busy_cycles += 1;
            if leaving.until == self.now {
                state.leaving = None;
                if leaving.is_last {
                    self.end_packet(channel);
                }
            }
        }
    }

    /// A flit begins to leave, if one may.
    fn begin_flit(&mut self, channel: ChannelId) {
        let flit = match self.fabric.source(channel).node {
            Node::Switch(_) => self.flit_from_switch(channel),
            Node::Host(host) => self.flit_from_host(channel, host),
        };
        let Some(flit) = flit else { return };
        self.flit_hops += 1;
        if let Some(attempt) = self.attempts.get_mut(&flit.attempt) {
            attempt.flit_hops += 1;
        }
        let timing = self.model.channels.of(channel);
        let channel = &mut self.channels[channel.index()];
        channel.leaving = Some(Leaving {
            until: self.now + u64::from(timing.cycles_per_flit) - 1,
            is_last: flit.is_last(),
        });
        let arrival_cycle = self.now + latency_cycles(timing);
        channel.flits.push_back((arrival_cycle, flit));
    }

    /// The last flit of a packet has left as a whole.
    fn end_packet(&mut self, channel: ChannelId) {
        match self.fabric.source(channel).node {
            Node::Switch(_) => {
                let reservation = self.channels[channel.index()].reservation.take();
                self.channels[channel.index()].packet = None;
                // Invariant: what a switch sends has a reservation.
                let Some(Reservation { input, .. }) = reservation else {
                    unreachable!("a packet leaves through an output it has")
                };
                self.channels[input.index()].is_granted = false;
            }
            Node::Host(host) => {
                self.nics[host.index()].sending = None;
                if self.firmware().is_some() {
                    self.machines[host.index()].note_sent();
                }
            }
        }
    }

    /// Phase 4, packets that are discarded: one flit of each, if one is there.
    pub(super) fn discarding(&mut self) {
        for channel in self.fabric.channel_ids() {
            let input = &mut self.channels[channel.index()];
            if input.is_discarding
                && let Some((_, flit)) = input.buffer.pop_front()
                && flit.is_last()
            {
                input.is_discarding = false;
                self.end_attempt(flit.attempt);
            }
        }
    }

    fn flit_from_switch(&mut self, output: ChannelId) -> Option<Flit> {
        let Reservation {
            input,
            first_flit_cycle,
        } = self.channels[output.index()].reservation?;
        if self.channels[output.index()].is_stopped {
            self.channels[output.index()].usage.blocked_cycles += 1;
            return None;
        }
        if self.now < first_flit_cycle {
            return None;
        }
        let (_, flit) = self.channels[input.index()].buffer.pop_front()?;
        Some(flit)
    }

    fn flit_from_host(&mut self, injection: ChannelId, host: HostId) -> Option<Flit> {
        let nic = &mut self.nics[host.index()];
        nic.sending.as_ref()?;
        if self.channels[injection.index()].is_stopped {
            self.channels[injection.index()].usage.blocked_cycles += 1;
            return None;
        }
        let (place, flit) = nic.next_flit()?;
        if let (Place::Local, Some(attempt)) = (place, self.attempts.get_mut(&flit.attempt)) {
            attempt.injection_cycle.get_or_insert(self.now);
        }
        Some(flit)
    }

    /// Phase 5.
    pub(super) fn flow_control(&mut self) {
        for id in self.fabric.channel_ids() {
            let effect_cycle = self.now + latency_cycles(self.model.channels.of(id));
            let channel = &mut self.channels[id.index()];
            let occupancy = channel.buffer.len();
            if occupancy > self.model.stop_above_flits as usize && !channel.is_stop_outstanding {
                channel.is_stop_outstanding = true;
                channel.symbols.push_back((effect_cycle, Symbol::Stop));
            }
            if occupancy < self.model.go_below_flits as usize && channel.is_stop_outstanding {
                channel.is_stop_outstanding = false;
                channel.symbols.push_back((effect_cycle, Symbol::Go));
            }
            self.most_symbols_under_way = self.most_symbols_under_way.max(channel.symbols.len());
        }
    }
}
