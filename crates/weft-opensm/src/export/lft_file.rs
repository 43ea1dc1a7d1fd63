//! The tables, as `OpenSM`'s `file` engine loads them.

use super::exported_subnet::{Destination, Subnet};
use super::ways_to_switches::Management;
use std::fmt::Write;

/// Characters of a name in a line: `OpenSM` reads no line longer than 1,024 bytes.
const NAME_CHARACTERS: usize = 60;
/// Room for the first line of a switch and the last.
const HEADING_BYTES: usize = 160;

/// Writes the tables of all switches, every entry with the GUID of its port, by which `OpenSM`
/// finds the port's LID of the day; with the names of destinations for people.
pub(super) fn lfts(subnet: &Subnet<'_>, management: &Management, with_names: bool) -> String {
    let fabric = subnet.fabric;
    let destinations = subnet.destinations();
    let last = destinations.last().map_or(0, |&(lid, _)| lid);
    // What stands before and after the port in the lines to a destination is the same at every switch.
    let around: Vec<[String; 2]> = destinations
        .iter()
        .map(|&(lid, destination)| around(subnet, lid, destination, with_names))
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
        for (&(_, destination), [before, after]) in destinations.iter().zip(&around) {
            let port = match destination {
                Destination::Switch(to) => management.port(switch, to),
                Destination::Host(to, alias) => subnet.port(switch, to, alias),
            };
            let Some(port) = port else { continue };
            count += 1;
            text.push_str(before);
            text.push_str(&ports[usize::from(port.number())]);
            text.push_str(after);
        }
        let _ = writeln!(text, "{count} lids dumped");
    }
    text
}

/// What stands before and after the port in the lines to a destination.
fn around(
    subnet: &Subnet<'_>,
    lid: u16,
    destination: Destination,
    with_names: bool,
) -> [String; 2] {
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
    let after = if with_names {
        format!(" # {kind} portguid 0x{guid:016x}: '{}'\n", shown(name))
    } else {
        format!(" portguid 0x{guid:016x}\n")
    };
    [format!("0x{lid:04x} "), after]
}

/// A name as it may stand in a line: short, without control characters.
fn shown(name: &str) -> String {
    let held = name.chars().filter(|c| !c.is_control());
    held.take(NAME_CHARACTERS).collect()
}
