//! What a repair changed.

use super::failed_parts::Left;
use crate::form::Lane;
use crate::joining::{CutTurns, HeldWays, LaneStep};
use std::sync::Arc;

/// What a repair changed, so that it can be told, undone or kept.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) left: Arc<Left>,
    /// Entries that were replaced.
    pub(super) changed_entries: usize,
    /// Pairs of a source and a destination that have another service level: without lane tables, another lane.
    pub(super) changed_lanes: usize,
    /// Destinations to which some switches are set after all others, and these, each with its round from 1 up.
    pub(super) later: Vec<(usize, Vec<(u32, u32)>)>,
    /// Destinations whose changed entries are cleared before they are set.
    pub(super) cleared: Vec<usize>,
    /// The most switches that packets to these met before.
    pub(super) cleared_switches: usize,
    pub(super) cut: Option<CutTurns>,
    pub(super) ways: HeldWays,
    pub(super) turns: Vec<[LaneStep; 2]>,
    /// The most switches that packets to mended destinations may meet.
    pub(super) most_switches: usize,
    /// Destination, switch and edge of entries as they were, by destination.
    pub(super) entries: Vec<(usize, u32, u32)>,
    /// Place and service level, as they were, by destination.
    pub(super) lanes: Vec<(usize, Lane)>,
    pub(super) loads: Vec<u64>,
    /// What the busiest channel had to carry, in parts of its time.
    pub(super) most: u64,
}

impl Change {
    /// No change yet where some is left and the busiest channel has so much to carry.
    pub(super) fn none(left: Arc<Left>, most: u64) -> Self {
        Self {
            left,
            changed_entries: 0,
            changed_lanes: 0,
            later: Vec::new(),
            cleared: Vec::new(),
            cleared_switches: 0,
            cut: None,
            ways: HeldWays::default(),
            turns: Vec::new(),
            most_switches: 0,
            entries: Vec::new(),
            lanes: Vec::new(),
            loads: Vec::new(),
            most,
        }
    }

    /// Sorts what is by destination, of which each has so many places.
    pub(super) fn sort_by_destination(&mut self, places: usize) {
        self.later.sort_by_key(|later| later.0);
        self.cleared.sort_unstable();
        self.entries.sort_by_key(|entry| entry.0);
        self.lanes.sort_by_key(|lane| lane.0 / places);
    }
}
