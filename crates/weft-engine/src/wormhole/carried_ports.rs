//! The ports that a packet carries along.

use weft_fabric::PortNumber;

/// Ports a packet carries along.
pub(super) const CARRIED: u16 = 8;

/// The next ports on the way of a packet, as far as it carries them.
#[derive(Clone, Copy, Debug)]
pub(super) struct CarriedPorts {
    ports: u64,
    left: u16,
}

impl CarriedPorts {
    /// So many ports, a byte each, the first one lowest.
    #[inline]
    pub(super) fn of(ports: u64, left: u16) -> Self {
        Self { ports, left }
    }

    /// The first of them, if there is any.
    #[inline]
    pub(super) fn first(self) -> Option<PortNumber> {
        (self.left > 0).then(|| PortNumber::new(self.ports.to_le_bytes()[0]))
    }

    /// The others.
    #[inline]
    pub(super) fn others(self) -> Self {
        Self::of(self.ports >> 8, self.left.saturating_sub(1))
    }
}
