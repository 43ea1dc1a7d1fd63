//! The runs of each channel before its last one, as far back as somebody may ask for them.

use super::channel::Output;
use super::run::{Run, Stride};
use crate::cycle::Cycle;
use crate::ids::{Maybe, RunId, Table};
use crate::slab::Slab;
use weft_fabric::ChannelId;

/// The runs of each channel before its last one, which its output knows itself. They are few, and mostly none, and
/// those of all channels share their memory.
#[derive(Debug)]
pub(super) struct OlderRuns<S> {
    /// The newest of each channel.
    newest: Table<ChannelId, Maybe<RunId>>,
    runs: Slab<OlderRun<S>, RunId>,
}

#[derive(Debug)]
struct OlderRun<S> {
    run: Run<S>,
    /// The one before it, if it is remembered.
    before: Maybe<RunId>,
}

impl<S: Stride> OlderRuns<S> {
    pub(super) fn new(part_count: usize) -> Self {
        Self {
            newest: Table::of(Maybe::NONE, part_count),
            runs: Slab::new(),
        }
    }

    /// The last run of a channel becomes older: another one follows. Nobody asks any more for what was
    /// sent before `since`.
    #[inline(never)]
    pub(super) fn add_last(&mut self, channel: ChannelId, output: &mut Output<S>, since: Cycle) {
        if output.history_end < since {
            if std::mem::take(&mut output.has_older_runs) {
                let newest = std::mem::replace(&mut self.newest[channel], Maybe::NONE);
                self.forget(newest);
            }
        } else if let Some(run) = output.last_run() {
            output.has_older_runs = true;
            let before = self.newest[channel];
            let run = self.runs.insert(OlderRun { run, before });
            self.newest[channel] = run.into();
            self.forget_before(run, since);
        }
    }

    /// Forgets those before one that ended before `since`.
    fn forget_before(&mut self, mut here: RunId, since: Cycle) {
        while let Some(before) = self.runs[here].before.get() {
            if self.runs[before].run.end < since {
                self.runs[here].before = Maybe::NONE;
                self.forget(before.into());
                return;
            }
            here = before;
        }
    }

    /// Forgets one and those before it.
    fn forget(&mut self, mut here: Maybe<RunId>) {
        while let Some(run) = here.get() {
            here = self.runs[run].before;
            self.runs.remove(run);
        }
    }

    /// The run of a channel so many runs before the present one (0 is the last), if it is remembered.
    #[inline]
    pub(super) fn get(&self, channel: ChannelId, output: &Output<S>, age: usize) -> Option<Run<S>> {
        match age.checked_sub(1) {
            None => output.last_run(),
            Some(_) if !output.has_older_runs => None,
            Some(place) => self.older(channel, place),
        }
    }

    fn older(&self, channel: ChannelId, place: usize) -> Option<Run<S>> {
        let mut here = self.newest[channel];
        for _ in 0..place {
            here = self.runs[here.get()?].before;
        }
        Some(self.runs[here.get()?].run)
    }
}
