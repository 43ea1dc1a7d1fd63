//! Runs as they are planned: as far as the flits are known to come, and shorter when fewer do.

use super::buffer::Supply;
use super::content::Run;
use super::sender::Visit;
use super::{StopAndGo, ready_at};
use crate::cut_through::network::Network;
use crate::ids::{InletId, OutletId};
use crate::queue::NEVER;
use weft_fabric::ChannelId;

impl StopAndGo {
    /// A lane sends from now on, as long as flits are known to come.
    pub(super) fn run(&mut self, network: &mut Network, channel: ChannelId, outlet: OutletId) {
        let now = network.clock.now();
        let has_output_buffers = network.switches.crossbar.has_output_buffers();
        let step = network.channels[channel].cycles_per_flit.into();
        let run = Run {
            start: now,
            count: self.sendable(network, outlet, now, step),
            step,
        };
        debug_assert!(run.count > 0, "a candidate has a flit to send");
        let state = &mut network.channels[channel];
        state.free_at = run.end();
        network.meters.flits_started += run.count;
        network.switches.outlets[outlet].busy_cycles += run.count * step;
        let sender = &mut self.senders[outlet];
        let (is_first, from) = (sender.sent == 0, sender.from.get());
        sender.run = Some(run);
        let arrival = Run {
            start: now + state.latency,
            ..run
        };
        let arrives = !state.leads_to_host() && !sender.is_swallowed;
        if arrives {
            let buffer = &mut self.buffers[outlet.far_end()];
            buffer.is_fed = true;
            buffer.arrive(arrival, is_first);
        }
        if let Some(from) = from
            && !has_output_buffers
        {
            self.buffers[from].departures.push_back(run);
            self.touch(from);
        }
        if arrives {
            self.supply_changed(network, outlet.far_end());
        }
    }

    /// A run is cut down to its first `count` flits, of which none is later than now; tells the buffer to
    /// which fewer come.
    pub(super) fn cut(
        &mut self,
        network: &mut Network,
        outlet: OutletId,
        count: u64,
    ) -> Option<InletId> {
        let now = network.clock.now();
        let sender = &mut self.senders[outlet];
        let run = sender.run?;
        let removed = run.count - count;
        if removed == 0 {
            return None;
        }
        let run = Run { count, ..run };
        sender.run = Some(run);
        network.meters.flits_started -= removed;
        network.switches.outlets[outlet].busy_cycles -= removed * run.step;
        if let Some(from) = sender.from.get()
            && !network.switches.crossbar.has_output_buffers()
        {
            self.buffers[from].depart_less(removed);
            self.touch(from);
        }
        let channel = network.lanes.channel(outlet);
        let state = &mut network.channels[channel];
        state.free_at = run.end();
        let arrives = !state.leads_to_host() && !self.senders[outlet].is_swallowed;
        if run.end() <= now {
            self.settle(network, channel);
            network.contest(channel);
        } else {
            network.look(channel, run.end());
        }
        if !arrives {
            return None;
        }
        self.buffers[outlet.far_end()].arrive_less(removed);
        Some(outlet.far_end())
    }

    /// What comes to a buffer has changed, and with it what can be sent on from there, and so on.
    pub(super) fn supply_changed(&mut self, network: &mut Network, inlet: InletId) {
        let mut changed = Some(inlet);
        while let Some(inlet) = changed {
            let sends_on = self.plan_anew(network, inlet);
            changed = sends_on.and_then(|outlet| self.adjust(network, outlet));
        }
    }

    /// What comes to a buffer has changed: tells the lane that its packet has, if that packet is the one
    /// that comes.
    fn plan_anew(&mut self, network: &mut Network, inlet: InletId) -> Option<OutletId> {
        self.touch(inlet);
        let visit = self.buffers[inlet].granted?;
        if self.senders[inlet.near_end()].sending.map(Visit::next) != Some(visit) {
            return None;
        }
        let outlet = network.switches.inlets[inlet].found();
        if network.switches.crossbar.has_output_buffers() || outlet.is_none() {
            self.plan_crossing(network, inlet);
        }
        let outlet = outlet?;
        let in_front = network.switches.outlets[outlet]
            .packets
            .front()
            .map(|packet| Visit {
                packet,
                switches: network.packets[packet].switches,
            });
        let has_lane = self.senders[outlet].sending == Some(visit) || in_front == Some(visit);
        has_lane.then_some(outlet)
    }

    /// What is known to come to a lane has changed: its run may have to be cut, or may begin. Tells the
    /// buffer to which fewer come.
    fn adjust(&mut self, network: &mut Network, outlet: OutletId) -> Option<InletId> {
        let sender = &self.senders[outlet];
        let Some(run) = sender.run else {
            let at = self
                .candidate_at(network, outlet)
                .max(network.clock.now() + 1);
            network.look(network.lanes.channel(outlet), at);
            return None;
        };
        let count = self.sendable(network, outlet, run.start, run.step);
        if count < run.count {
            return self.cut(network, outlet, count);
        }
        None
    }

    /// The first cycle in which a lane is a candidate, as far as is known.
    pub(super) fn candidate_at(&self, network: &Network, outlet: OutletId) -> u64 {
        let sender = &self.senders[outlet];
        if sender.stopped_since.is_some() && !self.takes_all(network, outlet) {
            return NEVER;
        }
        if sender.sending.is_none() {
            let released_at = network.switches.outlets[outlet].released_at;
            return ready_at(network, outlet).max(released_at);
        }
        match self.supply(network, outlet) {
            // At its source, or in the output buffer as a whole.
            None => 0,
            Some(supply) => supply.cycle_of(sender.sent).unwrap_or(NEVER),
        }
    }

    /// The flits of the packet that a lane sends, as far as they are known to come; none where all are
    /// there, at its source or in the output buffer.
    fn supply(&self, network: &Network, outlet: OutletId) -> Option<Supply<'_>> {
        let sender = &self.senders[outlet];
        let buffer = &self.buffers[sender.from.get()?];
        if buffer.granted != sender.sending {
            return None;
        }
        let crossbar = network.switches.crossbar;
        Some(if crossbar.has_output_buffers() {
            buffer.departures(crossbar.cycles_per_flit)
        } else {
            buffer.arrivals()
        })
    }

    /// How many flits of the packet that a lane sends, from those sent before the run on, can be sent one
    /// every `step` cycles from `start` on.
    fn sendable(&self, network: &Network, outlet: OutletId, start: u64, step: u64) -> u64 {
        let sender = &self.senders[outlet];
        let left = sender.left();
        let supply = self.supply(network, outlet);
        supply.map_or(left, |supply| {
            supply.in_time(sender.sent, left, start, step)
        })
    }

    /// Where packets are followed: what the run of a lane has sent before now.
    #[cold]
    pub(in super::super) fn note_motion(&self, network: &mut Network, outlet: OutletId) {
        let sender = &self.senders[outlet];
        if let Some(run) = sender.run
            && let Some(visit) = sender.sending
        {
            let end = run.cycle(run.count_before(network.clock.now()));
            network.note_motion(outlet, visit.packet, [run.start, end]);
        }
    }
}
