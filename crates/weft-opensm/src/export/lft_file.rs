//! The tables, as `OpenSM`'s `file` engine loads them.

use super::exported_subnet::{Destination, Subnet};
use super::ways_to_switches::Management;
use std::fmt::Write;

/// Characters of a name in a line: `OpenSM` reads no line longer than 1,024 bytes.
const NAME_CHARACTERS: usize = 60;

/// Writes the tables of all switches, every entry with the GUID of its port, by which `OpenSM`
/// finds the port's LID of the day.
pub(super) fn lfts(subnet: &Subnet<'_>, management: &Management) -> String {
    let fabric = subnet.fabric;
    let destinations = subnet.destinations();
    let last = destinations.last().map_or(0, |&(lid, _)| lid);
    let mut text = String::new();
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
        for &(lid, destination) in &destinations {
            let (port, kind, guid, name) = match destination {
                Destination::Switch(to) => (
                    management.port(switch, to),
                    "Switch",
                    subnet.switch_guids[to.index()],
                    &fabric.switch(to).name,
                ),
                Destination::Host(to, alias) => (
                    subnet.port(switch, to, alias),
                    "Channel Adapter",
                    subnet.host_guids[to.index()],
                    &fabric.host(to).name,
                ),
            };
            let Some(port) = port else { continue };
            count += 1;
            let _ = writeln!(
                text,
                "0x{lid:04x} {:03} # {kind} portguid 0x{guid:016x}: '{}'",
                port.number(),
                shown(name)
            );
        }
        let _ = writeln!(text, "{count} lids dumped");
    }
    text
}

/// A name as it may stand in a line: short, without control characters.
fn shown(name: &str) -> String {
    let held = name.chars().filter(|c| !c.is_control());
    held.take(NAME_CHARACTERS).collect()
}
