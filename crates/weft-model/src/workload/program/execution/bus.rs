//! The bus between a host's memory and its NIC.

use super::messages::Arrived;
use std::collections::VecDeque;

/// Packets of a message that the NIC took; of those that cross, one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outgoing {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) nic: u8,
    pub(super) count: u64,
    /// Of all but the last.
    pub(super) payload_bytes: u32,
    pub(super) last_payload_bytes: u32,
    pub(super) message: usize,
    /// The task that ends with the last.
    pub(super) ends: Option<u64>,
    pub(super) is_urgent: bool,
}

/// A packet that crosses.
#[derive(Clone, Copy, Debug)]
pub(super) enum Crossing {
    /// To the network.
    Out(Outgoing),
    /// From the network.
    In(Arrived),
}

/// What crosses the bus, and what waits for that.
#[derive(Clone, Debug, Default)]
pub(super) struct Bus {
    /// The packet that crosses, and the cycle it is across in.
    crossing: Option<(u64, Crossing)>,
    /// The packet that the NIC fetches, and the first cycle it may cross in.
    fetched: Option<(u64, Outgoing)>,
    /// Packets that came, and the cycles each takes to cross.
    came: VecDeque<(Arrived, u64)>,
    /// The packet that crossed last came in: a turn of one that goes out.
    came_in: bool,
}

impl Bus {
    /// Fetches a packet, which may cross from a cycle on.
    pub(super) fn fetch(&mut self, from_cycle: u64, packet: Outgoing) {
        self.fetched = Some((from_cycle, packet));
    }

    /// Whether a packet to be sent has not crossed yet.
    pub(super) fn is_fetching(&self) -> bool {
        let goes_out = |&(_, crossing): &(u64, Crossing)| matches!(crossing, Crossing::Out(_));
        self.fetched.is_some() || self.crossing.as_ref().is_some_and(goes_out)
    }

    /// A packet has come that takes so many cycles to cross.
    pub(super) fn bring(&mut self, arrived: Arrived, cycles: u64) {
        self.came.push_back((arrived, cycles));
    }

    /// Takes the packet that is across by now.
    pub(super) fn across(&mut self, now: u64) -> Option<Crossing> {
        let (_, packet) = self.crossing.take_if(|(end, _)| *end <= now)?;
        Some(packet)
    }

    /// Lets the next packet onto the bus, if it is free; `cycles` is what a payload takes.
    pub(super) fn begin(&mut self, now: u64, cycles: impl Fn(u32) -> u64) {
        if self.crossing.is_some() {
            return;
        }
        let is_fetched = self
            .fetched
            .is_some_and(|(from_cycle, _)| from_cycle <= now);
        if is_fetched && (self.came.is_empty() || self.came_in) {
            // Invariant: just seen.
            let Some((_, packet)) = self.fetched.take() else {
                return;
            };
            self.came_in = false;
            let end = now + cycles(packet.payload_bytes);
            self.crossing = Some((end, Crossing::Out(packet)));
        } else if let Some((arrived, cycles)) = self.came.pop_front() {
            self.came_in = true;
            self.crossing = Some((now + cycles, Crossing::In(arrived)));
        }
    }

    /// The next cycle in which something happens on the bus.
    pub(super) fn next_cycle(&self) -> Option<u64> {
        let crossing = self.crossing.as_ref().map(|&(end, _)| end);
        crossing.or(self.fetched.map(|(from_cycle, _)| from_cycle))
    }
}
