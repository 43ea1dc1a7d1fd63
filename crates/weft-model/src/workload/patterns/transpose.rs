//! Transposition, by two conventions.

use super::Pattern;
use weft_registry::Spec;

/// As listed.
pub(super) const PATTERN: Pattern = Pattern {
    name: "transpose",
    title: "Transposition",
    summary: "The hosts form a k by k matrix, host y·k + x in column x of row y. matrix: (x, y) \
              sends to (y, x), the two halves of the bits of its number exchanged where k is a \
              power of two; the diagonal sends nothing. rhinet: (x, y) sends to (k-y-1, k-x-1), \
              which would leave the other diagonal, x + y = k - 1, in place: its hosts send to \
              (k-x-1, k-y-1), and the one in the middle of an odd k sends nothing.",
    defined_on: "fabrics with a square number of hosts, 4 at least",
    source: "Dally and Towles, Principles and Practices of Interconnection Networks, 2004, \
             section 3.2 (matrix); Koibuchi, Watanabe, Otsuka, Amano, Performance evaluation \
             of deterministic routings, multicasts, and topologies on RHiNET-2 cluster \
             (rhinet)",
    parameters: &[Spec::choice("convention", &["matrix", "rhinet"])
        .says("Which diagonal the matrix is turned over.")],
    destinations: |request| {
        let hosts = request.host_count();
        let side = hosts.isqrt();
        if side * side != hosts {
            return Err(request.not_defined(format!(
                "it needs hosts in a square matrix; found {hosts} hosts, expected a square number \
                 such as {}",
                u64::from(side) * u64::from(side)
            )));
        }
        let is_rhinet = request.values.is("convention", "rhinet");
        request.permutation(|host| {
            let (x, y) = (host % side, host / side);
            let last = side - 1;
            let (to_x, to_y) = match (is_rhinet, x + y == last) {
                (false, _) => (y, x),
                (true, false) => (last - y, last - x),
                (true, true) => (last - x, last - y),
            };
            to_y * side + to_x
        })
    },
};
