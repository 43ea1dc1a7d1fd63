//! Service levels and lanes, as our plugin for `OpenSM` loads them (`opensm-plugin/weft.c`).
//!
//! ```text
//! tables 1284 0x3c2f8a6e0d914b75
//! level 0x0002c90300000003 -01
//! hosts 0123456701234567
//! lanes 0x0002c90200000001 * * 0000000000000000
//! lanes 0x0002c90200000001 1 3 1000000000000000
//! end 5 0x91f2a4c3b0d5e687
//! ```
//!
//! A line `level` has a digit per destination, in the order of these lines, `-` for the port itself;
//! `hosts` and `lanes` a digit per service level. `tables` has the length and the FNV-1a of the tables
//! that the lanes belong to, `end` the number of lines above it and the FNV-1a of all their bytes, by
//! which the plugin refuses files that are damaged or of two exports.

use super::exported_subnet::Subnet;
use super::lanes_by_level::{LaneRows, Lanes};
use std::fmt::Write;

/// Writes the level of every pair of ports, and the lanes of adapters and switches, beside the text
/// of their tables.
pub(super) fn lanes(subnet: &Subnet<'_>, rows: &LaneRows<'_>, tables: &[u8]) -> String {
    let fabric = subnet.fabric;
    let mut text = String::from(
        "# Service levels by source and destination, lanes by service level: for the plugin `weft`.\n",
    );
    // Writing to a text does not fail.
    let _ = writeln!(text, "tables {} 0x{:016x}", tables.len(), fnv_1a(tables));
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
    ended(text)
}

/// The same lanes beside the text of other tables.
pub(super) fn beside(lanes: &str, tables: &[u8]) -> String {
    let mut text = String::with_capacity(lanes.len());
    for line in lanes.lines().filter(|line| !line.starts_with("end ")) {
        let _ = if line.starts_with("tables ") {
            writeln!(text, "tables {} 0x{:016x}", tables.len(), fnv_1a(tables))
        } else {
            writeln!(text, "{line}")
        };
    }
    ended(text)
}

/// The text with the line that tells how long it is.
fn ended(mut text: String) -> String {
    let (count, hash) = (text.lines().count(), fnv_1a(text.as_bytes()));
    let _ = writeln!(text, "end {count} 0x{hash:016x}");
    text
}

/// The hash FNV-1a of a text, of 64 bits.
fn fnv_1a(text: &[u8]) -> u64 {
    text.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

fn digits(lanes: &Lanes) -> String {
    let digit = |&lane: &u8| char::from_digit(lane.into(), 16).unwrap_or('f');
    lanes.iter().map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::fnv_1a;

    /// The values that its authors give.
    #[test]
    fn the_hash_is_fnv_1a() {
        assert_eq!(fnv_1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv_1a(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv_1a(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
