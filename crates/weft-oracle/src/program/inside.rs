//! Messages from rank to rank inside a node, past the network.

use super::{Ranks, nearest};
use crate::pauses::{Digest, Due};

/// What a rank sends to others of its node, and what comes from them.
#[derive(Debug, Default)]
pub(super) struct Inside {
    /// The cycle up to which it is busy sending.
    busy_until: u64,
    /// Sends whose messages have not left whole: the cycle in which they have, and the task.
    leaving: Vec<(u64, usize)>,
    /// Messages on their way to it: the cycle each is there in, the rank it is from, the message.
    coming: Vec<(u64, usize, usize)>,
}

impl Inside {
    pub(super) fn is_active(&self) -> bool {
        !self.leaving.is_empty() || !self.coming.is_empty()
    }

    pub(super) fn find_due(&self, due: &mut Due) {
        due.any(&self.leaving, |(cycle, _)| *cycle);
        due.any(&self.coming, |(cycle, ..)| *cycle);
    }

    pub(super) fn digest(&self, digest: &mut Digest) {
        digest.add([self.leaving.len(), self.coming.len()]);
        digest.add(self.busy_until);
    }
}

impl Ranks<'_> {
    /// A rank sends a message to another of its node; tells whether the task is over.
    pub(super) fn send_inside(&mut self, rank: usize, task: usize, message: usize) -> bool {
        let (to, bytes) = (self.messages[message].to, self.messages[message].bytes);
        let rate = self.messaging.inner_bytes_per_cycle;
        let lasts = rate.map_or(0, |rate| nearest(bytes as f64 / rate));
        let inside = &mut self.all[rank].inside;
        let has_left = self.now.max(inside.busy_until) + lasts;
        inside.busy_until = has_left;
        let is_over = has_left == self.now;
        if !is_over {
            inside.leaving.push((has_left, task));
        }
        // What one sends in a cycle, another sees in the next at the earliest.
        let is_there = has_left + self.messaging.inner_cycles;
        let is_there = is_there.max(self.now + 1);
        self.all[to].inside.coming.push((is_there, rank, message));
        is_over
    }

    /// Step 1, too: what came from other ranks of the node, and then what has left for them.
    pub(super) fn notice_inside(&mut self, rank: usize) {
        let now = self.now;
        let inside = &mut self.all[rank].inside;
        let mut come: Vec<(u64, usize, usize)> = inside
            .coming
            .extract_if(.., |coming| coming.0 <= now)
            .collect();
        let left: Vec<(u64, usize)> = inside
            .leaving
            .extract_if(.., |left| left.0 <= now)
            .collect();
        // By cycle, sender and order of sending.
        come.sort_unstable();
        for (_, _, message) in come {
            self.is_here(message);
        }
        for (_, task) in left {
            self.all[rank].processor.end(task);
        }
    }
}
