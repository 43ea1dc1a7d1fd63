//! Files to read, and short ways to look at what was read.

use weft_fabric::formats::{FormatName, ReadFabric, read};
use weft_fabric::{Fabric, Node};

pub(crate) const IBNETDISCOVER: &str = include_str!("three_switches.ibnetdiscover");
pub(crate) const PORTS_REPORT: &str = include_str!("three_switches.ibnetdiscover-p");
pub(crate) const LINES: &str = include_str!("three_switches.iblinkinfo");
pub(crate) const BLOCKS: &str = include_str!("three_switches.iblinkinfo_blocks");
pub(crate) const SUBNET_LIST: &str = include_str!("three_switches.lst");

pub(crate) const DB_CSV: &str = include_str!("three_switches.db_csv");
pub(crate) const NET_DUMP: &str = include_str!("three_switches.net_dump");

/// What the tools print of the three switches, with the format it is.
pub(crate) const SAMPLES: [(FormatName, &str); 5] = [
    (FormatName::Ibnetdiscover, IBNETDISCOVER),
    (FormatName::PortsReport, PORTS_REPORT),
    (FormatName::Iblinkinfo, LINES),
    (FormatName::Iblinkinfo, BLOCKS),
    (FormatName::SubnetList, SUBNET_LIST),
];

/// The formats of this family.
pub(crate) const FORMATS: [FormatName; 4] = [
    FormatName::Ibnetdiscover,
    FormatName::PortsReport,
    FormatName::Iblinkinfo,
    FormatName::SubnetList,
];

pub(crate) fn read_text(text: &str) -> ReadFabric {
    read(text.as_bytes(), "three_switches").unwrap()
}

pub(crate) fn error_text(text: &str) -> String {
    read(text.as_bytes(), "file").unwrap_err().to_string()
}

/// Every cable as `node[port] – node[port] rate`, the lesser end first, sorted.
pub(crate) fn wiring(fabric: &Fabric) -> Vec<String> {
    let cable = |id| {
        let link = fabric.link(id);
        let mut ends =
            (link.ends).map(|end| format!("{}[{}]", fabric.node_name(end.node), end.port));
        ends.sort();
        let rate = link.cable.rate.map(|rate| format!(" {rate}"));
        ends.join(" – ") + &rate.unwrap_or_default()
    };
    let mut cables: Vec<String> = fabric.link_ids().map(cable).collect();
    cables.sort();
    cables
}

/// Every node as `name GUID LIDs`, with a switch's number of ports, sorted.
pub(crate) fn nodes(fabric: &Fabric) -> Vec<String> {
    let switches = fabric.switch_ids().map(|id| {
        let switch = fabric.switch(id);
        let (name, ports) = (fabric.node_name(Node::Switch(id)), switch.port_count);
        format!("{name} {:x?} {:?} {ports}", switch.guid, switch.lids)
    });
    let hosts = fabric.host_ids().map(|id| {
        let host = fabric.host(id);
        format!("{} {:x?} {:?}", host.name, host.guid, host.lids)
    });
    let mut nodes: Vec<String> = switches.chain(hosts).collect();
    nodes.sort();
    nodes
}
