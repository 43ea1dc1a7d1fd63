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
              (k-x-1, k-y-1), and the one in the middle of an odd k sends nothing. Hosts that are \
              no square form the matrix of r rows and c columns that is nearest to one, r < c: \
              matrix sends y·c + x to x·r + y, rhinet to (c-x-1)·r + r-y-1.",
    defined_on: "fabrics whose number of hosts is at least 4 and no prime",
    source: "Dally and Towles, Principles and Practices of Interconnection Networks, 2004, \
             section 3.2 (matrix); Koibuchi, Watanabe, Otsuka, Amano, Performance evaluation \
             of deterministic routings, multicasts, and topologies on RHiNET-2 cluster \
             (rhinet)",
    parameters: &[Spec::choice("convention", &["matrix", "rhinet"])
        .says("Which diagonal the matrix is turned over.")],
    destinations: |request| {
        let hosts = request.host_count();
        let rows = (2..=hosts.isqrt()).rev().find(|rows| hosts % rows == 0);
        let Some(rows) = rows else {
            return Err(request.not_defined(format!(
                "it needs hosts in a matrix; found {hosts} hosts, expected 4 or more and no prime"
            )));
        };
        let columns = hosts / rows;
        let is_rhinet = request.values.is("convention", "rhinet");
        request.permutation(|host| {
            let (x, y) = (host % columns, host / columns);
            let (last_x, last_y) = (columns - 1, rows - 1);
            // What stays in place on the other diagonal of a square is turned over the first.
            let stays = rows == columns && x + y == last_x;
            let (to_row, to_column) = match (is_rhinet, stays) {
                (false, _) => (x, y),
                (true, false) => (last_x - x, last_y - y),
                (true, true) => (last_y - y, last_x - x),
            };
            to_row * rows + to_column
        })
    },
};
