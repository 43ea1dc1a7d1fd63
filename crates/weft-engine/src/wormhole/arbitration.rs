//! Arbitration: which requesting input a free output serves.

use super::Core;
use super::run::Timing;
use super::state::{NONE, Packet, Visit};
use std::cmp::Reverse;
use weft_model::{Arbitration, random_choice};

impl<T: Timing> Core<'_, T> {
    /// Lets every free output that was asked for pick one requester.
    pub(super) fn arbitrate(&mut self) {
        while let Some(output) = self.contested.pop() {
            if self.channels[output as usize].output.packet != NONE {
                continue;
            }
            if let Some(port) = self.winner(output) {
                let switch = self.channels[output as usize].ends.source_switch() as usize;
                let input = self.input_at(switch, port);
                self.grant(output, input, port);
                if self.has_requests(output) {
                    self.touch_losers(output, switch);
                }
            }
        }
    }

    /// Heads that reached an empty buffer in the present cycle, and lost, do not pass at once.
    fn touch_losers(&mut self, output: u32, switch: usize) {
        for word in 0..self.words {
            let mut mask = self.requests[output as usize * self.words + word];
            while mask != 0 {
                let port = word * 64 + mask.trailing_zeros() as usize;
                self.touch_fresh(self.input_at(switch, port));
                mask &= mask - 1;
            }
        }
    }

    /// The port whose request a free output grants next, if there is any.
    #[inline]
    fn winner(&mut self, output: u32) -> Option<usize> {
        if self.words == 1 && self.grants.is_empty() {
            let mask = self.requests[output as usize];
            if mask.is_power_of_two() {
                return Some(mask.trailing_zeros() as usize);
            }
        }
        match self.model.arbitration {
            Arbitration::RoundRobin => self.next_in_turn(output),
            Arbitration::Random => {
                let port = self.winner_by(Arbitration::Random, output)?;
                self.grants[output as usize] += 1;
                Some(port)
            }
            policy => self.winner_by(policy, output),
        }
    }

    #[inline(never)]
    fn winner_by(&self, policy: Arbitration, output: u32) -> Option<usize> {
        let last = usize::from(self.last_granted[output as usize]);
        let turn = |port: usize| (port <= last, port);
        let ports = self.requesters(output);
        match policy {
            Arbitration::RoundRobin => self.next_in_turn(output),
            Arbitration::Random => {
                let (seed, grants) = (self.seed, self.grants[output as usize]);
                ports
                    .clone()
                    .nth(random_choice(seed, output, grants, ports.count()))
            }
            Arbitration::InjectionTime => {
                ports.min_by_key(|&port| (self.packet_at(output, port).injection_cycle, port))
            }
            Arbitration::WaitingTime => {
                ports.min_by_key(|&port| (self.visit_at(output, port).head_arrival, port))
            }
            Arbitration::DistanceToTravel => ports.min_by_key(|&port| {
                let packet = self.packet_at(output, port);
                (packet.step_count - packet.step, turn(port))
            }),
            Arbitration::DistanceTravelled => {
                ports.min_by_key(|&port| (Reverse(self.packet_at(output, port).step), turn(port)))
            }
        }
    }

    /// The first requesting port strictly after the last one granted, cyclically.
    #[inline]
    fn next_in_turn(&self, output: u32) -> Option<usize> {
        let first = output as usize * self.words;
        let last = usize::from(self.last_granted[output as usize]);
        let masks = &self.requests[first..first + self.words];
        let (word, bit) = (last / 64, last % 64);
        // Bits after `last` in its word, the words after, the words before, the rest of its word.
        let after = masks[word] & (u64::MAX << bit << 1);
        if after != 0 {
            return Some(word * 64 + after.trailing_zeros() as usize);
        }
        (word + 1..self.words)
            .chain(0..=word)
            .find(|&w| masks[w] != 0)
            .map(|w| w * 64 + masks[w].trailing_zeros() as usize)
    }

    /// The ports that ask for an output, in ascending order.
    fn requesters(&self, output: u32) -> impl Iterator<Item = usize> + Clone + use<'_, T> {
        let first = output as usize * self.words;
        let masks = self.requests[first..first + self.words].iter();
        masks.enumerate().flat_map(|(word, &mask)| {
            let rests = std::iter::successors(Some(mask), |rest| Some(rest & (rest - 1)));
            let rests = rests.take(mask.count_ones() as usize);
            rests.map(move |rest| word * 64 + rest.trailing_zeros() as usize)
        })
    }

    /// The packet at the front of the buffer behind a port of an output's switch.
    fn visit_at(&self, output: u32, port: usize) -> &Visit {
        let switch = self.channels[output as usize].ends.source_switch() as usize;
        &self.visits[self.channels[self.input_at(switch, port) as usize]
            .input
            .front]
    }

    /// The longest wait, until now, of the packets that ask for an output, in cycles.
    pub(super) fn longest_wait_now(&self, output: u32) -> u64 {
        let since = |port| self.visit_at(output, port).asking_since;
        let longest = self.requesters(output).map(since).min();
        longest.map_or(0, |since| self.now - since)
    }

    fn packet_at(&self, output: u32, port: usize) -> &Packet {
        &self.packets[self.visit_at(output, port).packet]
    }

    /// The channel into a switch at a port.
    fn input_at(&self, switch: usize, port: usize) -> u32 {
        self.port_channels[switch * self.ports_per_switch + port] ^ 1
    }
}
