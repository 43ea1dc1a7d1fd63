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
    events: u64,
    /// Outputs that were asked for or freed in the present cycle.
    contested: Vec<ChannelId>,
    /// Input buffers whose front packet has waited too long in the present cycle.
    timed_out: Vec<ChannelId>,
    /// Hosts whose NIC may take a packet in the present cycle.
    undecided: Vec<HostId>,
}

impl Clock {
    /// Cycle 0, with nothing planned.
    pub(super) fn new() -> Self {
        Self {
            now: Cycle::ZERO,
            queue: EventQueue::new(),
            events: 0,
            contested: Vec::new(),
            timed_out: Vec::new(),
            undecided: Vec::new(),
        }
    }

    #[inline]
    pub(super) fn now(&self) -> Cycle {
        self.now
    }

    /// Counts the events handed out.
    pub(super) fn events(&self) -> u64 {
        self.events
    }

    /// Plans an event for the present cycle or a later one.
    #[inline]
    pub(super) fn plan(&mut self, cycle: Cycle, event: Event) {
        self.queue.push(cycle.number(), event.pack());
    }

    /// The next cycle with an event, or never.
    #[inline]
    pub(super) fn next_cycle(&mut self) -> Cycle {
        Cycle::new(self.queue.next_cycle())
    }

    /// Goes on to the next cycle with an event, and takes out its events.
    #[inline]
    pub(super) fn begin(&mut self, cycle: Cycle) -> Taken {
        self.now = cycle;
        self.queue.take(cycle.number())
    }

    /// The next of the events taken out.
    #[inline]
    pub(super) fn next_event(&mut self, taken: &mut Taken) -> Option<Event> {
        let packed = self.queue.pop(taken)?;
        self.events += 1;
        Some(Event::unpack(packed))
    }

    /// Goes on to a cycle before which no event is left.
    pub(super) fn rest(&mut self, until: Cycle) {
        self.now = self.now.max(until);
    }

    /// An output is asked for, or has become free.
    #[inline]
    pub(super) fn contest(&mut self, output: ChannelId) {
        self.contested.push(output);
    }

    #[inline]
    pub(super) fn next_contested(&mut self) -> Option<ChannelId> {
        self.contested.pop()
    }

    /// The front packet of an input buffer has waited too long.
    pub(super) fn time_out(&mut self, input: ChannelId) {
        self.timed_out.push(input);
    }

    #[inline]
    pub(super) fn next_timed_out(&mut self) -> Option<ChannelId> {
        self.timed_out.pop()
    }

    /// A NIC may take a packet.
    #[inline]
    pub(super) fn look_at(&mut self, host: HostId) {
        self.undecided.push(host);
    }

    #[inline]
    pub(super) fn next_undecided(&mut self) -> Option<HostId> {
        self.undecided.pop()
    }
}
