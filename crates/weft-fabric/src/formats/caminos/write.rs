//! From a fabric to the file.

use super::super::single_links::single_links;
use super::super::{FormatName, WriteError};
use crate::Fabric;
use std::fmt::Write as _;

/// Writes the neighbours of every switch in the order of its ports.
pub(super) fn write(fabric: &Fabric) -> Result<String, WriteError> {
    let single = "CAMINOS knows one link between two routers and none from a router to itself";
    single_links(fabric, FormatName::Caminos, single)?;
    let hosts = |switch| fabric.hosts_of(switch).len();
    let mut switches = fabric.switch_ids();
    if let Some(first) = switches.next()
        && let Some(other) = switches.find(|&other| hosts(other) != hosts(first))
    {
        let name = |switch| &fabric.switch(switch).name;
        return Err(WriteError::CannotHold {
            format: FormatName::Caminos,
            what: format!(
                "{} hosts at “{}” beside {} at “{}”",
                hosts(first),
                name(first),
                hosts(other),
                name(other)
            ),
            reason: "CAMINOS gives every router the same number of servers; choose another format"
                .to_owned(),
        });
    }
    let degree = fabric.switch_ids().map(|switch| fabric.hops(switch).len());
    let mut text = format!(
        "NODOS {}\nGRADO {}\n",
        fabric.switch_count(),
        degree.max().unwrap_or(0)
    );
    for switch in fabric.switch_ids() {
        let hops = fabric.hops(switch).iter();
        let neighbours: Vec<String> = hops.map(|hop| hop.switch.number().to_string()).collect();
        let _ = writeln!(text, "N {}\n{}", switch.number(), neighbours.join(" "));
    }
    Ok(text)
}
