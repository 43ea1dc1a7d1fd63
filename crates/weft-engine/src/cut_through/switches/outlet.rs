//! Lanes of channels at their sources: output buffers with the crossbar ports that fill them, and hosts'
//! queues.

use super::requests::Requests;
use crate::cut_through::packet_state::Packets;
use crate::ids::PacketId;
use crate::linked_queue::LinkedQueue;
use crate::queue::NEVER;

/// A lane of a channel at its source, in one cache line.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct Outlet {
    /// First cycle in which the crossbar port can be given to a packet; `NEVER` while one has it and
    /// it is not known until when.
    pub(crate) crossbar_free_at: u64,
    /// Cycle in which the packet that was sent last is released: its room in the output buffer is
    /// free, and the next packet in front.
    pub(crate) released_at: u64,
    /// The same of the packet that was sent before that one.
    before_released_at: u64,
    /// What asks for it.
    pub(crate) requests: Requests,
    /// Room in the output buffer, in flits.
    pub(crate) room: u32,
    /// Room that is added in `released_at`, and in `before_released_at` if it was not yet.
    coming_room: u32,
    before_room: u32,
    /// Packets granted and not yet sent; at a host, generated and not yet sent.
    pub(crate) packets: LinkedQueue<PacketId>,
    /// Cycles of link time, those to come of the packet being sent included.
    pub(crate) busy_cycles: u64,
}

const _: () = assert!(size_of::<Outlet>() == 64);

impl Outlet {
    /// With an output buffer of so many flits, or 0.
    pub(crate) fn new(room: u32) -> Self {
        Self {
            crossbar_free_at: 0,
            released_at: 0,
            room,
            coming_room: 0,
            before_room: 0,
            before_released_at: 0,
            packets: LinkedQueue::EMPTY,
            requests: Requests::NONE,
            busy_cycles: 0,
        }
    }

    /// Free flits of the output buffer.
    #[inline]
    pub(crate) fn room(&self, now: u64) -> u32 {
        let [before, last] = self.releases();
        let is_over = |&(at, _): &(u64, u32)| at <= now;
        let rooms = [before, last].into_iter().filter(is_over);
        self.room + rooms.map(|(_, room)| room).sum::<u32>()
    }

    /// The last two releases, each with the room that it adds.
    #[inline]
    fn releases(&self) -> [(u64, u32); 2] {
        [
            (self.before_released_at, self.before_room),
            (self.released_at, self.coming_room),
        ]
    }

    /// The cycle of the next release, if any is to come.
    #[inline]
    pub(crate) fn next_release(&self, now: u64) -> u64 {
        let [before, last] = self.releases().map(|(at, _)| at);
        if before > now {
            before
        } else if last > now {
            last
        } else {
            NEVER
        }
    }

    /// Whether a packet can be sent ahead of time: only two releases are kept.
    #[inline]
    pub(crate) fn can_foresee(&self, now: u64) -> bool {
        self.before_released_at <= now
    }

    /// Cycles of link time that are to come of packets to which the link is given.
    pub(crate) fn cycles_to_come(&self, now: u64, cycles_per_flit: u32) -> u64 {
        let cycles = |(released_at, room): (u64, u32)| {
            let left = released_at.saturating_sub(now);
            // Without an output buffer a packet is sent when it gets the link.
            match room {
                0 => left,
                flits => left.min(u64::from(flits) * u64::from(cycles_per_flit)),
            }
        };
        self.releases().map(cycles).into_iter().sum()
    }

    /// Flits of the output buffer that are free, or will be though no packet that waits is sent.
    pub(crate) fn room_at_last(&self) -> u32 {
        self.room + self.before_room + self.coming_room
    }

    /// Room that was released by now is added to the rest, which is told.
    #[inline]
    pub(crate) fn add_room(&mut self, now: u64) -> u32 {
        if self.before_released_at <= now {
            self.room += std::mem::take(&mut self.before_room);
            if self.released_at <= now {
                self.room += std::mem::take(&mut self.coming_room);
            }
        }
        self.room
    }

    /// The packet in front leaves the queue; tells whether there is another one.
    #[inline]
    pub(crate) fn pop(&mut self, packets: &Packets) -> bool {
        self.packets.pop(packets);
        !self.packets.is_empty()
    }

    /// The last flit of a packet will have left in cycle `released_at`, when so many flits of the output
    /// buffer are free again.
    #[inline]
    pub(crate) fn leave(&mut self, freed: u32, released_at: u64) {
        // Earlier packets than the last have been released.
        self.room += self.before_room;
        self.before_room = self.coming_room;
        self.before_released_at = self.released_at;
        self.coming_room = freed;
        self.released_at = released_at;
    }
}
