//! Myrinet as the founding papers simulate it: every parameter with its value and source.
//!
//! BOOST: Flich, López, Malumbres, Duato, "Boosting the Performance of Myrinet Networks", IEEE
//! Trans. Parallel and Distributed Systems, 2002. ARB: García, Mora, Alfaro, Sánchez, Flich,
//! "Evaluation of Alternative Arbitration Policies for Myrinet Switches".

use super::parameter::ParameterValue::{Choice, Count, Number};
use super::parameter::{ParameterKind, ParameterSpec};
use super::{OverflowRule, WormholeHardware, firmware};
use crate::Arbitration;

/// Longest time accepted, one second: far beyond any hardware, and its cycles fit 32 bits.
const MAX_NS: f64 = 1e9;

/// Largest count of bytes accepted, 1 GiB.
const MAX_BYTES: u32 = 1 << 30;

const NANOSECONDS: ParameterKind = ParameterKind::Number {
    minimum: 0.0,
    maximum: MAX_NS,
};

/// All parameters of wormhole hardware, in the order of files and tables.
pub(super) static PARAMETERS: &[ParameterSpec<WormholeHardware>] = &joined();

const fn joined() -> [ParameterSpec<WormholeHardware>; NETWORK.len() + firmware::PARAMETERS.len()] {
    let mut all = [NETWORK[0]; NETWORK.len() + firmware::PARAMETERS.len()];
    let mut index = 0;
    while index < all.len() {
        all[index] = if index < NETWORK.len() {
            NETWORK[index]
        } else {
            firmware::PARAMETERS[index - NETWORK.len()]
        };
        index += 1;
    }
    all
}

/// The parameters of links, switches and packets in transit.
const NETWORK: &[ParameterSpec<WormholeHardware>] = &[
    ParameterSpec {
        name: "cycle_ns",
        kind: ParameterKind::Number {
            minimum: 0.01,
            maximum: 1e6,
        },
        unit: "ns",
        default: Number(6.25),
        summary: "Time one byte (a flit) takes on a link whose rate the fabric does not say; sets the \
                  link rate",
        source: "BOOST §5.3: 160 MB/s, one byte per 6.25 ns",
        get: |hardware| Number(hardware.cycle_ns),
        set: |hardware, value| hardware.cycle_ns = value.number(),
    },
    ParameterSpec {
        name: "cable_metres",
        kind: ParameterKind::Number {
            minimum: 0.001,
            maximum: 1e5,
        },
        unit: "m",
        default: Number(10.0),
        summary: "Length of cables whose length the fabric does not say, host links included",
        source: "BOOST §5.3: 10 m; the same for hosts is assumed",
        get: |hardware| Number(hardware.cable_metres),
        set: |hardware, value| hardware.cable_metres = value.number(),
    },
    ParameterSpec {
        name: "propagation_ns_per_metre",
        kind: ParameterKind::Number {
            minimum: 0.001,
            maximum: 1e3,
        },
        unit: "ns/m",
        default: Number(4.92),
        summary: "Time a signal takes for one metre of cable",
        source: "BOOST §5.3: 4.92 ns/m, so 8 flits are under way on 10 m",
        get: |hardware| Number(hardware.propagation_ns_per_metre),
        set: |hardware, value| hardware.propagation_ns_per_metre = value.number(),
    },
    ParameterSpec {
        name: "san_port_delay_ns",
        kind: NANOSECONDS,
        unit: "ns",
        default: Number(0.0),
        summary: "Time a signal spends in a SAN port, at each end of a link that the fabric says has \
                  such ports",
        source: "the papers simulate ports of one kind and count them in routing_delay_ns",
        get: |hardware| Number(hardware.san_port_delay_ns),
        set: |hardware, value| hardware.san_port_delay_ns = value.number(),
    },
    ParameterSpec {
        name: "lan_port_delay_ns",
        kind: NANOSECONDS,
        unit: "ns",
        default: Number(0.0),
        summary: "Time a signal spends in a LAN port, at each end of a link that the fabric says has \
                  such ports",
        source: "as of SAN ports; the data sheet of a switch tells what its LAN ports add",
        get: |hardware| Number(hardware.lan_port_delay_ns),
        set: |hardware, value| hardware.lan_port_delay_ns = value.number(),
    },
    ParameterSpec {
        name: "buffer_bytes",
        kind: ParameterKind::Count {
            minimum: 1,
            maximum: MAX_BYTES,
        },
        unit: "bytes",
        default: Count(80),
        summary: "Size of the input (slack) buffer of a switch port",
        source: "BOOST §5.3: 80 bytes",
        get: |hardware| Count(hardware.buffer_bytes),
        set: |hardware, value| hardware.buffer_bytes = value.count(),
    },
    ParameterSpec {
        name: "stop_above_bytes",
        kind: ParameterKind::Count {
            minimum: 1,
            maximum: MAX_BYTES,
        },
        unit: "bytes",
        default: Count(56),
        summary: "A stop is sent when the buffer holds more than this",
        source: "BOOST §5.3: stop above 56 bytes",
        get: |hardware| Count(hardware.stop_above_bytes),
        set: |hardware, value| hardware.stop_above_bytes = value.count(),
    },
    ParameterSpec {
        name: "go_below_bytes",
        kind: ParameterKind::Count {
            minimum: 1,
            maximum: MAX_BYTES,
        },
        unit: "bytes",
        default: Count(40),
        summary: "A go is sent when the buffer holds less than this",
        source: "BOOST §5.3: go below 40 bytes",
        get: |hardware| Count(hardware.go_below_bytes),
        set: |hardware, value| hardware.go_below_bytes = value.count(),
    },
    ParameterSpec {
        name: "routing_delay_ns",
        kind: NANOSECONDS,
        unit: "ns",
        default: Number(150.0),
        summary: "Time from the grant of an output to its first byte",
        source: "BOOST §5.3: 150 ns for the first flit",
        get: |hardware| Number(hardware.routing_delay_ns),
        set: |hardware, value| hardware.routing_delay_ns = value.number(),
    },
    ParameterSpec {
        name: "type_bytes",
        kind: ParameterKind::Count {
            minimum: 0,
            maximum: 1 << 16,
        },
        unit: "bytes",
        default: Count(2),
        summary: "Size of a packet's type field",
        source: "Myrinet user's guide (myri.com): 16-bit type",
        get: |hardware| Count(hardware.type_bytes),
        set: |hardware, value| hardware.type_bytes = value.count(),
    },
    ParameterSpec {
        name: "crc_bytes",
        kind: ParameterKind::Count {
            minimum: 0,
            maximum: 1 << 16,
        },
        unit: "bytes",
        default: Count(1),
        summary: "Size of a packet's checksum",
        source: "Myrinet user's guide (myri.com): 8-bit CRC",
        get: |hardware| Count(hardware.crc_bytes),
        set: |hardware, value| hardware.crc_bytes = value.count(),
    },
    ParameterSpec {
        name: "arbitration",
        kind: ParameterKind::Choice {
            names: &Arbitration::NAMES,
        },
        unit: "",
        default: Choice("round_robin"),
        summary: "Which waiting packet gets a free output of a switch",
        source: "BOOST §5.3: demand-slotted round robin per output; ARB §3: the others",
        get: |hardware| Choice(hardware.arbitration.name()),
        set: |hardware, value| {
            if let Some(policy) = Arbitration::named(value.choice()) {
                hardware.arbitration = policy;
            }
        },
    },
    ParameterSpec {
        name: "in_transit_recognition_ns",
        kind: NANOSECONDS,
        unit: "ns",
        default: Number(275.0),
        summary: "Time a NIC needs to recognise an in-transit packet",
        source: "BOOST §5.3: 275 ns (44 bytes)",
        get: |hardware| Number(hardware.in_transit_recognition_ns),
        set: |hardware, value| hardware.in_transit_recognition_ns = value.number(),
    },
    ParameterSpec {
        name: "in_transit_dma_ns",
        kind: NANOSECONDS,
        unit: "ns",
        default: Number(200.0),
        summary: "Time a NIC then needs to program the DMA that sends it on",
        source: "BOOST §5.3: 200 ns (32 bytes)",
        get: |hardware| Number(hardware.in_transit_dma_ns),
        set: |hardware, value| hardware.in_transit_dma_ns = value.number(),
    },
    ParameterSpec {
        name: "in_transit_pool_bytes",
        kind: ParameterKind::Count {
            minimum: 0,
            maximum: MAX_BYTES,
        },
        unit: "bytes",
        default: Count(512 * 1024),
        summary: "Memory of a NIC for in-transit packets",
        source: "BOOST §4: a pool of 512 KB",
        get: |hardware| Count(hardware.in_transit_pool_bytes),
        set: |hardware, value| hardware.in_transit_pool_bytes = value.count(),
    },
    ParameterSpec {
        name: "overflow",
        kind: ParameterKind::Choice {
            names: &["host_memory", "drop"],
        },
        unit: "",
        default: Choice("host_memory"),
        summary: "What happens to an in-transit packet that finds the pool too full",
        source: "BOOST §4 names both; which one the papers simulate is not said",
        get: |hardware| Choice(hardware.overflow.name()),
        set: |hardware, value| {
            hardware.overflow = match value.choice() {
                "drop" => OverflowRule::Drop,
                _ => OverflowRule::HostMemory,
            }
        },
    },
    ParameterSpec {
        name: "host_memory_delay_ns",
        kind: NANOSECONDS,
        unit: "ns",
        default: Number(2_000.0),
        summary: "Further time until a packet that overflowed to host memory may be sent on",
        source: "assumed: two DMA transfers over PCI at 1 µs each; the papers give none",
        get: |hardware| Number(hardware.host_memory_delay_ns),
        set: |hardware, value| hardware.host_memory_delay_ns = value.number(),
    },
    ParameterSpec {
        name: "timeout_ns",
        kind: NANOSECONDS,
        unit: "ns",
        default: Number(0.0),
        summary: "Time a packet waits for an output of a switch until the switch drops it; 0: for ever",
        source: "ARB: about 25 ms (2.5e7), not simulated there",
        get: |hardware| Number(hardware.timeout_ns),
        set: |hardware, value| hardware.timeout_ns = value.number(),
    },
    ParameterSpec {
        name: "bit_error_rate",
        kind: ParameterKind::Number {
            minimum: 0.0,
            maximum: 0.1,
        },
        unit: "per bit",
        default: Number(0.0),
        summary: "Probability with which a bit is damaged on a channel; the destination drops a \
                  packet with a damaged bit",
        source: "the papers simulate links without errors",
        get: |hardware| Number(hardware.bit_error_rate),
        set: |hardware, value| hardware.bit_error_rate = value.number(),
    },
    ParameterSpec {
        name: "retransmit_after_ns",
        kind: NANOSECONDS,
        unit: "ns",
        default: Number(100_000.0),
        summary: "Time from the loss of a packet, for whatever reason, to its source's next attempt",
        source: "assumed: 100 µs, a few round trips under load; the papers give none",
        get: |hardware| Number(hardware.retransmit_after_ns),
        set: |hardware, value| hardware.retransmit_after_ns = value.number(),
    },
    ParameterSpec {
        name: "local_equal_at_packets",
        kind: ParameterKind::Count {
            minimum: 1,
            maximum: 1 << 30,
        },
        unit: "packets",
        default: Count(8),
        summary: "In-transit packets go first while fewer packets than this wait locally, then \
                  the two queues alternate",
        source: "BOOST §4: equal priority when the local queue is “large”; 8 is assumed",
        get: |hardware| Count(hardware.local_equal_at_packets),
        set: |hardware, value| hardware.local_equal_at_packets = value.count(),
    },
];
