//! Every parameter of cut-through hardware, with its value and source for `InfiniBand` as MVN simulates
//! it.
//!
//! MVN: Flich, López, Sancho, Robles, Duato, "Improving `InfiniBand` routing through multiple virtual
//! networks", ISHPC 2002. IBA: `InfiniBand` Architecture Specification, volume 1.

use super::{CutThroughHardware, FlowControlRule, LinkRates};
use crate::cut_through::MOST_LANES;
use weft_registry::{Field, Kind, field};

/// Longest time accepted, one second.
const NANOSECONDS: Kind = Kind::number(0.0, 1e9);

/// Largest count of bytes accepted, 1 GiB.
const MAX_BYTES: u64 = 1 << 30;

const BYTES: Kind = Kind::count(0, MAX_BYTES);

const SOME_BYTES: Kind = Kind::count(1, MAX_BYTES);

/// All parameters of cut-through hardware, in the order of files and tables, with their values in
/// the preset `infiniband_1x`.
pub(in crate::hardware) const PARAMETERS: &[Field<CutThroughHardware>] = &[
    field!(
        link_gbit_per_s,
        Kind::number(0.001, 1e5),
        "Gbit/s",
        "2",
        "Data rate of a link, line coding taken off",
        "MVN §5: 1x links of 2.5 Gbit/s with 8b/10b, a byte in 4 ns"
    ),
    field!(
        link_rates,
        Kind::Choice(&LinkRates::NAMES),
        "",
        "hardware",
        "Whether links have the rates that the fabric gives in InfiniBand's words, such as \
                  4xHDR; plain rates in Gbit/s are always used",
        "MVN simulates equal links"
    ),
    field!(
        flit_bytes,
        Kind::count(1, 1 << 16),
        "bytes",
        "1",
        "Size of a flit, the unit in which packets and buffers are counted",
        "MVN §5 counts bytes"
    ),
    field!(
        cable_metres,
        Kind::number(0.001, 1e5),
        "m",
        "20",
        "Length of cables whose length the fabric does not say, host links included",
        "MVN §5: 20 m"
    ),
    field!(
        propagation_ns_per_metre,
        Kind::number(0.001, 1e3),
        "ns/m",
        "5",
        "Time a signal takes for one metre of cable",
        "MVN §5: 5 ns/m, so 25 bytes are under way on 20 m"
    ),
    field!(
        lanes,
        Kind::count(1, MOST_LANES as u64),
        "lanes",
        "15",
        "Virtual lanes of a channel that carry data",
        "IBA: at most 15, and one for management"
    ),
    field!(
        control_lanes_from,
        Kind::count(0, MOST_LANES as u64 - 1),
        "lanes",
        "0",
        "First of the lanes that acknowledgements travel on, which routes cannot use: one \
                  whose packet took lane l takes this lane plus l; 0: they travel as data do",
        "MVN sends no acknowledgements"
    ),
    field!(
        input_buffer_bytes,
        SOME_BYTES,
        "bytes",
        "1024",
        "Size of the input buffer of a switch port, per lane",
        "MVN §5: 1 KB; per lane is assumed"
    ),
    field!(
        output_buffer_bytes,
        BYTES,
        "bytes",
        "1024",
        "Size of the output buffer of a switch port, per lane; 0 for none: the crossbar feeds \
                  the link",
        "MVN §5: 1 KB; per lane is assumed"
    ),
    field!(
        lookup_delay_ns,
        NANOSECONDS,
        "ns",
        "100",
        "Time from the arrival of a head at a switch to its request for an output, at least; \
                  the packets of a buffer are looked up while those before them leave",
        "MVN §5: 100 ns for table access, arbitration and set-up together; that they hold up \
                 nobody is assumed, for the factors of MVN are near those of the links' loads"
    ),
    field!(
        routing_delay_ns,
        NANOSECONDS,
        "ns",
        "0",
        "Time from the grant of an output to its first flit, in which input and output are held",
        "MVN §5: contained in the 100 ns of the lookup"
    ),
    field!(
        flow_control,
        Kind::Choice(&FlowControlRule::NAMES),
        "",
        "credits",
        "How receivers keep their buffers from overflowing, each lane by itself",
        "IBA: credits; that they are for whole packets is virtual cut-through"
    ),
    field!(
        stop_above_bytes,
        BYTES,
        "bytes",
        "512",
        "With stop & go: a stop is sent when the buffer holds more than this; 0 with \
                  go_below_bytes of one flit halts after every flit",
        "assumed; there is no stop & go with credits"
    ),
    field!(
        go_below_bytes,
        SOME_BYTES,
        "bytes",
        "256",
        "With stop & go: a go is sent when the buffer holds less than this",
        "assumed; there is no stop & go with credits"
    ),
    field!(
        control_delay_ns,
        NANOSECONDS,
        "ns",
        "0",
        "With stop & go: time a stop or go takes to act, beyond its flight",
        "assumed; there is no stop & go with credits"
    ),
    field!(
        overhead_bytes,
        Kind::count(0, 1 << 16),
        "bytes",
        "0",
        "Header and trailer of a packet, in addition to its payload",
        "MVN §5: packets of 32 bytes in all, so the payload counts the header"
    ),
    field!(
        least_packet_bytes,
        Kind::count(0, 1 << 16),
        "bytes",
        "0",
        "Size of the shortest packet, header and trailer included; shorter ones are filled up",
        "MVN does not say one"
    ),
    field!(
        mtu_bytes,
        Kind::count(1, 1 << 20),
        "bytes",
        "1024",
        "Largest payload of a packet",
        "IBA: 256 to 4096; no more than a buffer of MVN holds"
    ),
];
