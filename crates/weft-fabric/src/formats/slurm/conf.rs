//! `topology.conf`.

use super::super::{Format, FormatName, WriteError};
use super::hierarchy::hierarchy;
use super::hostlist::hostlist;
use crate::Fabric;
use std::fmt::Write as _;

/// `topology.conf` in the table.
pub(crate) const FORMAT: Format = Format {
    name: FormatName::SlurmConf,
    id: "slurm-conf",
    title: "Slurm topology.conf",
    summary: "The hierarchy of switches for Slurm's plugin topology/tree.",
    keeps: "It is not read.",
    extensions: &["conf"],
    reader: None,
    writer: Some(write),
};

fn write(fabric: &Fabric) -> Result<String, WriteError> {
    let hierarchy = hierarchy(fabric, FormatName::SlurmConf)?;
    let mut text = "# For TopologyPlugin=topology/tree of slurm.conf.\n".to_owned();
    for remark in hierarchy.remarks {
        let _ = writeln!(text, "# {remark}");
    }
    for leaf in hierarchy.leaves {
        let nodes = hostlist(leaf.nodes.iter().copied());
        let (name, comment) = (leaf.name, leaf.comment);
        let _ = writeln!(text, "SwitchName={name} Nodes={nodes}{comment}");
    }
    for parent in hierarchy.parents {
        let children = hostlist(parent.children.iter().map(String::as_str));
        let _ = writeln!(text, "SwitchName={} Switches={children}", parent.name);
    }
    Ok(text)
}
