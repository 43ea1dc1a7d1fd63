//! The rows of source routes: all there from the start, or each found when it is first asked for.

use crate::form::packed_row::PackedRow;
use rayon::prelude::*;
use std::fmt::Debug;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use weft_fabric::Fabric;

/// Bytes of rows that are kept for the next who goes through all of them; to find those beyond again takes
/// about as long as to go through them.
const MOST_KEPT: usize = 512 << 20;

/// Once one in so many rows was asked for alone, the rest are found in blocks, which takes less time for each: who asks
/// for so many mostly asks for nearly all.
const FEW: usize = 4;

/// Finds routes by source, the same whenever it is asked and together with whichever others.
pub(crate) trait FindsRows: Debug + Send + Sync {
    /// All sources, in blocks that take least time when they are asked for together.
    fn blocks(&self) -> Vec<Vec<usize>>;

    /// Finds the rows of some sources, in any order.
    fn find(&self, sources: &[usize], found: &mut dyn FnMut(usize, PackedRow));

    /// Tells whether all routes lead where they should on a fabric, without a stop; `false` where nobody
    /// can tell without a look at each.
    fn lead_on(&self, fabric: &Fabric) -> bool;
}

/// A row for each source.
#[derive(Debug)]
pub(super) struct Rows {
    kept: Vec<OnceLock<PackedRow>>,
    finder: Option<Box<dyn FindsRows>>,
    /// Per source: the others that it is found with; worked out when it is first needed.
    blocks: OnceLock<Vec<Arc<[usize]>>>,
    /// Rows that were asked for and not there.
    missed: AtomicUsize,
    kept_bytes: AtomicUsize,
}

/// The same rows, whoever has them already.
impl PartialEq for Rows {
    fn eq(&self, other: &Self) -> bool {
        self.kept.len() == other.kept.len()
            && (0..self.kept.len()).all(|source| self.row(source) == other.row(source))
    }
}

impl From<Vec<PackedRow>> for Rows {
    fn from(rows: Vec<PackedRow>) -> Self {
        Self {
            kept: rows.into_iter().map(OnceLock::from).collect(),
            finder: None,
            blocks: OnceLock::new(),
            missed: AtomicUsize::new(0),
            kept_bytes: AtomicUsize::new(0),
        }
    }
}

impl Rows {
    /// So many rows that are found when they are asked for.
    pub(super) fn found_by(finder: Box<dyn FindsRows>, count: usize) -> Self {
        Self {
            kept: (0..count).map(|_| OnceLock::new()).collect(),
            finder: Some(finder),
            blocks: OnceLock::new(),
            missed: AtomicUsize::new(0),
            kept_bytes: AtomicUsize::new(0),
        }
    }

    /// Whoever finds rows when they are asked for.
    pub(super) fn finder(&self) -> Option<&dyn FindsRows> {
        self.finder.as_deref()
    }

    /// The row of a source, from now on kept.
    #[inline]
    pub(super) fn row(&self, source: usize) -> &PackedRow {
        match self.kept[source].get() {
            Some(row) => row,
            None => self.find(source),
        }
    }

    #[cold]
    fn find(&self, source: usize) -> &PackedRow {
        if let Some(finder) = &self.finder {
            let before = self.missed.fetch_add(1, Relaxed);
            let are_few = before * FEW < self.kept.len();
            if are_few || self.kept_bytes.load(Relaxed) > MOST_KEPT {
                finder.find(&[source], &mut |source, row| self.keep(source, row));
            } else {
                let mut missing = self.found_with(source).to_vec();
                missing.retain(|&source| self.kept[source].get().is_none());
                finder.find(&missing, &mut |source, row| self.keep(source, row));
            }
        }
        let Some(row) = self.kept[source].get() else {
            unreachable!("every row is there or found");
        };
        row
    }

    /// The sources of a source's block.
    fn found_with(&self, source: usize) -> &[usize] {
        let blocks = self.blocks.get_or_init(|| {
            let mut of_source = vec![Arc::default(); self.kept.len()];
            for block in self.blocks() {
                let block: Arc<[usize]> = block.into();
                for &source in &block[..] {
                    of_source[source] = Arc::clone(&block);
                }
            }
            of_source
        });
        &blocks[source]
    }

    /// All sources, in blocks for [`visit`](Self::visit).
    pub(super) fn blocks(&self) -> Vec<Vec<usize>> {
        match &self.finder {
            Some(finder) => finder.blocks(),
            None => (0..self.kept.len()).map(|source| vec![source]).collect(),
        }
    }

    /// Shows the rows of some sources in any order, as long as `visit` says so. Of those that are found for
    /// that, as many are kept as there is room for.
    pub(super) fn visit(
        &self,
        sources: &[usize],
        mut visit: impl FnMut(usize, &PackedRow) -> bool,
    ) -> bool {
        let mut missing = Vec::new();
        for &source in sources {
            match self.kept[source].get() {
                None => missing.push(source),
                Some(row) if !visit(source, row) => return false,
                Some(_) => {}
            }
        }
        let Some(finder) = self.finder.as_ref().filter(|_| !missing.is_empty()) else {
            return true;
        };
        let mut goes_on = true;
        finder.find(&missing, &mut |source, row| {
            goes_on = goes_on && visit(source, &row);
            if self.kept_bytes.load(Relaxed) + row.bytes() <= MOST_KEPT {
                self.keep(source, row);
            }
        });
        goes_on
    }

    fn keep(&self, source: usize, row: PackedRow) {
        let bytes = row.bytes();
        if self.kept[source].set(row).is_ok() {
            self.kept_bytes.fetch_add(bytes, Relaxed);
        }
    }

    /// Finds and keeps all that are missing, on all cores: less work than one by one for whoever asks for
    /// the routes of each.
    pub(super) fn find_all(&self) {
        let Some(finder) = &self.finder else {
            return;
        };
        self.blocks().into_par_iter().for_each(|mut sources| {
            sources.retain(|&source| self.kept[source].get().is_none());
            if !sources.is_empty() {
                finder.find(&sources, &mut |source, row| self.keep(source, row));
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{FindsRows, MOST_KEPT, Relaxed, Rows};
    use crate::form::RouteRow;
    use crate::form::packed_row::PackedRow;
    use std::sync::Arc;
    use std::sync::atomic::AtomicUsize;
    use weft_fabric::{Fabric, PortNumber};

    /// Rows of as many steps as the source's number, and how many were asked for.
    #[derive(Debug, Default)]
    struct Counted(Arc<AtomicUsize>);

    fn row(source: usize) -> PackedRow {
        let steps = std::iter::repeat_n(PortNumber::new(1), source);
        PackedRow::from(&[steps].into_iter().collect::<RouteRow>())
    }

    impl FindsRows for Counted {
        fn blocks(&self) -> Vec<Vec<usize>> {
            vec![vec![0, 1, 2], vec![3, 4]]
        }

        fn find(&self, sources: &[usize], found: &mut dyn FnMut(usize, PackedRow)) {
            for &source in sources.iter().rev() {
                self.0.fetch_add(1, Relaxed);
                found(source, row(source));
            }
        }

        fn lead_on(&self, _: &Fabric) -> bool {
            true
        }
    }

    fn seen(rows: &Rows) -> Vec<usize> {
        let mut seen = Vec::new();
        for block in rows.blocks() {
            assert!(rows.visit(&block, |source, found| {
                assert_eq!(*found, row(source));
                seen.push(source);
                true
            }));
        }
        seen.sort_unstable();
        seen
    }

    #[test]
    fn rows_are_found_once_as_long_as_there_is_room() {
        let count = Arc::default();
        let rows = Rows::found_by(Box::new(Counted(Arc::clone(&count))), 5);
        assert_eq!(rows.row(4), &row(4));
        for _ in 0..2 {
            assert_eq!(seen(&rows), [0, 1, 2, 3, 4]);
            assert_eq!(count.load(Relaxed), 5);
        }
        assert!(rows == Rows::from((0..5).map(row).collect::<Vec<_>>()));
    }

    #[test]
    fn rows_are_found_in_blocks_once_many_were_asked_for() {
        let count = Arc::default();
        let rows = Rows::found_by(Box::new(Counted(Arc::clone(&count))), 5);
        for (source, found) in [(0, 1), (2, 2), (3, 4), (4, 4), (1, 5)] {
            assert_eq!(rows.row(source), &row(source));
            assert_eq!(count.load(Relaxed), found);
        }
        assert_eq!(seen(&rows), [0, 1, 2, 3, 4]);
        assert_eq!(count.load(Relaxed), 5);
    }

    #[test]
    fn rows_without_room_are_found_each_time_but_those_that_are_asked_for_alone() {
        let count = Arc::default();
        let rows = Rows::found_by(Box::new(Counted(Arc::clone(&count))), 5);
        rows.kept_bytes.store(MOST_KEPT, Relaxed);
        rows.row(1);
        seen(&rows);
        seen(&rows);
        assert_eq!(count.load(Relaxed), 1 + 4 + 4);
        rows.find_all();
        seen(&rows);
        assert_eq!(count.load(Relaxed), 1 + 4 + 4 + 4);
    }

    #[test]
    fn who_has_seen_enough_is_shown_no_more() {
        let rows = Rows::found_by(Box::new(Counted::default()), 5);
        let mut left = 2;
        assert!(!rows.visit(&[0, 1, 2], |_, _| {
            left -= 1;
            left > 0
        }));
        assert_eq!(left, 0);
    }
}
