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

/// What adapters on other hosts told a rank that it has not noticed: by the cycle it is noticed in and the adapter, in
/// order.
#[derive(Clone, Debug, Default)]
pub(super) struct Told(BTreeMap<(u64, HostId), Vec<News>>);

impl Told {
    pub(super) fn next_cycle(&self) -> Option<u64> {
        self.0.first_key_value().map(|(&(cycle, _), _)| cycle)
    }
}

/// What ranks on other hosts handed a NIC: by the cycle it is taken in and the host, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct FromOthers(BTreeMap<(u64, HostId), Vec<Transfer>>);

impl FromOthers {
    pub(super) fn next_cycle(&self) -> Option<u64> {
        self.0.first_key_value().map(|(&(cycle, _), _)| cycle)
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
        let told = &mut self.execution.ranks[rank as usize].told.0;
        told.entry((noticed_cycle, here)).or_default().push(news);
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
        let handed = &mut self.execution.nics[place].from_others.0;
        handed
            .entry((taken_cycle, here))
            .or_default()
            .push(transfer);
    }

    /// Another host has to act in a cycle.
    fn wake(&mut self, place: usize, cycle: u64) {
        let planned = self.execution.next_cycle_of(self.program, place);
        if planned.is_none_or(|planned| cycle < planned) {
            self.wakes
                .push((self.program.placement.host_of(place), cycle));
        }
    }

    /// What other adapters of the rank told it.
    pub(super) fn notice_told(&mut self) {
        let now = self.now;
        while let Some(first) = self.own().told.0.first_entry()
            && first.key().0 <= now
        {
            for news in first.remove() {
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
        while let Some(first) = nic.from_others.0.first_entry()
            && first.key().0 <= now
        {
            for transfer in first.remove() {
                nic.handed.push(transfer, has_queue_pairs);
            }
        }
    }
}
