//! Dense identifiers of the parts of a fabric.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! dense_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(u32);

        impl $name {
            /// The id with number `number`.
            pub const fn new(number: u32) -> Self {
                Self(number)
            }

            /// The id of the element at array offset `index`.
            ///
            /// # Panics
            /// When `index` exceeds `u32::MAX`; the builder refuses fabrics that large.
            pub const fn from_index(index: usize) -> Self {
                assert!(index <= u32::MAX as usize, "an id fits 32 bits");
                #[expect(clippy::cast_possible_truncation, reason = "checked in the line above")]
                Self(index as u32)
            }

            /// The id as a number.
            pub const fn number(self) -> u32 {
                self.0
            }

            /// The id as an array offset.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

dense_id!(
    /// A switch, numbered from 0 in the order of the fabric.
    SwitchId,
    "switch "
);
dense_id!(
    /// A host (one NIC or HCA port), numbered from 0 in the order of the fabric.
    HostId,
    "host "
);
dense_id!(
    /// A cable, numbered from 0 in the order of the fabric.
    LinkId,
    "link "
);
dense_id!(
    /// One direction of a link. Link `l` has channels `2·l` (from its first end to its second) and
    /// `2·l + 1` (back).
    ChannelId,
    "channel "
);

impl ChannelId {
    /// The link the channel is a direction of.
    pub const fn link(self) -> LinkId {
        LinkId(self.0 / 2)
    }

    /// The other direction of the same link.
    #[must_use]
    pub const fn reverse(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// The numbered attachment of a switch or host. Numbers count from 1, as on InfiniBand; 254 is the
/// highest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PortNumber(u8);

impl PortNumber {
    /// The highest port number there is.
    pub const MAX: u8 = 254;

    /// The port with number `number`.
    pub const fn new(number: u8) -> Self {
        Self(number)
    }

    /// The port as a number.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The port as an array offset; port 1 has offset 1.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for PortNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}
