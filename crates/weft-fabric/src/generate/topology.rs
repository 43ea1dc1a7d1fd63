//! What is known of a topology.

use crate::{Fabric, FabricError};
use weft_registry::{Entry, Kind, Spec, Values};

/// `hosts_per_switch`: how many hosts a switch has.
pub(super) const fn hosts_per_switch(default: &'static str) -> Spec {
    Spec::of("hosts_per_switch", Kind::whole(1), default).says("Hosts on each switch.")
}

/// `extents`: the size of a grid.
pub(super) const EXTENTS: Spec =
    Spec::list("extents", 1, "4x4x2").says("Switches along each dimension, x first.");

/// `seed`: selects one of the networks with the same parameters.
pub(super) const SEED: Spec = Spec::of("seed", Kind::SEED, "1")
    .says("Another seed, another network; the same seed, the same network on every machine.");

/// A topology that can be generated: what is joined to what, and what makes the fabric.
pub type Topology = Entry<fn(&Values) -> Result<Fabric, FabricError>>;
