//! Finite fields of odd order.

use super::size::invalid;
use crate::FabricError;

/// Largest order whose switches could have enough ports; larger ones are not looked into.
const MAX_ORDER: u32 = 251;

/// The field that a network of an order is made of.
///
/// # Errors
/// [`FabricError::InvalidParameter`] when the order is not the power of an odd prime.
pub(super) fn field_of(parameter: &'static str, order: u32) -> Result<Field, FabricError> {
    let field = (order <= MAX_ORDER)
        .then(|| Field::of_order(order))
        .flatten();
    field.ok_or_else(|| {
        let expected = format!("the power of an odd prime (3, 5, 7, 9, 11, …) up to {MAX_ORDER}");
        invalid(parameter, &order, expected)
    })
}

/// A finite field. Its elements are numbers from 0: digits in base p are the coefficients of a
/// polynomial over the numbers modulo p.
#[derive(Clone, Debug)]
pub(super) struct Field {
    prime: u32,
    order: u32,
    /// Powers of a primitive element, from the zeroth to the one before they repeat.
    powers: Vec<u32>,
    /// For each element but 0, which power it is.
    logarithms: Vec<u32>,
}

impl Field {
    /// The field with `order` elements, if `order` is the power of an odd prime.
    pub(super) fn of_order(order: u32) -> Option<Self> {
        let prime = (2..=order).find(|candidate| order.is_multiple_of(*candidate))?;
        let (mut degree, mut rest) = (0, order);
        while rest.is_multiple_of(prime) {
            rest /= prime;
            degree += 1;
        }
        if rest != 1 || prime == 2 {
            return None;
        }
        let powers = if degree == 1 {
            (2..prime).find_map(|element| {
                cycle(order, |power| {
                    u32::try_from(u64::from(power) * u64::from(element) % u64::from(prime)).ok()
                })
            })
        } else {
            // The remainder of xⁿ is what tells one polynomial of degree n from another: take the
            // first by which x runs through all elements but 0.
            (1..order).find_map(|remainder| {
                let carry = order / prime;
                cycle(order, |power| {
                    let (top, low) = (power / carry, power % carry);
                    let shifted = low * prime;
                    Some((0..top).fold(shifted, |sum, _| add(prime, sum, remainder)))
                })
            })
        }?;
        let mut logarithms = vec![0; order as usize];
        for (exponent, &power) in (0..).zip(&powers) {
            logarithms[power as usize] = exponent;
        }
        Some(Self {
            prime,
            order,
            powers,
            logarithms,
        })
    }

    /// A power of the primitive element.
    pub(super) fn power(&self, exponent: u32) -> u32 {
        self.powers[(exponent % (self.order - 1)) as usize]
    }

    /// Adds two elements.
    pub(super) fn sum(&self, a: u32, b: u32) -> u32 {
        add(self.prime, a, b)
    }

    /// Multiplies two elements.
    pub(super) fn product(&self, a: u32, b: u32) -> u32 {
        if a == 0 || b == 0 {
            return 0;
        }
        self.power(self.logarithms[a as usize] + self.logarithms[b as usize])
    }
}

/// Adds digit by digit in base `prime`, without carrying.
fn add(prime: u32, mut a: u32, mut b: u32) -> u32 {
    let (mut sum, mut place) = (0, 1);
    while a > 0 || b > 0 {
        sum += (a % prime + b % prime) % prime * place;
        (a, b, place) = (a / prime, b / prime, place * prime);
    }
    sum
}

/// All elements but 0 in the order in which `next` leads from 1 through them and back, if it does.
fn cycle(order: u32, next: impl Fn(u32) -> Option<u32>) -> Option<Vec<u32>> {
    let mut powers = vec![1];
    for _ in 2..order {
        let power = next(*powers.last()?)?;
        if power <= 1 {
            return None;
        }
        powers.push(power);
    }
    (next(*powers.last()?)? == 1).then_some(powers)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may")]
mod tests {
    use super::Field;

    #[test]
    fn fields_exist_for_powers_of_odd_primes_alone() {
        let orders: Vec<u32> = (0..60)
            .filter(|&order| Field::of_order(order).is_some())
            .collect();
        assert_eq!(
            orders,
            [
                3, 5, 7, 9, 11, 13, 17, 19, 23, 25, 27, 29, 31, 37, 41, 43, 47, 49, 53, 59
            ]
        );
    }

    #[test]
    fn sums_and_products_obey_the_laws_of_a_field() {
        for order in [3, 7, 9, 25, 27] {
            let field = Field::of_order(order).unwrap();
            for a in 0..order {
                assert_eq!(field.product(a, 1), a);
                assert_eq!(field.sum(a, 0), a);
                assert_eq!(
                    (0..order).filter(|&b| field.sum(a, b) == 0).count(),
                    1,
                    "one opposite"
                );
                for b in 0..order {
                    assert_eq!(field.product(a, b), field.product(b, a));
                    for c in 0..order {
                        assert_eq!(
                            field.product(a, field.sum(b, c)),
                            field.sum(field.product(a, b), field.product(a, c))
                        );
                    }
                }
            }
        }
    }
}
