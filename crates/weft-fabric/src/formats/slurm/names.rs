//! What Slurm calls nodes and switches.

use super::super::{FormatName, WriteError};
use crate::{Fabric, HostId, Node, SwitchId};
use std::collections::BTreeSet;

/// The longest name of a switch, `topology.conf(5)`.
const LONGEST: usize = 64;

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-._".contains(c)
}

/// The node that a host is an adapter of: the first word of its name, as in `node01 HCA-1`.
pub(super) fn node_name(
    fabric: &Fabric,
    host: HostId,
    format: FormatName,
) -> Result<&str, WriteError> {
    let name = fabric.node_name(Node::Host(host));
    let word = name.split_whitespace().next().unwrap_or(name);
    if word.chars().all(is_plain) {
        return Ok(word);
    }
    Err(WriteError::CannotHold {
        format,
        what: format!("the node name “{}”", word.escape_debug()),
        reason: "Slurm's names have letters, digits, dots, hyphens and underscores only; name the \
                 host as Slurm does"
            .to_owned(),
    })
}

/// Names given to switches, each once.
#[derive(Default)]
pub(super) struct SwitchNames(BTreeSet<String>);

impl SwitchNames {
    /// A switch's name with hyphens for what Slurm does not take. Names of switches are
    /// internal to Slurm and arbitrary.
    pub(super) fn of(&mut self, fabric: &Fabric, switch: SwitchId) -> String {
        let name = &fabric.switch(switch).name;
        if name.chars().all(is_plain) {
            return self.unique(name);
        }
        let is_kept = |c: char| is_plain(c) && c != '-';
        let parts = name.split(|c| !is_kept(c)).filter(|part| !part.is_empty());
        match parts.collect::<Vec<_>>().join("-").as_str() {
            "" => self.unique(&format!("switch{}", switch.number())),
            plain => self.unique(plain),
        }
    }

    /// A name that was not given before, this one if it can be; it is ASCII.
    pub(super) fn unique(&mut self, name: &str) -> String {
        let whole = name[..name.len().min(LONGEST)].to_owned();
        let mut unique = whole.clone();
        let mut attempt = 2;
        while !self.0.insert(unique.clone()) {
            let end = format!("-{attempt}");
            unique = format!("{}{end}", &whole[..whole.len().min(LONGEST - end.len())]);
            attempt += 1;
        }
        unique
    }
}
