//! Lanes of channels at their sources: output buffers with the crossbar ports that fill them, and hosts'
//! queues.

use super::requests::Requests;
use crate::cut_through::far_room::FarRoom;
use crate::cut_through::lane_use::Meter;
use crate::cut_through::packet_state::Packets;
use crate::ids::PacketId;
use crate::linked_queue::LinkedQueue;

/// A lane of a channel at its source. What grants use comes first.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct Outlet {
    /// First cycle in which the crossbar port can be given to a packet; `NEVER` while one has it and
    /// it is not known until when.
    pub(crate) crossbar_free_at: u64,
    /// Cycle in which the packet that was sent last is released: its room in the output buffer is
    /// free, and the next packet in front.
    pub(crate) released_at: u64,
    /// What asks for it.
    pub(crate) requests: Requests,
    /// Room in the output buffer, in flits.
    pub(crate) room: u32,
    /// Packets granted and not yet sent; at a host, generated and not yet sent.
    pub(crate) packets: LinkedQueue<PacketId>,
    /// How it was used.
    pub(crate) meter: Meter,
    /// With credits: the buffer at the end of the lane.
    pub(crate) far_room: FarRoom,
    /// Room that is added in `released_at`.
    coming_room: u32,
}

impl Outlet {
    /// With an output buffer of so many flits, or 0, and an input buffer at its end.
    pub(crate) fn new(room: u32, far_room: u32) -> Self {
        Self {
            crossbar_free_at: 0,
            released_at: 0,
            room,
            coming_room: 0,
            packets: LinkedQueue::EMPTY,
            requests: Requests::NONE,
            meter: Meter::default(),
            far_room: FarRoom::new(far_room),
        }
    }

    /// Free flits of the output buffer.
    #[inline]
    pub(crate) fn room(&self, now: u64) -> u32 {
        if self.released_at <= now {
            self.room + self.coming_room
        } else {
            self.room
        }
    }

    /// Flits of the output buffer that are free, or will be though no packet that waits is sent.
    pub(crate) fn room_at_last(&self) -> u32 {
        self.room + self.coming_room
    }

    /// Room that was released by now is added to the rest, which is told.
    #[inline]
    pub(crate) fn add_room(&mut self, now: u64) -> u32 {
        if self.released_at <= now {
            self.room += self.coming_room;
            self.coming_room = 0;
        }
        self.room
    }

    /// The packet in front leaves the queue, and its last flit will have left in cycle `released_at`, when
    /// so many flits of the output buffer are free again; tells whether there is another packet.
    #[inline]
    pub(crate) fn send(&mut self, freed: u32, released_at: u64, packets: &Packets) -> bool {
        // Earlier packets have been released.
        self.room += self.coming_room;
        self.coming_room = freed;
        self.released_at = released_at;
        self.packets.pop(packets);
        !self.packets.is_empty()
    }
}
