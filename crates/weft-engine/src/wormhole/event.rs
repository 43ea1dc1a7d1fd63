//! Events as 32-bit numbers: three bits of kind, 29 of channel or host.

/// Kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// A routing flit reaches the front of the input buffer of a channel.
    Head,
    /// The tail left a channel's output in the cycle before: it is free.
    Free,
    /// A channel's output has sent all flits it was known to have.
    Dry,
    /// A stop or go reaches the sender of a channel.
    Control,
    /// A host's NIC may have a packet to send.
    Nic,
    /// The mark of an in-transit packet reaches a host.
    Mark,
    /// The packet at the front of the input buffer of a channel may have waited too long.
    Timeout,
    /// A host of a program may have something to do.
    Act,
}

const KIND_SHIFT: u32 = 29;

/// Channels and hosts an engine can have.
pub(super) const MAX_PARTS: usize = 1 << KIND_SHIFT;

impl Event {
    const KINDS: [Self; 8] = [
        Self::Head,
        Self::Free,
        Self::Dry,
        Self::Control,
        Self::Nic,
        Self::Mark,
        Self::Timeout,
        Self::Act,
    ];

    /// This kind of event at a channel or host.
    pub(super) fn on(self, part: u32) -> u32 {
        (self as u32) << KIND_SHIFT | part
    }

    /// Kind and part of an event.
    pub(super) fn decode(event: u32) -> (Self, u32) {
        (
            Self::KINDS[(event >> KIND_SHIFT) as usize],
            event & ((1 << KIND_SHIFT) - 1),
        )
    }
}
