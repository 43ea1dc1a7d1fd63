//! Messages between ranks of one node, which do not use the network.

use super::Besides;
use super::messages::Message;
use super::step::Step;
use crate::workload::program::Program;
use std::collections::{BTreeSet, VecDeque};

/// A message that another rank of the node sent: the cycle it is there in, its sender, its number among those that the
/// sender sent inside the node, and that among those of all ranks.
type Coming = (u64, u32, u64, usize);

/// A rank's end of the network, or the memory, inside its node.
#[derive(Clone, Debug, Default)]
pub(super) struct Inner {
    /// First cycle in which it can begin to send.
    free_cycle: u64,
    /// Messages sent inside the node.
    sent: u64,
    /// Sends whose last bytes have not left: the cycle in which that is noticed, and the task.
    leaving: VecDeque<(u64, u64)>,
    coming: BTreeSet<Coming>,
}

impl Inner {
    /// The first cycle in which something leaves, or is there.
    pub(super) fn next_cycle(&self) -> Option<u64> {
        let leaves = self.leaving.front().map(|due| due.0);
        let comes = self.coming.first().map(|due| due.0);
        leaves.into_iter().chain(comes).min()
    }
}

impl Step<'_> {
    /// Sends a message to another rank of the node; true if the send is over with that.
    pub(super) fn send_inside(&mut self, index: usize, task: u64) -> bool {
        let now = self.now;
        let messaging = &self.program.messaging;
        let Message {
            from, to, bytes, ..
        } = *self.execution.messages.get(index);
        let inner = &mut self.own().besides().inner;
        let left = now.max(inner.free_cycle) + messaging.inner_cycles_of(bytes);
        inner.free_cycle = left;
        let number = inner.sent;
        inner.sent += 1;
        let is_over = left == now;
        if !is_over {
            inner.leaving.push_back((left, task));
        }
        let there = (left + messaging.inner_cycles).max(now + 1);
        let place = self.program.placement.place(to);
        if place != self.place {
            self.wake(place, there);
        }
        let besides = self.execution.ranks[to as usize].besides();
        besides.inner.coming.insert((there, from, number, index));
        is_over
    }

    /// What comes from other ranks of the node, or has left for them, by now.
    pub(super) fn notice_inside(&mut self) {
        self.notice_told();
        let now = self.now;
        while let Some(Besides { inner, .. }) = self.own().besides_if_any()
            && let Some(&(due, .., index)) = inner.coming.first()
            && due <= now
        {
            inner.coming.pop_first();
            self.stage_is_here(index);
        }
        while let Some(Besides { inner, .. }) = self.own().besides_if_any()
            && let Some(&(due, task)) = inner.leaving.front()
            && due <= now
        {
            inner.leaving.pop_front();
            self.own().window.end(task);
        }
    }
}

impl Program {
    /// Whether what one rank sends to another stays inside their node.
    pub(super) fn is_inside(&self, one: u32, other: u32) -> bool {
        self.placement.are_neighbours(one, other)
    }
}
