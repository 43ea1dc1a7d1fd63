//! The same tables for those who check them without a subnet manager: `ibdmchk`, ibdiagnet.

use super::OpensmError;
use super::exported_subnet::{Destination, Subnet};
use super::lanes_by_level::LaneRows;
use super::ways_to_switches::Management;
use crate::lanes::service_level_dump::PATHS_HEAD;
use std::fmt::Write;
use weft_fabric::formats::{FormatName, write};
use weft_fabric::metrics::distances_from;
use weft_fabric::{HostId, LidRange, Node, PortNumber, SwitchId};

/// Writes the subnet list, with the LIDs that the tables go by.
pub(super) fn lst(subnet: &Subnet<'_>) -> Result<String, OpensmError> {
    let range = |lid, lmc| LidRange::new(lid, lmc);
    let switches = subnet.switch_lids.iter().map(|&lid| range(lid, 0));
    let hosts = subnet.host_lids.iter().map(|&lid| range(lid, subnet.lmc));
    let fabric = subnet.fabric.clone();
    let fabric = fabric.with_lids(switches.collect(), hosts.collect());
    Ok(write(&fabric, FormatName::SubnetList)?)
}

/// More links than a route can have: it never arrives.
const ENDLESS: usize = 64;

/// Writes the tables by LID, as `opensm.fdbs`.
pub(super) fn fdbs(subnet: &Subnet<'_>, management: &Management) -> String {
    let fabric = subnet.fabric;
    let distances: Vec<Vec<u32>> = fabric
        .switch_ids()
        .map(|switch| distances_from(fabric, switch))
        .collect();
    // The fewest links from a switch to what a LID leads to.
    let least = |from: SwitchId, destination: Destination| {
        let (to, last) = match destination {
            Destination::Switch(switch) => (switch, 0),
            Destination::Host(host, _) => (fabric.host_switch(host), 1),
        };
        distances[to.index()][from.index()] as usize + last
    };
    let mut text = String::new();
    // Writing to a text does not fail.
    for switch in fabric.switch_ids() {
        let guid = subnet.switch_guids[switch.index()];
        let _ = writeln!(
            text,
            "dump_ucast_routes: Switch 0x{guid:016x}\nLID    : Port : Hops : Optimal"
        );
        for (lid, destination) in subnet.destinations() {
            let port_at = |switch: SwitchId| match destination {
                Destination::Switch(to) => management.port(switch, to),
                Destination::Host(to, alias) => subnet.port(switch, to, alias),
            };
            let _ = match port_at(switch) {
                None => writeln!(text, "0x{lid:04x} : UNREACHABLE"),
                Some(port) => {
                    let hops = hops(subnet, switch, port_at);
                    let least = least(switch, destination);
                    let optimal = if hops == least {
                        "yes".to_owned()
                    } else {
                        format!("no  : {least} hop path possible")
                    };
                    writeln!(
                        text,
                        "0x{lid:04x} : {:03}  : {hops:02}   : {optimal}",
                        port.number()
                    )
                }
            };
        }
    }
    text
}

/// Counts the links from a switch to where its entries lead.
fn hops(
    subnet: &Subnet<'_>,
    from: SwitchId,
    port_at: impl Fn(SwitchId) -> Option<PortNumber>,
) -> usize {
    let mut here = from;
    for links in 0..ENDLESS {
        let Some(port) = port_at(here) else {
            return ENDLESS;
        };
        if port.number() == 0 {
            return links;
        }
        let Some(channel) = subnet.fabric.outgoing_at(here, port) else {
            return ENDLESS;
        };
        match subnet.fabric.target(channel).node {
            Node::Host(_) => return links + 1,
            Node::Switch(next) => here = next,
        }
    }
    ENDLESS
}

/// Writes the service level of every pair, as `ibdmchk` takes it: GUID of the source's adapter,
/// LID of the destination, service level.
pub(super) fn path_sl(subnet: &Subnet<'_>) -> String {
    let mut text = String::new();
    for (source, destination) in pairs(subnet) {
        let host = subnet.fabric.host(source);
        let guid = host
            .adapter_guid
            .unwrap_or(subnet.host_guids[source.index()]);
        let level = subnet.level(source, destination);
        let first = subnet.host_lids[destination.index()];
        for lid in first..first + (1 << subnet.lmc) {
            let _ = writeln!(text, "0x{guid:016x} {lid} {level}");
        }
    }
    text
}

/// Writes the lane of every service level between all wired ports of each switch, as
/// `opensm-sl2vl.dump`.
pub(super) fn sl2vl(subnet: &Subnet<'_>, rows: &LaneRows<'_>) -> String {
    let rule = "-".repeat(56);
    let mut text = String::new();
    for switch in subnet.fabric.switch_ids() {
        let wired: Vec<PortNumber> = subnet
            .fabric
            .outgoing(switch)
            .iter()
            .map(|&channel| subnet.fabric.source(channel).port)
            .collect();
        let _ = writeln!(
            text,
            "Switch 0x{:016x}, base LID {}, \"{}\"\n#in out : 0  1  2  3  4  5  6  7  8  9  10 11 \
             12 13 14 15\n#{rule}",
            subnet.switch_guids[switch.index()],
            subnet.switch_lids[switch.index()],
            subnet.fabric.switch(switch).name
        );
        for &output in &wired {
            for &input in std::iter::once(&PortNumber::new(0)).chain(&wired) {
                let lanes = rows
                    .between(switch, [input, output])
                    .map(|lane| lane.to_string());
                let (input, output) = (input.number(), output.number());
                let _ = writeln!(text, "{input:<3} {output:<3} : {}", lanes.join("  "));
            }
        }
        let _ = writeln!(text, "#{rule}\n");
    }
    text
}

/// Writes which LID of each destination the sources send to, all of them where they may send to any, and on which service
/// level.
pub(super) fn paths(subnet: &Subnet<'_>) -> String {
    let mut text = format!("{PATHS_HEAD}\n");
    for (source, destination) in pairs(subnet) {
        let lids = if subnet.tables.sends_to_any_address() {
            let first = subnet.host_lids[destination.index()];
            first..=first + ((1 << subnet.lmc) - 1)
        } else {
            let lid = subnet.lid(source, destination);
            lid..=lid
        };
        for lid in lids {
            let _ = writeln!(
                text,
                "0x{:016x},0x{:016x},{lid},{}",
                subnet.host_guids[source.index()],
                subnet.host_guids[destination.index()],
                subnet.level(source, destination)
            );
        }
    }
    text
}

fn pairs<'a>(subnet: &'a Subnet<'_>) -> impl Iterator<Item = (HostId, HostId)> + 'a {
    let hosts = subnet.fabric.host_ids();
    let all = hosts
        .clone()
        .flat_map(move |from| hosts.clone().map(move |to| (from, to)));
    all.filter(|(from, to)| from != to)
}
