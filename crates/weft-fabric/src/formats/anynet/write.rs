//! From a fabric to the file.

use super::super::single_links::single_links;
use super::super::{FormatName, WriteError};
use crate::{Fabric, Node};
use std::fmt::Write as _;

/// Writes one line a switch, each link at both its ends.
pub(super) fn write(fabric: &Fabric) -> Result<String, WriteError> {
    let single = "BookSim knows one link between two routers and none from a router to itself";
    single_links(fabric, FormatName::Anynet, single)?;
    let mut text = String::new();
    for switch in fabric.switch_ids() {
        let _ = write!(text, "router {}", switch.number());
        for &channel in fabric.outgoing(switch) {
            let _ = match fabric.target(channel).node {
                Node::Host(host) => write!(text, " node {}", host.number()),
                Node::Switch(other) => write!(text, " router {}", other.number()),
            };
        }
        text.push('\n');
    }
    Ok(text)
}
