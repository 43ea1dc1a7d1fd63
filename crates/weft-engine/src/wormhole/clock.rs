//! The present cycle, what is planned for later ones, and who is to be served at the end of this one.

use super::event::Event;
use crate::cycle::Cycle;
use crate::queue::{EventQueue, Taken};
use weft_fabric::{ChannelId, HostId};

/// Time as the engine knows it.
#[derive(Debug)]
pub(super) struct Clock {
    now: Cycle,
    queue: EventQueue,
    /// Events handed out.
    pub(super) events: u64,
    /// Outputs that were asked for or freed in the present cycle.
    pub(super) contested: Vec<ChannelId>,
    /// Input buffers whose front packet is to wait no longer than the present cycle.
    pub(super) refused: Vec<ChannelId>,
    /// Hosts whose NIC may take a packet in the present cycle.
    pub(super) undecided: Vec<HostId>,
}

impl Clock {
    /// Cycle 0, with nothing planned.
    pub(super) fn new() -> Self {
        Self {
            now: Cycle::ZERO,
            queue: EventQueue::new(),
            events: 0,
            contested: Vec::new(),
            refused: Vec::new(),
            undecided: Vec::new(),
        }
    }

    #[inline]
    pub(super) fn now(&self) -> Cycle {
        self.now
    }

    /// Plans an event for the present cycle or a later one.
    #[inline]
    pub(super) fn plan(&mut self, cycle: Cycle, event: Event) {
        self.queue.push(cycle.number(), event.pack());
    }

    /// Goes on to the next cycle with an event, if it is before `until`, and takes out its events: the first and
    /// the others.
    #[expect(
        clippy::inline_always,
        reason = "a few instructions for each cycle in which something happens"
    )]
    #[inline(always)]
    pub(super) fn begin_before(&mut self, until: Cycle) -> Option<(Event, Taken)> {
        let (cycle, first, others) = self.queue.next_before(until.number())?;
        self.now = Cycle::new(cycle);
        self.events += 1;
        Some((Event::unpack(first), others))
    }

    /// The next of the other events taken out.
    #[inline]
    pub(super) fn next_event(&mut self, taken: &mut Taken) -> Option<Event> {
        let packed = self.queue.pop(taken)?;
        self.events += 1;
        Some(Event::unpack(packed))
    }

    /// Which of the 64 cycles from one on have events, the first lowest.
    #[inline]
    pub(super) fn soon(&self, cycle: Cycle) -> u64 {
        self.queue.soon(cycle.number())
    }

    /// The events planned by now for a cycle soon to come.
    #[inline]
    pub(super) fn planned(&self, cycle: Cycle) -> impl Iterator<Item = Event> {
        self.queue.planned(cycle.number()).map(Event::unpack)
    }

    /// No event is planned for an earlier cycle.
    pub(super) fn next_cycle(&self) -> Cycle {
        Cycle::new(self.queue.no_earlier_than())
    }

    /// Goes on to a cycle before which no event is left.
    pub(super) fn rest(&mut self, until: Cycle) {
        self.now = self.now.max(until);
    }
}
