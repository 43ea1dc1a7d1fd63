//! Events, packed into 32 bits: three bits of kind, 29 of channel or host.

use weft_fabric::{ChannelId, HostId};

/// What happens in a cycle, or may happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
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

const KIND_SHIFT: u32 = 29;

/// Channels and hosts an engine can have.
pub(super) const MAX_PARTS: usize = 1 << KIND_SHIFT;

impl Event {
    #[inline]
    pub(super) fn pack(self) -> u32 {
        let (kind, part) = match self {
            Self::Head(input) => (0, input.number()),
            Self::Free(output) => (1, output.number()),
            Self::Dry(output) => (2, output.number()),
            Self::Control(channel) => (3, channel.number()),
            Self::Nic(host) => (4, host.number()),
            Self::Mark(host) => (5, host.number()),
            Self::Timeout(input) => (6, input.number()),
            Self::Act(host) => (7, host.number()),
        };
        kind << KIND_SHIFT | part
    }

    #[inline]
    pub(super) fn unpack(packed: u32) -> Self {
        let part = packed & ((1 << KIND_SHIFT) - 1);
        let (channel, host) = (ChannelId::new(part), HostId::new(part));
        match packed >> KIND_SHIFT {
            0 => Self::Head(channel),
            1 => Self::Free(channel),
            2 => Self::Dry(channel),
            3 => Self::Control(channel),
            4 => Self::Nic(host),
            5 => Self::Mark(host),
            6 => Self::Timeout(channel),
            7 => Self::Act(host),
            _ => unreachable!("a kind has three bits"),
        }
    }
}
