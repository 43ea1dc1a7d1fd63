//! Operations in which all ranks get a result.

use super::Member;
use super::choice::{
    AllGatherAlgorithm, AllReduceAlgorithm, AllToAllAlgorithm, AllToAllVAlgorithm,
    BarrierAlgorithm, BroadcastAlgorithm, ReduceAlgorithm,
};
use super::rooted::{LONG_REDUCTION_BYTES, part_bytes};

/// Everything gathered is long from this length on, and not short from that on.
const LONG_GATHER_BYTES: u64 = 524_288;
const MEDIUM_GATHER_BYTES: u64 = 81_920;

/// Exchanges up to this length, and from so many ranks on, take Bruck's rounds; up to that length
/// they are done at once.
const SHORT_EXCHANGE_BYTES: u64 = 256;
const SHORT_EXCHANGE_RANKS: u32 = 8;
const MEDIUM_EXCHANGE_BYTES: u64 = 32_768;

impl Member<'_> {
    pub(super) fn barrier(&mut self, algorithm: BarrierAlgorithm) {
        match algorithm {
            BarrierAlgorithm::Automatic | BarrierAlgorithm::Dissemination => {
                let mut distance = 1;
                while distance < self.ranks {
                    let (to, from) = (self.after(distance), self.before(distance));
                    self.process.exchange(to, 0, from);
                    distance = distance.saturating_mul(2);
                }
            }
            BarrierAlgorithm::RecursiveDoubling => self.double(0),
            BarrierAlgorithm::GatherRelease => {
                self.up(0, |_| 0);
                self.broadcast(BroadcastAlgorithm::Binomial, 0, 0);
            }
        }
    }

    pub(super) fn all_reduce(&mut self, algorithm: AllReduceAlgorithm, bytes: u64) {
        match algorithm {
            AllReduceAlgorithm::Automatic if bytes > LONG_REDUCTION_BYTES => {
                self.reduce_scatter_all_gather(bytes);
            }
            AllReduceAlgorithm::Automatic | AllReduceAlgorithm::RecursiveDoubling => {
                self.double(bytes);
            }
            AllReduceAlgorithm::ReduceScatterAllgather => self.reduce_scatter_all_gather(bytes),
            AllReduceAlgorithm::Ring => {
                let (next, previous) = (self.after(1), self.before(1));
                for round in 0..2 * (self.ranks - 1) {
                    let part = self.before(round);
                    let given = part_bytes(bytes, part, 1, self.ranks);
                    self.process.exchange(next, given, previous);
                }
            }
            AllReduceAlgorithm::ReduceBroadcast => {
                self.reduce(ReduceAlgorithm::Binomial, 0, bytes);
                self.broadcast(BroadcastAlgorithm::Binomial, 0, bytes);
            }
        }
    }

    /// The largest power of two of ranks; those beyond go through others, as in MPICH: of the first
    /// ranks, twice as many as are beyond, each even one gives to the next and waits for it. `work`
    /// is done by those left, with their number, how many they are, and how many went.
    fn among_power_of_two(&mut self, bytes: u64, work: impl Fn(&mut Self, u32, u32, u32)) {
        let count = 1 << self.ranks.ilog2();
        let beyond = self.ranks - count;
        if self.rank >= 2 * beyond {
            work(self, self.rank - beyond, count, beyond);
        } else if self.rank.is_multiple_of(2) {
            self.process.send(self.rank + 1, bytes);
            self.process.receive(self.rank + 1);
        } else {
            self.process.receive(self.rank - 1);
            work(self, self.rank / 2, count, beyond);
            self.process.send(self.rank - 1, bytes);
        }
    }

    /// Recursive doubling: everything is exchanged in each round.
    fn double(&mut self, bytes: u64) {
        self.among_power_of_two(bytes, |member, number, count, beyond| {
            let mut distance = 1;
            while distance < count {
                let partner = rank_of(number ^ distance, beyond);
                member.process.exchange(partner, bytes, partner);
                distance <<= 1;
            }
        });
    }

    fn reduce_scatter_all_gather(&mut self, bytes: u64) {
        self.among_power_of_two(bytes, |member, number, count, beyond| {
            member.halve(number, count, bytes, |number| rank_of(number, beyond));
            let mut distance = 1;
            while distance < count {
                let partner = rank_of(number ^ distance, beyond);
                let first = number & !(distance - 1);
                let given = part_bytes(bytes, first, distance, count);
                member.process.exchange(partner, given, partner);
                distance <<= 1;
            }
        });
    }

    pub(super) fn all_gather(&mut self, algorithm: AllGatherAlgorithm, bytes: u64) {
        let total = bytes.saturating_mul(u64::from(self.ranks));
        let is_power = self.ranks.is_power_of_two();
        match algorithm {
            AllGatherAlgorithm::Automatic if is_power && total < LONG_GATHER_BYTES => {
                self.gather_doubling(bytes);
            }
            AllGatherAlgorithm::Automatic if total < MEDIUM_GATHER_BYTES => {
                self.gather_bruck(bytes);
            }
            AllGatherAlgorithm::RecursiveDoubling if is_power => self.gather_doubling(bytes),
            AllGatherAlgorithm::RecursiveDoubling | AllGatherAlgorithm::Bruck => {
                self.gather_bruck(bytes);
            }
            AllGatherAlgorithm::Automatic | AllGatherAlgorithm::Ring => {
                let (next, previous) = (self.after(1), self.before(1));
                for _ in 1..self.ranks {
                    self.process.exchange(next, bytes, previous);
                }
            }
        }
    }

    fn gather_doubling(&mut self, bytes: u64) {
        let mut distance = 1;
        while distance < self.ranks {
            let partner = self.rank ^ distance;
            self.process
                .exchange(partner, bytes * u64::from(distance), partner);
            distance <<= 1;
        }
    }

    fn gather_bruck(&mut self, bytes: u64) {
        let mut distance = 1;
        while distance < self.ranks {
            let parts = distance.min(self.ranks - distance);
            let (to, from) = (self.before(distance), self.after(distance));
            self.process.exchange(to, bytes * u64::from(parts), from);
            distance = distance.saturating_mul(2);
        }
    }

    pub(super) fn all_to_all(&mut self, algorithm: AllToAllAlgorithm, bytes: u64) {
        let is_short = bytes <= SHORT_EXCHANGE_BYTES && self.ranks >= SHORT_EXCHANGE_RANKS;
        match algorithm {
            AllToAllAlgorithm::Automatic if is_short => self.exchange_bruck(bytes),
            AllToAllAlgorithm::Automatic if bytes <= MEDIUM_EXCHANGE_BYTES => {
                self.exchange_at_once(|_| bytes);
            }
            AllToAllAlgorithm::Automatic | AllToAllAlgorithm::Pairwise => {
                self.exchange_pairwise(|_| bytes);
            }
            AllToAllAlgorithm::Bruck => self.exchange_bruck(bytes),
            AllToAllAlgorithm::AtOnce => self.exchange_at_once(|_| bytes),
        }
    }

    /// The parts whose distance has a bit set travel that far, bit by bit.
    fn exchange_bruck(&mut self, bytes: u64) {
        let mut distance = 1;
        while distance < self.ranks {
            let parts = (1..self.ranks).filter(|part| part & distance != 0).count();
            let (to, from) = (self.after(distance), self.before(distance));
            self.process.exchange(to, bytes * parts as u64, from);
            distance = distance.saturating_mul(2);
        }
    }

    pub(super) fn all_to_all_of(&mut self, algorithm: AllToAllVAlgorithm, to: &[u64]) {
        let bytes = |rank: u32| to.get(rank as usize).copied().unwrap_or(0);
        match algorithm {
            AllToAllVAlgorithm::Automatic | AllToAllVAlgorithm::AtOnce => {
                self.exchange_at_once(bytes);
            }
            AllToAllVAlgorithm::Pairwise => self.exchange_pairwise(bytes),
        }
    }

    /// All receives, then all sends, each from the next rank on round the ring, then a wait.
    fn exchange_at_once(&mut self, bytes: impl Fn(u32) -> u64) {
        let mut started = Vec::new();
        for distance in 1..self.ranks {
            let from = self.after(distance);
            started.push(self.process.start_receive(from));
        }
        for distance in 1..self.ranks {
            let to = self.after(distance);
            started.push(self.process.start_send(to, bytes(to)));
        }
        self.process.join(&started);
    }

    fn exchange_pairwise(&mut self, bytes: impl Fn(u32) -> u64) {
        for distance in 1..self.ranks {
            let (to, from) = if self.ranks.is_power_of_two() {
                (self.rank ^ distance, self.rank ^ distance)
            } else {
                (self.after(distance), self.before(distance))
            };
            self.process.exchange(to, bytes(to), from);
        }
    }
}

/// The rank of a number among those left when `beyond` of the first went.
fn rank_of(number: u32, beyond: u32) -> u32 {
    if number < beyond {
        2 * number + 1
    } else {
        number + beyond
    }
}
