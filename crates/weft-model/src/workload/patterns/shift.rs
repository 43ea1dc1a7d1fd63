//! Shift.

use super::Pattern;
use weft_fabric::narrow;
use weft_registry::{Kind, Spec};

/// As listed.
pub(super) const PATTERN: Pattern = Pattern {
    name: "shift",
    title: "Shift",
    summary: "Host i of H sends to host (i + by) mod H: one phase of an exchange of all with all.",
    defined_on: "every fabric whose number of hosts does not divide the shift",
    source: "Zahavi, Fat-tree routing and node ordering providing contention free traffic for MPI \
             global collectives, Journal of Parallel and Distributed Computing 72, 2012",
    parameters: &[
        Spec::of("by", Kind::whole(1), "1").says("How many hosts further on the destination is.")
    ],
    destinations: |request| {
        let hosts = request.host_count();
        let by = request.values.parsed::<u32>("by") % hosts;
        // The sum may exceed 32 bits.
        let to = |host: u32| (u64::from(host) + u64::from(by)) % u64::from(hosts);
        request.permutation(|host| narrow(to(host), "a remainder of a 32-bit number"))
    },
};
