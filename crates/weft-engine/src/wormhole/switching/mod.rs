//! At the switches: packets in and on the way into input buffers, their requests for outputs, and grants.

mod arbitration;
mod timeouts;

use super::clock::Clock;
use super::event::Event;
use super::flow::ComingHead;
use super::traffic::Traffic;
use crate::cycle::Cycle;
use crate::ids::{Id, Maybe, PacketId, RowId, Table, VisitId};
use crate::slab::Slab;
use weft_fabric::{ChannelId, Fabric, Node, PortNumber, SwitchId};
use weft_model::{Arbitration, WormholeModel};

/// The packets in and on the way into one input buffer.
#[derive(Clone, Copy, Debug)]
struct Queue {
    front: Maybe<VisitId>,
    back: Maybe<VisitId>,
    /// Offset of the ports of its switch.
    row: RowId,
    /// Port of the switch it is at.
    port: PortNumber,
    /// Whether the front packet's request for an output is pending.
    requested: bool,
}

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
    port: PortNumber,
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
    /// Outgoing channel of each switch and port, one row per switch.
    port_channels: Vec<Maybe<ChannelId>>,
    row_length: usize,
    queues: Table<ChannelId, Queue>,
    visits: Slab<Visit, VisitId>,
    /// Ports that ask for each output, `words` words of bits per output.
    requests: Vec<u64>,
    words: usize,
    last_granted: Table<ChannelId, PortNumber>,
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
        let row_length = (highest_port + 1).next_power_of_two();
        let words = highest_port / 64 + 1;
        let mut port_channels = vec![Maybe::NONE; fabric.switch_count() * row_length];
        // Round robin starts at the last port, so that the first one comes first.
        let mut last_granted = Table::of(PortNumber::new(0), channel_count);
        for switch in fabric.switch_ids() {
            let outgoing = fabric.outgoing(switch);
            let last = outgoing.last().map(|&last| fabric.source(last).port);
            for &channel in outgoing {
                let port = fabric.source(channel).port;
                port_channels[switch.index() * row_length + port.index()] = channel.into();
                last_granted[channel] = last.unwrap_or(port);
            }
        }
        let queue = |channel| {
            let target = fabric.target(channel);
            let row = match target.node {
                Node::Switch(switch) => switch.index() * row_length,
                Node::Host(_) => 0,
            };
            Queue {
                front: Maybe::NONE,
                back: Maybe::NONE,
                row: RowId::from_offset(row),
                port: target.port,
                requested: false,
            }
        };
        let is_random = model.arbitration == Arbitration::Random;
        let timeout = model.timeout_cycles.map(|cycles| cycles.get().into());
        Self {
            arbitration: model.arbitration,
            seed,
            routing_delay: model.routing_delay_cycles.into(),
            timeout,
            port_channels,
            row_length,
            queues: fabric.channel_ids().map(queue).collect(),
            visits: Slab::new(),
            requests: vec![0; part_count * words],
            words,
            last_granted,
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
    pub(super) fn enter(
        &mut self,
        clock: &mut Clock,
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
        let queue = &mut self.queues[input];
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
    pub(super) fn announce(
        &mut self,
        clock: &mut Clock,
        input: ChannelId,
        arrival: Cycle,
        is_draining: bool,
    ) {
        let Queue { front, back, .. } = self.queues[input];
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
    pub(super) fn leave(&mut self, input: ChannelId) {
        let queue = &mut self.queues[input];
        let left = queue.front.known("who leaves a buffer is in its queue");
        queue.front = self.visits[left].next;
        self.visits.remove(left);
        if queue.front.is_none() {
            queue.back = Maybe::NONE;
        }
    }

    /// Cycle in which the routing flit of the front packet arrives, if it has not asked yet.
    #[inline]
    pub(super) fn front_arrival(&self, input: ChannelId) -> Option<Cycle> {
        let queue = &self.queues[input];
        let front = queue.front.get().filter(|_| !queue.requested)?;
        Some(self.visits[front].head_arrival)
    }

    /// Cycle in which the routing flit of the packet behind the front one arrives.
    #[inline]
    pub(super) fn second_arrival(&self, input: ChannelId) -> Option<Cycle> {
        let front = self.queues[input].front.get()?;
        let second = self.visits[front].next.get()?;
        Some(self.visits[second].head_arrival)
    }

    /// Whether a routing flit waits in an input buffer behind the packet that begins to leave. One on its
    /// way will be looked at when it arrives.
    #[inline]
    pub(super) fn has_head_behind(&self, clock: &mut Clock, input: ChannelId) -> bool {
        let Some(arrival) = self.second_arrival(input) else {
            return false;
        };
        if arrival > clock.now() && !arrival.is_never() {
            clock.plan(arrival, Event::Head(input));
        }
        arrival <= clock.now()
    }

    /// Whether the front packet of an input buffer is alone in it and on the way to it.
    #[inline]
    pub(super) fn is_alone(&self, input: ChannelId) -> bool {
        let queue = &self.queues[input];
        queue.front == queue.back
    }

    /// The packet at the front of an input buffer asks for its output: that output.
    #[expect(
        clippy::inline_always,
        reason = "once a packet and channel: a call costs more than it saves"
    )]
    #[inline(always)]
    pub(super) fn request(
        &mut self,
        clock: &mut Clock,
        traffic: &Traffic<'_>,
        input: ChannelId,
    ) -> ChannelId {
        let queue = &mut self.queues[input];
        queue.requested = true;
        let Queue { row, port, .. } = *queue;
        let front = queue.front.known("who asks is in front of a buffer");
        let visit = &mut self.visits[front];
        visit.asking_since = clock.now();
        let packet = visit.packet;
        let output = self.output(row, traffic.packets[packet].next_port());
        let place = self.request_word(output, port);
        self.requests[place] |= request_bit(port);
        if self.timeout.is_some() {
            self.watch(clock, input);
        }
        output
    }

    /// The output that the packet in front of an input buffer asks for.
    pub(super) fn wanted_output(&self, traffic: &Traffic<'_>, input: ChannelId) -> ChannelId {
        let visit = self.front(input);
        let port = traffic.packets[visit.packet].next_port();
        self.output(self.queues[input].row, port)
    }

    /// The packet in front of an input buffer.
    pub(super) fn front_packet(&self, input: ChannelId) -> PacketId {
        self.front(input).packet
    }

    /// Whether the front packet's request is pending.
    pub(super) fn is_asking(&self, input: ChannelId) -> bool {
        self.queues[input].requested
    }

    /// Takes note of a grant.
    #[inline]
    pub(super) fn note_grant(&mut self, output: ChannelId, grant: &Grant) {
        self.withdraw(output, grant.port);
        self.last_granted[output] = grant.port;
    }

    /// Takes note of how long the front packet of an input buffer has waited for an output.
    #[inline]
    pub(super) fn note_wait(&mut self, now: Cycle, input: ChannelId, wanted: ChannelId) {
        let waited = now - self.front(input).asking_since;
        let longest_wait = &mut self.longest_waits[wanted];
        *longest_wait = waited.max(*longest_wait);
    }

    /// The front packet of an input buffer, whose request is met.
    #[inline]
    pub(super) fn strip_front(&mut self, input: ChannelId) -> PacketId {
        self.queues[input].requested = false;
        self.front(input).packet
    }

    /// Whether any input asks for an output.
    #[inline]
    pub(super) fn has_requests(&self, output: ChannelId) -> bool {
        if self.words == 1 {
            return self.requests[output.offset()] != 0;
        }
        self.masks(output).iter().any(|&mask| mask != 0)
    }

    /// The longest wait for an output since the last reset, those that go on included, in cycles.
    pub(super) fn longest_wait(&self, now: Cycle, output: ChannelId) -> u64 {
        let since = |port| self.visit_at(output, port).asking_since;
        let waiting = self.requesters(output).map(since).min();
        let longest_wait = self.longest_waits[output];
        longest_wait.max(waiting.map_or(0, |since| now - since))
    }

    /// Starts the counts of waits anew.
    pub(super) fn reset_waits(&mut self) {
        for channel in self.longest_waits.ids() {
            self.longest_waits[channel] = 0;
        }
    }

    fn withdraw(&mut self, output: ChannelId, port: PortNumber) {
        let place = self.request_word(output, port);
        self.requests[place] &= !request_bit(port);
    }

    #[inline]
    fn request_word(&self, output: ChannelId, port: PortNumber) -> usize {
        output.offset() * self.words + port.index() / 64
    }

    /// The channel out of a switch at a port.
    pub(super) fn channel_at(&self, switch: SwitchId, port: PortNumber) -> ChannelId {
        self.output(RowId::from_offset(switch.index() * self.row_length), port)
    }

    /// The visit in front of an input buffer.
    #[inline]
    fn front(&self, input: ChannelId) -> &Visit {
        let front = self.queues[input].front;
        &self.visits[front.known("who asks is in front of a buffer")]
    }

    /// The channel out of a switch, given by its row, at a port.
    #[inline]
    fn output(&self, row: RowId, port: PortNumber) -> ChannelId {
        self.port_channels[row.offset() + port.index()].known("routes lead over cables")
    }
}

fn request_bit(port: PortNumber) -> u64 {
    1 << (port.index() % 64)
}
