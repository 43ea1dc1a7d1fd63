//! The NIC's firmware in physical units.
//!
//! BOOST §6 measures on two switches with three hosts (450 MHz Pentium III, GM 1.2): the modified
//! firmware costs a normal packet 125 ns on average and at most 300 ns over messages of 1 byte to 4 KB,
//! and a stop in transit costs 1.3 µs. The costs that are *calibrated* give these figures there; those
//! that are *assumed* make short messages take as long as GM's did, and cancel out of the comparison.

use weft_registry::words;

/// How NICs are modelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NicKind {
    /// As nothing but delays of packets in transit.
    #[default]
    Delays,
    /// With their firmware.
    Firmware,
}

words!(NicKind {
    Delays = "delays",
    Firmware = "firmware",
});

/// Which firmware NICs have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FirmwareKind {
    /// GM's own, which knows nothing of packets in transit.
    Original,
    /// The one modified for in-transit buffers.
    #[default]
    InTransit,
}

words!(FirmwareKind {
    Original = "original",
    InTransit = "in_transit",
});
