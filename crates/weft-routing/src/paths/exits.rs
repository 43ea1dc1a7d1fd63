//! Ways out of switches, counted from the first: what trees hold for every switch.

use super::path_space::PathSpace;
use weft_fabric::narrow;

/// A way out of a switch, counted from its first; `NO_EXIT` at the end and where there is none.
pub(crate) type Exit = u8;

pub(crate) const NO_EXIT: Exit = Exit::MAX;

/// The edge by which a way leaves a switch.
#[inline]
pub(crate) fn edge_by(space: &PathSpace, at: u32, exit: Exit) -> u32 {
    space.edge_ids(at).start + u32::from(exit)
}

/// The way that an edge is for the switch it leaves.
#[inline]
pub(crate) fn exit_by(space: &PathSpace, edge: u32) -> Exit {
    let exit = edge - space.edge_ids(space.tail(edge)).start;
    narrow(exit, "a switch has at most 254 ports")
}
