//! The topology files of Slurm: `topology.conf` for its plugin `topology/tree`, and `topology.yaml`
//! (Slurm 25.05 and later) with a tree and, beside it, blocks.
//!
//! ```text
//! SwitchName=leaf0 Nodes=node[01-16]
//! SwitchName=leaf1 Nodes=node[17-32]
//! SwitchName=level1-0 Switches=leaf[0-1]
//! ```
//!
//! Slurm wants a hierarchy: every node under one switch, every switch under at most one. A fabric
//! with several spines is none, so switches are merged as Slurm's topology guide advises (see
//! [`hierarchy`]); comments in the file say which. Ports, parallel links and rates have no place:
//! Slurm places jobs by the hierarchy alone.
//!
//! Source: `topology.conf(5)` and `topology.yaml(5)` of Slurm 25.05; its Topology Guide, "Tree
//! Topology". That a node is called by the first word of its adapter's description is the rule of
//! `slurmibtopology`, to which the manual refers.

mod conf;
mod hierarchy;
mod hostlist;
mod names;
mod yaml;

pub(super) use conf::FORMAT as CONF;
pub use hostlist::hostlist;
pub(super) use yaml::FORMAT as YAML;
