//! What is known of a topology.

use crate::{Fabric, FabricError};
use weft_registry::{Entry, Kind, Spec, Values};

/// `hosts_per_switch`: how many hosts a switch has.
pub(super) const fn hosts_per_switch(default: &'static str) -> Spec {
    Spec::of(
        "hosts_per_switch",
        Kind::whole(1),
        default,
        "Hosts on each switch.",
    )
}

/// `extents`: the size of a grid.
pub(super) const EXTENTS: Spec = Spec::list(
    "extents",
    1,
    "4x4x2",
    "Switches along each dimension, x first.",
);

/// `seed`: selects one of the networks with the same parameters.
pub(super) const SEED: Spec = Spec::of(
    "seed",
    Kind::SEED,
    "1",
    "Another seed, another network; the same seed, the same network on every machine.",
);

/// A topology that can be generated.
#[derive(Clone, Copy, Debug)]
pub struct Topology {
    /// Name, in words joined by `_`.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// What is joined to what, in a sentence or two.
    pub summary: &'static str,
    /// Paper and section it comes from.
    pub source: &'static str,
    /// What can be chosen.
    pub parameters: &'static [Spec],
    /// Makes the fabric.
    pub generate: fn(&Values) -> Result<Fabric, FabricError>,
}

impl Topology {
    /// What a topology is called in errors.
    pub(super) const WHAT: &str = "topology";

    /// What is known of it as of anything with parameters.
    pub fn entry(&self) -> Entry {
        Entry {
            what: Self::WHAT,
            name: self.name,
            title: self.title,
            summary: self.summary,
            source: self.source,
            parameters: self.parameters,
        }
    }
}
