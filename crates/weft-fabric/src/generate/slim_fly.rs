//! Slim Fly on the graphs of McKay, Miller and Širáň.

use super::galois::{Field, field_of};
use super::size::{at_least, check_size};
use super::topology::{Topology, hosts_per_switch};
use super::wiring::Wiring;
use crate::{Fabric, FabricError};
use weft_registry::Spec;

/// Makes a Slim Fly of diameter 2 on the MMS graph of the field of `order` q = 4w + d elements
/// (d = 1 or -1): 2q² switches with (3q - d) / 2 links each.
///
/// Switch x · q + y is (0, x, y), switch q² + m · q + c is (1, m, c). (0, x, y) and (0, x, y') are
/// joined when y - y' is in the set X, (1, m, c) and (1, m, c') when c - c' is in X', and (0, x, y)
/// and (1, m, c) when y = m · x + c. After the hosts' ports come the links inside a half, then those
/// to the other half.
///
/// # Errors
/// [`FabricError::InvalidParameter`] when q is not the power of an odd prime,
/// [`FabricError::TooManyPorts`], [`FabricError::TooLarge`].
///
/// # Source
/// Besta, Hoefler, "Slim Fly: a cost effective low-diameter network topology", SC 2014, §II.B.
pub fn slim_fly(order: u32, hosts_per_switch: u32) -> Result<Fabric, FabricError> {
    at_least("hosts_per_switch", hosts_per_switch, 1)?;
    let field = field_of("q", order)?;
    let (even_steps, odd_steps) = steps(&field, order);
    let switches = 2 * order * order;
    check_size(
        u64::from(switches),
        u64::from(switches) * u64::from(hosts_per_switch),
        even_steps.len() as u64 + u64::from(order) + u64::from(hosts_per_switch),
    )?;
    let mut wiring = Wiring::uniform(switches, hosts_per_switch);
    let half = order * order;
    for (first_of_half, steps) in [(0, &even_steps), (half, &odd_steps)] {
        for first in (0..order).map(|row| first_of_half + row * order) {
            for y in 0..order {
                let mut others: Vec<u32> = steps.iter().map(|&step| field.sum(y, step)).collect();
                others.sort_unstable();
                let later = others.into_iter().filter(|&other| other > y);
                wiring
                    .links
                    .extend(later.map(|other| [first + y, first + other]));
            }
        }
    }
    for x in 0..order {
        for m in 0..order {
            let product = field.product(m, x);
            wiring.links.extend(
                (0..order).map(|c| [x * order + field.sum(product, c), half + m * order + c]),
            );
        }
    }
    wiring.build(format!("slim-fly-q{order}"))
}

/// The sets X and X' of differences at which switches of a row are joined.
fn steps(field: &Field, order: u32) -> (Vec<u32>, Vec<u32>) {
    let powers = |exponents: &mut dyn Iterator<Item = u32>| -> Vec<u32> {
        exponents.map(|exponent| field.power(exponent)).collect()
    };
    if order % 4 == 1 {
        return (
            powers(&mut (0..order - 1).step_by(2)),
            powers(&mut (1..order - 1).step_by(2)),
        );
    }
    // q = 4w - 1: the second half of the exponents changes sides, so that both sets hold the
    // opposite of each element.
    let middle = order.div_ceil(2);
    (
        powers(
            &mut (0..middle)
                .step_by(2)
                .chain((middle - 1..order - 1).step_by(2)),
        ),
        powers(&mut (1..middle).step_by(2).chain((middle..order).step_by(2))),
    )
}

/// As listed.
pub(super) const TOPOLOGY: Topology = Topology {
    name: "slim_fly",
    title: "Slim Fly MMS(q)",
    summary: "2q² switches of which each reaches every other over two links, for q the power of \
              an odd prime.",
    source: "Besta, Hoefler, Slim Fly: a cost effective low-diameter network topology, SC 2014, \
             §II.B",
    parameters: &[
        Spec::whole("q", 3, "5").says("Order: the power of an odd prime."),
        hosts_per_switch("4"),
    ],
    make: |values| slim_fly(values.parsed("q"), values.parsed("hosts_per_switch")),
};
