//! The options of `OpenSM`, and the LIDs it shall give out.

use super::exported_subnet::Subnet;
use super::{LFTS, MOST_LANES, OpensmEngine, POLICY};
use std::fmt::Write;

/// Lanes that ports can be told to use.
const LANE_COUNTS: [u8; 4] = [2, 4, 8, MOST_LANES];
/// Service levels there are.
const LEVELS: usize = 16;

/// The least number of lanes that ports can be told to use so that there are enough.
pub(super) fn lanes_of_ports(lane_count: u8) -> u8 {
    let Some(enough) = LANE_COUNTS.into_iter().find(|&count| count >= lane_count) else {
        unreachable!("more lanes than ports have are refused");
    };
    enough
}

/// Writes the lines for `opensm.conf`; `lane_count` where there is more than one level or lane.
pub(super) fn conf(
    subnet: &Subnet<'_>,
    folder: &str,
    engine: OpensmEngine,
    lane_count: Option<u8>,
) -> String {
    let mut text = format!(
        "# The tables of this folder are loaded, or none: no other engine steps in.\n\
         routing_engine {},no_fallback\n\
         lfts_file {folder}/{LFTS}\n\
         # LIDs of a port: 2 to this power.\n\
         lmc {}\n\
         # LIDs are taken from the file guid2lid, where one is in OpenSM's cache folder.\n\
         honor_guid2lid_file TRUE\n",
        engine.name(),
        subnet.lmc
    );
    // Writing to a text does not fail.
    if engine == OpensmEngine::Weft {
        let _ = write!(
            text,
            "# The engine is in libweft.so, which the loader must find; names of other plugins may \
             follow.\n\
             event_plugin_name {}\n",
            engine.name()
        );
    }
    if let Some(lane_count) = lane_count {
        let lanes = lanes_of_ports(lane_count);
        let numbers = |count: usize, entry: &dyn Fn(usize) -> String| -> String {
            (0..count).map(entry).collect::<Vec<_>>().join(",")
        };
        let shares = numbers(lanes.into(), &|lane| format!("{lane}:64"));
        let lanes_of_levels = numbers(LEVELS, &|level| (level % usize::from(lanes)).to_string());
        let levels = match engine {
            OpensmEngine::File => format!(
                "# Service levels by pairs of ports, each on the lane of its number.\n\
                 qos TRUE\n\
                 qos_policy_file {folder}/{POLICY}\n"
            ),
            OpensmEngine::Weft => {
                "# The engine tells service levels, and their lanes in place of qos_sl2vl.\n\
                 qos TRUE\n"
                    .to_owned()
            }
        };
        let _ = write!(
            text,
            "{levels}\
             qos_max_vls {lanes}\n\
             qos_high_limit 0\n\
             qos_vlarb_high 0:4\n\
             qos_vlarb_low {shares}\n\
             qos_sl2vl {lanes_of_levels}\n"
        );
    }
    text
}

/// Writes the LIDs of all ports as `OpenSM` keeps them between runs.
pub(super) fn guid2lid(subnet: &Subnet<'_>) -> String {
    let last = (1_u16 << subnet.lmc) - 1;
    let hosts = subnet.host_guids.iter().zip(&subnet.host_lids);
    let switches = subnet.switch_guids.iter().zip(&subnet.switch_lids);
    let mut text = String::new();
    for (guid, first, last) in switches
        .map(|(guid, &lid)| (guid, lid, lid))
        .chain(hosts.map(|(guid, &lid)| (guid, lid, lid + last)))
    {
        let _ = writeln!(text, "0x{guid:016x} 0x{first:04x} 0x{last:04x}\n");
    }
    text
}
