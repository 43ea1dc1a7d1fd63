//! From a fabric to the report.

use super::super::infiniband::{Adapters, NodeKind, Subnet, SubnetNode, SubnetPort};
use super::super::{FormatName, WriteError};
use super::line::BETWEEN;
use crate::Fabric;
use std::fmt::Write;

/// Writes what `ibnetdiscover -p` would print of the fabric, ports in ascending order.
pub(super) fn write(fabric: &Fabric) -> Result<String, WriteError> {
    let is_held = |name: &str| !name.contains(BETWEEN);
    let subnet = Subnet::new(fabric, FormatName::PortsReport, Adapters::Apart, is_held)?;
    let mut text = String::new();
    for (node, port) in subnet.ports() {
        let here = end(node, port);
        // Writing to a string does not fail.
        let _ = match &port.cable {
            None => writeln!(text, "{here} 4x SDR {:>35}'{}'", "", node.name),
            Some(cable) => {
                let (far, far_port) = subnet.far(cable);
                let (width, speed) = cable.rate.map_or_else(
                    || ("??".to_owned(), "???".to_owned()),
                    |rate| (format!("{}x", rate.width), rate.speed.to_string()),
                );
                let there = end(far, far_port);
                let names = format!("{}{BETWEEN}{}", node.name, far.name);
                writeln!(text, "{here} {width} {speed} - {there} ( '{names}' )")
            }
        };
    }
    Ok(text)
}

fn end(node: &SubnetNode, port: &SubnetPort) -> String {
    let kind = if node.kind == NodeKind::Switch {
        "SW"
    } else {
        "CA"
    };
    let (lid, number, guid) = (port.lid(), port.number, port.guid);
    format!("{kind} {lid:5} {number:2} 0x{guid:016x}")
}
