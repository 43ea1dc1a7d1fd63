//! Myrinet as the founding papers simulate it: every parameter with its value and source.
//!
//! BOOST: Flich, López, Malumbres, Duato, "Boosting the Performance of Myrinet Networks", IEEE
//! Trans. Parallel and Distributed Systems, 2002. ARB: García, Mora, Alfaro, Sánchez, Flich,
//! "Evaluation of Alternative Arbitration Policies for Myrinet Switches".

use super::{FirmwareKind, NicKind, OverflowRule};
use crate::Arbitration;
use weft_registry::{Kind, parameters};

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

parameters! {
    /// The parameters of wormhole switches, cables and NICs in physical units.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct WormholeHardware {
        /// Preset the parameters started from.
        preset: &'static str,
    }

    /// All parameters of wormhole hardware, in the order of files and tables.
    pub(crate) const PARAMETERS;

    cycle_ns: f64 = "6.25" "ns", Kind::number(0.01, 1e6),
        "Time one byte (a flit) takes on a link whose rate the fabric does not say; sets the link \
         rate",
        "BOOST §5.3: 160 MB/s, one byte per 6.25 ns";
    cable_metres: f64 = "10" "m", Kind::number(0.001, 1e5),
        "Length of cables whose length the fabric does not say, host links included",
        "BOOST §5.3: 10 m; the same for hosts is assumed";
    propagation_ns_per_metre: f64 = "4.92" "ns/m", Kind::number(0.001, 1e3),
        "Time a signal takes for one metre of cable",
        "BOOST §5.3: 4.92 ns/m, so 8 flits are under way on 10 m";
    san_port_delay_ns: f64 = "0" "ns", NANOSECONDS,
        "Time a signal spends in a SAN port, at each end of a link that the fabric says has such \
         ports",
        "the papers simulate ports of one kind and count them in routing_delay_ns";
    lan_port_delay_ns: f64 = "0" "ns", NANOSECONDS,
        "Time a signal spends in a LAN port, at each end of a link that the fabric says has such \
         ports",
        "as of SAN ports; the data sheet of a switch tells what its LAN ports add";
    buffer_bytes: u32 = "80" "bytes", SOME_BYTES,
        "Size of the input (slack) buffer of a switch port",
        "BOOST §5.3: 80 bytes";
    stop_above_bytes: u32 = "56" "bytes", SOME_BYTES,
        "A stop is sent when the buffer holds more than this",
        "BOOST §5.3: stop above 56 bytes";
    go_below_bytes: u32 = "40" "bytes", SOME_BYTES,
        "A go is sent when the buffer holds less than this",
        "BOOST §5.3: go below 40 bytes";
    routing_delay_ns: f64 = "150" "ns", NANOSECONDS,
        "Time from the grant of an output to its first byte",
        "BOOST §5.3: 150 ns for the first flit";
    type_bytes: u32 = "2" "bytes", Kind::count(0, 1 << 16),
        "Size of a packet's type field",
        "Myrinet user's guide (myri.com): 16-bit type";
    crc_bytes: u32 = "1" "bytes", Kind::count(0, 1 << 16),
        "Size of a packet's checksum",
        "Myrinet user's guide (myri.com): 8-bit CRC";
    arbitration: Arbitration = "round_robin" "", Kind::Choice(&Arbitration::NAMES),
        "Which waiting packet gets a free output of a switch",
        "BOOST §5.3: demand-slotted round robin per output; ARB §3: the others";
    in_transit_recognition_ns: f64 = "275" "ns", NANOSECONDS,
        "Time a NIC needs to recognise an in-transit packet",
        "BOOST §5.3: 275 ns (44 bytes)";
    in_transit_dma_ns: f64 = "200" "ns", NANOSECONDS,
        "Time a NIC then needs to program the DMA that sends it on",
        "BOOST §5.3: 200 ns (32 bytes)";
    in_transit_pool_bytes: u32 = "524288" "bytes", BYTES,
        "Memory of a NIC for in-transit packets",
        "BOOST §4: a pool of 512 KB";
    overflow: OverflowRule = "host_memory" "", Kind::Choice(&OverflowRule::NAMES),
        "What happens to an in-transit packet that finds the pool too full",
        "BOOST §4 names both; which one the papers simulate is not said";
    host_memory_delay_ns: f64 = "2000" "ns", NANOSECONDS,
        "Further time until a packet that overflowed to host memory may be sent on",
        "assumed: two DMA transfers over PCI at 1 µs each; the papers give none";
    timeout_ns: f64 = "0" "ns", NANOSECONDS,
        "Time a packet waits for an output of a switch until the switch drops it; 0: for ever",
        "ARB: about 25 ms (2.5e7), not simulated there";
    bit_error_rate: f64 = "0" "per bit", Kind::number(0.0, 0.1),
        "Probability with which a bit is damaged on a channel; the destination drops a packet with \
         a damaged bit",
        "the papers simulate links without errors";
    retransmit_after_ns: f64 = "100000" "ns", NANOSECONDS,
        "Time from the loss of a packet, for whatever reason, to its source's next attempt",
        "assumed: 100 µs, a few round trips under load; the papers give none";
    local_equal_at_packets: u32 = "8" "packets", Kind::count(1, 1 << 30),
        "In-transit packets go first while fewer packets than this wait locally, then the two \
         queues alternate",
        "BOOST §4: equal priority when the local queue is “large”; 8 is assumed";
    nic: NicKind = "delays" "", Kind::Choice(&NicKind::NAMES),
        "Whether NICs are nothing but delays of packets in transit, or run their firmware",
        "BOOST §5.3 simulates delays, §6 measures a firmware";
    firmware: FirmwareKind = "in_transit" "", Kind::Choice(&FirmwareKind::NAMES),
        "Which firmware NICs run: GM's own, or the one modified for packets in transit",
        "BOOST §§4, 6";
    firmware_dispatch_ns: f64 = "62.5" "ns", COST,
        "Time the NIC's processor needs to find the most urgent event and call its handler",
        ASSUMED;
    firmware_early_check_ns: f64 = "18.75" "ns", COST,
        "Further time per event of the modified firmware, which looks for one more kind",
        CALIBRATED;
    firmware_early_receive_ns: f64 = "37.5" "ns", COST,
        "Time the modified firmware needs to read the type of a packet whose first four bytes are \
         here",
        CALIBRATED;
    firmware_forward_ns: f64 = "1112.5" "ns", COST,
        "Time to program the send DMA for a packet in transit",
        CALIBRATED;
    firmware_sent_ns: f64 = "300" "ns", COST,
        "Time of the handler of a packet that has left",
        ASSUMED;
    firmware_received_ns: f64 = "1000" "ns", COST,
        "Time of the handler of a packet that has arrived",
        ASSUMED;
    firmware_send_ns: f64 = "500" "ns", COST,
        "Time to program the send DMA for a packet of the host's",
        ASSUMED;
    firmware_transferred_ns: f64 = "500" "ns", COST,
        "Time of the handler of a transfer from or to host memory that is over",
        ASSUMED;
    firmware_doorbell_ns: f64 = "1000" "ns", COST,
        "Time of the handler of a packet that the host wants sent",
        ASSUMED;
    transfer_start_ns: f64 = "1000" "ns", COST,
        "Time the host's DMA engine needs to start a transfer",
        "assumed: a PCI transaction";
    transfer_ns_per_byte: f64 = "7.5" "ns", COST,
        "Time of a transfer from or to host memory per byte",
        "PCI of 32 bits and 33 MHz: 133 MB/s";
    transfer_contention_percent: u32 = "25" "%", Kind::count(0, 1_000),
        "How much longer a transfer takes for each of the send and receive DMA engines that is at \
         work when it starts, as they share the NIC's memory",
        "assumed; BOOST §5.3 names the three engines";
    send_buffers: u32 = "2" "packets", Kind::count(1, 1_024),
        "Packets of the host's that a NIC with firmware holds at once",
        "assumed: one is sent while the next is fetched";
}
