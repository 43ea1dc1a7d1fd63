//! Where a route lies in memory, for whoever has it brought before it is asked for.

use super::packed_row::PackedRow;
use std::ptr::from_ref;

/// Where a look at a route that is held in a row reads. Each of the three places is known by what stands at the one
/// before it.
#[derive(Clone, Copy, Debug)]
pub struct RouteMemory<'a> {
    row: &'a PackedRow,
    to: usize,
}

impl<'a> RouteMemory<'a> {
    pub(super) fn new(row: &'a PackedRow, to: usize) -> Self {
        Self { row, to }
    }

    /// Where the row begins and ends.
    #[inline]
    pub fn row(&self) -> [*const u8; 2] {
        let row = from_ref(self.row);
        [row.cast(), row.wrapping_add(1).cast::<u8>().wrapping_sub(1)]
    }

    /// Where it stands where the route begins in the row.
    #[inline]
    pub fn starts(&self) -> [*const u8; 2] {
        let (first, since) = self.row.start_entries(self.to);
        [from_ref(first).cast(), from_ref(since).cast()]
    }

    /// Where the steps begin.
    #[inline]
    pub fn steps(&self) -> *const u8 {
        self.row.codes_of(self.to).as_ptr()
    }
}
