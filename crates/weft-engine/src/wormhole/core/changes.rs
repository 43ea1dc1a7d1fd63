//! Parts that fail and return, and hosts that get other routes, before all else in a cycle.
//!
//! What holds a channel then is broken. What has claimed it for a cycle to come has not asked for it yet: such
//! claims are given up, and the packet asks in its time. So nothing else that was foreseen is undone.

use super::Core;
use crate::cycle::Cycle;
use crate::ids::PacketId;
use crate::wormhole::event::Event;
use crate::wormhole::flow::Timing;
use crate::wormhole::hosts::LossPlace;
use weft_fabric::{ChannelId, HostId};
use weft_model::LossCause;
use weft_model::changes::Change;

impl<T: Timing> Core<'_, T> {
    /// What is due in the present cycle happens.
    pub(super) fn change(&mut self) {
        let now = self.clock.now().number();
        if self.happening.next_cycle().is_none_or(|cycle| cycle > now) {
            return;
        }
        while let Some(change) = self.happening.next_due(now) {
            match change {
                Change::LinkFails(link) => {
                    let down = self.happening.set_link(link, true);
                    self.fail(&down);
                }
                Change::LinkReturns(link) => {
                    let up = self.happening.set_link(link, false);
                    self.recover(&up);
                }
                Change::SwitchFails(switch) => {
                    let down = self.happening.set_switch(switch, true);
                    self.fail(&down);
                }
                Change::SwitchReturns(switch) => {
                    let up = self.happening.set_switch(switch, false);
                    self.recover(&up);
                }
                Change::SwitchTables(..) | Change::SwitchEntry(..) => {
                    unreachable!("changes were checked: switches have no tables")
                }
                Change::HostTables(host, routes) => self.traffic.set_routes(host, routes),
            }
        }
        self.plan_change();
    }

    /// Takes care that something happens in the cycle of the next change.
    pub(super) fn plan_change(&mut self) {
        if let Some(host) = self.traffic.host_switches.ids().next()
            && let Some(cycle) = self.happening.next_cycle().map(Cycle::new)
            && !cycle.is_never()
        {
            // A NIC that is looked at without need does nothing.
            self.clock.plan(cycle, Event::Nic(host));
        }
    }

    /// Channels are down since the present cycle.
    fn fail(&mut self, channels: &[ChannelId]) {
        for &channel in channels {
            if !self.settle(channel) {
                if self.is_claimed_ahead(channel) {
                    self.give_up_claim(channel);
                } else if let Some(packet) = self.flow.packet(channel).get() {
                    self.traffic.packets[packet].is_broken = true;
                }
            }
            let ends = self.flow.ends(channel);
            if let Some(host) = ends.source_host() {
                self.hosts.set_connected(host, false);
                continue;
            }
            let ports = self.switching.requesters(&self.flow.channels, channel);
            for port in ports {
                let input = self.switching.input_at(&self.flow.channels, channel, port);
                self.clock.refused.push(input);
            }
        }
    }

    /// Channels work since the present cycle.
    fn recover(&mut self, channels: &[ChannelId]) {
        for &channel in channels {
            if let Some(host) = self.flow.ends(channel).source_host() {
                self.hosts.set_connected(host, true);
                self.clock.undecided.push(host);
            } else if self.switching.has_requests(&self.flow.channels, channel) {
                // It failed in this cycle, too.
                if self.settle(channel) {
                    self.clock.contested.push(channel);
                } else {
                    self.flow.await_tail(&mut self.clock, channel);
                }
            }
        }
    }

    /// Whether a channel is down.
    #[inline]
    pub(super) fn is_down(&self, channel: ChannelId) -> bool {
        T::HAS_CHANGES && self.happening.is_down(channel)
    }

    /// Whether the channel out of a host is down.
    #[inline]
    pub(super) fn is_cut_off(&self, host: HostId) -> bool {
        T::HAS_CHANGES && self.happening.is_down(self.hosts.injection(host))
    }

    /// Whether a NIC has taken a packet in the present cycle that it had no route for.
    pub(super) fn has_taken_in_vain(&self, host: HostId) -> bool {
        T::HAS_CHANGES && self.taken_in_vain[host] == self.clock.now()
    }

    /// A packet that its host has taken, and has no route for, is lost; the NIC looks for another in the next
    /// cycle.
    #[cold]
    pub(super) fn lose_at_source(&mut self, host: HostId, packet: PacketId) {
        let now = self.clock.now();
        self.traffic.packets[packet].injection_cycle = now;
        self.lose(packet, now, LossCause::NoEntry, LossPlace::Source);
        self.traffic.packets.remove(packet);
        self.taken_in_vain[host] = now;
        self.clock.plan(now + 1, Event::Nic(host));
    }

    /// The cycle from which on a packet lost in a failure, or for want of a route, may be sent again, if it is to
    /// be.
    pub(super) fn retry_due(&self, packet: PacketId, lost: Cycle) -> Option<Cycle> {
        let packet = &self.traffic.packets[packet];
        let retries = self.happening.retries()?;
        let (began, lost) = (packet.injection_cycle.number(), lost.number());
        (packet.tries < retries.count).then(|| Cycle::new(retries.due_cycle(began, lost)))
    }
}
