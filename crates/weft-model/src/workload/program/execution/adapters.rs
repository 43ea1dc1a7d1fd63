//! Ranks that send and receive by adapters on other hosts than their own.

use super::messages::Transfer;
use super::processors::Job;
use super::step::Step;
use std::collections::BTreeMap;
use weft_fabric::HostId;

/// What an adapter on another host than the rank's tells it.
#[derive(Clone, Copy, Debug)]
pub(super) enum News {
    /// A stage of a message is stored.
    Here { message: usize },
    /// A packet is, which others of its message follow.
    Packet,
    /// A task is over.
    Over { task: u64 },
}

/// What hosts hand to another, by the cycle it is taken in and the host it is from, in order.
#[derive(Clone, Debug)]
pub(super) struct FromOthers<T>(BTreeMap<(u64, HostId), Vec<T>>);

impl<T> Default for FromOthers<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T> FromOthers<T> {
    pub(super) fn next_cycle(&self) -> Option<u64> {
        self.0.first_key_value().map(|(&(cycle, _), _)| cycle)
    }

    fn push(&mut self, taken_cycle: u64, from: HostId, handed: T) {
        self.0.entry((taken_cycle, from)).or_default().push(handed);
    }

    /// What one host handed that is to be taken by now.
    fn pop(&mut self, now: u64) -> Option<Vec<T>> {
        let first = self.0.first_entry()?;
        (first.key().0 <= now).then(|| first.remove())
    }
}

impl Step<'_> {
    /// Whether a rank is on the host.
    pub(super) fn is_own(&self, rank: u32) -> bool {
        self.program.placement.place(rank) == self.place
    }

    /// Tells a rank on another host what happened here.
    pub(super) fn tell(&mut self, rank: u32, news: News) {
        let noticed_cycle = self.now + 1;
        let here = self.program.placement.host_of(self.place);
        let there = self.program.placement.place(rank);
        self.wake(there, noticed_cycle);
        let besides = self.execution.ranks[rank as usize].besides();
        besides.told.push(noticed_cycle, here, news);
    }

    /// Hands the adapter of a message what is to be sent.
    pub(super) fn hand_to_adapter(&mut self, transfer: Transfer) {
        let place = self
            .program
            .placement
            .adapter_place(transfer.from, transfer.nic);
        if place == self.place {
            let has_queue_pairs = self.program.messaging.quantum_bytes.is_some();
            self.nic().handed.push(transfer, has_queue_pairs);
            return;
        }
        let taken_cycle = self.now + 1;
        let here = self.program.placement.host_of(self.place);
        self.wake(place, taken_cycle);
        let besides = self.execution.nics[place].besides();
        besides.from_others.push(taken_cycle, here, transfer);
    }

    /// Another host has to act in a cycle.
    pub(super) fn wake(&mut self, place: usize, cycle: u64) {
        if let Some(cycle) = self.execution.plan(place, cycle) {
            let host = self.program.placement.host_of(place);
            self.wakes.push((host, cycle));
        }
    }

    /// What other adapters of the rank told it.
    pub(super) fn notice_told(&mut self) {
        let now = self.now;
        while let Some(besides) = self.own().besides_if_any()
            && let Some(told) = besides.told.pop(now)
        {
            for news in told {
                match news {
                    News::Here { message } => self.stage_is_here(message),
                    News::Packet => self.own().processors.ask(0, Job::Take),
                    News::Over { task } => self.own().window.end(task),
                }
            }
        }
    }

    /// What ranks on other hosts handed the NIC.
    pub(super) fn take_handed(&mut self) {
        let now = self.now;
        let has_queue_pairs = self.program.messaging.quantum_bytes.is_some();
        let nic = self.nic();
        while let Some(besides) = nic.besides_if_any()
            && let Some(handed) = besides.from_others.pop(now)
        {
            for transfer in handed {
                nic.handed.push(transfer, has_queue_pairs);
            }
        }
    }
}
