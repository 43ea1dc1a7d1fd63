//! Whether anything changes in a network. The way of a packet is compiled for either, so that where nothing does
//! nobody asks for it.

/// Whether anything changes in a network.
pub(super) trait Setting {
    /// Parts fail and return, or tables change, and sources may send again.
    const CHANGES: bool;
}

/// Nothing changes.
pub(super) struct Steady;

impl Setting for Steady {
    const CHANGES: bool = false;
}

/// Something may change.
pub(super) struct Changing;

impl Setting for Changing {
    const CHANGES: bool = true;
}
