//! Flits leave, and the control symbols that hold them back.

use super::Oracle;
use super::channel::{Reservation, Symbol};
use super::flit::Flit;
use super::nic::Place;
use weft_fabric::{ChannelId, HostId, Node};

impl Oracle<'_> {
    /// Phase 4.
    pub(super) fn transmission(&mut self) {
        for channel in self.fabric.channel_ids() {
            let flit = match self.fabric.source(channel).node {
                Node::Switch(_) => self.transmit_from_switch(channel),
                Node::Host(host) => self.transmit_from_host(channel, host),
            };
            let Some(flit) = flit else { continue };
            self.flit_hops += 1;
            if let Some(attempt) = self.attempts.get_mut(&flit.attempt) {
                attempt.flit_hops += 1;
            }
            let arrival_cycle = self.now + u64::from(self.model.flight_cycles);
            let channel = &mut self.channels[channel.index()];
            channel.usage.busy_cycles += 1;
            channel.flits.push_back((arrival_cycle, flit));
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

    fn transmit_from_switch(&mut self, output: ChannelId) -> Option<Flit> {
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
        if flit.is_last() {
            self.channels[input.index()].is_granted = false;
            self.channels[output.index()].reservation = None;
        }
        Some(flit)
    }

    fn transmit_from_host(&mut self, injection: ChannelId, host: HostId) -> Option<Flit> {
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
        let effect_cycle = self.now + u64::from(self.model.flight_cycles);
        for channel in &mut self.channels {
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
