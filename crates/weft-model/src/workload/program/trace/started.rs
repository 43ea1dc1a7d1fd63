//! Collective operations that a rank starts and waits for later, as time-independent traces have them: `iallreduce`
//! is an `allreduce` that goes on beside what comes after, until a `wait` for it or a `waitall`.
//!
//! The request of one has both ends at its rank and a negative tag that tells the operation; the ends in a `wait`
//! line are not to be relied on, as `SimGrid` 4.1 looks for a process by the number of a rank there.
//!
//! Source: `SimGrid` 4.1, `src/smpi/bindings/smpi_pmpi_coll.cpp` and `smpi_pmpi_request.cpp` for what is written,
//! `src/smpi/colls/smpi_nbc_impl.cpp` and `src/smpi/include/private.hpp` for tags. Its own replay
//! (`src/smpi/internals/smpi_replay.cpp`) knows none of these operations.

use super::super::process::COLLECTIVE_REQUESTS;

/// Operations that can be started, each with the tag of its request without its sign. `scan` and `exscan` have the same.
const STARTED: [(&str, u32); 15] = [
    ("reduce", 113),
    ("scatter", 224),
    ("scatterv", 335),
    ("gather", 446),
    ("allgather", 557),
    ("allgatherv", 668),
    ("barrier", 779),
    ("scan", 889),
    ("exscan", 889),
    ("reducescatter", 890),
    ("alltoallv", 1001),
    ("alltoall", 1113),
    ("gatherv", 2224),
    ("bcast", 3335),
    ("allreduce", 4446),
];

/// The operation that an action starts, and the tag of the request; `None` if it is no such action.
pub(super) fn started(action: &str) -> Option<(&str, u32)> {
    let name = action.strip_prefix('i')?;
    let (_, tag) = STARTED.iter().find(|(operation, _)| *operation == name)?;
    Some((name, COLLECTIVE_REQUESTS + tag))
}

/// The tag of a request for a collective operation by the number that a trace has for it; `None` if that is no
/// operation's.
pub(super) fn request_tag(found: i64) -> Option<u32> {
    let of_operation = |(_, tag): &&(&str, u32)| i64::from(*tag) == -found;
    let (_, tag) = STARTED.iter().find(of_operation)?;
    Some(COLLECTIVE_REQUESTS + tag)
}
