//! `topology.yaml`: the tree, and the leaves as blocks for `topology/block`.

use super::super::{Format, FormatName, WriteError};
use super::hierarchy::hierarchy;
use super::hostlist::hostlist;
use crate::Fabric;
use std::fmt::Write as _;

/// `topology.yaml` in the table.
pub(crate) const FORMAT: Format = Format {
    name: FormatName::SlurmYaml,
    id: "slurm-yaml",
    title: "Slurm topology.yaml",
    summary: "The hierarchy of switches as a tree and, for topology/block, leaf switches as blocks.",
    keeps: "It is not read.",
    extensions: &["yaml", "yml"],
    reader: None,
    writer: Some(write),
};

/// Texts are quoted, since YAML would take a name such as `1` or `no` for something else; the
/// characters of names need no escape.
fn write(fabric: &Fabric) -> Result<String, WriteError> {
    let hierarchy = hierarchy(fabric, FormatName::SlurmYaml)?;
    let mut text = "# For Slurm 25.05 and later; a partition takes one by Topology=tree or \
                    Topology=block.\n"
        .to_owned();
    for remark in &hierarchy.remarks {
        let _ = writeln!(text, "# {remark}");
    }
    text.push_str("- topology: tree\n  cluster_default: true\n  tree:\n    switches:\n");
    // The same switches stand in the tree and as blocks.
    let leaves = |kind: &str| {
        let leaves = hierarchy.leaves.iter().map(|leaf| {
            let nodes = hostlist(leaf.nodes.iter().copied());
            let (name, comment) = (&leaf.name, &leaf.comment);
            format!("    - {kind}: \"{name}\"{comment}\n      nodes: \"{nodes}\"\n")
        });
        leaves.collect::<String>()
    };
    text.push_str(&leaves("switch"));
    for parent in &hierarchy.parents {
        let children = hostlist(parent.children.iter().map(String::as_str));
        let name = &parent.name;
        let _ = writeln!(
            text,
            "    - switch: \"{name}\"\n      children: \"{children}\""
        );
    }
    // No block may have fewer nodes than the base block size.
    let sizes = hierarchy.leaves.iter().map(|leaf| leaf.nodes.len());
    let _ = write!(
        text,
        "- topology: block\n  cluster_default: false\n  block:\n    block_sizes:\n      - {}\n    \
         blocks:\n",
        sizes.min().unwrap_or(0)
    );
    text.push_str(&leaves("block"));
    Ok(text)
}
