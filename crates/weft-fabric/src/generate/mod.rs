//! Generated topologies, one file each. A new one is its file and one line in [`TOPOLOGIES`].
//!
//! Every generator names its switches `sw0`, `sw1`, … and its hosts `host0`, `host1`, …, the hosts
//! switch by switch; where computers have several ends, those are called by both. A switch's hosts hang on its first ports; the ports after them join switches,
//! in the order in which the generator lays the links.

mod cplant;
mod dragonfly;
mod dragonfly_plus;
mod express_torus;
mod galois;
mod grid;
mod hypercube;
mod hyperx;
mod irregular;
mod jellyfish;
mod k_ary_n_tree;
mod mesh;
mod myrinet_clos;
mod polar_fly;
mod population;
mod rail_tree;
mod rhinet_sub_mesh;
mod rhinet_tree;
mod ring;
mod simple_graph;
mod size;
mod slim_fly;
mod topology;
mod torus;
mod wiring;
mod xgft;

pub use cplant::{CplantReading, cplant};
pub use dragonfly::dragonfly;
pub use dragonfly_plus::{DragonflyPlusParameters, dragonfly_plus};
pub use express_torus::{express_torus, express_torus_of};
pub use hypercube::hypercube;
pub use hyperx::hyperx;
pub use irregular::{IrregularLinks, IrregularParameters, irregular};
pub use jellyfish::{JellyfishParameters, jellyfish};
pub use k_ary_n_tree::k_ary_n_tree;
pub use mesh::{mesh, mesh_of};
pub use myrinet_clos::{ClosReading, myrinet_clos};
pub use polar_fly::polar_fly;
pub use rail_tree::{RailTreeParameters, rail_tree};
pub use rhinet_sub_mesh::{rhinet_a_surrogate, rhinet_b_surrogate};
pub use rhinet_tree::rhinet_tree;
pub use ring::ring;
pub use slim_fly::slim_fly;
pub use topology::Topology;
pub use torus::{torus, torus_of};
pub use xgft::xgft;

use crate::{Fabric, FabricError};
use std::collections::BTreeMap;

/// All topologies, in the order in which they are listed.
pub const TOPOLOGIES: &[Topology] = &[
    ring::TOPOLOGY,
    mesh::TOPOLOGY,
    torus::TOPOLOGY,
    express_torus::TOPOLOGY,
    hypercube::TOPOLOGY,
    k_ary_n_tree::TOPOLOGY,
    xgft::TOPOLOGY,
    rail_tree::TOPOLOGY,
    rhinet_tree::TOPOLOGY,
    myrinet_clos::TOPOLOGY,
    cplant::TOPOLOGY,
    dragonfly::TOPOLOGY,
    dragonfly_plus::TOPOLOGY,
    hyperx::TOPOLOGY,
    slim_fly::TOPOLOGY,
    polar_fly::TOPOLOGY,
    jellyfish::TOPOLOGY,
    irregular::TOPOLOGY,
    rhinet_sub_mesh::TOPOLOGY_A,
    rhinet_sub_mesh::TOPOLOGY_B,
];

/// Generates a topology by its name, with the parameters given and defaults for the others.
///
/// # Errors
/// [`FabricError::Parameters`], and what the topology's own function refuses.
///
/// # Examples
/// ```
/// let given = [("k", "4"), ("n", "3")].map(|(k, v)| (k.to_owned(), v.to_owned()));
/// let fabric = weft_fabric::generate::generate("k_ary_n_tree", &given.into())?;
/// assert_eq!((fabric.switch_count(), fabric.host_count()), (48, 64));
/// # Ok::<(), weft_fabric::FabricError>(())
/// ```
pub fn generate(name: &str, parameters: &BTreeMap<String, String>) -> Result<Fabric, FabricError> {
    let (topology, values) = Topology::choose("topology", TOPOLOGIES, name, parameters)?;
    (topology.make)(&values)
}
