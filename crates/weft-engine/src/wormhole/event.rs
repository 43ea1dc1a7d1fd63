//! What happens in the engine, each in a cycle.

use crate::event::events;
use weft_fabric::{ChannelId, HostId};

events! {
    /// What happens in a cycle, or may happen.
    enum Event {
        /// A routing flit reaches the front of the input buffer of a channel.
        Head(ChannelId),
        /// The tail left a channel's output in the cycle before: it is free.
        Free(ChannelId),
        /// A channel's output has sent all flits it was known to have.
        Dry(ChannelId),
        /// A stop or go reaches the sender of a channel.
        Control(ChannelId),
        /// A host's NIC may have a packet to send.
        Nic(HostId),
        /// The mark of an in-transit packet reaches a host.
        Mark(HostId),
        /// The packet at the front of the input buffer of a channel may have waited too long.
        Timeout(ChannelId),
        /// A host of a program may have something to do.
        Act(HostId),
    }
}
