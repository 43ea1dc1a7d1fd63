//! The NIC's firmware in physical units.
//!
//! BOOST §6 measures on two switches with three hosts (450 MHz Pentium III, GM 1.2): the modified
//! firmware costs a normal packet 125 ns on average and at most 300 ns over messages of 1 byte to 4 KB,
//! and a stop in transit costs 1.3 µs. The costs that are *calibrated* give these figures there; those
//! that are *assumed* make short messages take as long as GM's did, and cancel out of the comparison.

use crate::{Firmware, NicModel};
use std::num::NonZeroU32;
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

/// What a NIC's firmware and its DMA engines cost. All times are in ns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FirmwareHardware {
    /// How NICs are modelled.
    pub nic: NicKind,
    /// Which firmware they have.
    pub firmware: FirmwareKind,
    /// Finding the most urgent event and calling its handler.
    pub dispatch_ns: f64,
    /// Looking for one more kind of event, in the modified firmware.
    pub early_check_ns: f64,
    /// Reading the type of a packet whose first bytes are here.
    pub early_receive_ns: f64,
    /// Programming the send DMA for a packet in transit.
    pub forward_ns: f64,
    /// A packet has left.
    pub sent_ns: f64,
    /// A packet has arrived.
    pub received_ns: f64,
    /// Programming the send DMA for a packet of the host's.
    pub send_ns: f64,
    /// A transfer from or to the host is over.
    pub transferred_ns: f64,
    /// The host has a packet to send.
    pub doorbell_ns: f64,
    /// Starting a transfer.
    pub transfer_start_ns: f64,
    /// Transferring a byte.
    pub transfer_ns_per_byte: f64,
    /// Lengthening of a transfer for each other DMA engine at work.
    pub contention_percent: u32,
    /// Packets of the host's that the NIC holds.
    pub send_buffers: u32,
}

impl FirmwareHardware {
    /// The model of a NIC whose in-transit delay is known, in cycles of what turns ns into
    /// them.
    pub(super) fn model(&self, in_transit_cycles: u32, cycles: impl Fn(f64) -> u32) -> NicModel {
        if self.nic == NicKind::Delays {
            return NicModel::Delays { in_transit_cycles };
        }
        let handles_in_transit = self.firmware == FirmwareKind::InTransit;
        let check_ns = if handles_in_transit {
            self.early_check_ns
        } else {
            0.0
        };
        NicModel::Firmware(Firmware {
            handles_in_transit,
            dispatch_cycles: cycles(self.dispatch_ns + check_ns),
            early_receive_cycles: cycles(self.early_receive_ns),
            forward_cycles: cycles(self.forward_ns),
            sent_cycles: cycles(self.sent_ns),
            received_cycles: cycles(self.received_ns),
            send_cycles: cycles(self.send_ns),
            transferred_cycles: cycles(self.transferred_ns),
            doorbell_cycles: cycles(self.doorbell_ns),
            transfer_start_cycles: cycles(self.transfer_start_ns),
            transfer_cycles_per_kib: cycles(self.transfer_ns_per_byte * 1024.0),
            contention_percent: self.contention_percent,
            send_buffers: NonZeroU32::new(self.send_buffers).unwrap_or(NonZeroU32::MIN),
        })
    }
}
