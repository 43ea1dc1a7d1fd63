//! The next packets of a host's stream.

use std::collections::VecDeque;
use weft_model::workload::Packet;

/// The next packets of a host's stream, as many as were looked at. Mostly that is one, which lies where it
/// is asked for.
#[derive(Debug)]
pub(super) struct Upcoming {
    first: Option<Packet>,
    others: VecDeque<Packet>,
}

impl Upcoming {
    pub(super) fn new() -> Self {
        Self {
            first: None,
            others: VecDeque::new(),
        }
    }

    #[inline]
    pub(super) fn first(&self) -> Option<&Packet> {
        self.first.as_ref()
    }

    pub(super) fn last(&self) -> Option<&Packet> {
        self.others.back().or(self.first())
    }

    /// The packet so many behind the first.
    pub(super) fn get(&self, place: usize) -> Option<&Packet> {
        match place.checked_sub(1) {
            None => self.first(),
            Some(place) => self.others.get(place),
        }
    }

    pub(super) fn len(&self) -> usize {
        usize::from(self.first.is_some()) + self.others.len()
    }

    #[inline]
    pub(super) fn push(&mut self, packet: Packet) {
        if self.first.is_none() {
            self.first = Some(packet);
        } else {
            self.others.push_back(packet);
        }
    }

    /// Takes the first packet.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<Packet> {
        let first = self.first.take()?;
        self.first = self.others.pop_front();
        Some(first)
    }
}
