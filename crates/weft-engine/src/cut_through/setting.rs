//! Whether anything changes in a network, and whether it is a part of one. The way of a packet is compiled for each,
//! so that where nothing does, and in a whole network, nobody asks for it.

/// Whether anything changes in a network, and whether it is a part of one.
pub(super) trait Setting {
    /// Parts fail and return, or tables change, and sources may send again.
    const CHANGES: bool;
    /// Channels may lead to other parts.
    const IN_PART: bool;
}

/// Nothing changes.
pub(super) struct Steady;

impl Setting for Steady {
    const CHANGES: bool = false;
    const IN_PART: bool = false;
}

/// Something may change.
pub(super) struct Changing;

impl Setting for Changing {
    const CHANGES: bool = true;
    const IN_PART: bool = false;
}

/// Nothing changes, in a part of a network.
pub(super) struct InPart;

impl Setting for InPart {
    const CHANGES: bool = false;
    const IN_PART: bool = true;
}
