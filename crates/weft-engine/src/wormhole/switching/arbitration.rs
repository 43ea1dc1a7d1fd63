//! Arbitration: which requesting input a free output serves.

use super::{Grant, Switching, Visit};
use crate::ids::Id;
use crate::wormhole::traffic::{Packet, Traffic};
use std::cmp::Reverse;
use std::iter::successors;
use weft_fabric::{ChannelId, PortNumber};
use weft_model::{Arbitration, random_choice};

impl Switching {
    /// The request that a free output grants next, if there is any.
    #[inline]
    pub(crate) fn winner(&mut self, traffic: &Traffic<'_>, output: ChannelId) -> Option<Grant> {
        let port = self.winning_port(traffic, output)?;
        let input = self.input_at(output, port);
        Some(Grant { input, port })
    }

    /// The inputs that ask for an output.
    pub(crate) fn asking_inputs(&self, output: ChannelId) -> impl Iterator<Item = ChannelId> {
        self.requesters(output)
            .map(move |port| self.input_at(output, port))
    }

    #[inline]
    fn winning_port(&mut self, traffic: &Traffic<'_>, output: ChannelId) -> Option<PortNumber> {
        if self.words == 1 && self.grants.is_empty() {
            let mask = self.requests[output.offset()];
            if mask.is_power_of_two() {
                return Some(lowest(0, mask));
            }
        }
        self.chosen_port(traffic, output)
    }

    /// The port that is served among several.
    #[inline(never)]
    fn chosen_port(&mut self, traffic: &Traffic<'_>, output: ChannelId) -> Option<PortNumber> {
        match self.arbitration {
            Arbitration::RoundRobin => self.next_in_turn(output),
            Arbitration::Random => {
                let port = self.winner_by(Arbitration::Random, traffic, output)?;
                self.grants[output] += 1;
                Some(port)
            }
            policy => self.winner_by(policy, traffic, output),
        }
    }

    #[inline(never)]
    fn winner_by(
        &self,
        policy: Arbitration,
        traffic: &Traffic<'_>,
        output: ChannelId,
    ) -> Option<PortNumber> {
        let last = self.last_granted[output];
        let turn = |port: PortNumber| (port <= last, port);
        let visit_at = |port| self.visit_at(output, port);
        let packet_at = |port| -> &Packet { &traffic.packets[visit_at(port).packet] };
        let mut ports = self.requesters(output);
        match policy {
            Arbitration::RoundRobin => self.next_in_turn(output),
            Arbitration::Random => {
                let (seed, grants) = (self.seed, self.grants[output]);
                let count = ports.clone().count();
                ports.nth(random_choice(seed, output.number(), grants, count))
            }
            Arbitration::InjectionTime => {
                ports.min_by_key(|&port| (packet_at(port).injection_cycle, port))
            }
            Arbitration::WaitingTime => {
                ports.min_by_key(|&port| (visit_at(port).head_arrival, port))
            }
            Arbitration::DistanceToTravel => ports.min_by_key(|&port| {
                let packet = packet_at(port);
                (packet.step_count - packet.step, turn(port))
            }),
            Arbitration::DistanceTravelled => {
                ports.min_by_key(|&port| (Reverse(packet_at(port).step), turn(port)))
            }
        }
    }

    /// The first requesting port strictly after the last one granted, cyclically.
    #[inline]
    fn next_in_turn(&self, output: ChannelId) -> Option<PortNumber> {
        let last = self.last_granted[output].index();
        let masks = self.masks(output);
        let (word, bit) = (last / 64, last % 64);
        // Bits after `last` in its word, the words after, the words before, the rest of its word.
        let after = masks[word] & (u64::MAX << bit << 1);
        if after != 0 {
            return Some(lowest(word, after));
        }
        (word + 1..self.words)
            .chain(0..=word)
            .find(|&w| masks[w] != 0)
            .map(|w| lowest(w, masks[w]))
    }

    /// The ports that ask for an output, in ascending order.
    pub(super) fn requesters(
        &self,
        output: ChannelId,
    ) -> impl Iterator<Item = PortNumber> + Clone + use<'_> {
        let some = |bits: u64| (bits != 0).then_some(bits);
        let masks = self.masks(output).iter().enumerate();
        masks.flat_map(move |(word, &mask)| {
            let rests = successors(some(mask), move |bits| some(bits & (bits - 1)));
            rests.map(move |bits| lowest(word, bits))
        })
    }

    /// The bits of the ports that ask for an output.
    #[inline]
    pub(super) fn masks(&self, output: ChannelId) -> &[u64] {
        &self.requests[output.offset() * self.words..][..self.words]
    }

    /// The packet at the front of the buffer behind a port of an output's switch.
    pub(super) fn visit_at(&self, output: ChannelId, port: PortNumber) -> &Visit {
        self.front(self.input_at(output, port))
    }

    /// The channel into an output's switch at a port.
    fn input_at(&self, output: ChannelId, port: PortNumber) -> ChannelId {
        // The other direction of the output's link leads to the same switch.
        let row = self.queues[output.reverse()].row;
        self.output(row, port).reverse()
    }
}

/// The port of the lowest bit of a word of them.
#[inline]
fn lowest(word: usize, bits: u64) -> PortNumber {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "ports are fewer than 256, and their words four"
    )]
    PortNumber::new((word * 64) as u8 + bits.trailing_zeros() as u8)
}
