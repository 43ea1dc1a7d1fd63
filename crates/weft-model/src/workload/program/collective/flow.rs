//! Flows: pieces of data that follow one another from ranks to a rank and on to others.

use super::super::task::{Dependency, Moment, Work};
use super::Member;
use std::collections::BTreeSet;

/// A piece of a flow at one rank, or as much of it as a step of an algorithm moves.
#[derive(Clone, Debug, Default)]
pub(super) struct Slot {
    /// Ranks that messages come from.
    pub(super) from: Vec<u32>,
    /// Bytes of each of these that are combined with the own data.
    pub(super) combined: u64,
    /// Ranks that messages go to.
    pub(super) to: Vec<u32>,
    /// Bytes that go to each.
    pub(super) bytes: u64,
    /// Slots, up to the own, whose data have to be there before they go.
    pub(super) after: Vec<usize>,
}

/// What keeps the messages of a flow apart from those of others between the same two ranks, and says which of the
/// adapters of a rank it takes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Channel {
    /// One of several.
    Number(u32),
    /// That of how many ranks sender and receiver are apart: an exchange.
    Distance,
}

/// The slots of a flow at one rank, in order.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    pub(super) channel: Channel,
    /// Slots under way at a time: a further one begins when the one so many before is done with.
    pub(super) in_flight: usize,
    pub(super) slots: Vec<Slot>,
}

impl Flow {
    /// Its number for a message between ranks so far apart.
    fn number(&self, distance: u32) -> u32 {
        match self.channel {
            Channel::Number(number) => number,
            Channel::Distance => distance,
        }
    }
}

/// The tasks that a flow has been turned into, by slot.
#[derive(Debug, Default)]
struct Done {
    /// Ends of what came, combined with the own data where it is.
    there: Vec<Vec<u64>>,
    /// Ends of what was sent.
    sent: Vec<Vec<u64>>,
}

impl Member<'_> {
    /// Lets flows go on beside one another, and waits for all of them. What comes is called for before the own
    /// sends of a slot, as in an exchange; it is combined when what the slot before sends is on its way.
    pub(super) fn flow(&mut self, flows: &[Flow]) {
        let mut done: Vec<Done> = flows.iter().map(|_| Done::default()).collect();
        // Tasks for which no other waits.
        let mut open = BTreeSet::new();
        let most = flows.iter().map(|flow| flow.slots.len()).max();
        for number in 0..most.unwrap_or(0) {
            for (flow, done) in flows.iter().zip(&mut done) {
                if let Some(slot) = flow.slots.get(number) {
                    self.slot(flow, slot, done, &mut open);
                }
            }
        }
        let open: Vec<u64> = open.into_iter().collect();
        self.process.join(&open);
    }

    /// The next slot of a flow.
    fn slot(&mut self, flow: &Flow, slot: &Slot, done: &mut Done, open: &mut BTreeSet<u64>) {
        let number = done.there.len();
        let earlier = number.checked_sub(flow.in_flight);
        let room: Vec<u64> = earlier.map_or_else(Vec::new, |earlier| {
            let of = |ends: &[Vec<u64>]| ends[earlier].clone();
            [of(&done.there), of(&done.sent)].concat()
        });
        let mut there = Vec::new();
        for &from in &slot.from {
            let tag = self
                .process
                .collective_tag(flow.number(self.flow_from(from)));
            let work = Work::Receive {
                from: Some(from),
                tag: Some(tag),
            };
            let mut end = self.add(work, ends(&room), open);
            if let Some(ns) = self.reduction_ns(slot.combined) {
                let before = done.sent.last().into_iter().flatten();
                let waits = [Dependency::end(end)].into_iter();
                let waits = waits.chain(before.copied().map(Dependency::start));
                end = self.add(Work::Compute { ns }, waits.collect(), open);
            }
            there.push(end);
        }
        done.there.push(there);
        let mut waits = room;
        for &slot in &slot.after {
            waits.extend(&done.there[slot]);
        }
        waits.sort_unstable();
        waits.dedup();
        let mut sent = Vec::new();
        for &to in &slot.to {
            let tag = self.process.collective_tag(flow.number(self.flow_to(to)));
            let bytes = slot.bytes;
            sent.push(self.add(Work::Send { to, tag, bytes }, ends(&waits), open));
        }
        done.sent.push(sent);
    }

    fn add(&mut self, work: Work, waits: Vec<Dependency>, open: &mut BTreeSet<u64>) -> u64 {
        for wait in waits.iter().filter(|wait| wait.moment == Moment::End) {
            open.remove(&wait.task);
        }
        let task = self.process.beside(work, waits);
        open.insert(task);
        task
    }
}

/// The ends of tasks.
fn ends(tasks: &[u64]) -> Vec<Dependency> {
    tasks.iter().copied().map(Dependency::end).collect()
}
