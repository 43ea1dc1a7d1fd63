//! At the switches: packets in and on the way into input buffers, their requests for outputs, and grants.

mod arbitration;
mod timeouts;

use super::clock::Clock;
use super::ends::Ends;
use super::event::Event;
use super::flow::{Channel, Channels, ComingHead};
use super::junction::{Junction, NEAR_PORTS};
use super::traffic::Traffic;
use crate::cycle::Cycle;
use crate::ids::{Id, Maybe, PacketId, Table, VisitId};
use crate::slab::Slab;
use weft_fabric::{ChannelId, Fabric, PortNumber, SwitchId};
use weft_model::{Arbitration, WormholeModel};

/// A packet in or on the way into an input buffer.
#[derive(Clone, Debug)]
struct Visit {
    /// Cycle its routing flit arrives in, or never while that is not known.
    head_arrival: Cycle,
    /// Cycle in which it asked for its output, or never before.
    asking_since: Cycle,
    packet: PacketId,
    /// Next packet in the buffer.
    next: Maybe<VisitId>,
}

/// A request that has won.
pub(super) struct Grant {
    pub(super) input: ChannelId,
    pub(super) port: PortNumber,
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
    /// Outgoing channel of each switch and port, one row of a power of two per switch.
    port_channels: Vec<Maybe<ChannelId>>,
    row_bits: u32,
    visits: Slab<Visit, VisitId>,
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
        let mut port_channels = vec![Maybe::NONE; fabric.switch_count() << row_bits];
        for switch in fabric.switch_ids() {
            for &channel in fabric.outgoing(switch) {
                let port = fabric.source(channel).port;
                port_channels[(switch.index() << row_bits) + port.index()] = channel.into();
            }
        }
        let is_random = model.arbitration == Arbitration::Random;
        let timeout = model.timeout_cycles.map(|cycles| cycles.get().into());
        Self {
            arbitration: model.arbitration,
            seed,
            routing_delay: model.routing_delay_cycles.into(),
            timeout,
            port_channels,
            row_bits,
            visits: Slab::new(),
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
        let visit = self.visits.insert(Visit {
            head_arrival: arrival,
            asking_since: Cycle::NEVER,
            packet,
            next: Maybe::NONE,
        });
        let queue = &mut channels[input].junction;
        let ahead = std::mem::replace(&mut queue.back, visit.into());
        let asks_next = if let Some(ahead) = ahead.get() {
            self.visits[ahead].next = visit.into();
            is_draining && queue.front.is(ahead)
        } else {
            queue.front = visit.into();
            true
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
        &mut self,
        clock: &mut Clock,
        channels: &Channels<S>,
        input: ChannelId,
        arrival: Cycle,
        is_draining: bool,
    ) {
        let Junction { front, back, .. } = channels[input].junction;
        let last = back.known("a packet on its way is in the queue of the buffer it comes to");
        self.visits[last].head_arrival = arrival;
        if arrival.is_never() {
            return;
        }
        let asks_next = match front.get() {
            Some(front) if is_draining => self.visits[front].next.is(last),
            _ => front == back,
        };
        if asks_next {
            clock.plan(arrival, Event::Head(input));
        }
    }

    /// The front packet has left an input buffer as a whole.
    #[inline]
    pub(super) fn leave<S>(&mut self, channels: &mut Channels<S>, input: ChannelId) {
        let queue = &mut channels[input].junction;
        let left = queue.front.known("who leaves a buffer is in its queue");
        if queue.is_single() {
            // What is known of it has not been looked at for long.
            queue.front = Maybe::NONE;
            queue.back = Maybe::NONE;
        } else {
            queue.front = self.visits[left].next;
        }
        self.visits.remove(left);
    }

    /// Cycle in which the routing flit of the front packet arrives, if it has not asked yet.
    #[inline]
    pub(super) fn front_arrival<S>(
        &self,
        channels: &Channels<S>,
        input: ChannelId,
    ) -> Option<Cycle> {
        let queue = &channels[input].junction;
        let front = queue.front.get().filter(|_| !queue.requested)?;
        Some(self.visits[front].head_arrival)
    }

    /// Cycle in which the routing flit of the packet behind the front one arrives.
    #[inline]
    pub(super) fn second_arrival<S>(
        &self,
        channels: &Channels<S>,
        input: ChannelId,
    ) -> Option<Cycle> {
        let queue = &channels[input].junction;
        if queue.is_single() {
            return None;
        }
        let front = queue.front.get()?;
        let second = self.visits[front].next.get()?;
        Some(self.visits[second].head_arrival)
    }

    /// Whether a routing flit waits in an input buffer behind the packet that begins to leave. One on its
    /// way will be looked at when it arrives.
    #[inline]
    pub(super) fn look_behind<S>(
        &self,
        clock: &mut Clock,
        channels: &Channels<S>,
        input: ChannelId,
    ) -> bool {
        let Some(arrival) = self.second_arrival(channels, input) else {
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
        traffic: &Traffic<'_>,
        input: ChannelId,
    ) -> ChannelId {
        let Channel { junction, ends, .. } = &mut channels[input];
        junction.requested = true;
        let (port, ends) = (junction.port, *ends);
        let front = junction.front.known(IN_FRONT);
        let visit = &mut self.visits[front];
        visit.asking_since = clock.now();
        let packet = visit.packet;
        let output = self.output(self.row_at_end(ends), traffic.packets[packet].next_port());
        match Junction::bit(port) {
            Some(bit) => channels[output].junction.requests |= bit,
            None => *self.far_word(output, port) |= far_bit(port),
        }
        if self.timeout.is_some() {
            self.watch(clock, input);
        }
        output
    }

    /// The output that the packet in front of an input buffer asks for.
    pub(super) fn wanted_output<S>(
        &self,
        channels: &Channels<S>,
        traffic: &Traffic<'_>,
        input: ChannelId,
    ) -> ChannelId {
        let packet = &traffic.packets[self.front(channels, input).packet];
        let row = self.row_at_end(channels[input].ends);
        self.output(row, packet.next_port())
    }

    /// The packet in front of an input buffer.
    pub(super) fn front_packet<S>(&self, channels: &Channels<S>, input: ChannelId) -> PacketId {
        self.front(channels, input).packet
    }

    /// Takes note of how long a packet in front of an input buffer has waited for an output.
    #[inline]
    pub(super) fn note_wait(&mut self, now: Cycle, front: VisitId, wanted: ChannelId) {
        let waited = now - self.visits[front].asking_since;
        if waited > 0 {
            let longest_wait = &mut self.longest_waits[wanted];
            *longest_wait = waited.max(*longest_wait);
        }
    }

    #[inline]
    pub(super) fn packet_of(&self, visit: VisitId) -> PacketId {
        self.visits[visit].packet
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
        output: ChannelId,
    ) -> u64 {
        let since = |port| self.visit_at(channels, output, port).asking_since;
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

    /// The visit in front of an input buffer.
    #[inline]
    fn front<S>(&self, channels: &Channels<S>, input: ChannelId) -> &Visit {
        &self.visits[channels[input].junction.front.known(IN_FRONT)]
    }

    /// The channel out of a switch, given by the offset of its ports, at a port.
    #[inline]
    fn output(&self, row: usize, port: PortNumber) -> ChannelId {
        self.port_channels[row + port.index()].known("routes lead over cables")
    }
}

const IN_FRONT: &str = "who asks is in front of a buffer";

fn far_bit(port: PortNumber) -> u64 {
    1 << (port.index() % NEAR_PORTS)
}
