//! The hypercube.

use super::size::{at_least, check_size, invalid};
use super::topology::{Topology, hosts_per_switch};
use super::wiring::Wiring;
use crate::{Fabric, FabricError};
use weft_registry::Spec;

/// Dimensions up to which switches are few enough.
const MAX_DIMENSIONS: u32 = 20;

/// Makes a hypercube: switches whose numbers differ in one bit are joined.
///
/// There are 2ⁿ switches and n · 2ⁿ⁻¹ links between them for n dimensions. After the hosts' ports
/// comes one port per bit, the least significant first.
///
/// # Errors
/// [`FabricError::InvalidParameter`], [`FabricError::TooManyPorts`], [`FabricError::TooLarge`].
pub fn hypercube(dimensions: u32, hosts_per_switch: u32) -> Result<Fabric, FabricError> {
    if dimensions == 0 || dimensions > MAX_DIMENSIONS {
        let expected = format!("1 to {MAX_DIMENSIONS}");
        return Err(invalid("dimensions", &dimensions, expected));
    }
    at_least("hosts_per_switch", hosts_per_switch, 1)?;
    let switches = 1_u32 << dimensions;
    check_size(
        u64::from(switches),
        u64::from(switches) * u64::from(hosts_per_switch),
        u64::from(dimensions) + u64::from(hosts_per_switch),
    )?;
    let mut wiring = Wiring::uniform(switches, hosts_per_switch);
    for bit in (0..dimensions).map(|dimension| 1 << dimension) {
        let lower = (0..switches).filter(|switch| switch & bit == 0);
        wiring.links.extend(lower.map(|low| [low, low | bit]));
    }
    wiring.build(format!("hypercube-{dimensions}"))
}

/// As listed.
pub(super) const TOPOLOGY: Topology = Topology {
    name: "hypercube",
    title: "Hypercube",
    summary: "Switches whose numbers differ in one bit are joined.",
    source: "Dally and Towles, Principles and Practices of Interconnection Networks, 2004, \
             chapter 5",
    parameters: &[
        Spec::whole("dimensions", 1, "4").says("Dimensions; 2 to this power switches."),
        hosts_per_switch("4"),
    ],
    make: |values| {
        hypercube(
            values.parsed("dimensions"),
            values.parsed("hosts_per_switch"),
        )
    },
};
