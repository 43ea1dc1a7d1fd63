//! Surrogates of topologies A and B of the RHiNET study, whose figure could not be had.
//!
//! Among all sub-graphs of the 4×4 mesh these meet the distances the study states: for A the mean
//! and largest topological distance and those of up*/down* routes, for B the topological and the
//! up*/down* ones.

use super::grid::{Ends, Grid};
use super::topology::{Topology, hosts_per_switch};
use crate::{Fabric, FabricError};

const WITHOUT_IN_A: &[[u32; 2]] = &[[5, 6], [5, 9], [6, 7], [9, 13], [10, 11], [10, 14]];
const WITHOUT_IN_B: &[[u32; 2]] = &[[4, 5], [6, 7], [10, 14]];

fn sub_mesh(
    kind: &str,
    left_out: &'static [[u32; 2]],
    hosts_per_switch: u32,
) -> Result<Fabric, FabricError> {
    let mesh = Grid::new(&[4, 4], hosts_per_switch, Ends::Open);
    Grid { left_out, ..mesh }.build(kind)
}

/// Makes a surrogate of topology A of the RHiNET study: a 4×4 mesh without six of its links,
/// 18 in all.
///
/// Ports are those of the mesh.
///
/// # Errors
/// [`FabricError::InvalidParameter`] for hosts that do not fit a switch's 254 ports.
///
/// # Source
/// Koibuchi, Watanabe, Otsuka, Amano, "Performance evaluation of deterministic routings,
/// multicasts, and topologies on RHiNET-2 cluster", Table I: 4.094 switches on average and 7 at most.
pub fn rhinet_a_surrogate(hosts_per_switch: u32) -> Result<Fabric, FabricError> {
    sub_mesh("rhinet-a-surrogate", WITHOUT_IN_A, hosts_per_switch)
}

/// Makes a surrogate of topology B of the RHiNET study: a 4×4 mesh without three of its links,
/// 21 in all.
///
/// Ports are those of the mesh.
///
/// # Errors
/// [`FabricError::InvalidParameter`] for hosts that do not fit a switch's 254 ports.
///
/// # Source
/// Koibuchi, Watanabe, Otsuka, Amano, "Performance evaluation of deterministic routings,
/// multicasts, and topologies on RHiNET-2 cluster", Table I: 3.625 switches on average and 7 at most.
pub fn rhinet_b_surrogate(hosts_per_switch: u32) -> Result<Fabric, FabricError> {
    sub_mesh("rhinet-b-surrogate", WITHOUT_IN_B, hosts_per_switch)
}

const SOURCE: &str = "Koibuchi, Watanabe, Otsuka, Amano, Performance evaluation of deterministic \
                      routings, multicasts, and topologies on RHiNET-2 cluster: found by search \
                      with the distances in Table I";

/// As listed.
pub(super) const TOPOLOGY_A: Topology = Topology {
    name: "rhinet_a_surrogate",
    title: "Surrogate of RHiNET's topology A",
    summary: "A 4×4 mesh without six of its links that meets the distances published for \
              topology A; the original's figure could not be had.",
    source: SOURCE,
    parameters: &[hosts_per_switch("4")],
    make: |values| rhinet_a_surrogate(values.parsed("hosts_per_switch")),
};

/// As listed.
pub(super) const TOPOLOGY_B: Topology = Topology {
    name: "rhinet_b_surrogate",
    title: "Surrogate of RHiNET's topology B",
    summary: "A 4×4 mesh without three of its links that meets the distances published for \
              topology B; the original's figure could not be had.",
    source: SOURCE,
    parameters: &[hosts_per_switch("4")],
    make: |values| rhinet_b_surrogate(values.parsed("hosts_per_switch")),
};
