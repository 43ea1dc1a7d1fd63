//! Phases 0 and 1: packets come into being; flits, credits and control symbols arrive.

use super::CutThroughOracle;
use super::state::{FlyingFlit, Outgoing, PacketId, PacketState, Stored, Supply, Waits};
use super::ways::Course;
use crate::pop_due;
use crate::queue_pairs::Name;
use weft_fabric::{ChannelId, HostId, Node};
use weft_model::workload::Packet;
use weft_model::{PacketFormat, PacketRecord};
use weft_routing::Lane;

impl CutThroughOracle<'_> {
    /// Phase 0.
    pub(super) fn generation(&mut self) {
        for host in self.fabric.host_ids() {
            self.send_again(host);
            while let Some(packet) = self.upcoming[host.index()]
                && packet.generation_cycle <= self.now
            {
                let stream = &mut self.streams[host.index()];
                self.upcoming[host.index()] = self.workload.next_packet(stream);
                self.generate(host, packet);
            }
            let ranks = self.ranks.as_mut();
            for packet in ranks.map_or_else(Vec::new, |ranks| ranks.act(self.now, host)) {
                self.generate(host, packet);
            }
        }
    }

    /// A packet joins the queue of its first lane, or a queue pair.
    fn generate(&mut self, host: HostId, packet: Packet) {
        let id = (host, self.generated[host.index()], 0);
        self.generated[host.index()] += 1;
        let Some(pairs) = self.pairs.get_mut(host.index()) else {
            let way = self.first_steps(host, &packet);
            self.enqueue(id, packet, way);
            return;
        };
        let name = (
            !packet.is_urgent,
            packet.destination.index(),
            packet.queue_pair,
        );
        let way = None;
        if pairs.join(name, Waits { id, packet, way }) {
            self.look_up(host, name);
        }
    }

    /// The packet that is now the first of its queue pair is told its way; the lane it begins on.
    fn look_up(&mut self, host: HostId, name: Name) -> Option<Lane> {
        let packet = self.pairs[host.index()].first(name)?.packet;
        let way = self.first_steps(host, &packet);
        let lane = way.0;
        self.pairs[host.index()].first(name)?.way = Some(way);
        Some(lane)
    }

    /// Phase 5, at its beginning: lanes of hosts without a packet in front take one of a queue pair.
    pub(super) fn queue_pairs(&mut self) {
        let has_any = !self.pairs.is_empty();
        for host in self.fabric.host_ids().filter(|_| has_any) {
            let injection = self.fabric.injection_channel(host).index();
            let mut lane = 0;
            while lane < usize::from(self.model.lanes) {
                let is_free = self.channels[injection].lanes[lane].front.is_empty();
                if is_free && self.take_in_turn(host, lane) {
                    // The next of the same queue pair may be one for a lane before this.
                    lane = 0;
                } else {
                    lane += 1;
                }
            }
        }
    }

    /// A lane takes the packet whose turn it is; tells whether there is one.
    fn take_in_turn(&mut self, host: HostId, lane: usize) -> bool {
        let is_on = |waits: &Waits| {
            let way = waits.way.as_ref();
            way.is_some_and(|(first, _)| first.index() == lane)
        };
        let pairs = &mut self.pairs[host.index()];
        let Some(name) = pairs.next(is_on) else {
            return false;
        };
        let Some(Waits {
            id,
            packet,
            way: Some(way),
        }) = pairs.take(name)
        else {
            unreachable!("the first of a queue pair knows its way")
        };
        let next = self.look_up(host, name);
        let pairs = &mut self.pairs[host.index()];
        pairs.sent(name, packet.payload_bytes.into());
        if next.is_some_and(|next| next.index() != lane) {
            pairs.go_last(name);
        }
        self.enqueue(id, packet, way);
        if let Some(ranks) = &mut self.ranks {
            ranks.leave((id.0, id.1));
        }
        true
    }

    /// The first lane and the course of a host's next packet.
    pub(super) fn first_steps(&mut self, host: HostId, packet: &Packet) -> (Lane, Course) {
        let (mut lane, mut course) = self.guide.start(self.fabric, host, packet.destination);
        if packet.is_control && !self.guide.leaves_a_choice() {
            // Control is on lanes of its own wherever data are on theirs.
            let own = |lane: Lane| Lane::new(lane.number() + self.model.control_lanes_from);
            lane = own(lane);
            match &mut course {
                Course::Known(way) => way.iter_mut().for_each(|(_, lane)| *lane = own(*lane)),
                Course::Led(header) => header.lanes_above = self.model.control_lanes_from,
                Course::Open | Course::Undecided(_) => {}
            }
        }
        (lane, course)
    }

    /// A packet joins the queue of its first lane.
    pub(super) fn enqueue(&mut self, id: PacketId, packet: Packet, (lane, course): (Lane, Course)) {
        let state = PacketState {
            packet,
            course,
            flits: packet_flits(&self.model.packets, packet.payload_bytes),
            injection_cycle: None,
            switches: 0,
            overtaken_by: 0,
            is_broken: false,
            is_lost: false,
        };
        let injection = self.fabric.injection_channel(id.0).index();
        let lane = &mut self.channels[injection].lanes[lane.index()];
        lane.front.push_back(Outgoing {
            packet: id,
            flits: state.flits,
            sent: 0,
            supply: Supply::Host,
            is_stored_whole: false,
            is_swallowed: false,
        });
        self.packets.insert(id, state);
    }

    /// Phase 1.
    pub(super) fn arrivals(&mut self, delivered: &mut Vec<PacketRecord>) {
        let now = self.now;
        for index in 0..self.channels.len() {
            let channel = &mut self.channels[index];
            while let Some(credit) = pop_due(&mut channel.credits, now) {
                channel.lanes[credit.lane].known_room += credit.flits;
            }
            while let Some(symbol) = pop_due(&mut channel.symbols, now) {
                channel.lanes[symbol.lane].is_stopped = symbol.is_stop;
            }
            if let Some(flit) = pop_due(&mut channel.flits, now) {
                match self.fabric.target(ChannelId::from_index(index)).node {
                    _ if flit.is_swallowed && flit.is_last => self.swallow(flit),
                    _ if flit.is_swallowed => {}
                    Node::Host(_) if flit.is_last && self.packets[&flit.packet].is_broken => {
                        self.swallow(flit);
                    }
                    Node::Host(_) if flit.is_last => delivered.push(self.deliver(flit)),
                    Node::Host(_) => {}
                    Node::Switch(_) => self.store(index, flit),
                }
            }
        }
    }

    fn store(&mut self, channel: usize, flit: FlyingFlit) {
        let lane = &mut self.channels[channel].lanes[flit.lane];
        if flit.is_head {
            lane.buffer.push_back(Stored {
                packet: flit.packet,
                flits: self.packets[&flit.packet].flits,
                arrived: 0,
                left: 0,
                head_arrival_cycle: self.now,
                has_asked: false,
                discard: None,
            });
        }
        // Invariant: flits of a lane arrive packet by packet, the head first.
        let Some(stored) = lane.buffer.back_mut() else {
            unreachable!("a flit arrives after its head")
        };
        stored.arrived += 1;
        let held = lane.held_flits();
        assert!(held <= self.model.input_buffer_flits, "a buffer overflows");
    }

    fn deliver(&mut self, flit: FlyingFlit) -> PacketRecord {
        let (source, sequence, _) = flit.packet;
        // Invariant: a packet that arrives left its source.
        let Some(state) = self.packets.remove(&flit.packet) else {
            unreachable!("a packet arrives once")
        };
        if self.guide.leaves_a_choice() {
            self.overtake(flit.packet, state.packet.destination);
        }
        if let Some(ranks) = &mut self.ranks {
            ranks.deliver(state.packet.destination, (source, sequence));
        }
        PacketRecord {
            source,
            sequence,
            destination: state.packet.destination,
            payload_bytes: state.packet.payload_bytes,
            generation_cycle: state.packet.generation_cycle,
            injection_cycle: state.injection_cycle.unwrap_or(self.now),
            delivery_cycle: self.now,
            switches: state.switches,
            in_transit_stops: 0,
            overtaken_by: state.overtaken_by,
        }
    }
}

impl CutThroughOracle<'_> {
    /// A packet has arrived before all of its pair that left before it and have not.
    fn overtake(&mut self, arrived: PacketId, destination: HostId) {
        let left = &mut self.left[arrived.0.index()];
        for other in left.iter().take_while(|&&other| other != arrived) {
            if let Some(other) = self.packets.get_mut(other)
                && other.packet.destination == destination
            {
                other.overtaken_by += 1;
            }
        }
        // What is lost is no longer there either.
        left.retain(|other| self.packets.contains_key(other));
    }
}

/// The length of a packet: header and trailer, and its payload in whole flits, filled up to the shortest
/// packet there is.
fn packet_flits(format: &PacketFormat, payload_bytes: u32) -> u32 {
    let payload_flits = payload_bytes.div_ceil(format.flit_bytes);
    (format.overhead_flits + payload_flits).max(format.least_flits)
}
