//! `InfiniBand` as MVN simulates it, and today's.
//!
//! IBA: `InfiniBand` Architecture Specification, volume 1. What makers publish of switches is a
//! port-to-port latency and the number of lanes; buffer sizes are assumed.

use super::{Preset, Switching, change};

pub(super) const INFINIBAND_1X: Preset = Preset {
    name: "infiniband_1x",
    summary: "InfiniBand 1x as MVN simulates it: credits, 15 lanes, buffers of 1 KB; 2 Gbit/s of data",
    switching: Switching::CutThrough,
    changes: &[],
    hosts: &[],
};

pub(super) const INFINIBAND_1X_HEADERS: Preset = Preset {
    name: "infiniband_1x_headers",
    summary: "the same with the headers of InfiniBand's packets, 26 bytes beside the payload: MVN's \
              traffic is met, where without them two to three times as much is carried",
    switching: Switching::CutThrough,
    changes: &[change("overhead_bytes", "26", OVERHEAD)],
    hosts: &[],
};

const BUFFER: &str = "assumed: four packets of the largest size; makers publish none";
const NO_OUTPUT_BUFFER: &str = "assumed: buffers at inputs alone; makers publish none";
const METRES: &str = "assumed: cables of a row of racks";
const LANES: &str = "data sheets of the makers: 8 lanes for data and one for management";
const OVERHEAD: &str = "IBA: local route header 8, base transport header 12, checksums 4 + 2 bytes";
const TURNS: &str = "Mellanox's own simulation model of InfiniBand (ib_flit_sim 2013, IBGenerator): an adapter \
                     serves what it has to send in turn, past lanes that are full; mlx5dv_modify_qp_sched_elem(3): \
                     queue pairs get a fair bandwidth by default; a packet a turn is assumed";
const CONTROL: &str = "HPCC (Li and others, SIGCOMM 2019) and its simulator: adapters send control before \
                       data, and queue pairs in turn; that announcements count as control is assumed";
const RATES: &str = "today's fabrics mix generations; ibnetdiscover tells the rates";

/// A preset of today: what differs is the rate and the latency of the switch.
macro_rules! today {
    ($name:ident, $text:literal, $summary:literal, $rate:literal, $rate_source:literal, $delay:literal,
     $delay_source:literal) => {
        pub(super) const $name: Preset = Preset {
            name: $text,
            summary: $summary,
            switching: Switching::CutThrough,
            changes: &[
                change("link_gbit_per_s", $rate, $rate_source),
                change("link_rates", "fabric", RATES),
                change("cable_metres", "10", METRES),
                change("lanes", "8", LANES),
                change("input_buffer_bytes", "16488", BUFFER),
                change("output_buffer_bytes", "0", NO_OUTPUT_BUFFER),
                change("lookup_delay_ns", $delay, $delay_source),
                change("overhead_bytes", "26", OVERHEAD),
                change("mtu_bytes", "4096", "IBA: 256 to 4096, the largest"),
            ],
            hosts: &[
                change("quantum_bytes", "1", TURNS),
                change("control_first", "1", CONTROL),
            ],
        };
    };
}

today!(
    FDR,
    "infiniband_fdr",
    "InfiniBand 4x FDR: credits, 8 lanes; 54.54 Gbit/s of data, or what the fabric says",
    "54.54",
    "IBA: 4 × 14.0625 Gbit/s, 64b/66b",
    "170",
    "data sheet of the SX6036: 170 ns from port to port, counted as lookup"
);
today!(
    EDR,
    "infiniband_edr",
    "InfiniBand 4x EDR: credits, 8 lanes; 100 Gbit/s of data, or what the fabric says",
    "100",
    "IBA: 4 × 25.78125 Gbit/s, 64b/66b",
    "90",
    "data sheet of the SB7800: 90 ns from port to port, counted as lookup"
);
today!(
    HDR,
    "infiniband_hdr",
    "InfiniBand 4x HDR: credits, 8 lanes; 200 Gbit/s of data, or what the fabric says",
    "200",
    "IBA: 4 × 50 Gbit/s of data",
    "130",
    "data sheet of the QM8700: 130 ns from port to port, counted as lookup"
);
today!(
    NDR,
    "infiniband_ndr",
    "InfiniBand 4x NDR: credits, 8 lanes; 400 Gbit/s of data, or what the fabric says",
    "400",
    "IBA: 4 × 100 Gbit/s of data",
    "230",
    "assumed: reported values of the QM9700 run from 150 to 330 ns from port to port"
);
