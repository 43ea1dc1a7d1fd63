//! The torus with express channels.

use super::grid::{Ends, Grid, check_sides};
use super::topology::{EXTENTS, Topology, hosts_per_switch};
use crate::{Fabric, FabricError};

/// Makes a two-dimensional torus with express channels: each switch is joined to those one
/// and two steps away in both dimensions.
///
/// Switch ids run row by row (`y · columns + x`). After the hosts' ports come east, west, south
/// and north for one step, then the same four for two steps. No pair of switches gets two links:
/// in a ring of four the express link is shared by both directions, in a ring of three or fewer
/// there is none.
///
/// # Errors
/// [`FabricError::InvalidParameter`] for a side of 0 or hosts that do not fit a switch's 254
/// ports, [`FabricError::TooLarge`].
///
/// # Source
/// Flich, López, Malumbres, Duato, "Boosting the performance of Myrinet networks", §5.1.
pub fn express_torus(
    columns: u32,
    rows: u32,
    hosts_per_switch: u32,
) -> Result<Fabric, FabricError> {
    check_sides(columns, rows)?;
    express_torus_of(&[columns, rows], hosts_per_switch)
}

/// Makes a torus with express channels of any dimension, `extents` switches along each.
///
/// Switch ids run along the first dimension, then the second, and so on. After the hosts' ports
/// come, for one step and then for two, dimension by dimension, the link towards larger and the link towards smaller
/// positions.
///
/// # Errors
/// [`FabricError::InvalidParameter`] for no extent, an extent of 0, or hosts that do not fit,
/// [`FabricError::TooManyPorts`], [`FabricError::TooLarge`].
pub fn express_torus_of(extents: &[u32], hosts_per_switch: u32) -> Result<Fabric, FabricError> {
    let torus = Grid::new(extents, hosts_per_switch, Ends::Joined);
    Grid {
        strides: &[1, 2],
        ..torus
    }
    .build("express-torus")
}

/// As listed.
pub(super) const TOPOLOGY: Topology = Topology {
    name: "express_torus",
    title: "Torus with express channels",
    summary: "A torus in which each switch is also joined to those two steps away.",
    source: "Flich, López, Malumbres, Duato, Boosting the performance of Myrinet networks, §5.1",
    parameters: &[EXTENTS, hosts_per_switch("4")],
    make: |values| {
        let extents = values.list("extents");
        express_torus_of(&extents, values.parsed("hosts_per_switch"))
    },
};
