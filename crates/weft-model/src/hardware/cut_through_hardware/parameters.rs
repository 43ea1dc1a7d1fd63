//! Every parameter of cut-through hardware, with its value and source for `InfiniBand` as MVN simulates
//! it.
//!
//! MVN: Flich, López, Sancho, Robles, Duato, "Improving `InfiniBand` routing through multiple virtual
//! networks", ISHPC 2002. IBA: `InfiniBand` Architecture Specification, volume 1.

use super::{FlowControlRule, LinkRates};
use crate::cut_through::{AddressChoice, MOST_LANES, Selection};
use weft_registry::{Kind, parameters};

/// Longest time accepted, one second.
const NANOSECONDS: Kind = Kind::number(0.0, 1e9);

/// Largest count of bytes accepted, 1 GiB.
const MAX_BYTES: u64 = 1 << 30;

const BYTES: Kind = Kind::count(0, MAX_BYTES);

const SOME_BYTES: Kind = Kind::count(1, MAX_BYTES);

parameters! {
    /// The parameters of cut-through switches, cables and hosts in physical units.
    #[derive(Clone, Debug, PartialEq)]
    pub struct CutThroughHardware {
        /// Preset the parameters started from.
        preset: &'static str,
    }

    /// All parameters of cut-through hardware, in the order of files and tables, with their values in
    /// the preset `infiniband_1x`.
    pub(crate) const PARAMETERS;

    link_gbit_per_s: f64 = "2" "Gbit/s", Kind::number(0.001, 1e5),
        "Data rate of a link, line coding taken off",
        "MVN §5: 1x links of 2.5 Gbit/s with 8b/10b, a byte in 4 ns";
    link_rates: LinkRates = "hardware" "", Kind::Choice(&LinkRates::NAMES),
        "Whether links have the rates that the fabric gives in InfiniBand's words, such as 4xHDR; \
         plain rates in Gbit/s are always used",
        "MVN simulates equal links";
    flit_bytes: u32 = "1" "bytes", Kind::count(1, 1 << 16),
        "Size of a flit, the unit in which packets and buffers are counted",
        "MVN §5 counts bytes";
    cable_metres: f64 = "20" "m", Kind::number(0.001, 1e5),
        "Length of cables whose length the fabric does not say, host links included",
        "MVN §5: 20 m";
    propagation_ns_per_metre: f64 = "5" "ns/m", Kind::number(0.001, 1e3),
        "Time a signal takes for one metre of cable",
        "MVN §5: 5 ns/m, so 25 bytes are under way on 20 m";
    lanes: u32 = "15" "lanes", Kind::count(1, MOST_LANES as u64),
        "Virtual lanes of a channel that carry data",
        "IBA: at most 15, and one for management";
    control_lanes_from: u32 = "0" "lanes", Kind::count(0, MOST_LANES as u64 - 1),
        "First of the lanes that acknowledgements travel on, which routes cannot use: one whose \
         packet took lane l takes this lane plus l; 0: they travel as data do",
        "MVN sends no acknowledgements";
    input_buffer_bytes: u32 = "1024" "bytes", SOME_BYTES,
        "Size of the input buffer of a switch port, per lane",
        "MVN §5: 1 KB; per lane is assumed";
    output_buffer_bytes: u32 = "1024" "bytes", BYTES,
        "Size of the output buffer of a switch port, per lane; 0 for none: the crossbar feeds the \
         link",
        "MVN §5: 1 KB; per lane is assumed";
    lookup_delay_ns: f64 = "100" "ns", NANOSECONDS,
        "Time from the arrival of a head at a switch to its request for an output, at least; the \
         packets of a buffer are looked up while those before them leave",
        "MVN §5: 100 ns for table access, arbitration and set-up together; that they hold up \
         nobody is assumed, for the factors of MVN are near those of the links' loads";
    routing_delay_ns: f64 = "0" "ns", NANOSECONDS,
        "Time from the grant of an output to its first flit, in which input and output are held",
        "MVN §5: contained in the 100 ns of the lookup";
    flow_control: FlowControlRule = "credits" "", Kind::Choice(&FlowControlRule::NAMES),
        "How receivers keep their buffers from overflowing, each lane by itself",
        "IBA: credits; that they are for whole packets is virtual cut-through";
    stop_above_bytes: u32 = "512" "bytes", BYTES,
        "With stop & go: a stop is sent when the buffer holds more than this; 0 with \
         go_below_bytes of one flit halts after every flit",
        "assumed; there is no stop & go with credits";
    go_below_bytes: u32 = "256" "bytes", SOME_BYTES,
        "With stop & go: a go is sent when the buffer holds less than this",
        "assumed; there is no stop & go with credits";
    control_delay_ns: f64 = "0" "ns", NANOSECONDS,
        "With stop & go: time a stop or go takes to act, beyond its flight",
        "assumed; there is no stop & go with credits";
    selection: Selection = "emptiest" "", Kind::Choice(&Selection::NAMES),
        "Where packets choose: by what a switch selects an output; the emptiest that is open, at random for every packet, \
         or by a hash of source and destination",
        "assumed; makers do not say how much a switch looks at";
    addresses: AddressChoice = "first" "", Kind::Choice(&AddressChoice::NAMES),
        "Where hosts have several addresses (LIDs by LMC) and routes let sources send to any: the first, one for each pair by a \
         hash, or all in turn, packet by packet, which evens loads and lets packets of a pair overtake one another",
        "IBA: whoever asks for a path chooses among them; most programs ask for one";
    choice_delay_ns: f64 = "0" "ns", NANOSECONDS,
        "Where packets choose: time from the look at what is free behind several outputs to the choice by it; if what was \
         chosen is taken by then, the switch looks again",
        "assumed; makers do not say how old what a switch looks at is";
    overhead_bytes: u32 = "0" "bytes", Kind::count(0, 1 << 16),
        "Header and trailer of a packet, in addition to its payload",
        "MVN §5: packets of 32 bytes in all, so the payload counts the header";
    least_packet_bytes: u32 = "0" "bytes", Kind::count(0, 1 << 16),
        "Size of the shortest packet, header and trailer included; shorter ones are filled up",
        "MVN does not say one";
    mtu_bytes: u32 = "1024" "bytes", Kind::count(1, 1 << 20),
        "Largest payload of a packet",
        "IBA: 256 to 4096; no more than a buffer of MVN holds";
}
