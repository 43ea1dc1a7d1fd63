//! What switches know of a channel: the packets at its end, and who asks for it at its beginning.

use crate::ids::{Maybe, PacketId};
use weft_fabric::PortNumber;

/// Ports whose requests a channel's own record has room for; those of higher ports stand elsewhere.
pub(super) const NEAR_PORTS: usize = 64;

/// No port: their numbers end below.
const UNCLAIMED: PortNumber = PortNumber::new(u8::MAX);
const _: () = assert!(PortNumber::MAX < u8::MAX);

/// What switches know of a channel.
#[derive(Clone, Debug)]
pub(super) struct Junction {
    /// Ports that ask for it at its beginning, a bit each, as far as they are below [`NEAR_PORTS`].
    pub(super) requests: u64,
    /// The first two of the packets in and on the way into the buffer at its end. A packet that comes back
    /// from a stop in transit may be both.
    pub(super) front: Maybe<PacketId>,
    pub(super) second: Maybe<PacketId>,
    /// How many there are.
    pub(super) count: u32,
    /// Port it leads to.
    pub(super) port: PortNumber,
    /// Port it was granted to last.
    pub(super) last_granted: PortNumber,
    /// Port it was granted to before, while it is claimed ahead of time.
    granted_before: PortNumber,
    /// Whether the front packet's request for an output is pending.
    pub(super) requested: bool,
}

impl Junction {
    /// No packets and no requests; round robin begins behind `last_granted`.
    pub(super) fn new(port: PortNumber, last_granted: PortNumber) -> Self {
        Self {
            requests: 0,
            front: Maybe::NONE,
            second: Maybe::NONE,
            count: 0,
            port,
            last_granted,
            granted_before: UNCLAIMED,
            requested: false,
        }
    }

    /// Whether there is one packet at most in and on the way into the buffer.
    #[inline]
    pub(super) fn is_single(&self) -> bool {
        self.count <= 1
    }

    /// The only port that asks for the channel, if one alone does.
    #[inline]
    pub(super) fn only_request(&self) -> Option<PortNumber> {
        #[expect(clippy::cast_possible_truncation, reason = "a place of 64 bits")]
        let port = self.requests.trailing_zeros() as u8;
        self.requests
            .is_power_of_two()
            .then(|| PortNumber::new(port))
    }

    /// Whether a port asks for it, as far as its requests have room.
    #[inline]
    pub(super) fn is_asked(&self) -> bool {
        self.requests != 0
    }

    /// The front packet, which asks for an output.
    #[inline]
    pub(super) fn asking(&self) -> PacketId {
        self.front.known("who asks is in front of a buffer")
    }

    /// The front packet, whose request is met.
    #[inline]
    pub(super) fn answer(&mut self) -> PacketId {
        self.requested = false;
        self.asking()
    }

    /// Takes note that it is granted to a port.
    #[inline]
    pub(super) fn grant(&mut self, port: PortNumber) {
        self.withdraw(port);
        self.last_granted = port;
        self.granted_before = UNCLAIMED;
    }

    /// Takes note that a packet behind a port, which asks for it later, claims it.
    #[inline]
    pub(super) fn claim(&mut self, port: PortNumber) {
        self.granted_before = std::mem::replace(&mut self.last_granted, port);
    }

    /// Whether it was granted last by a claim.
    #[inline]
    pub(super) fn is_claimed(&self) -> bool {
        self.granted_before != UNCLAIMED
    }

    /// Forgets a claim, which has not come true.
    pub(super) fn unclaim(&mut self) {
        self.last_granted = std::mem::replace(&mut self.granted_before, UNCLAIMED);
    }

    /// Withdraws the request of a port.
    #[inline]
    pub(super) fn withdraw(&mut self, port: PortNumber) {
        if let Some(bit) = Self::bit(port) {
            self.requests &= !bit;
        }
    }

    /// The bit of a port among its requests, if they have room for it.
    #[inline]
    pub(super) fn bit(port: PortNumber) -> Option<u64> {
        (port.index() < NEAR_PORTS).then(|| 1 << port.index())
    }
}
