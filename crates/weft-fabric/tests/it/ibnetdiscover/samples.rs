//! Files to read, and short ways to look at what was read.

use crate::reading;
use weft_fabric::Fabric;
use weft_fabric::formats::{ReadFabric, read};

/// Three switches with parallel cables and a cable back to the same switch; a host with two
/// adapters, one whose adapter has two ports, one plain.
pub(crate) const PLAIN: &str = include_str!("three_switches.ibnetdiscover");

pub(crate) fn read_text(text: &str) -> ReadFabric {
    read(text.as_bytes(), "clusters/cluster.ibnetdiscover").unwrap()
}

pub(crate) fn error_text(text: &str) -> String {
    read(text.as_bytes(), "cluster.ibnetdiscover")
        .unwrap_err()
        .to_string()
}

/// Every link as `node[port] – node[port] rate`, in the order of the fabric.
pub(crate) fn links(fabric: &Fabric) -> Vec<String> {
    reading::links(fabric, " – ")
}

pub(crate) fn host_names(fabric: &Fabric) -> Vec<&str> {
    let hosts = fabric.host_ids();
    hosts.map(|id| fabric.host(id).name.as_str()).collect()
}

/// A switch `sw` of eight ports with `ports` as its port lines, then the given records.
pub(crate) fn one_switch(ports: &str, records: &str) -> String {
    format!(
        "Switch\t8 \"S-0000000000000001\"\t\t# \"sw\" base port 0 lid 1 lmc 0\n{ports}\n{records}"
    )
}

/// A channel adapter with one port at port `port` of the switch; the first has LID 5.
pub(crate) fn adapter(number: u32, description: &str, port: u32) -> String {
    format!(
        "Ca\t1 \"H-00000000000000a{number}\"\t\t# \"{description}\"\n\
         [1](b00{number})\t\"S-0000000000000001\"[{port}]\t\t# lid {} lmc 0 \"sw\" lid 1 4xEDR\n\n",
        number + 4
    )
}

pub(crate) fn to_adapter(number: u32, description: &str, port: u32) -> String {
    format!(
        "[{port}]\t\"H-00000000000000a{number}\"[1](b00{number})\t\t# \"{description}\" lid {} 4xEDR\n",
        number + 4
    )
}
