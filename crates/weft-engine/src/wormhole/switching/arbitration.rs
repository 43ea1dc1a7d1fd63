//! Arbitration: which requesting input a free output serves.

use super::{Grant, Switching};
use crate::ids::PacketId;

use crate::wormhole::flow::Channels;
use crate::wormhole::junction::NEAR_PORTS;
use crate::wormhole::traffic::{Packet, Traffic};
use std::cmp::Reverse;
use std::iter::successors;
use weft_fabric::{ChannelId, PortNumber};
use weft_model::{Arbitration, random_choice};

/// Words of bits for all ports there may be.
const WORDS: usize = 256 / NEAR_PORTS;

impl Switching {
    /// The request that a free output grants next, if there is any.
    #[inline]
    pub(crate) fn winner<S>(
        &mut self,
        channels: &Channels<S>,
        traffic: &Traffic<'_>,
        output: ChannelId,
    ) -> Option<Grant> {
        let port = self.winning_port(channels, traffic, output)?;
        let input = self.input_at(channels, output, port);
        Some(Grant { input, port })
    }

    #[inline]
    fn winning_port<S>(
        &mut self,
        channels: &Channels<S>,
        traffic: &Traffic<'_>,
        output: ChannelId,
    ) -> Option<PortNumber> {
        if self.far_words == 0
            && self.grants.is_empty()
            && let Some(port) = channels[output].junction.only_request()
        {
            return Some(port);
        }
        self.chosen_port(channels, traffic, output)
    }

    /// The port that is served among several.
    #[inline(never)]
    fn chosen_port<S>(
        &mut self,
        channels: &Channels<S>,
        traffic: &Traffic<'_>,
        output: ChannelId,
    ) -> Option<PortNumber> {
        match self.arbitration {
            Arbitration::RoundRobin => self.next_in_turn(channels, output),
            Arbitration::Random => {
                let port = self.winner_by(Arbitration::Random, channels, traffic, output)?;
                self.grants[output] += 1;
                Some(port)
            }
            policy => self.winner_by(policy, channels, traffic, output),
        }
    }

    #[inline(never)]
    fn winner_by<S>(
        &self,
        policy: Arbitration,
        channels: &Channels<S>,
        traffic: &Traffic<'_>,
        output: ChannelId,
    ) -> Option<PortNumber> {
        let last = channels[output].junction.last_granted;
        let turn = |port: PortNumber| (port <= last, port);
        let packet_at =
            |port| -> &Packet { &traffic.packets[self.packet_at(channels, output, port)] };
        let mut ports = self.requesters(channels, output);
        match policy {
            Arbitration::RoundRobin => self.next_in_turn(channels, output),
            Arbitration::Random => {
                let (seed, grants) = (self.seed, self.grants[output]);
                let count = ports.clone().count();
                ports.nth(random_choice(seed, output.number(), grants, count))
            }
            Arbitration::InjectionTime => {
                ports.min_by_key(|&port| (packet_at(port).injection_cycle, port))
            }
            Arbitration::WaitingTime => {
                ports.min_by_key(|&port| (packet_at(port).head_arrival, port))
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
    fn next_in_turn<S>(&self, channels: &Channels<S>, output: ChannelId) -> Option<PortNumber> {
        let last = channels[output].junction.last_granted.index();
        let masks = self.masks(channels, output);
        let (word, bit) = (last / 64, last % 64);
        // Bits after `last` in its word, the words after, the words before, the rest of its word.
        let after = masks[word] & (u64::MAX << bit << 1);
        if after != 0 {
            return Some(lowest(word, after));
        }
        (word + 1..masks.len())
            .chain(0..=word)
            .find(|&w| masks[w] != 0)
            .map(|w| lowest(w, masks[w]))
    }

    /// The ports that ask for an output, in ascending order.
    pub(crate) fn requesters<S>(
        &self,
        channels: &Channels<S>,
        output: ChannelId,
    ) -> impl Iterator<Item = PortNumber> + Clone + use<S> {
        let some = |bits: u64| (bits != 0).then_some(bits);
        let masks = self.masks(channels, output).into_iter().enumerate();
        masks.flat_map(move |(word, mask)| {
            let rests = successors(some(mask), move |bits| some(bits & (bits - 1)));
            rests.map(move |bits| lowest(word, bits))
        })
    }

    /// The bits of the ports that ask for an output.
    #[inline]
    pub(super) fn masks<S>(&self, channels: &Channels<S>, output: ChannelId) -> [u64; WORDS] {
        let mut masks = [0; WORDS];
        masks[0] = channels[output].junction.requests;
        masks[1..=self.far_words].copy_from_slice(self.far_masks(output));
        masks
    }

    /// The packet at the front of the buffer behind a port of an output's switch.
    pub(super) fn packet_at<S>(
        &self,
        channels: &Channels<S>,
        output: ChannelId,
        port: PortNumber,
    ) -> PacketId {
        let queue = &channels[self.input_at(channels, output, port)].junction;
        queue.asking()
    }

    /// The channel into an output's switch at a port.
    #[inline]
    pub(crate) fn input_at<S>(
        &self,
        channels: &Channels<S>,
        output: ChannelId,
        port: PortNumber,
    ) -> ChannelId {
        let Some(switch) = channels[output].ends.source_switch() else {
            unreachable!("outputs of switches alone are asked for")
        };
        self.channel_at(switch, port).reverse()
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
