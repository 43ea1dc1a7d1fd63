//! Myrinet as the founding papers simulate it: every parameter with its value and source.
//!
//! BOOST: Flich, López, Malumbres, Duato, "Boosting the Performance of Myrinet Networks", IEEE
//! Trans. Parallel and Distributed Systems, 2002. ARB: García, Mora, Alfaro, Sánchez, Flich,
//! "Evaluation of Alternative Arbitration Policies for Myrinet Switches".

use super::{FirmwareKind, NicKind, OverflowRule, WormholeHardware};
use crate::Arbitration;
use weft_registry::{Field, Kind, field};

/// Longest time accepted, one second: far beyond any hardware, and its cycles fit 32 bits.
const NANOSECONDS: Kind = Kind::number(0.0, 1e9);

/// The cost of a step of firmware.
const COST: Kind = Kind::number(0.0, 1e6);

/// Largest count of bytes accepted, 1 GiB.
const MAX_BYTES: u64 = 1 << 30;

const BYTES: Kind = Kind::count(0, MAX_BYTES);

const SOME_BYTES: Kind = Kind::count(1, MAX_BYTES);

const CALIBRATED: &str = "calibrated to BOOST §6: 125 ns a normal packet, 1.3 µs a stop in transit";
const ASSUMED: &str = "assumed, of the order that GM 1.2's latency of short messages allows";

/// All parameters of wormhole hardware, in the order of files and tables.
pub(in crate::hardware) const PARAMETERS: &[Field<WormholeHardware>] = &[
    field!(
        cycle_ns,
        Kind::number(0.01, 1e6),
        "ns",
        "6.25",
        "Time one byte (a flit) takes on a link whose rate the fabric does not say; sets the \
                  link rate",
        "BOOST §5.3: 160 MB/s, one byte per 6.25 ns"
    ),
    field!(
        cable_metres,
        Kind::number(0.001, 1e5),
        "m",
        "10",
        "Length of cables whose length the fabric does not say, host links included",
        "BOOST §5.3: 10 m; the same for hosts is assumed"
    ),
    field!(
        propagation_ns_per_metre,
        Kind::number(0.001, 1e3),
        "ns/m",
        "4.92",
        "Time a signal takes for one metre of cable",
        "BOOST §5.3: 4.92 ns/m, so 8 flits are under way on 10 m"
    ),
    field!(
        san_port_delay_ns,
        NANOSECONDS,
        "ns",
        "0",
        "Time a signal spends in a SAN port, at each end of a link that the fabric says has \
                  such ports",
        "the papers simulate ports of one kind and count them in routing_delay_ns"
    ),
    field!(
        lan_port_delay_ns,
        NANOSECONDS,
        "ns",
        "0",
        "Time a signal spends in a LAN port, at each end of a link that the fabric says has \
                  such ports",
        "as of SAN ports; the data sheet of a switch tells what its LAN ports add"
    ),
    field!(
        buffer_bytes,
        SOME_BYTES,
        "bytes",
        "80",
        "Size of the input (slack) buffer of a switch port",
        "BOOST §5.3: 80 bytes"
    ),
    field!(
        stop_above_bytes,
        SOME_BYTES,
        "bytes",
        "56",
        "A stop is sent when the buffer holds more than this",
        "BOOST §5.3: stop above 56 bytes"
    ),
    field!(
        go_below_bytes,
        SOME_BYTES,
        "bytes",
        "40",
        "A go is sent when the buffer holds less than this",
        "BOOST §5.3: go below 40 bytes"
    ),
    field!(
        routing_delay_ns,
        NANOSECONDS,
        "ns",
        "150",
        "Time from the grant of an output to its first byte",
        "BOOST §5.3: 150 ns for the first flit"
    ),
    field!(
        type_bytes,
        Kind::count(0, 1 << 16),
        "bytes",
        "2",
        "Size of a packet's type field",
        "Myrinet user's guide (myri.com): 16-bit type"
    ),
    field!(
        crc_bytes,
        Kind::count(0, 1 << 16),
        "bytes",
        "1",
        "Size of a packet's checksum",
        "Myrinet user's guide (myri.com): 8-bit CRC"
    ),
    field!(
        arbitration,
        Kind::Choice(&Arbitration::NAMES),
        "",
        "round_robin",
        "Which waiting packet gets a free output of a switch",
        "BOOST §5.3: demand-slotted round robin per output; ARB §3: the others"
    ),
    field!(
        in_transit_recognition_ns,
        NANOSECONDS,
        "ns",
        "275",
        "Time a NIC needs to recognise an in-transit packet",
        "BOOST §5.3: 275 ns (44 bytes)"
    ),
    field!(
        in_transit_dma_ns,
        NANOSECONDS,
        "ns",
        "200",
        "Time a NIC then needs to program the DMA that sends it on",
        "BOOST §5.3: 200 ns (32 bytes)"
    ),
    field!(
        in_transit_pool_bytes,
        BYTES,
        "bytes",
        "524288",
        "Memory of a NIC for in-transit packets",
        "BOOST §4: a pool of 512 KB"
    ),
    field!(
        overflow,
        Kind::Choice(&OverflowRule::NAMES),
        "",
        "host_memory",
        "What happens to an in-transit packet that finds the pool too full",
        "BOOST §4 names both; which one the papers simulate is not said"
    ),
    field!(
        host_memory_delay_ns,
        NANOSECONDS,
        "ns",
        "2000",
        "Further time until a packet that overflowed to host memory may be sent on",
        "assumed: two DMA transfers over PCI at 1 µs each; the papers give none"
    ),
    field!(
        timeout_ns,
        NANOSECONDS,
        "ns",
        "0",
        "Time a packet waits for an output of a switch until the switch drops it; 0: for ever",
        "ARB: about 25 ms (2.5e7), not simulated there"
    ),
    field!(
        bit_error_rate,
        Kind::number(0.0, 0.1),
        "per bit",
        "0",
        "Probability with which a bit is damaged on a channel; the destination drops a \
                  packet with a damaged bit",
        "the papers simulate links without errors"
    ),
    field!(
        retransmit_after_ns,
        NANOSECONDS,
        "ns",
        "100000",
        "Time from the loss of a packet, for whatever reason, to its source's next attempt",
        "assumed: 100 µs, a few round trips under load; the papers give none"
    ),
    field!(
        local_equal_at_packets,
        Kind::count(1, 1 << 30),
        "packets",
        "8",
        "In-transit packets go first while fewer packets than this wait locally, then \
                  the two queues alternate",
        "BOOST §4: equal priority when the local queue is “large”; 8 is assumed"
    ),
    field!(
        "nic",
        firmware.nic,
        Kind::Choice(&NicKind::NAMES),
        "",
        "delays",
        "Whether NICs are nothing but delays of packets in transit, or run their firmware",
        "BOOST §5.3 simulates delays, §6 measures a firmware"
    ),
    field!(
        "firmware",
        firmware.firmware,
        Kind::Choice(&FirmwareKind::NAMES),
        "",
        "in_transit",
        "Which firmware NICs run: GM's own, or the one modified for packets in transit",
        "BOOST §§4, 6"
    ),
    field!(
        "firmware_dispatch_ns",
        firmware.dispatch_ns,
        COST,
        "ns",
        "62.5",
        "Time the NIC's processor needs to find the most urgent event and call its handler",
        ASSUMED
    ),
    field!(
        "firmware_early_check_ns",
        firmware.early_check_ns,
        COST,
        "ns",
        "18.75",
        "Further time per event of the modified firmware, which looks for one more kind",
        CALIBRATED
    ),
    field!(
        "firmware_early_receive_ns",
        firmware.early_receive_ns,
        COST,
        "ns",
        "37.5",
        "Time the modified firmware needs to read the type of a packet whose first four bytes are here",
        CALIBRATED
    ),
    field!(
        "firmware_forward_ns",
        firmware.forward_ns,
        COST,
        "ns",
        "1112.5",
        "Time to program the send DMA for a packet in transit",
        CALIBRATED
    ),
    field!(
        "firmware_sent_ns",
        firmware.sent_ns,
        COST,
        "ns",
        "300",
        "Time of the handler of a packet that has left",
        ASSUMED
    ),
    field!(
        "firmware_received_ns",
        firmware.received_ns,
        COST,
        "ns",
        "1000",
        "Time of the handler of a packet that has arrived",
        ASSUMED
    ),
    field!(
        "firmware_send_ns",
        firmware.send_ns,
        COST,
        "ns",
        "500",
        "Time to program the send DMA for a packet of the host's",
        ASSUMED
    ),
    field!(
        "firmware_transferred_ns",
        firmware.transferred_ns,
        COST,
        "ns",
        "500",
        "Time of the handler of a transfer from or to host memory that is over",
        ASSUMED
    ),
    field!(
        "firmware_doorbell_ns",
        firmware.doorbell_ns,
        COST,
        "ns",
        "1000",
        "Time of the handler of a packet that the host wants sent",
        ASSUMED
    ),
    field!(
        "transfer_start_ns",
        firmware.transfer_start_ns,
        COST,
        "ns",
        "1000",
        "Time the host's DMA engine needs to start a transfer",
        "assumed: a PCI transaction"
    ),
    field!(
        "transfer_ns_per_byte",
        firmware.transfer_ns_per_byte,
        COST,
        "ns",
        "7.5",
        "Time of a transfer from or to host memory per byte",
        "PCI of 32 bits and 33 MHz: 133 MB/s"
    ),
    field!(
        "transfer_contention_percent",
        firmware.contention_percent,
        Kind::count(0, 1_000),
        "%",
        "25",
        "How much longer a transfer takes for each of the send and receive DMA engines that \
                  is at work when it starts, as they share the NIC's memory",
        "assumed; BOOST §5.3 names the three engines"
    ),
    field!(
        "send_buffers",
        firmware.send_buffers,
        Kind::count(1, 1_024),
        "packets",
        "2",
        "Packets of the host's that a NIC with firmware holds at once",
        "assumed: one is sent while the next is fetched"
    ),
];
