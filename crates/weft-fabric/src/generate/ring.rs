//! The ring.

use super::grid::{Ends, Grid};
use super::size::at_least;
use super::topology::{Topology, hosts_per_switch};
use crate::{Fabric, FabricError};
use weft_registry::Spec;

/// Makes a ring: each switch is joined to the next, the last to the first.
///
/// After the hosts' ports come the link to the next switch and the link to the one before.
///
/// # Errors
/// [`FabricError::InvalidParameter`] for fewer than 3 switches or hosts that do not fit a switch's
/// 254 ports, [`FabricError::TooLarge`].
pub fn ring(switches: u32, hosts_per_switch: u32) -> Result<Fabric, FabricError> {
    at_least("switches", switches, 3)?;
    Grid::new(&[switches], hosts_per_switch, Ends::Joined).build("ring")
}

/// As listed.
pub(super) const TOPOLOGY: Topology = Topology {
    name: "ring",
    title: "Ring",
    summary: "Each switch is joined to the next, the last to the first.",
    source: "Dally and Towles, Principles and Practices of Interconnection Networks, 2004, \
             chapter 5",
    parameters: &[
        Spec::whole("switches", 3, "8").says("Number of switches."),
        hosts_per_switch("4"),
    ],
    make: |values| ring(values.parsed("switches"), values.parsed("hosts_per_switch")),
};
