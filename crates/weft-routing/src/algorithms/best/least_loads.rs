//! Loads that the largest of no tables is below, and what all are multiples of, by where hosts hang alone.

use crate::paths::PathSpace;
use weft_fabric::SwitchId;

/// The greatest common divisor; 1 of none but zeros.
pub(super) fn common_divisor(numbers: &[u64]) -> u64 {
    let divisor = |mut a: u64, mut b: u64| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    numbers.iter().copied().fold(0, divisor).max(1)
}

/// What an end sends to all others fills its own link: less on the channels between switches gains nothing.
pub(super) fn of_end(hosts: &[u64]) -> u64 {
    hosts.iter().sum::<u64>().saturating_sub(1)
}

/// A load that the largest of no tables is below in which the hosts of a switch all take one port to a destination:
/// where destinations are not a multiple of ports, some port has one more.
///
/// Shapes: `hosts`, per switch.
pub(super) fn least_of_tables(space: &PathSpace, part: &[SwitchId], hosts: &[u64]) -> u64 {
    let all: u64 = hosts.iter().sum();
    let at = |switch: &SwitchId| {
        let own = hosts[switch.index()];
        let edges = space.edge_ids(switch.number());
        let fastest = edges.clone().map(|edge| space.slowness(edge)).min();
        let ports = edges.len() as u64;
        (all - own).div_ceil(ports.max(1)) * own * fastest.unwrap_or(0)
    };
    part.iter().map(at).max().unwrap_or(0)
}
