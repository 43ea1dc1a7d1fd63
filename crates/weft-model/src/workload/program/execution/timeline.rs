//! What ranks did, and which messages went when, over a whole run and in bounded room.
//!
//! The states of a rank follow one another without a gap. Those shorter than the *resolution* are
//! merged with their neighbours until they are as long, and a span of several says how long each kind
//! took, so that sums are exact at any resolution. Where more spans would be kept than allowed, the
//! resolution doubles, and what is kept is merged again. Messages are thinned out likewise: one in so
//! many over the whole run, of those long enough.

use super::spans::{RankState, Spans, StateSpan, States};
use std::mem;

/// What of a run is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimelineLimits {
    /// States shorter than so many cycles are merged.
    pub resolution_cycles: u64,
    /// Spans of states, of all ranks; where there would be more, the resolution grows.
    pub most_states: usize,
    /// Only messages so long are kept.
    pub least_message_bytes: u64,
    /// Messages; where there would be more, one in so many is kept.
    pub most_messages: usize,
}

/// A message, from its handing to the NIC, after the overhead of sending, to the cycle in which it
/// and its receive were there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MessageSpan {
    /// Cycle of its handing to the NIC.
    pub sent_cycle: u64,
    /// Cycle in which it and its receive were there.
    pub there_cycle: u64,
    /// Rank that sent it.
    pub from: u32,
    /// Rank that received it.
    pub to: u32,
    /// Its number among the messages of the one to the other, from 0 again after 2^32.
    pub number: u64,
    /// Its tag.
    pub tag: u32,
    /// Its length.
    pub bytes: u64,
    /// Line of its receive; 0 where there is none.
    pub line: u32,
}

/// What was kept of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Timeline {
    /// States shorter than so many cycles were merged.
    pub resolution_cycles: u64,
    /// What ranks did.
    pub states: States,
    /// By the cycle they were sent in.
    pub messages: Vec<MessageSpan>,
    /// Messages long enough that were received.
    pub message_count: u64,
    /// One in so many of these was kept.
    pub one_in: u64,
}

/// The spans of one rank.
#[derive(Clone, Debug, Default)]
struct Track {
    spans: Spans,
    /// What is merged, until it is as long as the resolution.
    open: Option<StateSpan>,
    state: RankState,
    /// Number of the state's task, which tells it from another like it.
    task: Option<u64>,
    /// Cycle the state began in.
    since: u64,
    /// What the rank does is kept.
    is_kept: bool,
}

impl Track {
    fn add(&mut self, span: StateSpan, resolution_cycles: u64) {
        if span.length() >= resolution_cycles {
            self.finish();
            self.spans.push(&span);
            return;
        }
        let open = match &mut self.open {
            Some(open) => {
                open.absorb(&span);
                open
            }
            empty => empty.insert(span),
        };
        if open.length() >= resolution_cycles {
            self.finish();
        }
    }

    /// Keeps what is merged.
    fn finish(&mut self) {
        if let Some(open) = self.open.take() {
            self.spans.push(&open);
        }
    }

    /// Closes the state before a cycle; nothing where it has no length.
    fn close(&mut self, rank: u32, cycle: u64, resolution_cycles: u64) {
        let length = cycle.saturating_sub(self.since);
        if length == 0 {
            return;
        }
        let state = self.state;
        let mut cycles = [0; 6];
        cycles[state.activity as usize] = length;
        let span = StateSpan {
            rank,
            begin_cycle: self.since,
            end_cycle: cycle,
            cycles,
            state_count: 1,
            longest: state,
            longest_cycles: length,
        };
        self.since = cycle;
        self.add(span, resolution_cycles);
    }

    /// Merges what is kept again.
    fn coarsen(&mut self, rank: u32, resolution_cycles: u64) {
        let spans = mem::take(&mut self.spans);
        let open = self.open.take();
        for span in spans.of(rank).chain(open) {
            self.add(span, resolution_cycles);
        }
    }
}

/// Keeps a timeline while a program runs.
#[derive(Clone, Debug)]
pub(super) struct Recorder {
    limits: TimelineLimits,
    resolution_cycles: u64,
    tracks: Vec<Track>,
    /// Spans in the tracks.
    span_count: usize,
    messages: Vec<(u64, MessageSpan)>,
    message_count: u64,
    one_in: u64,
}

impl Recorder {
    /// Keeps one of ranks that begin in these cycles.
    pub(super) fn new(limits: TimelineLimits, begin_cycles: &[u64]) -> Self {
        let track = |&since: &u64| Track {
            since,
            ..Track::default()
        };
        Self {
            limits,
            resolution_cycles: limits.resolution_cycles,
            tracks: begin_cycles.iter().map(track).collect(),
            span_count: 0,
            messages: Vec::new(),
            message_count: 0,
            one_in: 1,
        }
    }

    /// Notes what a rank does from a cycle on; `task` is the number of its task.
    pub(super) fn turn(&mut self, rank: u32, cycle: u64, state: RankState, task: Option<u64>) {
        let track = &mut self.tracks[rank as usize];
        track.is_kept = true;
        if track.state.activity == state.activity && track.task == task {
            return;
        }
        let before = track.spans.len();
        track.close(rank, cycle, self.resolution_cycles);
        self.span_count += track.spans.len() - before;
        (track.state, track.task, track.since) = (state, task, cycle);
        while self.span_count > self.limits.most_states {
            self.resolution_cycles = self.resolution_cycles.saturating_mul(2).max(1);
            self.span_count = 0;
            for (rank, track) in (0..).zip(&mut self.tracks) {
                track.coarsen(rank, self.resolution_cycles);
                self.span_count += track.spans.len();
            }
        }
    }

    /// Notes a message that is there.
    pub(super) fn message(&mut self, span: MessageSpan) {
        if span.bytes < self.limits.least_message_bytes {
            return;
        }
        let number = self.message_count;
        self.message_count += 1;
        if number.is_multiple_of(self.one_in) {
            self.messages.push((number, span));
        }
        while self.messages.len() > self.limits.most_messages.max(1) {
            self.one_in *= 2;
            let one_in = self.one_in;
            self.messages
                .retain(|(number, _)| number.is_multiple_of(one_in));
        }
    }

    /// What was kept, in a run that ended before a cycle.
    pub(super) fn timeline(&self, end_cycle: u64) -> Timeline {
        let ranks = (0..).zip(&self.tracks).map(|(rank, track)| {
            let mut track = track.clone();
            if track.is_kept {
                track.close(rank, end_cycle, self.resolution_cycles);
                track.finish();
            }
            track.spans
        });
        let states = States::new(ranks.collect());
        let messages = self.messages.iter().map(|&(_, span)| span);
        let mut messages: Vec<MessageSpan> = messages.collect();
        messages.sort_unstable();
        Timeline {
            resolution_cycles: self.resolution_cycles,
            states,
            messages,
            message_count: self.message_count,
            one_in: self.one_in,
        }
    }
}
