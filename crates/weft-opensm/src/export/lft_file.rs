//! The tables with the names of destinations, for people; `OpenSM`'s `file` engine loads them too.

use super::exported_subnet::{Destination, Subnet};
use super::loaded_tables::LoadedTables;
use super::printed_tables::NONE;
use super::tables_layout::shown;
use std::fmt::Write;

/// Room for the first line of a switch and the last.
const HEADING_BYTES: usize = 160;

/// Writes the tables of all switches, every entry with the GUID of its port, by which `OpenSM`
/// finds the port's LID of the day.
pub(super) fn lfts(subnet: &Subnet<'_>, tables: &LoadedTables) -> String {
    let fabric = subnet.fabric;
    let destinations = subnet.destinations();
    let last = destinations.last().map_or(0, |&(lid, _)| lid);
    // What stands before and after the port in the lines to a destination is the same at every switch.
    let around: Vec<[String; 2]> = destinations
        .iter()
        .map(|&(lid, destination)| around(subnet, lid, destination))
        .collect();
    let ports: [String; 256] = std::array::from_fn(|port| format!("{port:03}"));
    let of_lines: usize = around
        .iter()
        .map(|[before, after]| before.len() + 3 + after.len())
        .sum();
    let mut text = String::with_capacity(fabric.switch_count() * (of_lines + HEADING_BYTES));
    for switch in fabric.switch_ids() {
        let name = shown(&fabric.switch(switch).name);
        let (lid, guid) = (
            subnet.switch_lids[switch.index()],
            subnet.switch_guids[switch.index()],
        );
        // Writing to a text does not fail.
        let _ = writeln!(
            text,
            "Unicast lids [0-{last}] of switch Lid {lid} guid 0x{guid:016x} ('{name}'):"
        );
        let mut count = 0_usize;
        for (&port, [before, after]) in tables.row(switch.index()).iter().zip(&around) {
            if port == NONE {
                continue;
            }
            count += 1;
            text.push_str(before);
            text.push_str(&ports[usize::from(port)]);
            text.push_str(after);
        }
        let _ = writeln!(text, "{count} lids dumped");
    }
    text
}

/// What stands before and after the port in the lines to a destination.
fn around(subnet: &Subnet<'_>, lid: u16, destination: Destination) -> [String; 2] {
    let fabric = subnet.fabric;
    let (kind, guid, name) = match destination {
        Destination::Switch(to) => (
            "Switch",
            subnet.switch_guids[to.index()],
            &fabric.switch(to).name,
        ),
        Destination::Host(to, _) => (
            "Channel Adapter",
            subnet.host_guids[to.index()],
            &fabric.host(to).name,
        ),
    };
    let after = format!(" # {kind} portguid 0x{guid:016x}: '{}'\n", shown(name));
    [format!("0x{lid:04x} "), after]
}
