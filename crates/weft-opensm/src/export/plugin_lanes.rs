//! Service levels and lanes, as our plugin for `OpenSM` loads them (`opensm-plugin/weft.c`).
//!
//! ```text
//! level 0x0002c90300000003 -01
//! hosts 0123456701234567
//! lanes 0x0002c90200000001 * * 0000000000000000
//! lanes 0x0002c90200000001 1 3 1000000000000000
//! ```
//!
//! A line `level` has a digit per destination, in the order of these lines, `-` for the port itself;
//! the others a digit per service level.

use super::exported_subnet::Subnet;
use super::lanes_by_level::{LaneRows, Lanes};
use std::fmt::Write;

/// Writes the level of every pair of ports, and the lanes of adapters and switches.
pub(super) fn lanes(subnet: &Subnet<'_>, rows: &LaneRows<'_>) -> String {
    let fabric = subnet.fabric;
    let mut text = String::from(
        "# Service levels by source and destination, lanes by service level: for the plugin `weft`.\n",
    );
    // Writing to a text does not fail.
    for source in fabric.host_ids() {
        let _ = write!(text, "level 0x{:016x} ", subnet.host_guids[source.index()]);
        for destination in fabric.host_ids() {
            if source == destination {
                text.push('-');
            } else {
                let _ = write!(text, "{:x}", subnet.level(source, destination).number());
            }
        }
        text.push('\n');
    }
    let _ = writeln!(text, "hosts {}", digits(&rows.host()));
    for switch in fabric.switch_ids() {
        let guid = subnet.switch_guids[switch.index()];
        for (ports, lanes) in rows.entries(switch) {
            let ports = ports.map_or("* *".to_owned(), |[input, output]| {
                format!("{} {}", input.number(), output.number())
            });
            let _ = writeln!(text, "lanes 0x{guid:016x} {ports} {}", digits(&lanes));
        }
    }
    text
}

fn digits(lanes: &Lanes) -> String {
    let digit = |&lane: &u8| char::from_digit(lane.into(), 16).unwrap_or('f');
    lanes.iter().map(digit).collect()
}
