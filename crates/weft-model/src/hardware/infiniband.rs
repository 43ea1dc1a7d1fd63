//! `InfiniBand` as MVN simulates it, and today's: every parameter of cut-through hardware with its
//! value and source.
//!
//! MVN: Flich, López, Sancho, Robles, Duato, "Improving `InfiniBand` routing through multiple virtual
//! networks", ISHPC 2002. IBA: `InfiniBand` Architecture Specification, volume 1. What makers publish
//! of switches is a port-to-port latency and the number of lanes; buffer sizes are assumed.

use super::cut_through::{CutThroughHardware, FlowControlRule, LinkRates};
use super::parameter::ParameterValue::{Choice, Count, Number};
use super::parameter::{ParameterKind, ParameterSpec};
use super::presets::{Change, Preset, cut_through};
use crate::cut_through::MOST_LANES;

/// Largest count of bytes accepted, 1 GiB.
const MAX_BYTES: u32 = 1 << 30;

const NANOSECONDS: ParameterKind = ParameterKind::Number {
    minimum: 0.0,
    maximum: 1e9,
};

const BYTES: ParameterKind = ParameterKind::Count {
    minimum: 0,
    maximum: MAX_BYTES,
};

const SOME_BYTES: ParameterKind = ParameterKind::Count {
    minimum: 1,
    maximum: MAX_BYTES,
};

/// All parameters of cut-through hardware, in the order of files and tables, with their values in
/// the preset `infiniband_1x`.
pub(super) static PARAMETERS: &[ParameterSpec<CutThroughHardware>] = &[
    ParameterSpec {
        name: "link_gbit_per_s",
        kind: ParameterKind::Number {
            minimum: 0.001,
            maximum: 1e5,
        },
        unit: "Gbit/s",
        default: Number(2.0),
        summary: "Data rate of a link, line coding taken off",
        source: "MVN §5: 1x links of 2.5 Gbit/s with 8b/10b, a byte in 4 ns",
        get: |hardware| Number(hardware.link_gbit_per_s),
        set: |hardware, value| hardware.link_gbit_per_s = value.number(),
    },
    ParameterSpec {
        name: "link_rates",
        kind: ParameterKind::Choice {
            names: &LinkRates::NAMES,
        },
        unit: "",
        default: Choice("hardware"),
        summary: "Whether links have the rates that the fabric gives in InfiniBand's words, such as \
                  4xHDR; plain rates in Gbit/s are always used",
        source: "MVN simulates equal links",
        get: |hardware| Choice(hardware.link_rates.name()),
        set: |hardware, value| hardware.link_rates = LinkRates::named(value.choice()),
    },
    ParameterSpec {
        name: "flit_bytes",
        kind: ParameterKind::Count {
            minimum: 1,
            maximum: 1 << 16,
        },
        unit: "bytes",
        default: Count(1),
        summary: "Size of a flit, the unit in which packets and buffers are counted",
        source: "MVN §5 counts bytes",
        get: |hardware| Count(hardware.flit_bytes),
        set: |hardware, value| hardware.flit_bytes = value.count(),
    },
    ParameterSpec {
        name: "cable_metres",
        kind: ParameterKind::Number {
            minimum: 0.001,
            maximum: 1e5,
        },
        unit: "m",
        default: Number(20.0),
        summary: "Length of cables whose length the fabric does not say, host links included",
        source: "MVN §5: 20 m",
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
        default: Number(5.0),
        summary: "Time a signal takes for one metre of cable",
        source: "MVN §5: 5 ns/m, so 25 bytes are under way on 20 m",
        get: |hardware| Number(hardware.propagation_ns_per_metre),
        set: |hardware, value| hardware.propagation_ns_per_metre = value.number(),
    },
    ParameterSpec {
        name: "lanes",
        kind: ParameterKind::Count {
            minimum: 1,
            maximum: MOST_LANES as u32,
        },
        unit: "lanes",
        default: Count(15),
        summary: "Virtual lanes of a channel that carry data",
        source: "IBA: at most 15, and one for management",
        get: |hardware| Count(hardware.lanes),
        set: |hardware, value| hardware.lanes = value.count(),
    },
    ParameterSpec {
        name: "control_lanes_from",
        kind: ParameterKind::Count {
            minimum: 0,
            maximum: MOST_LANES as u32 - 1,
        },
        unit: "lanes",
        default: Count(0),
        summary: "First of the lanes that acknowledgements travel on, which routes cannot use: one \
                  whose packet took lane l takes this lane plus l; 0: they travel as data do",
        source: "MVN sends no acknowledgements",
        get: |hardware| Count(hardware.control_lanes_from),
        set: |hardware, value| hardware.control_lanes_from = value.count(),
    },
    ParameterSpec {
        name: "input_buffer_bytes",
        kind: SOME_BYTES,
        unit: "bytes",
        default: Count(1024),
        summary: "Size of the input buffer of a switch port, per lane",
        source: "MVN §5: 1 KB; per lane is assumed",
        get: |hardware| Count(hardware.input_buffer_bytes),
        set: |hardware, value| hardware.input_buffer_bytes = value.count(),
    },
    ParameterSpec {
        name: "output_buffer_bytes",
        kind: BYTES,
        unit: "bytes",
        default: Count(1024),
        summary: "Size of the output buffer of a switch port, per lane; 0 for none: the crossbar feeds \
                  the link",
        source: "MVN §5: 1 KB; per lane is assumed",
        get: |hardware| Count(hardware.output_buffer_bytes),
        set: |hardware, value| hardware.output_buffer_bytes = value.count(),
    },
    ParameterSpec {
        name: "lookup_delay_ns",
        kind: NANOSECONDS,
        unit: "ns",
        default: Number(100.0),
        summary: "Time from the arrival of a head at a switch to its request for an output, at least; \
                  the packets of a buffer are looked up while those before them leave",
        source: "MVN §5: 100 ns for table access, arbitration and set-up together; that they hold up \
                 nobody is assumed, for the factors of MVN are near those of the links' loads",
        get: |hardware| Number(hardware.lookup_delay_ns),
        set: |hardware, value| hardware.lookup_delay_ns = value.number(),
    },
    ParameterSpec {
        name: "routing_delay_ns",
        kind: NANOSECONDS,
        unit: "ns",
        default: Number(0.0),
        summary: "Time from the grant of an output to its first flit, in which input and output are held",
        source: "MVN §5: contained in the 100 ns of the lookup",
        get: |hardware| Number(hardware.routing_delay_ns),
        set: |hardware, value| hardware.routing_delay_ns = value.number(),
    },
    ParameterSpec {
        name: "flow_control",
        kind: ParameterKind::Choice {
            names: &FlowControlRule::NAMES,
        },
        unit: "",
        default: Choice("credits"),
        summary: "How receivers keep their buffers from overflowing, each lane by itself",
        source: "IBA: credits; that they are for whole packets is virtual cut-through",
        get: |hardware| Choice(hardware.flow_control.name()),
        set: |hardware, value| hardware.flow_control = FlowControlRule::named(value.choice()),
    },
    ParameterSpec {
        name: "stop_above_bytes",
        kind: BYTES,
        unit: "bytes",
        default: Count(512),
        summary: "With stop & go: a stop is sent when the buffer holds more than this; 0 with \
                  go_below_bytes of one flit halts after every flit",
        source: "assumed; there is no stop & go with credits",
        get: |hardware| Count(hardware.stop_above_bytes),
        set: |hardware, value| hardware.stop_above_bytes = value.count(),
    },
    ParameterSpec {
        name: "go_below_bytes",
        kind: SOME_BYTES,
        unit: "bytes",
        default: Count(256),
        summary: "With stop & go: a go is sent when the buffer holds less than this",
        source: "assumed; there is no stop & go with credits",
        get: |hardware| Count(hardware.go_below_bytes),
        set: |hardware, value| hardware.go_below_bytes = value.count(),
    },
    ParameterSpec {
        name: "control_delay_ns",
        kind: NANOSECONDS,
        unit: "ns",
        default: Number(0.0),
        summary: "With stop & go: time a stop or go takes to act, beyond its flight",
        source: "assumed; there is no stop & go with credits",
        get: |hardware| Number(hardware.control_delay_ns),
        set: |hardware, value| hardware.control_delay_ns = value.number(),
    },
    ParameterSpec {
        name: "overhead_bytes",
        kind: ParameterKind::Count {
            minimum: 0,
            maximum: 1 << 16,
        },
        unit: "bytes",
        default: Count(0),
        summary: "Header and trailer of a packet, in addition to its payload",
        source: "MVN §5: packets of 32 bytes in all, so the payload counts the header",
        get: |hardware| Count(hardware.overhead_bytes),
        set: |hardware, value| hardware.overhead_bytes = value.count(),
    },
    ParameterSpec {
        name: "least_packet_bytes",
        kind: ParameterKind::Count {
            minimum: 0,
            maximum: 1 << 16,
        },
        unit: "bytes",
        default: Count(0),
        summary: "Size of the shortest packet, header and trailer included; shorter ones are filled up",
        source: "MVN does not say one",
        get: |hardware| Count(hardware.least_packet_bytes),
        set: |hardware, value| hardware.least_packet_bytes = value.count(),
    },
    ParameterSpec {
        name: "mtu_bytes",
        kind: ParameterKind::Count {
            minimum: 1,
            maximum: 1 << 20,
        },
        unit: "bytes",
        default: Count(1024),
        summary: "Largest payload of a packet",
        source: "IBA: 256 to 4096; no more than a buffer of MVN holds",
        get: |hardware| Count(hardware.mtu_bytes),
        set: |hardware, value| hardware.mtu_bytes = value.count(),
    },
];

pub(super) const INFINIBAND_1X: Preset = Preset {
    name: "infiniband_1x",
    summary: "InfiniBand 1x as MVN simulates it: credits, 15 lanes, buffers of 1 KB; 2 Gbit/s of data",
    blank: cut_through,
    changes: &[],
    hosts: &[],
};

const BUFFER: &str = "assumed: four packets of the largest size; makers publish none";
const NO_OUTPUT_BUFFER: &str = "assumed: buffers at inputs alone; makers publish none";
const METRES: &str = "assumed: cables of a row of racks";
const LANES: &str = "data sheets of the makers: 8 lanes for data and one for management";
const OVERHEAD: &str = "IBA: local route header 8, base transport header 12, checksums 4 + 2 bytes";
const RATES: &str = "today's fabrics mix generations; ibnetdiscover tells the rates";

/// A preset of today: what differs is the rate and the latency of the switch.
macro_rules! today {
    ($name:ident, $text:literal, $summary:literal, $rate:literal, $rate_source:literal, $delay:literal,
     $delay_source:literal) => {
        pub(super) const $name: Preset = Preset {
            name: $text,
            summary: $summary,
            blank: cut_through,
            changes: &[
                change("link_gbit_per_s", Number($rate), $rate_source),
                change("link_rates", Choice("fabric"), RATES),
                change("cable_metres", Number(10.0), METRES),
                change("lanes", Count(8), LANES),
                change("input_buffer_bytes", Count(4 * (4096 + 26)), BUFFER),
                change("output_buffer_bytes", Count(0), NO_OUTPUT_BUFFER),
                change("lookup_delay_ns", Number($delay), $delay_source),
                change("overhead_bytes", Count(26), OVERHEAD),
                change("mtu_bytes", Count(4096), "IBA: 256 to 4096, the largest"),
            ],
            hosts: &[],
        };
    };
}

pub(super) const fn change(
    name: &'static str,
    value: super::parameter::ParameterValue,
    source: &'static str,
) -> Change {
    Change {
        name,
        value,
        source,
    }
}

today!(
    FDR,
    "infiniband_fdr",
    "InfiniBand 4x FDR: credits, 8 lanes; 54.54 Gbit/s of data, or what the fabric says",
    54.54,
    "IBA: 4 × 14.0625 Gbit/s, 64b/66b",
    170.0,
    "data sheet of the SX6036: 170 ns from port to port, counted as lookup"
);
today!(
    EDR,
    "infiniband_edr",
    "InfiniBand 4x EDR: credits, 8 lanes; 100 Gbit/s of data, or what the fabric says",
    100.0,
    "IBA: 4 × 25.78125 Gbit/s, 64b/66b",
    90.0,
    "data sheet of the SB7800: 90 ns from port to port, counted as lookup"
);
today!(
    HDR,
    "infiniband_hdr",
    "InfiniBand 4x HDR: credits, 8 lanes; 200 Gbit/s of data, or what the fabric says",
    200.0,
    "IBA: 4 × 50 Gbit/s of data",
    130.0,
    "data sheet of the QM8700: 130 ns from port to port, counted as lookup"
);
today!(
    NDR,
    "infiniband_ndr",
    "InfiniBand 4x NDR: credits, 8 lanes; 400 Gbit/s of data, or what the fabric says",
    400.0,
    "IBA: 4 × 100 Gbit/s of data",
    230.0,
    "assumed: reported values of the QM9700 run from 150 to 330 ns from port to port"
);
