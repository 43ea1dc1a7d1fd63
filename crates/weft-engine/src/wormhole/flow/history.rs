//! The runs of each channel before its last one, as far back as somebody may ask for them.

use super::channel::Output;
use super::run::{Run, Stride};
use crate::cycle::Cycle;
use crate::ids::Table;
use std::collections::VecDeque;
use weft_fabric::ChannelId;

/// The runs of each channel before its last one, which its output knows itself; the newest first. They
/// are few, and mostly none.
#[derive(Debug)]
pub(super) struct OlderRuns<S>(Table<ChannelId, VecDeque<Run<S>>>);

impl<S: Stride> OlderRuns<S> {
    pub(super) fn new(part_count: usize) -> Self {
        Self(Table::of(VecDeque::new(), part_count))
    }

    /// The last run of a channel becomes older: another one follows. Nobody asks any more for what was
    /// sent before `since`.
    #[inline(never)]
    pub(super) fn add_last(&mut self, channel: ChannelId, output: &mut Output<S>, since: Cycle) {
        if output.history_end < since {
            if std::mem::take(&mut output.has_older_runs) {
                self.0[channel].clear();
            }
        } else if let Some(last) = output.last_run() {
            output.has_older_runs = true;
            let older = &mut self.0[channel];
            while older.back().is_some_and(|run| run.end < since) {
                older.pop_back();
            }
            older.push_front(last);
        }
    }

    /// The run of a channel so many runs before the present one (0 is the last), if it is remembered.
    #[inline]
    pub(super) fn get(&self, channel: ChannelId, output: &Output<S>, age: usize) -> Option<Run<S>> {
        match age.checked_sub(1) {
            None => output.last_run(),
            Some(_) if !output.has_older_runs => None,
            Some(place) => self.0[channel].get(place).copied(),
        }
    }
}
