//! RHiNET-2: lanes with stop & go, flits of eight bytes.
//!
//! RHINET: Koibuchi, Watanabe, Otsuka, Amano, "Performance evaluation of deterministic routings,
//! multicasts, and topologies on RHiNET-2 cluster".

use super::infiniband::change;
use super::parameter::ParameterValue::{Choice, Count, Number};
use super::presets::{Preset, cut_through};

pub(super) const RHINET2: Preset = Preset {
    name: "rhinet2",
    summary: "RHiNET-2: stop & go, 16 lanes, flits of 8 bytes, input buffers of 4 KB; 6 Gbit/s of data",
    blank: cut_through,
    changes: &[
        change(
            "link_gbit_per_s",
            Number(6.0),
            "RHINET: 6 Gbit/s used of 8 nominal",
        ),
        change("flit_bytes", Count(8), "RHINET: flits of 8 bytes"),
        change("cable_metres", Number(5.0), "RHINET: 2 and 5 m"),
        change(
            "lanes",
            Count(16),
            "RHINET: 16, of which 0 to 7 for data and 8 to 15 for control",
        ),
        change("input_buffer_bytes", Count(4096), "RHINET: 4 KB per lane"),
        change(
            "output_buffer_bytes",
            Count(0),
            "RHINET names input buffers alone",
        ),
        change(
            "lookup_delay_ns",
            Number(0.0),
            "contained in the routing delay",
        ),
        change(
            "routing_delay_ns",
            Number(275.0),
            "derived: barriers of RHINET take 0.30 µs more per switch and packet, of which 25 ns are \
             cable",
        ),
        change("flow_control", Choice("stop_and_go"), "RHINET: Go & Stop"),
        change(
            "stop_above_bytes",
            Count(3200),
            "assumed: as late as the buffer allows, so that whole packets fit (VCT); 0 is RHINET's \
             “Stop,Go=1”",
        ),
        change(
            "go_below_bytes",
            Count(2400),
            "assumed: no gap before the first flit after a go arrives; 8 is RHINET's “Stop,Go=1”",
        ),
        change(
            "control_delay_ns",
            Number(950.0),
            "RHINET: a stop takes about 1 µs to act, more than 600 bytes later",
        ),
        change(
            "overhead_bytes",
            Count(40),
            "RHINET: 5 flits of header and trailer",
        ),
        change(
            "least_packet_bytes",
            Count(136),
            "RHINET: at least 17 flits",
        ),
        change("mtu_bytes", Count(1792), "RHINET: at most 229 flits in all"),
    ],
};
