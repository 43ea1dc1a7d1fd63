//! The torus.

use super::grid::{Ends, Grid, check_sides};
use super::topology::{EXTENTS, Topology, hosts_per_switch};
use crate::{Fabric, FabricError};

/// Makes a two-dimensional torus: a mesh whose lines are closed to rings.
///
/// Switch ids run row by row (`y · columns + x`). After the hosts' ports come east, west, south
/// and north. A dimension of two switches has one link per pair, a dimension of one has none.
///
/// # Errors
/// [`FabricError::InvalidParameter`] for a side of 0 or hosts that do not fit a switch's 254
/// ports, [`FabricError::TooLarge`].
pub fn torus(columns: u32, rows: u32, hosts_per_switch: u32) -> Result<Fabric, FabricError> {
    check_sides(columns, rows)?;
    torus_of(&[columns, rows], hosts_per_switch)
}

/// Makes a torus of any dimension, `extents` switches along each.
///
/// Switch ids run along the first dimension, then the second, and so on. After the hosts' ports
/// come, dimension by dimension, the link towards larger and the link towards smaller positions.
///
/// # Errors
/// [`FabricError::InvalidParameter`] for no extent, an extent of 0, or hosts that do not fit,
/// [`FabricError::TooManyPorts`], [`FabricError::TooLarge`].
pub fn torus_of(extents: &[u32], hosts_per_switch: u32) -> Result<Fabric, FabricError> {
    Grid::new(extents, hosts_per_switch, Ends::Joined).build("torus")
}

/// As listed.
pub(super) const TOPOLOGY: Topology = Topology {
    name: "torus",
    title: "Torus of any dimension",
    summary: "A mesh whose lines are closed to rings; two switches on a line have one link.",
    source: "Dally and Towles, Principles and Practices of Interconnection Networks, 2004, chapter 5",
    parameters: &[EXTENTS, hosts_per_switch("4")],
    make: |values| {
        let extents = values.list("extents");
        torus_of(&extents, values.parsed("hosts_per_switch"))
    },
};
