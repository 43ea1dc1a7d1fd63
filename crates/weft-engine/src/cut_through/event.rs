//! Events as 32-bit numbers: three bits of kind, 29 of channel or lane.

/// Kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// Something may have changed at the source of a channel: grants, then the link. The first kind,
    /// so that these come first when events are sorted.
    Look,
    /// A head is in front of an input buffer: its packet asks for an output.
    Request,
    /// The last flit of a packet may have crossed from an input buffer.
    Crossed,
    /// An input buffer may have to emit a control symbol.
    Symbol,
    /// A stop reaches the source of a lane.
    Stop,
    /// A go reaches the source of a lane.
    Go,
    /// A host of a program may have something to do.
    Act,
}

const KIND_SHIFT: u32 = 29;

/// Lanes of all channels, and hosts, an engine can have.
pub(super) const MAX_PARTS: usize = 1 << KIND_SHIFT;

impl Event {
    const KINDS: [Self; 7] = [
        Self::Look,
        Self::Request,
        Self::Crossed,
        Self::Symbol,
        Self::Stop,
        Self::Go,
        Self::Act,
    ];

    /// This kind of event at a channel or lane.
    #[inline]
    pub(super) fn at(self, part: u32) -> u32 {
        (self as u32) << KIND_SHIFT | part
    }

    /// Kind and part of an event.
    #[inline]
    pub(super) fn decode(event: u32) -> (Self, u32) {
        (
            Self::KINDS[(event >> KIND_SHIFT) as usize],
            event & ((1 << KIND_SHIFT) - 1),
        )
    }
}
