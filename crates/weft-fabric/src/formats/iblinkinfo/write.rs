//! From a fabric to the output.

use super::super::infiniband::{Adapters, NodeKind, Subnet, signalling};
use super::super::{FormatName, WriteError};
use super::line::OPEN;
use crate::Fabric;
use std::fmt::Write;

/// Writes what `iblinkinfo -l` would print of the fabric.
pub(super) fn write(fabric: &Fabric) -> Result<String, WriteError> {
    let format = FormatName::Iblinkinfo;
    let is_held = |name: &str| !name.contains(OPEN);
    let subnet = Subnet::new(fabric, format, Adapters::Apart, is_held)?;
    let mut text = String::new();
    for (node, port) in subnet.ports() {
        if node.kind == NodeKind::Switch && node.port_count == 1 {
            return Err(WriteError::CannotHold {
                format,
                what: format!("switch “{}”", node.name),
                reason: "a switch of one port looks like a host; give it more".to_owned(),
            });
        }
        let (guid, lid, number) = (port.guid, port.lid(), port.number);
        let here = format!("0x{guid:016x} \"{:>30}\" {lid:6} {number:4}[  ]", node.name);
        // Writing to a string does not fail.
        let _ = match &port.cable {
            None => writeln!(
                text,
                "{here} ==(                Down/ Polling)==>             [  ] \"\" ( )"
            ),
            Some(cable) => {
                let (far, far_port) = subnet.far(cable);
                let (width, speed) = cable.rate.map_or_else(
                    || ("???".to_owned(), "???"),
                    |rate| (format!("{}X", rate.width), signalling(rate.speed)),
                );
                writeln!(
                    text,
                    "{here} ==({width:>3} {speed:>18} Active/  LinkUp)==>  0x{:016x} {:6} \
                     {:4}[  ] \"{}\" ( )",
                    far_port.guid,
                    far_port.lid(),
                    far_port.number,
                    far.name
                )
            }
        };
    }
    Ok(text)
}
