//! Lanes of channels at their ends: input buffers with the crossbar ports that empty them.

use crate::cut_through::far_room::FarRoom;
use crate::cut_through::occupancy::Occupancy;
use crate::cut_through::packet_state::{Packet, Packets};
use crate::ids::{InletId, Maybe, OutletId, PacketId, Records};
use crate::linked_queue::LinkedQueue;
use crate::memory::fetch;
use crate::queue::NEVER;
use weft_fabric::{PortNumber, SwitchId};
use weft_model::ChannelTiming;
use weft_routing::{Entry, Lane};

/// All lanes at the ends of their channels.
pub(crate) type Inlets = Records<InletId, Inlet>;

/// A lane of a channel at its end. What requests use comes first.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct Inlet {
    /// Cycle in which the packet that was granted last is released: its room is free, and the next
    /// packet in front; `NEVER` while it is not known.
    released_at: u64,
    /// Cycle in which the packet in front asked for an output, `NEVER` if it did not.
    pub(crate) asked_at: u64,
    /// Packets in the buffer or on their way to it that are not granted an output.
    pub(crate) packets: LinkedQueue<PacketId>,
    /// Their flits.
    pub(crate) flits: u32,
    /// The flits of those whose heads have arrived, as far as these were counted.
    there: u32,
    /// The first that is not counted among those.
    first_to_come: Maybe<PacketId>,
    /// The outlet that the packet in front asks for, or that the one granted last has.
    pub(super) outlet: Maybe<OutletId>,
    /// The next inlet in the same queue of requests.
    pub(crate) next_request: Maybe<InletId>,
    /// The switch the channel leads to, if it leads to one.
    switch: Maybe<SwitchId>,
    /// The port by which it enters its target.
    port: PortNumber,
    lane: Lane,
    /// Cycles from one flit to the next on the channel.
    pub(crate) cycles_per_flit: u32,
    /// Cycles that a signal is under way on it.
    pub(crate) flight: u32,
    /// With credits, without output buffers: flits of the packet that has an output, but not yet the link.
    pub(crate) held_flits: u32,
    /// With credits: what the source of the lane knows of the buffer. It is asked where a packet enters, and
    /// told where one leaves.
    pub(crate) far_room: FarRoom,
    /// With credits: what the buffer held.
    pub(crate) held: Occupancy,
}

// It is opened most of all records: two cache lines, and no more.
const _: () = assert!(size_of::<Inlet>() == 128);

impl Inlet {
    /// An empty buffer with so much room behind a port of a switch, if it is at a switch, at the end of a
    /// channel so fast and long.
    pub(crate) fn new(
        switch: Option<SwitchId>,
        port: PortNumber,
        lane: Lane,
        timing: ChannelTiming,
        room: u32,
    ) -> Self {
        Self {
            released_at: 0,
            asked_at: NEVER,
            packets: LinkedQueue::EMPTY,
            flits: 0,
            there: 0,
            first_to_come: Maybe::NONE,
            outlet: Maybe::NONE,
            next_request: Maybe::NONE,
            switch: switch.into(),
            port,
            lane,
            cycles_per_flit: timing.cycles_per_flit,
            flight: timing.flight_cycles,
            held_flits: 0,
            far_room: FarRoom::new(room),
            held: Occupancy::default(),
        }
    }

    /// Where its packets come into their switch.
    #[inline]
    pub(crate) fn entry(&self) -> Entry {
        Entry {
            switch: self.switch.known("packets ask for outputs at switches"),
            port: self.port,
            lane: self.lane,
        }
    }

    /// Has the memory bring it, both cache lines.
    #[inline]
    pub(crate) fn fetch(&self) {
        fetch(self);
        fetch(&self.held);
    }

    /// What orders requests.
    #[inline]
    pub(crate) fn rank(&self) -> impl Ord + use<> {
        (self.asked_at, self.port, self.lane)
    }

    /// A packet that arrived in `arrival` has an output, but not yet the link.
    pub(crate) fn hold(&mut self, flits: u32, arrival: u64) {
        self.held_flits = flits;
        self.held.hold(flits, arrival);
    }

    /// It has the link too, and its room will be released in `released_at`.
    pub(crate) fn let_go(&mut self, released_at: u64) {
        let flits = std::mem::take(&mut self.held_flits);
        self.held.let_go(flits, released_at);
    }

    /// Whether the packet in front, if there is one, has not asked for an output.
    #[inline]
    pub(crate) fn is_to_ask(&self) -> bool {
        self.asked_at == NEVER
    }

    /// Whether it is not known when the packet that was granted last is released.
    pub(crate) fn is_crossing(&self) -> bool {
        self.released_at == NEVER
    }

    /// The packet in front, which asks for an output.
    #[inline]
    pub(crate) fn asking(&self) -> PacketId {
        match self.packets.front() {
            Some(packet) => packet,
            None => unreachable!("only a packet in front asks for an output"),
        }
    }

    /// The packets in the buffer or on their way to it that are not granted an output.
    #[inline]
    pub(crate) fn waiting<'p>(
        &self,
        packets: &'p Packets,
    ) -> impl Iterator<Item = &'p Packet> + Clone + use<'p> {
        self.packets.iter(packets)
    }

    /// A packet that arrived in `arrival` has left for an output: notes what the buffer held at most, with
    /// the one before.
    #[inline]
    pub(crate) fn note_most(&mut self, flits: u32, arrival: u64, reset_at: u64, packets: &Packets) {
        if let Some(cycle) = self.held.fullest(flits + self.flits, reset_at) {
            let others = if arrival <= cycle {
                flits + self.flits_there(cycle, packets)
            } else {
                0
            };
            self.held.note_most(others);
        }
    }

    /// Flits of the packets that are not granted an output whose heads have arrived by the end of
    /// `cycle`, which is not before that of the last call. Every packet is counted once, so that what
    /// this costs does not grow with the buffer.
    #[inline]
    fn flits_there(&mut self, cycle: u64, packets: &Packets) -> u32 {
        while let Some(packet) = self.first_to_come.get()
            && packets[packet].at <= cycle
        {
            self.there += packets[packet].flits;
            self.first_to_come = packets[packet].next;
        }
        self.there
    }

    /// The outlet that the packet in front asks for, or that the one granted last has.
    #[inline]
    pub(crate) fn outlet(&self) -> OutletId {
        self.outlet
            .known("a packet that asked or was granted has an outlet")
    }

    /// The outlet that was found for the packet in front, if there was one.
    #[inline]
    pub(crate) fn found(&self) -> Option<OutletId> {
        self.outlet.get()
    }

    /// A packet is on its way to the buffer; tells when it is to ask for an output, if that is known.
    #[inline]
    pub(crate) fn enter(
        &mut self,
        packet: PacketId,
        arrival: u64,
        lookup_delay: u64,
        packets: &mut Packets,
    ) -> Option<u64> {
        let entering = &mut packets[packet];
        entering.at = arrival;
        let ask_at = self.released_at.max(arrival + lookup_delay);
        self.flits += entering.flits;
        if self.first_to_come.is_none() {
            self.first_to_come = packet.into();
        }
        let is_first = self.packets.push(packet, packets);
        (is_first && self.released_at != NEVER).then_some(ask_at)
    }

    /// The cycle in which the last flit of a packet arrives whose head arrives in another.
    #[inline]
    pub(crate) fn last_arrival(&self, flits: u32, arrival: u64) -> u64 {
        arrival + (u64::from(flits) - 1) * u64::from(self.cycles_per_flit)
    }

    /// The packet in front is granted its output.
    #[inline]
    pub(crate) fn grant(&mut self, packets: &Packets) -> PacketId {
        let Some(packet) = self.packets.pop(packets) else {
            unreachable!("an output is granted to a packet in front");
        };
        let Packet { flits, next, .. } = packets[packet];
        self.flits -= flits;
        if self.first_to_come.is(packet) {
            self.first_to_come = next;
        } else {
            self.there -= flits;
        }
        self.asked_at = NEVER;
        self.released_at = NEVER;
        packet
    }

    /// The packet that was granted its output is released in `cycle`; tells when the next one is to ask.
    #[inline]
    pub(crate) fn release(
        &mut self,
        cycle: u64,
        lookup_delay: u64,
        packets: &Packets,
    ) -> Option<u64> {
        self.released_at = cycle;
        let next = self.packets.front()?;
        let ask_at = cycle.max(packets[next].at + lookup_delay);
        Some(ask_at)
    }
}
