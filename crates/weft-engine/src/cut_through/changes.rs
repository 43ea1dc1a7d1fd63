//! Parts that fail and return, and tables that change, before all else in a cycle.
//!
//! Nothing that is decided for a cycle to come may depend on what changes until then: nobody gets a link ahead of
//! time in the cycle of the next change or later (the clock's [horizon](super::clock::Clock::horizon)), and of
//! packets whose last flits arrive then or later it is noted which channels they are on.

use super::core::Core;
use super::event::Event;
use super::flow::Flow;
use super::network::Network;
use super::setting::Changing;
use super::switches::Guide;
use super::under_way::UnderWay;
use crate::ids::PacketId;
use crate::queue::NEVER;
use weft_fabric::ChannelId;
use weft_model::changes::Change;
use weft_model::{LossCause, LossRecord};

impl Core<'_> {
    /// What is due in the present cycle happens.
    #[cold]
    pub(super) fn change(&mut self) {
        let Self { network, flow, .. } = self;
        let now = network.clock.now();
        while let Some(change) = network.happening.next_due(now) {
            network.apply(flow, change);
        }
        let horizon = network.plan_change();
        let is_kept = |under_way: &mut UnderWay| {
            let least = if under_way.delivers { now } else { horizon };
            under_way.last_arrival >= least
        };
        network.under_way.retain_mut(is_kept);
    }
}

impl Network<'_> {
    /// Takes care that something happens in the cycle of the next change, which is told.
    pub(super) fn plan_change(&mut self) -> u64 {
        let cycle = self.happening.next_cycle().unwrap_or(NEVER);
        self.clock.horizon = cycle;
        if let Some(channel) = self.channels.ids().next()
            && cycle < NEVER
        {
            // A look that no channel expects does nothing.
            self.clock.plan(cycle, Event::Look(channel));
        }
        cycle
    }

    fn apply(&mut self, flow: &mut Flow, change: Change) {
        let now = self.clock.now();
        match change {
            Change::LinkFails(link) => {
                let down = self.happening.set_link(link, true);
                self.set_down(flow, &down, true);
            }
            Change::LinkReturns(link) => {
                let up = self.happening.set_link(link, false);
                self.set_down(flow, &up, false);
            }
            Change::SwitchFails(switch) => {
                let down = self.happening.set_switch(switch, true);
                self.set_down(flow, &down, true);
            }
            Change::SwitchReturns(switch) => {
                let up = self.happening.set_switch(switch, false);
                self.set_down(flow, &up, false);
            }
            Change::SwitchTables(switch, tables) => {
                if let Guide::Changing(forwarding) = &mut self.switches.guide {
                    forwarding.set_switch(switch, tables);
                }
            }
            Change::SwitchEntry(switch, address, port) => {
                if let Guide::Changing(forwarding) = &mut self.switches.guide {
                    forwarding.set_entry(switch, address, port);
                }
            }
            Change::HostTables(host, tables) => {
                if let Guide::Changing(forwarding) = &mut self.switches.guide {
                    forwarding.set_host(host, now, tables);
                }
            }
        }
    }

    /// Channels are down, or work again, since the present cycle.
    fn set_down(&mut self, flow: &mut Flow, channels: &[ChannelId], is_down: bool) {
        let now = self.clock.now();
        for &channel in channels {
            if let Some(host) = self.channels[channel].source_host.get()
                && let Some(before) = now.checked_sub(1)
            {
                self.feed::<Changing>(host, channel, before);
            }
            flow.settle_blocked(self, channel);
            self.channels[channel].is_down = is_down;
            self.contest(channel);
            if is_down {
                flow.break_begun(self, channel);
                for under_way in &self.under_way {
                    if under_way.channel == channel && under_way.is_on(&self.packets) {
                        self.packets[under_way.packet].is_broken = true;
                    }
                }
            }
        }
    }

    /// A packet is on a channel in the cycle of the next change; tells whether it is delivered later, being at its
    /// destination then.
    #[cold]
    pub(super) fn note_under_way(
        &mut self,
        channel: ChannelId,
        packet: PacketId,
        last_arrival: u64,
        delivers: bool,
    ) {
        let name = self.packets[packet].name();
        self.under_way.push(UnderWay {
            channel,
            packet,
            name,
            last_arrival,
            delivers,
        });
        if delivers {
            self.clock.plan(last_arrival, Event::Arrive(channel));
        }
    }

    /// Where packets choose: what arrives where a packet does, before it in cycle `at`, arrives in the order of packets,
    /// though it is to be delivered yet. There is no change until then, so that it is known what is broken.
    #[cold]
    pub(super) fn arrive_in_order(&mut self, packet: PacketId, at: u64) {
        let Some(order) = &mut self.order else {
            return;
        };
        let destination = self.packets[packet].header.destination;
        let is_before = |under_way: &&UnderWay| {
            under_way.delivers
                && under_way.last_arrival < at
                && under_way.is_on(&self.packets)
                && self.packets[under_way.packet].header.destination == destination
        };
        let before = self.under_way.iter().filter(is_before);
        let mut before: Vec<_> = before.map(|one| (one.last_arrival, one.packet)).collect();
        before.sort_unstable_by_key(|&(last_arrival, _)| last_arrival);
        for (_, other) in before {
            if self.packets[other].is_broken {
                order.forget(self.packets[other].source, other);
            } else {
                order.arrive(other, &mut self.packets);
            }
        }
    }

    /// The last flit of a packet arrives at its destination now, after changes.
    pub(super) fn arrive_after_changes(&mut self, channel: ChannelId) {
        let now = self.clock.now();
        let is_it = |under_way: &UnderWay| {
            under_way.delivers && (under_way.channel, under_way.last_arrival) == (channel, now)
        };
        let under_way = &mut self.under_way;
        if let Some(place) = under_way.iter().position(is_it) {
            let packet = under_way.swap_remove(place).packet;
            self.deliver::<Changing>(packet, now);
        }
    }

    /// A packet is lost in a cycle, now or later, and sent again where that is to be; its number is free.
    #[cold]
    pub(super) fn lose(&mut self, packet: PacketId, cycle: u64, cause: LossCause) {
        self.report_loss(packet, cycle, cause);
        if let Some(order) = &mut self.order {
            order.forget(self.packets[packet].source, packet);
        }
        self.packets.remove(packet);
    }

    /// A packet is lost in a cycle, now or later, and sent again where that is to be.
    #[cold]
    pub(super) fn report_loss(&mut self, number: PacketId, cycle: u64, cause: LossCause) {
        let packet = &self.packets[number];
        self.hosts.reports.lose(LossRecord {
            cycle,
            source: packet.source,
            sequence: packet.sequence,
            destination: packet.header.destination,
            cause,
        });
        let retries = self.happening.retries();
        if let Some(retries) = retries.filter(|retries| packet.attempt < retries.count) {
            let due_cycle = retries.due_cycle(packet.injection_cycle, cycle);
            let (source, again) = (packet.source, packet.again(due_cycle));
            self.hosts.send_again(source, again);
            // Its next look may have to be sooner; a look that is due in this cycle must not be put off.
            self.contest(self.hosts.sources[source].channel);
        }
    }
}
