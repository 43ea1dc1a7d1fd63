//! What formats need that name links by the switches they join.

use super::{FormatName, WriteError};
use crate::{Fabric, Node};
use std::collections::BTreeMap;

/// Refuses parallel links and cables back to the same switch, for a format that could not tell
/// them apart, `reason` says why.
pub(super) fn single_links(
    fabric: &Fabric,
    format: FormatName,
    reason: &str,
) -> Result<(), WriteError> {
    let mut first_between = BTreeMap::new();
    for id in fabric.link_ids() {
        let link = fabric.link(id);
        let describe = |id| {
            let ends = fabric.link(id).ends;
            let [a, b] = ends.map(|end| format!("{}[{}]", fabric.node_name(end.node), end.port));
            format!("{a} – {b}")
        };
        let [Node::Switch(a), Node::Switch(b)] = link.ends.map(|end| end.node) else {
            continue;
        };
        let refused = if a == b {
            format!("the cable {}, which joins a switch to itself", describe(id))
        } else if let Some(first) = first_between.insert((a.min(b), a.max(b)), id) {
            format!(
                "the parallel links {} and {}",
                describe(first),
                describe(id)
            )
        } else {
            continue;
        };
        return Err(WriteError::CannotHold {
            format,
            what: refused,
            reason: format!("{reason}; choose another format"),
        });
    }
    Ok(())
}
