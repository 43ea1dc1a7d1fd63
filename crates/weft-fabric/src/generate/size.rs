//! What is checked before a fabric is made: ranges of parameters, and that the result fits.

use crate::{FabricError, PortNumber};

/// The error of a parameter out of range.
pub(super) fn invalid(
    parameter: &'static str,
    found: &impl ToString,
    expected: impl Into<String>,
) -> FabricError {
    FabricError::InvalidParameter {
        parameter,
        found: found.to_string(),
        expected: expected.into(),
    }
}

/// Refuses a number below the least.
pub(super) fn at_least(parameter: &'static str, found: u32, least: u32) -> Result<(), FabricError> {
    if found < least {
        return Err(invalid(parameter, &found, format!("{least} or more")));
    }
    Ok(())
}

/// Refuses a list that is empty or has a number below the least.
pub(super) fn each_at_least(
    parameter: &'static str,
    found: &[u32],
    least: u32,
) -> Result<(), FabricError> {
    if found.is_empty() || found.iter().any(|&number| number < least) {
        let expected = format!("one number or several, {least} or more each");
        return Err(invalid(parameter, &joined(found), expected));
    }
    Ok(())
}

/// Writes a list as `4x4x2`.
pub(super) fn joined(numbers: &[u32]) -> String {
    let texts: Vec<String> = numbers.iter().map(u32::to_string).collect();
    texts.join("x")
}

/// Multiplies without overflow; what does not fit is too large anyway.
pub(super) fn product(numbers: impl IntoIterator<Item = u32>) -> u64 {
    numbers
        .into_iter()
        .fold(1, |product: u64, n| product.saturating_mul(u64::from(n)))
}

/// Generators stop here: a slip of the keyboard should end in a message, not fill the memory.
const MAX_SWITCHES: u64 = 1 << 20;
const MAX_HOSTS: u64 = 1 << 22;

/// Why counts fit narrow numbers.
pub(super) const SMALL: &str = "the size was checked";

/// Refuses fabrics no switch could hold together or no memory could hold, by the closed forms of their
/// topology; `ports` are those of the switch that needs most.
pub(super) fn check_size(switches: u64, hosts: u64, ports: u64) -> Result<(), FabricError> {
    if ports > u64::from(PortNumber::MAX) {
        return Err(FabricError::TooManyPorts {
            needed: ports,
            limit: PortNumber::MAX,
        });
    }
    for (what, count, limit) in [
        ("switches", switches, MAX_SWITCHES),
        ("hosts", hosts, MAX_HOSTS),
    ] {
        if count > limit {
            return Err(FabricError::TooLarge { what, limit });
        }
    }
    Ok(())
}
