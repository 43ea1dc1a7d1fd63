//! Time: the present cycle, what happens in it, and what is planned for later ones.

use super::event::Event;
use crate::ids::InletId;
use crate::queue::{EventQueue, NEVER, Taken};
use weft_fabric::ChannelId;

/// The present cycle and everything planned.
#[derive(Debug)]
pub(super) struct Clock {
    now: u64,
    queue: EventQueue,
    /// Inlets whose packets in front ask for outlets in the present cycle.
    pub(super) asking: Vec<InletId>,
    /// Channels to be looked at in the present cycle.
    pub(super) contested: Vec<ChannelId>,
    /// Inlets whose packets in front found no output in the present cycle.
    pub(super) discarded: Vec<InletId>,
    /// The cycle of the next change, for which and after which nothing is decided ahead of time.
    pub(super) horizon: u64,
    /// Events handled.
    pub(super) events: u64,
}

/// When the source of a channel is looked at.
#[derive(Clone, Debug)]
pub(super) struct Look {
    /// The next cycle, as far as planned.
    at: u64,
    /// In the present cycle.
    is_contested: bool,
}

impl Look {
    /// None is planned.
    pub(super) const NEVER: Self = Self {
        at: NEVER,
        is_contested: false,
    };

    /// The channel is looked at now.
    #[inline]
    pub(super) fn done(&mut self) {
        self.is_contested = false;
    }
}

impl Clock {
    /// Cycle 0, with nothing planned.
    pub(super) fn new() -> Self {
        Self {
            now: 0,
            queue: EventQueue::new(),
            asking: Vec::new(),
            contested: Vec::new(),
            discarded: Vec::new(),
            horizon: NEVER,
            events: 0,
        }
    }

    #[inline]
    pub(super) fn now(&self) -> u64 {
        self.now
    }

    /// Goes on to the next cycle in which something happens, if it is before `until_cycle`, and takes
    /// out its events: the first and the others.
    #[inline]
    pub(super) fn begin_cycle(&mut self, until_cycle: u64) -> Option<(Event, Taken)> {
        let (cycle, first, others) = self.queue.next_before(until_cycle)?;
        self.now = cycle;
        self.events += 1;
        Some((Event::unpack(first), others))
    }

    /// The next of the other events of the present cycle.
    #[inline]
    pub(super) fn next_event(&mut self, taken: &mut Taken) -> Option<Event> {
        let event = self.queue.pop(taken)?;
        self.events += 1;
        Some(Event::unpack(event))
    }

    /// Which of the 64 cycles from one on have events, the first lowest.
    #[inline]
    pub(super) fn soon(&self, cycle: u64) -> u64 {
        self.queue.soon(cycle)
    }

    /// The events planned by now for a cycle soon to come.
    #[inline]
    pub(super) fn planned(&self, cycle: u64) -> impl Iterator<Item = Event> {
        self.queue.planned(cycle).map(Event::unpack)
    }

    /// Ends with all cycles before `until_cycle` behind, and tells whether there were any.
    pub(super) fn end(&mut self, until_cycle: u64) -> bool {
        let goes_on = until_cycle > self.now;
        self.now = self.now.max(until_cycle);
        goes_on
    }

    /// No event comes earlier.
    pub(super) fn no_earlier_than(&self) -> u64 {
        self.queue.no_earlier_than()
    }

    /// Whether no event is planned.
    pub(super) fn is_at_rest(&self) -> bool {
        self.no_earlier_than() == NEVER
    }

    pub(super) fn plan(&mut self, cycle: u64, event: Event) {
        self.queue.push(cycle, event.pack());
    }

    /// Plans a look at a channel, unless an earlier one is planned.
    #[inline]
    pub(super) fn look(&mut self, channel: ChannelId, look: &mut Look, at: u64) {
        if at < NEVER && (at < look.at || look.at <= self.now) {
            look.at = at;
            self.queue.push(at, Event::Look(channel).pack());
        }
    }

    /// Plans the next look at a channel; none that was planned counts any more if there is to be none.
    #[inline]
    pub(super) fn look_next(&mut self, channel: ChannelId, look: &mut Look, at: u64) {
        if at >= NEVER {
            look.at = NEVER;
        } else {
            self.look(channel, look, at);
        }
    }

    /// Tells whether a look at a channel is planned for the present cycle, which it then is to get.
    #[inline]
    pub(super) fn contest_if_due(&mut self, channel: ChannelId, look: &mut Look) -> bool {
        let is_due = look.at == self.now;
        if is_due {
            self.contest(channel, look);
        }
        is_due
    }

    /// A channel is to be looked at in the present cycle.
    #[inline]
    pub(super) fn contest(&mut self, channel: ChannelId, look: &mut Look) {
        if !look.is_contested {
            look.is_contested = true;
            self.contested.push(channel);
        }
    }

    /// One of the channels to be looked at in the present cycle, whose look is to be told that it is done.
    #[inline]
    pub(super) fn next_contested(&mut self) -> Option<ChannelId> {
        self.contested.pop()
    }
}
