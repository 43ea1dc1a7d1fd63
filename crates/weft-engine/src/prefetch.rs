//! What is asked of the memory before it is needed.
//!
//! On large fabrics hardly anything that an event looks at is in a cache, and each look tells where the next one
//! goes. Events are known some cycles ahead: what they look at first is asked for before all else, what that leads
//! to in the cycle after. From there scouts go on, a look a cycle, so that what an event will meet is there when its
//! time comes. What is foreseen wrongly costs time alone.

use crate::memory::fetch_place;
use std::iter;
use weft_fabric::HostId;
use weft_routing::RouteMemory;

/// How far memory was asked for.
#[derive(Debug)]
pub(crate) struct Prefetcher<S> {
    /// Whether that pays: what is known of all channels fits no cache. It is done on all fabrics where assertions
    /// are made, so that tests on small ones see that it changes nothing.
    pub(crate) pays: bool,
    /// The last cycle whose events were looked at.
    until: u64,
    scouts: Vec<S>,
    /// Room for those of the next cycle.
    others: Vec<S>,
}

/// An engine whose events are known some cycles ahead.
pub(crate) trait Prefetches {
    /// Something that will happen.
    type Event;
    /// Where a look goes next.
    type Scout: Copy;
    /// Cycles that are looked ahead: scouts come to their end by then, but what they have asked for is still there.
    const AHEAD: u64;
    /// Up to so many bytes of channels are in caches often enough for events to go without.
    const CACHED: usize;

    /// How far memory was asked for.
    fn prefetcher(&mut self) -> &mut Prefetcher<Self::Scout>;

    /// The present cycle.
    fn now(&self) -> u64;

    /// Which of the 64 cycles from one on have events that are planned by now, the first lowest.
    fn soon(&self, cycle: u64) -> u64;

    /// The events planned by now for a cycle soon to come.
    fn planned(&self, cycle: u64) -> impl Iterator<Item = Self::Event>;

    /// Asks for the record of what an event happens to.
    fn fetch_first(&self, event: Self::Event);

    /// Asks for what that names: a scout, if there is more behind it.
    fn fetch_second(&self, event: Self::Event) -> Option<Self::Scout>;

    /// What a scout does next, if it has not come to the end.
    fn go_on(&self, scout: Self::Scout) -> Option<Self::Scout>;

    /// Asks for what the events of the next cycles look at.
    #[inline(never)]
    fn fetch_ahead(&mut self)
    where
        Self: Sized,
    {
        let mut prefetcher = self.prefetcher().take();
        prefetcher.look(self);
        *self.prefetcher() = prefetcher;
    }
}

impl<S: Copy> Prefetcher<S> {
    /// Nothing was asked for, of so many bytes that are known of all channels.
    pub(crate) fn of<E: Prefetches<Scout = S>>(bytes: usize) -> Self {
        Self {
            pays: cfg!(debug_assertions) || bytes > E::CACHED,
            until: 0,
            scouts: Vec::new(),
            others: Vec::new(),
        }
    }

    /// To be given back, while something else is in its place.
    #[inline]
    fn take(&mut self) -> Self {
        Self {
            scouts: std::mem::take(&mut self.scouts),
            others: std::mem::take(&mut self.others),
            ..*self
        }
    }

    /// All scouts go on.
    #[inline]
    fn advance(&mut self, engine: &impl Prefetches<Scout = S>) {
        // Written where it stays, as a scout that is copied as soon as it is written is waited for.
        for scout in self.scouts.drain(..) {
            if let Some(next) = engine.go_on(scout) {
                self.others.push(next);
            }
        }
        std::mem::swap(&mut self.scouts, &mut self.others);
    }

    /// Asks for what the events of the next cycles look at.
    #[inline]
    fn look<E: Prefetches<Scout = S>>(&mut self, engine: &E) {
        self.advance(engine);
        let now = engine.now();
        let from = self.until.max(now + 1) + 1;
        self.until = now + E::AHEAD;
        let soon = engine.soon(from - 1);
        let new = (1 << (self.until + 1 - from)) - 1;
        for cycle in cycles(from, soon >> 1 & new) {
            engine
                .planned(cycle)
                .for_each(|event| engine.fetch_first(event));
        }
        for cycle in cycles(from - 1, soon & new) {
            for event in engine.planned(cycle) {
                if let Some(scout) = engine.fetch_second(event) {
                    self.scouts.push(scout);
                }
            }
        }
    }
}

/// Those from a cycle on whose bits are set, the first the lowest.
#[inline]
fn cycles(first: u64, mut bits: u64) -> impl Iterator<Item = u64> {
    iter::from_fn(move || {
        let next = (bits != 0).then(|| first + u64::from(bits.trailing_zeros()));
        bits &= bits.wrapping_sub(1);
        next
    })
}

/// Before a packet that a host sends next: where its route is held.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RouteScout {
    pub(crate) from: HostId,
    pub(crate) to: HostId,
    place: Place,
}

/// What of a route is asked for, each known by what stands at the one before it.
#[derive(Clone, Copy, Debug)]
enum Place {
    Row,
    Start,
    Steps,
}

impl RouteScout {
    /// Of a packet of one host to another.
    #[inline]
    pub(crate) fn new(from: HostId, to: HostId) -> Self {
        Self {
            from,
            to,
            place: Place::Row,
        }
    }

    /// Asks for what is next of the route, if it has not come to the end.
    #[inline]
    pub(crate) fn go_on(self, memory: Option<RouteMemory<'_>>) -> Option<Self> {
        let memory = memory?;
        let place = match self.place {
            Place::Row => {
                memory.row().into_iter().for_each(fetch_place);
                Place::Start
            }
            Place::Start => {
                memory.starts().into_iter().for_each(fetch_place);
                Place::Steps
            }
            Place::Steps => {
                fetch_place(memory.steps());
                return None;
            }
        };
        Some(Self { place, ..self })
    }
}
