//! CPLANT: groups of eight switches, themselves joined like the switches of a group.

use super::size::{at_least, check_size};
use super::topology::{Topology, hosts_per_switch};
use super::wiring::Wiring;
use crate::{Fabric, FabricError};
use weft_registry::Spec;

const SWITCHES: u32 = 50;
const GROUP: u32 = 8;
const FULL_GROUPS: u32 = 6;

/// How the two switches beyond the six full groups are joined; the publication allows both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CplantReading {
    /// They are the first two of a seventh group, joined as a group of the cube of groups is.
    CubeOfHypercubes,
    /// They are joined to each other and to their equivalents in all six groups.
    AllGroups,
}

/// Tells whether two of eight are joined in a three-dimensional cube with links to the
/// farthest: they differ in one bit or in all three.
fn are_joined(a: u32, b: u32) -> bool {
    matches!(a ^ b, 1 | 2 | 4 | 7)
}

/// Makes CPLANT: 50 switches, 48 of them in six groups of eight. A group is a cube in which
/// each switch is also joined to the farthest; equivalent switches of two groups are joined when
/// the groups' numbers are joined in the same way.
///
/// Switch 8 · g + i is number i of group g. After the hosts' ports come the links inside the group,
/// then those to other groups.
///
/// # Errors
/// [`FabricError::InvalidParameter`], [`FabricError::TooManyPorts`].
///
/// # Source
/// Flich, López, Malumbres, Duato, "Boosting the performance of Myrinet networks", §5.1. Its four
/// links per switch to other groups need eight groups; six leave three.
pub fn cplant(reading: CplantReading, hosts_per_switch: u32) -> Result<Fabric, FabricError> {
    at_least("hosts_per_switch", hosts_per_switch, 1)?;
    check_size(u64::from(SWITCHES), 0, u64::from(hosts_per_switch) + 8)?;
    let place = |switch: u32| (switch / GROUP, switch % GROUP);
    let pairs = |is_linked: &dyn Fn((u32, u32), (u32, u32)) -> bool| -> Vec<[u32; 2]> {
        (0..SWITCHES)
            .flat_map(|a| (a + 1..SWITCHES).map(move |b| [a, b]))
            .filter(|&[a, b]| is_linked(place(a), place(b)))
            .collect()
    };
    let inside = pairs(&|(group, i), (other, j)| group == other && are_joined(i, j));
    let between = pairs(&|(group, i), (other, j)| {
        let far_group = reading == CplantReading::AllGroups && other == FULL_GROUPS;
        i == j && group != other && (far_group || are_joined(group, other))
    });
    let mut wiring = Wiring::uniform(SWITCHES, hosts_per_switch);
    wiring.links = [inside, between].concat();
    let name = match reading {
        CplantReading::CubeOfHypercubes => "cplant",
        CplantReading::AllGroups => "cplant-all-groups",
    };
    wiring.build(name.to_owned())
}

/// As listed.
pub(super) const TOPOLOGY: Topology = Topology {
    name: "cplant",
    title: "CPLANT of 50 switches",
    summary: "Six groups of eight switches and two more; groups, and the cube of groups, are cubes \
              with links to the farthest.",
    source: "Flich, López, Malumbres, Duato, Boosting the performance of Myrinet networks, §5.1",
    parameters: &[
        Spec::choice("reading", &["cube_of_hypercubes", "all_groups"]).says(
            "How the last two switches are joined: as a seventh group of the cube, or to all six \
             groups.",
        ),
        hosts_per_switch("8"),
    ],
    make: |values| {
        let readings = [
            ("cube_of_hypercubes", CplantReading::CubeOfHypercubes),
            ("all_groups", CplantReading::AllGroups),
        ];
        let reading = values.choice("reading", &readings);
        cplant(reading, values.parsed("hosts_per_switch"))
    },
};
