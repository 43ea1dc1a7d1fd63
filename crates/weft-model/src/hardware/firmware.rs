//! The NIC's firmware in physical units.
//!
//! BOOST §6 measures on two switches with three hosts (450 MHz Pentium III, GM 1.2): the modified
//! firmware costs a normal packet 125 ns on average and at most 300 ns over messages of 1 byte to 4 KB,
//! and a stop in transit costs 1.3 µs. The costs that are *calibrated* give these figures there; those
//! that are *assumed* make short messages take as long as GM's did, and cancel out of the comparison.

use super::WormholeHardware;
use super::parameter::ParameterValue::{Choice, Count, Number};
use super::parameter::{ParameterKind, ParameterSpec, ParameterValue};
use crate::{Firmware, NicModel};
use std::num::NonZeroU32;

/// How NICs are modelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NicKind {
    /// As nothing but delays of packets in transit.
    Delays,
    /// With their firmware.
    Firmware,
}

/// Which firmware NICs have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirmwareKind {
    /// GM's own, which knows nothing of packets in transit.
    Original,
    /// The one modified for in-transit buffers.
    InTransit,
}

/// What a NIC's firmware and its DMA engines cost. All times are in ns.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    /// Has no parameter set yet.
    pub(super) const BLANK: Self = Self {
        nic: NicKind::Delays,
        firmware: FirmwareKind::InTransit,
        dispatch_ns: 0.0,
        early_check_ns: 0.0,
        early_receive_ns: 0.0,
        forward_ns: 0.0,
        sent_ns: 0.0,
        received_ns: 0.0,
        send_ns: 0.0,
        transferred_ns: 0.0,
        doorbell_ns: 0.0,
        transfer_start_ns: 0.0,
        transfer_ns_per_byte: 0.0,
        contention_percent: 0,
        send_buffers: 1,
    };

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

type Spec = ParameterSpec<WormholeHardware>;

/// A cost in ns.
const fn cost(
    name: &'static str,
    default: f64,
    summary: &'static str,
    source: &'static str,
    get: fn(&WormholeHardware) -> ParameterValue,
    set: fn(&mut WormholeHardware, ParameterValue),
) -> Spec {
    ParameterSpec {
        name,
        kind: ParameterKind::Number {
            minimum: 0.0,
            maximum: 1e6,
        },
        unit: "ns",
        default: Number(default),
        summary,
        source,
        get,
        set,
    }
}

const CALIBRATED: &str = "calibrated to BOOST §6: 125 ns a normal packet, 1.3 µs a stop in transit";
const ASSUMED: &str = "assumed, of the order that GM 1.2's latency of short messages allows";

/// The parameters of NICs with firmware, in the order of files and tables.
pub(super) const PARAMETERS: [Spec; 15] = [
    ParameterSpec {
        name: "nic",
        kind: ParameterKind::Choice {
            names: &["delays", "firmware"],
        },
        unit: "",
        default: Choice("delays"),
        summary: "Whether NICs are nothing but delays of packets in transit, or run their firmware",
        source: "BOOST §5.3 simulates delays, §6 measures a firmware",
        get: |hardware| match hardware.firmware.nic {
            NicKind::Delays => Choice("delays"),
            NicKind::Firmware => Choice("firmware"),
        },
        set: |hardware, value| {
            hardware.firmware.nic = match value.choice() {
                "firmware" => NicKind::Firmware,
                _ => NicKind::Delays,
            }
        },
    },
    ParameterSpec {
        name: "firmware",
        kind: ParameterKind::Choice {
            names: &["original", "in_transit"],
        },
        unit: "",
        default: Choice("in_transit"),
        summary: "Which firmware NICs run: GM's own, or the one modified for packets in transit",
        source: "BOOST §§4, 6",
        get: |hardware| match hardware.firmware.firmware {
            FirmwareKind::Original => Choice("original"),
            FirmwareKind::InTransit => Choice("in_transit"),
        },
        set: |hardware, value| {
            hardware.firmware.firmware = match value.choice() {
                "original" => FirmwareKind::Original,
                _ => FirmwareKind::InTransit,
            }
        },
    },
    cost(
        "firmware_dispatch_ns",
        62.5,
        "Time the NIC's processor needs to find the most urgent event and call its handler",
        ASSUMED,
        |hardware| Number(hardware.firmware.dispatch_ns),
        |hardware, value| hardware.firmware.dispatch_ns = value.number(),
    ),
    cost(
        "firmware_early_check_ns",
        18.75,
        "Further time per event of the modified firmware, which looks for one more kind",
        CALIBRATED,
        |hardware| Number(hardware.firmware.early_check_ns),
        |hardware, value| hardware.firmware.early_check_ns = value.number(),
    ),
    cost(
        "firmware_early_receive_ns",
        37.5,
        "Time the modified firmware needs to read the type of a packet whose first four bytes are here",
        CALIBRATED,
        |hardware| Number(hardware.firmware.early_receive_ns),
        |hardware, value| hardware.firmware.early_receive_ns = value.number(),
    ),
    cost(
        "firmware_forward_ns",
        1_112.5,
        "Time to program the send DMA for a packet in transit",
        CALIBRATED,
        |hardware| Number(hardware.firmware.forward_ns),
        |hardware, value| hardware.firmware.forward_ns = value.number(),
    ),
    cost(
        "firmware_sent_ns",
        300.0,
        "Time of the handler of a packet that has left",
        ASSUMED,
        |hardware| Number(hardware.firmware.sent_ns),
        |hardware, value| hardware.firmware.sent_ns = value.number(),
    ),
    cost(
        "firmware_received_ns",
        1_000.0,
        "Time of the handler of a packet that has arrived",
        ASSUMED,
        |hardware| Number(hardware.firmware.received_ns),
        |hardware, value| hardware.firmware.received_ns = value.number(),
    ),
    cost(
        "firmware_send_ns",
        500.0,
        "Time to program the send DMA for a packet of the host's",
        ASSUMED,
        |hardware| Number(hardware.firmware.send_ns),
        |hardware, value| hardware.firmware.send_ns = value.number(),
    ),
    cost(
        "firmware_transferred_ns",
        500.0,
        "Time of the handler of a transfer from or to host memory that is over",
        ASSUMED,
        |hardware| Number(hardware.firmware.transferred_ns),
        |hardware, value| hardware.firmware.transferred_ns = value.number(),
    ),
    cost(
        "firmware_doorbell_ns",
        1_000.0,
        "Time of the handler of a packet that the host wants sent",
        ASSUMED,
        |hardware| Number(hardware.firmware.doorbell_ns),
        |hardware, value| hardware.firmware.doorbell_ns = value.number(),
    ),
    cost(
        "transfer_start_ns",
        1_000.0,
        "Time the host's DMA engine needs to start a transfer",
        "assumed: a PCI transaction",
        |hardware| Number(hardware.firmware.transfer_start_ns),
        |hardware, value| hardware.firmware.transfer_start_ns = value.number(),
    ),
    cost(
        "transfer_ns_per_byte",
        7.5,
        "Time of a transfer from or to host memory per byte",
        "PCI of 32 bits and 33 MHz: 133 MB/s",
        |hardware| Number(hardware.firmware.transfer_ns_per_byte),
        |hardware, value| hardware.firmware.transfer_ns_per_byte = value.number(),
    ),
    ParameterSpec {
        name: "transfer_contention_percent",
        kind: ParameterKind::Count {
            minimum: 0,
            maximum: 1_000,
        },
        unit: "%",
        default: Count(25),
        summary: "How much longer a transfer takes for each of the send and receive DMA engines that \
                  is at work when it starts, as they share the NIC's memory",
        source: "assumed; BOOST §5.3 names the three engines",
        get: |hardware| Count(hardware.firmware.contention_percent),
        set: |hardware, value| hardware.firmware.contention_percent = value.count(),
    },
    ParameterSpec {
        name: "send_buffers",
        kind: ParameterKind::Count {
            minimum: 1,
            maximum: 1_024,
        },
        unit: "packets",
        default: Count(2),
        summary: "Packets of the host's that a NIC with firmware holds at once",
        source: "assumed: one is sent while the next is fetched",
        get: |hardware| Count(hardware.firmware.send_buffers),
        set: |hardware, value| hardware.firmware.send_buffers = value.count(),
    },
];
