//! What forwarding by destination adds to bounds of the largest load: the hosts of a switch take one way to a host, so what
//! channels carry comes in whole numbers of hosts.

use crate::paths::PathSpace;
use weft_fabric::SwitchId;

/// The greatest common divisor, of which the loads of all channels between switches are multiples where these numbers
/// of hosts hang on switches; 1 of none but zeros.
pub(crate) fn common_divisor(numbers: &[u64]) -> u64 {
    let divisor = |mut a: u64, mut b: u64| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    numbers.iter().copied().fold(0, divisor).max(1)
}

/// Routes that some port of a switch takes at least, of `own` hosts to all others of `all`: where destinations are not a
/// multiple of ports, some port has one more.
pub(crate) fn over_some_port(space: &PathSpace, switch: SwitchId, own: u64, all: u64) -> u64 {
    let ports = space.edge_ids(switch.number()).len() as u64;
    (all - own).div_ceil(ports.max(1)) * own
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_are_multiples_of_what_numbers_of_hosts_have_in_common() {
        assert_eq!(common_divisor(&[16, 0, 24]), 8);
        assert_eq!(common_divisor(&[5, 3]), 1);
        assert_eq!(common_divisor(&[0, 0]), 1);
    }
}
