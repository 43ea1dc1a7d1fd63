//! `PolarFly` on the polarity graphs of Erdős, Rényi and Brown.

use super::galois::field_of;
use super::size::{at_least, check_size};
use super::topology::{Topology, hosts_per_switch};
use super::wiring::Wiring;
use crate::{Fabric, FabricError};
use weft_registry::Spec;

/// Makes a `PolarFly` of diameter 2 on the polarity graph of the field of `order` q elements: q² + q + 1 switches, of which
/// q + 1 have q links to others and all others q + 1.
///
/// Switches are the points of the projective plane, by their coordinates with a first one of 1: (1, y, z) is switch
/// y · q + z, (0, 1, z) is q² + z and (0, 0, 1) the last. Two are joined when their coordinates' products add up to 0;
/// where that holds of a point and itself it lacks a link. After the hosts' ports come the links in the order of the
/// other switches.
///
/// # Errors
/// [`FabricError::InvalidParameter`] when q is not the power of an odd prime,
/// [`FabricError::TooManyPorts`], [`FabricError::TooLarge`].
///
/// # Source
/// Lakhotia, Besta, Monroe, Isham, Iff, Hoefler, Petrini, "`PolarFly`: a cost-effective and flexible low-diameter
/// topology", SC 2022.
pub fn polar_fly(order: u32, hosts_per_switch: u32) -> Result<Fabric, FabricError> {
    at_least("hosts_per_switch", hosts_per_switch, 1)?;
    let field = field_of("q", order)?;
    let switches = order * order + order + 1;
    check_size(
        u64::from(switches),
        u64::from(switches) * u64::from(hosts_per_switch),
        u64::from(order) + 1 + u64::from(hosts_per_switch),
    )?;
    let first_rows = (0..order).flat_map(|y| (0..order).map(move |z| [1, y, z]));
    let points: Vec<[u32; 3]> = first_rows
        .chain((0..order).map(|z| [0, 1, z]))
        .chain([[0, 0, 1]])
        .collect();
    let mut wiring = Wiring::uniform(switches, hosts_per_switch);
    for (number, one) in (0..).zip(&points) {
        let others = (0..).zip(&points).skip(number as usize + 1);
        let joined = others.filter(|(_, other)| {
            let products = one.iter().zip(*other).map(|(&a, &b)| field.product(a, b));
            products.fold(0, |sum, product| field.sum(sum, product)) == 0
        });
        wiring
            .links
            .extend(joined.map(|(other, _)| [number, other]));
    }
    wiring.build(format!("polar-fly-q{order}"))
}

/// As listed.
pub(super) const TOPOLOGY: Topology = Topology {
    name: "polar_fly",
    title: "PolarFly ER(q)",
    summary: "q² + q + 1 switches of which each reaches every other over two links, for q the power of an odd prime.",
    source: "Lakhotia, Besta, Monroe, Isham, Iff, Hoefler, Petrini, PolarFly: a cost-effective and flexible \
             low-diameter topology, SC 2022",
    parameters: &[
        Spec::whole("q", 3, "5").says("Order: the power of an odd prime."),
        hosts_per_switch("3"),
    ],
    make: |values| polar_fly(values.parsed("q"), values.parsed("hosts_per_switch")),
};
