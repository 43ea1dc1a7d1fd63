//! Complement.

use super::Pattern;

/// As listed.
pub(super) const PATTERN: Pattern = Pattern {
    name: "complement",
    title: "Complement",
    summary: "Host i of H sends to host H - 1 - i: every bit of its number turned over where H is \
              a power of two, the opposite place where hosts form a grid. With an odd number of \
              hosts the middle one sends nothing.",
    defined_on: "every fabric",
    source: "Dally and Towles, Principles and Practices of Interconnection Networks, 2004, \
             section 3.2; Koibuchi, Watanabe, Otsuka, Amano, Performance evaluation of \
             deterministic routings, multicasts, and topologies on RHiNET-2 cluster, figure 9",
    parameters: &[],
    destinations: |request| {
        let last = request.host_count() - 1;
        request.permutation(|host| last - host)
    },
};
