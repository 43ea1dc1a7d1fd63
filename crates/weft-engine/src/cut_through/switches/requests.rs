//! Requests for a lane of an output.

use super::inlet::Inlets;
use crate::cut_through::packet_state::Packets;
use crate::ids::{InletId, Maybe};

/// The inlets whose packets in front ask for the same outlet, in order of the cycles in which they
/// began to, those of one cycle of input port, then lane.
#[derive(Clone, Debug)]
pub(crate) struct Requests {
    first: Maybe<InletId>,
    last: Maybe<InletId>,
    /// All packets that ask need more room than this.
    too_little_room: u32,
}

impl Requests {
    pub(crate) const NONE: Self = Self {
        first: Maybe::NONE,
        last: Maybe::NONE,
        too_little_room: 0,
    };

    /// The one that asks for longest.
    #[inline]
    pub(crate) fn first(&self) -> Option<InletId> {
        self.first.get()
    }

    /// The one that asks, if no other does.
    #[inline]
    pub(crate) fn only(&self) -> Option<InletId> {
        let first = self.first.get()?;
        self.last.is(first).then_some(first)
    }

    /// Takes out the only request.
    #[inline]
    pub(crate) fn take_only(&mut self) {
        self.first = Maybe::NONE;
        self.last = Maybe::NONE;
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    /// An inlet asks for its packet of so many flits.
    #[inline]
    pub(crate) fn join(&mut self, inlet: InletId, flits: u32, inlets: &mut Inlets) {
        self.too_little_room = self.too_little_room.min(flits - 1);
        inlets[inlet].next_request = Maybe::NONE;
        let Some(last) = self.last.get() else {
            self.first = inlet.into();
            self.last = inlet.into();
            return;
        };
        let rank = inlets[inlet].rank();
        if inlets[last].rank() < rank {
            inlets[last].next_request = inlet.into();
            self.last = inlet.into();
            return;
        }
        let (mut before, mut after) = (Maybe::NONE, self.first);
        while let Some(here) = after.get()
            && inlets[here].rank() < rank
        {
            before = after;
            after = inlets[here].next_request;
        }
        inlets[inlet].next_request = after;
        self.follow(before, inlet.into(), inlets);
    }

    /// Takes out the first request whose packet fits in so much room.
    #[inline]
    pub(crate) fn take(
        &mut self,
        room: u32,
        inlets: &mut Inlets,
        packets: &Packets,
    ) -> Option<InletId> {
        if room <= self.too_little_room {
            return None;
        }
        let (mut before, mut here) = (Maybe::NONE, self.first);
        while let Some(inlet) = here.get() {
            let asking = &inlets[inlet];
            if packets[asking.asking()].flits <= room {
                let after = asking.next_request;
                self.follow(before, after, inlets);
                if after.is_none() {
                    self.last = before;
                }
                return Some(inlet);
            }
            before = here;
            here = asking.next_request;
        }
        self.too_little_room = room;
        None
    }

    /// Takes out the first request, if its packet fits in so much room.
    #[inline]
    pub(crate) fn take_first(
        &mut self,
        room: u32,
        inlets: &Inlets,
        packets: &Packets,
    ) -> Option<InletId> {
        let inlet = self.first.get()?;
        let asking = &inlets[inlet];
        if packets[asking.asking()].flits > room {
            return None;
        }
        self.first = asking.next_request;
        if self.first.is_none() {
            self.last = Maybe::NONE;
        }
        Some(inlet)
    }

    /// One request follows on another, or is the first.
    #[inline]
    fn follow(&mut self, before: Maybe<InletId>, after: Maybe<InletId>, inlets: &mut Inlets) {
        match before.get() {
            None => self.first = after,
            Some(before) => inlets[before].next_request = after,
        }
    }
}
