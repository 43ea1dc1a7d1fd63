//! The Myrinet Clos network of eight switches.

use super::size::{at_least, check_size};
use super::topology::{Topology, hosts_per_switch};
use super::wiring::Wiring;
use crate::{Fabric, FabricError};
use weft_registry::Spec;

/// Switches on each of the two sides.
const SIDE: u32 = 4;

/// Which switches of the Clos network carry hosts; publications allow both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClosReading {
    /// All eight: with four hosts each, every port of eight-port switches is used.
    BothSides,
    /// The four of one side, as in a spine and leaves.
    OneSide,
}

/// Makes a Clos network of eight switches: each of four is joined to each of four others.
///
/// Switches 0 to 3 are one side, 4 to 7 the other; with [`ClosReading::OneSide`] hosts hang on the
/// first four.
///
/// # Errors
/// [`FabricError::InvalidParameter`], [`FabricError::TooManyPorts`].
///
/// # Source
/// Koibuchi, Watanabe, Otsuka, Amano, "Performance evaluation of deterministic routings,
/// multicasts, and topologies on RHiNET-2 cluster", "Myrinet Clos (8)": deduced from the
/// mean of 2.25 switches, the largest distance of 3 and the bisection of 8 links in Table III; the
/// second reading from its 16 hosts.
pub fn myrinet_clos(reading: ClosReading, hosts_per_switch: u32) -> Result<Fabric, FabricError> {
    at_least("hosts_per_switch", hosts_per_switch, 1)?;
    check_size(
        u64::from(2 * SIDE),
        0,
        u64::from(SIDE) + u64::from(hosts_per_switch),
    )?;
    let mut wiring = Wiring::uniform(2 * SIDE, hosts_per_switch);
    let name = match reading {
        ClosReading::BothSides => "myrinet-clos",
        ClosReading::OneSide => {
            wiring.hosts[SIDE as usize..].fill(0);
            "myrinet-clos-one-side"
        }
    };
    wiring.links = (0..SIDE)
        .flat_map(|low| (SIDE..2 * SIDE).map(move |high| [low, high]))
        .collect();
    wiring.build(name.to_owned())
}

/// As listed.
pub(super) const TOPOLOGY: Topology = Topology {
    name: "myrinet_clos",
    title: "Myrinet Clos network of eight switches",
    summary: "Each of four switches is joined to each of four others.",
    source: "Koibuchi, Watanabe, Otsuka, Amano, Performance evaluation of deterministic routings, \
             multicasts, and topologies on RHiNET-2 cluster: \
             deduced from the distances and the bisection in Table III",
    parameters: &[
        Spec::choice("reading", &["both_sides", "one_side"])
            .says("Which switches have hosts: all eight, or the four of one side."),
        hosts_per_switch("4"),
    ],
    make: |values| {
        let readings = [
            ("both_sides", ClosReading::BothSides),
            ("one_side", ClosReading::OneSide),
        ];
        let reading = values.choice("reading", &readings);
        myrinet_clos(reading, values.parsed("hosts_per_switch"))
    },
};
