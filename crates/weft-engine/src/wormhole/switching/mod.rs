//! At the switches: packets in and on the way into input buffers, their requests for outputs, and grants.

mod arbitration;
mod timeouts;

use super::clock::Clock;
use super::ends::Ends;
use super::event::Event;
use super::flow::{Channel, Channels, ComingHead};
use super::junction::{Junction, NEAR_PORTS};
use super::traffic::{Packet, Traffic};
use crate::cycle::Cycle;
use crate::ids::{Id, Maybe, PacketId, Table};
use crate::memory::fetch;
use crate::shared_queues::SharedQueues;
use weft_fabric::{ChannelId, Fabric, Node, PortNumber, SwitchId};
use weft_model::{Arbitration, WormholeModel};

/// A request that has won.
pub(super) struct Grant {
    pub(super) input: ChannelId,
    pub(super) port: PortNumber,
}

/// Where a port leads.
#[derive(Clone, Copy, Debug)]
struct Port {
    /// The channel out of it, if it has a cable.
    channel: Maybe<ChannelId>,
    /// The switch at the other end of that, if it is one.
    next: Maybe<SwitchId>,
}

impl Port {
    const EMPTY: Self = Self {
        channel: Maybe::NONE,
        next: Maybe::NONE,
    };
}

/// Who waits at which switch, and who is served next.
#[derive(Debug)]
pub(super) struct Switching {
    arbitration: Arbitration,
    /// Seed of random choices.
    seed: u64,
    /// Cycles from a grant to the first flit that leaves.
    pub(super) routing_delay: u64,
    /// Cycles a packet waits for an output, unless it may wait for ever.
    pub(super) timeout: Option<u64>,
    /// Of each switch and port, one row of a power of two per switch: where it leads.
    ports: Vec<Port>,
    row_bits: u32,
    /// The packets in and on the way into each input buffer behind the first two.
    crowds: SharedQueues<ChannelId, PacketId>,
    /// Ports that ask for each output beyond those that its own record has room for, so many words of
    /// bits per output.
    far_requests: Vec<u64>,
    far_words: usize,
    /// Grants of each output, counted where they key random choices.
    grants: Table<ChannelId, u64>,
    /// Longest wait of a packet that was granted the output, in cycles.
    longest_waits: Table<ChannelId, u64>,
    /// Whether a look at the packet in front of each input buffer is planned.
    watched: Table<ChannelId, bool>,
}

impl Switching {
    /// Empty switches. Of the channels some more may be sinks, which nobody asks for.
    pub(super) fn new(
        fabric: &Fabric,
        model: &WormholeModel,
        seed: u64,
        part_count: usize,
    ) -> Self {
        let channel_count = fabric.channel_count();
        let ports = fabric
            .switch_ids()
            .flat_map(|switch| fabric.outgoing(switch))
            .map(|&channel| fabric.source(channel).port.index());
        let highest_port = ports.max().unwrap_or(0);
        let row_bits = (highest_port + 1).next_power_of_two().trailing_zeros();
        let far_words = highest_port / NEAR_PORTS;
        let mut all_ports = vec![Port::EMPTY; fabric.switch_count() << row_bits];
        for switch in fabric.switch_ids() {
            for &channel in fabric.outgoing(switch) {
                let port = fabric.source(channel).port;
                let next = match fabric.target(channel).node {
                    Node::Switch(next) => Some(next),
                    Node::Host(_) => None,
                };
                all_ports[(switch.index() << row_bits) + port.index()] = Port {
                    channel: channel.into(),
                    next: next.into(),
                };
            }
        }
        let is_random = model.arbitration == Arbitration::Random;
        let timeout = model.timeout_cycles.map(|cycles| cycles.get().into());
        Self {
            arbitration: model.arbitration,
            seed,
            routing_delay: model.routing_delay_cycles.into(),
            timeout,
            ports: all_ports,
            row_bits,
            crowds: SharedQueues::new(channel_count),
            far_requests: vec![0; part_count * far_words],
            far_words,
            grants: Table::of(0, if is_random { channel_count } else { 0 }),
            longest_waits: Table::of(0, channel_count),
            watched: Table::of(false, timeout.map_or(0, |_| channel_count)),
        }
    }

    /// A packet is on its way into an input buffer. Its routing flit arrives in some cycle, or it is not
    /// known when.
    #[expect(
        clippy::inline_always,
        reason = "once a packet and channel: a call costs more than it saves"
    )]
    #[inline(always)]
    pub(super) fn enter<S>(
        &mut self,
        clock: &mut Clock,
        channels: &mut Channels<S>,
        input: ChannelId,
        coming: &ComingHead,
        is_draining: bool,
    ) {
        let &ComingHead {
            packet, arrival, ..
        } = coming;
        let queue = &mut channels[input].junction;
        queue.count += 1;
        let asks_next = match queue.count {
            1 => {
                queue.front = packet.into();
                true
            }
            2 => {
                queue.second = packet.into();
                is_draining
            }
            _ => {
                self.crowds.push(input, packet);
                false
            }
        };
        if asks_next && !arrival.is_never() {
            clock.plan(arrival, Event::Head(input));
        }
    }

    /// The routing flit of the last packet on its way into an input buffer arrives in some other cycle, or
    /// it is not known when. That is an event when it is the next to ask: the front packet, or behind
    /// one that is leaving.
    #[inline]
    pub(super) fn announce<S>(
        clock: &mut Clock,
        channels: &Channels<S>,
        input: ChannelId,
        arrival: Cycle,
        is_draining: bool,
    ) {
        let ahead = u32::from(is_draining);
        if !arrival.is_never() && channels[input].junction.count == ahead + 1 {
            clock.plan(arrival, Event::Head(input));
        }
    }

    /// The front packet has left an input buffer as a whole.
    #[inline]
    pub(super) fn leave<S>(&mut self, channels: &mut Channels<S>, input: ChannelId) {
        let queue = &mut channels[input].junction;
        queue.front = std::mem::replace(&mut queue.second, Maybe::NONE);
        if queue.count > 2 {
            queue.second = self.crowds.pop(input).into();
        }
        queue.count -= 1;
    }

    /// Cycle in which the routing flit of the front packet arrives, if it has not asked yet.
    #[inline]
    pub(super) fn front_arrival<S>(
        channels: &Channels<S>,
        traffic: &Traffic<'_>,
        input: ChannelId,
    ) -> Option<Cycle> {
        let queue = &channels[input].junction;
        let front = queue.front.get().filter(|_| !queue.requested)?;
        Some(traffic.packets[front].head_arrival)
    }

    /// Cycle in which the routing flit of the packet behind the front one arrives.
    #[inline]
    pub(super) fn second_arrival<S>(
        channels: &Channels<S>,
        traffic: &Traffic<'_>,
        input: ChannelId,
    ) -> Option<Cycle> {
        let second = channels[input].junction.second.get()?;
        Some(traffic.packets[second].head_arrival)
    }

    /// Whether a routing flit waits in an input buffer behind the packet that begins to leave. One on its
    /// way will be looked at when it arrives.
    #[inline]
    pub(super) fn look_behind<S>(
        clock: &mut Clock,
        channels: &Channels<S>,
        traffic: &Traffic<'_>,
        input: ChannelId,
    ) -> bool {
        let Some(arrival) = Self::second_arrival(channels, traffic, input) else {
            return false;
        };
        if arrival > clock.now() && !arrival.is_never() {
            clock.plan(arrival, Event::Head(input));
        }
        arrival <= clock.now()
    }

    /// The packet at the front of an input buffer asks for its output: that output.
    #[expect(
        clippy::inline_always,
        reason = "once a packet and channel: a call costs more than it saves"
    )]
    #[inline(always)]
    pub(super) fn request<S>(
        &mut self,
        clock: &mut Clock,
        channels: &mut Channels<S>,
        traffic: &mut Traffic<'_>,
        input: ChannelId,
    ) -> ChannelId {
        let Channel { junction, ends, .. } = &mut channels[input];
        junction.requested = true;
        let (port, ends) = (junction.port, *ends);
        let packet = &mut traffic.packets[junction.asking()];
        packet.asking_since = clock.now();
        let output = self.output(self.row_at_end(ends), packet.next_port());
        match Junction::bit(port) {
            Some(bit) => channels[output].junction.requests |= bit,
            None => *self.far_word(output, port) |= far_bit(port),
        }
        if self.timeout.is_some() {
            self.watch(clock, input);
        }
        output
    }

    /// The output at the switch that a channel leads to that a packet takes.
    #[expect(
        clippy::inline_always,
        reason = "once a packet and channel: a call costs more than it saves"
    )]
    #[inline(always)]
    pub(super) fn next_output(&self, ends: Ends, packet: &Packet) -> ChannelId {
        self.output(self.row_at_end(ends), packet.next_port())
    }

    /// Whether a packet that alone asks for an output gets it, whatever came before.
    pub(super) fn serves_who_is_alone(&self) -> bool {
        self.grants.is_empty()
    }

    /// The output that the packet in front of an input buffer asks for.
    pub(super) fn wanted_output<S>(
        &self,
        channels: &Channels<S>,
        traffic: &Traffic<'_>,
        input: ChannelId,
    ) -> ChannelId {
        let Channel { junction, ends, .. } = &channels[input];
        let packet = &traffic.packets[junction.asking()];
        self.next_output(*ends, packet)
    }

    /// Takes note of how long a packet in front of an input buffer has waited for an output.
    #[inline]
    pub(super) fn note_wait(&mut self, waited: u64, wanted: ChannelId) {
        if waited > 0 {
            let longest_wait = &mut self.longest_waits[wanted];
            *longest_wait = waited.max(*longest_wait);
        }
    }

    /// Whether any input asks for an output.
    #[inline]
    pub(super) fn has_requests<S>(&self, channels: &Channels<S>, output: ChannelId) -> bool {
        channels[output].junction.is_asked() || self.is_asked_from_afar(output)
    }

    /// Whether an input asks for an output whose port is beyond those that its record has room for.
    #[inline]
    pub(super) fn is_asked_from_afar(&self, output: ChannelId) -> bool {
        self.far_words > 0 && self.far_masks(output).iter().any(|&mask| mask != 0)
    }

    /// Withdraws a request from a port beyond those that a record has room for.
    #[inline]
    pub(super) fn withdraw_from_afar(&mut self, output: ChannelId, port: PortNumber) {
        if Junction::bit(port).is_none() {
            *self.far_word(output, port) &= !far_bit(port);
        }
    }

    /// The bits of the ports beyond those that its record has room for that ask for an output.
    #[inline]
    fn far_masks(&self, output: ChannelId) -> &[u64] {
        &self.far_requests[output.offset() * self.far_words..][..self.far_words]
    }

    /// The longest wait for an output since the last reset, those that go on included, in cycles.
    pub(super) fn longest_wait<S>(
        &self,
        now: Cycle,
        channels: &Channels<S>,
        traffic: &Traffic<'_>,
        output: ChannelId,
    ) -> u64 {
        let since = |port| traffic.packets[self.packet_at(channels, output, port)].asking_since;
        let waiting = self.requesters(channels, output).map(since).min();
        let longest_wait = self.longest_waits[output];
        longest_wait.max(waiting.map_or(0, |since| now - since))
    }

    /// Starts the counts of waits anew.
    pub(super) fn reset_waits(&mut self) {
        for channel in self.longest_waits.ids() {
            self.longest_waits[channel] = 0;
        }
    }

    /// The word with the request of a port beyond those that a record has room for.
    #[cold]
    fn far_word(&mut self, output: ChannelId, port: PortNumber) -> &mut u64 {
        let word = port.index() / NEAR_PORTS - 1;
        &mut self.far_requests[output.offset() * self.far_words + word]
    }

    /// The channel out of a switch at a port.
    pub(super) fn channel_at(&self, switch: SwitchId, port: PortNumber) -> ChannelId {
        self.output(switch.index() << self.row_bits, port)
    }

    /// The offset of the ports of the switch that a channel leads to.
    #[inline]
    fn row_at_end(&self, ends: Ends) -> usize {
        let Some(switch) = ends.target_switch() else {
            unreachable!("packets ask for outputs at switches")
        };
        switch.index() << self.row_bits
    }

    /// The channel out of a switch, given by the offset of its ports, at a port.
    #[inline]
    fn output(&self, row: usize, port: PortNumber) -> ChannelId {
        self.ports[row + port.index()]
            .channel
            .known("routes lead over cables")
    }

    /// The channel out of a switch at a port, and the switch that it leads to, if there are such.
    #[inline]
    pub(super) fn beyond(
        &self,
        switch: SwitchId,
        port: PortNumber,
    ) -> (Option<ChannelId>, Maybe<SwitchId>) {
        let port = self.port(switch, port);
        port.map_or((None, Maybe::NONE), |port| (port.channel.get(), port.next))
    }

    /// Has the memory bring what tells where a port leads.
    #[inline]
    pub(super) fn fetch(&self, switch: SwitchId, port: PortNumber) {
        if let Some(port) = self.port(switch, port) {
            fetch(port);
        }
    }

    /// What is known of a port; a packet that has gone on since it was looked at may name one that is none.
    #[inline]
    fn port(&self, switch: SwitchId, port: PortNumber) -> Option<&Port> {
        self.ports
            .get((switch.index() << self.row_bits) + port.index())
    }
}

fn far_bit(port: PortNumber) -> u64 {
    1 << (port.index() % NEAR_PORTS)
}
