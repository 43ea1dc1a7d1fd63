//! Bit reversal.

use super::Pattern;

/// As listed.
pub(super) const PATTERN: Pattern = Pattern {
    name: "bit_reversal",
    title: "Bit reversal",
    summary: "Each host sends to the one whose number has the same bits in reverse order; hosts \
              with a palindrome for a number send nothing.",
    defined_on: "fabrics with a power of two hosts, 4 at least",
    source: "Flich, López, Malumbres, Duato, Boosting the performance of Myrinet networks, \
             2002; Koibuchi, Watanabe, Otsuka, Amano, Performance evaluation of deterministic \
             routings, multicasts, and topologies on RHiNET-2 cluster",
    parameters: &[],
    destinations: |request| {
        let hosts = request.host_count();
        if !hosts.is_power_of_two() {
            return Err(request.not_defined(format!(
                "it reverses the bits of host numbers, so all numbers of some bits must be hosts; \
                 found {hosts} hosts, expected a power of two"
            )));
        }
        let bits = hosts.trailing_zeros();
        request.permutation(|host| host.reverse_bits() >> (u32::BITS - bits))
    },
};
