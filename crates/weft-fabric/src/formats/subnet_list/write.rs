//! From a fabric to the list.

use super::super::infiniband::{Adapters, NodeKind, Subnet, SubnetNode, SubnetPort, rounded};
use super::super::{FormatName, WriteError};
use super::line::AFTER_DESCRIPTION;
use crate::Fabric;
use std::fmt::Write;

/// Writes what `OpenSM` would write of the fabric, every cable from both ends.
pub(super) fn write(fabric: &Fabric) -> Result<String, WriteError> {
    let format = FormatName::SubnetList;
    let is_held = |name: &str| !name.contains(AFTER_DESCRIPTION);
    let subnet = Subnet::new(fabric, format, Adapters::Joined, is_held)?;
    let unwired = |node: &&SubnetNode| node.ports.iter().all(|port| port.cable.is_none());
    if let Some(node) = subnet.nodes.iter().find(unwired) {
        return Err(WriteError::CannotHold {
            format,
            what: format!("switch “{}”", node.name),
            reason: "it has no cable, and the list is one of cables; choose another format"
                .to_owned(),
        });
    }
    let mut text = String::new();
    for (node, port) in subnet.ports() {
        let Some(cable) = &port.cable else { continue };
        let (far, far_port) = subnet.far(cable);
        let (width, speed) = cable.rate.map_or_else(
            || ("??".to_owned(), "??"),
            |rate| (format!("{}x", rate.width), rounded(rate.speed)),
        );
        let (here, there) = (end(node, port), end(far, far_port));
        // Writing to a string does not fail.
        let _ = writeln!(text, "{here} {there} PHY={width} LOG=ACT SPD={speed}");
    }
    Ok(text)
}

fn end(node: &SubnetNode, port: &SubnetPort) -> String {
    let kind = if node.kind == NodeKind::Switch {
        "SW"
    } else {
        "CA"
    };
    // Nothing is known of the makers.
    format!(
        "{{ {kind} Ports:{:02X} SystemGUID:{:016x} NodeGUID:{:016x} PortGUID:{:016x} \
         VenID:000000 DevID:0000 Rev:00000000 {{{}}} LID:{:04X} PN:{:02X} }}",
        node.port_count,
        node.system_guid,
        node.guid,
        port.guid,
        node.name,
        port.lid(),
        port.number,
    )
}
