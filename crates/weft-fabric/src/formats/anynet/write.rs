//! From a fabric to the file.

use super::super::FormatName;
use super::super::error::WriteError;
use super::super::single_links::single_links;
use crate::fabric::{Fabric, Node};
use std::fmt::Write as _;

/// Writes one line a switch, each link at both its ends.
///
/// # Errors
/// [`WriteError::CannotHold`] when two links join the same switches or one joins a switch to itself.
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
