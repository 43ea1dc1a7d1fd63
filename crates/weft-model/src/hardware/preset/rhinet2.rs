//! RHiNET-2: lanes with stop & go, flits of eight bytes.
//!
//! RHINET: Koibuchi, Watanabe, Otsuka, Amano, "Performance evaluation of deterministic routings,
//! multicasts, and topologies on RHiNET-2 cluster".

use super::{Preset, Switching, change};

const FITTED: &str = "fitted by least squares to the barrier latencies of RHINET's tables IV, IX and XIII, \
                      together with the other constants marked so";

pub(super) const RHINET2: Preset = Preset {
    name: "rhinet2",
    summary: "RHiNET-2: stop & go, 16 lanes, flits of 8 bytes, input buffers of 4 KB; 6 Gbit/s of data",
    switching: Switching::CutThrough,
    changes: &[
        change("link_gbit_per_s", "6", "RHINET: 6 Gbit/s used of 8 nominal"),
        change("flit_bytes", "8", "RHINET: flits of 8 bytes"),
        change("cable_metres", "5", "RHINET: 2 and 5 m"),
        change(
            "lanes",
            "16",
            "RHINET: 16, of which 0 to 7 for data and 8 to 15 for control",
        ),
        change(
            "control_lanes_from",
            "8",
            "RHINET: acknowledgements take the lane of the data plus 8",
        ),
        change("input_buffer_bytes", "4096", "RHINET: 4 KB per lane"),
        change(
            "output_buffer_bytes",
            "0",
            "RHINET names input buffers alone",
        ),
        change("lookup_delay_ns", "300", FITTED),
        change("flow_control", "stop_and_go", "RHINET: Go & Stop"),
        change(
            "stop_above_bytes",
            "3200",
            "assumed: as late as the buffer allows, so that whole packets fit (VCT); 0 is RHINET's \
             “Stop,Go=1”",
        ),
        change(
            "go_below_bytes",
            "2400",
            "assumed: no gap before the first flit after a go arrives; 8 is RHINET's “Stop,Go=1”",
        ),
        change(
            "control_delay_ns",
            "950",
            "RHINET: a stop takes about 1 µs to act, more than 600 bytes later",
        ),
        change(
            "overhead_bytes",
            "40",
            "RHINET: 5 flits of header and trailer",
        ),
        change("least_packet_bytes", "136", "RHINET: at least 17 flits"),
        change("mtu_bytes", "1792", "RHINET: at most 229 flits in all"),
    ],
    hosts: &[
        change("acknowledged", "1", "RHINET: ack-wait by default"),
        change(
            "blocking",
            "1",
            "assumed: a send is over when it is acknowledged, the moment to which RHINET measures \
             bandwidth",
        ),
        change(
            "acknowledgement_bytes",
            "0",
            "RHINET: a control packet, of 17 flits as the shortest",
        ),
        change("pio_bytes", "96", "assumed: what the shortest packet holds"),
        change(
            "bus_gbit_per_s",
            "4.22",
            "RHINET: PCI of 64 bits and 66 MHz",
        ),
        change("send_message_ns", "1750", FITTED),
        change("receive_message_ns", "200", FITTED),
    ],
};
