//! Operations in which all ranks get a result.

use super::Member;
use super::choice::{
    AllGatherAlgorithm, AllReduceAlgorithm, AllToAllAlgorithm, AllToAllVAlgorithm,
    BarrierAlgorithm, Chosen, ReduceScatterAlgorithm,
};
use super::parts::Parts;
use super::rooted::part_bytes;

/// Receives and sends that a scattered exchange has at a time.
const AT_A_TIME: u32 = 32;

impl Member<'_> {
    pub(super) fn barrier(&mut self, algorithm: BarrierAlgorithm) {
        match algorithm.taken() {
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
                self.up(0, |_| 0, 0);
                self.down(0, |_, _| 0);
            }
        }
    }

    pub(super) fn all_reduce(&mut self, chosen: Chosen<AllReduceAlgorithm>, bytes: u64) {
        let pipeline = chosen.pipeline;
        match chosen.algorithm.taken(bytes) {
            AllReduceAlgorithm::Automatic | AllReduceAlgorithm::RecursiveDoubling => {
                self.double(bytes);
            }
            AllReduceAlgorithm::ReduceScatterAllgather => self.reduce_scatter_all_gather(bytes),
            AllReduceAlgorithm::Ring => self.all_reduce_ring(pipeline, bytes),
            AllReduceAlgorithm::ReduceBroadcast => {
                self.up(0, |_| bytes, bytes);
                self.down(0, |_, _| bytes);
            }
            AllReduceAlgorithm::Tree => self.all_reduce_trees(pipeline, bytes, false),
            AllReduceAlgorithm::DoubleTree => self.all_reduce_trees(pipeline, bytes, true),
            AllReduceAlgorithm::Hierarchical => self.all_reduce_hierarchical(pipeline, bytes),
        }
    }

    /// The largest power of two of ranks; those beyond go through others, as in MPICH: of the first
    /// ranks, twice as many as are beyond, each even one gives to the next and waits for it. `work`
    /// is done by those left, with their number, how many they are, and how many went. `bytes` are
    /// given, `returned` those that a rank gets back.
    fn among_power_of_two(
        &mut self,
        bytes: u64,
        returned: impl Fn(u32) -> u64,
        work: impl Fn(&mut Self, u32, u32, u32),
    ) {
        let count = 1 << self.ranks.ilog2();
        let beyond = self.ranks - count;
        if self.rank >= 2 * beyond {
            work(self, self.rank - beyond, count, beyond);
        } else if self.rank.is_multiple_of(2) {
            self.process.send(self.rank + 1, bytes);
            self.process.receive(self.rank + 1);
        } else {
            self.process.receive(self.rank - 1);
            self.combine(bytes);
            work(self, self.rank / 2, count, beyond);
            self.process.send(self.rank - 1, returned(self.rank - 1));
        }
    }

    /// Recursive doubling: everything is exchanged in each round.
    fn double(&mut self, bytes: u64) {
        self.among_power_of_two(
            bytes,
            |_| bytes,
            |member, number, count, beyond| {
                let mut distance = 1;
                while distance < count {
                    let partner = rank_of(number ^ distance, beyond);
                    member.process.exchange(partner, bytes, partner);
                    member.combine(bytes);
                    distance <<= 1;
                }
            },
        );
    }

    fn reduce_scatter_all_gather(&mut self, bytes: u64) {
        self.among_power_of_two(
            bytes,
            |_| bytes,
            |member, number, count, beyond| {
                let given = |first, parts| part_bytes(bytes, first, parts, count);
                member.halve(number, count, given, |number| rank_of(number, beyond));
                let mut distance = 1;
                while distance < count {
                    let partner = rank_of(number ^ distance, beyond);
                    let first = number & !(distance - 1);
                    let given = part_bytes(bytes, first, distance, count);
                    member.process.exchange(partner, given, partner);
                    distance <<= 1;
                }
            },
        );
    }

    pub(super) fn reduce_scatter(&mut self, chosen: Chosen<ReduceScatterAlgorithm>, parts: Parts) {
        match chosen.algorithm.taken(parts.total()) {
            ReduceScatterAlgorithm::Automatic | ReduceScatterAlgorithm::RecursiveHalving => {
                self.reduce_halving(parts);
            }
            ReduceScatterAlgorithm::Pairwise => self.reduce_pairwise(parts),
            ReduceScatterAlgorithm::Ring => self.reduce_scatter_ring(chosen.pipeline, parts),
            ReduceScatterAlgorithm::Pat => self.reduce_scatter_pat(chosen.pipeline, parts),
        }
    }

    fn reduce_halving(&mut self, parts: Parts) {
        let returned = |rank| parts.of(rank);
        self.among_power_of_two(parts.total(), returned, |member, number, count, beyond| {
            // What one of those left ends with: its own part, and that of who went.
            let until = |number: u32| number + number.min(beyond);
            let given = |first: u32, numbers: u32| {
                let begin = until(first);
                parts.stretch(begin, until(first + numbers) - begin)
            };
            member.halve(number, count, given, |number| rank_of(number, beyond));
        });
    }

    fn reduce_pairwise(&mut self, parts: Parts) {
        for distance in 1..self.ranks {
            let (to, from) = (self.after(distance), self.before(distance));
            self.process.exchange(to, parts.of(to), from);
            self.combine(parts.of(self.rank));
        }
    }

    pub(super) fn all_gather(&mut self, chosen: Chosen<AllGatherAlgorithm>, parts: Parts) {
        match chosen.algorithm.taken(parts.total(), self.ranks) {
            AllGatherAlgorithm::RecursiveDoubling => self.gather_doubling(parts),
            AllGatherAlgorithm::Bruck => self.gather_bruck(parts),
            AllGatherAlgorithm::Automatic | AllGatherAlgorithm::Ring => {
                self.all_gather_ring(chosen.pipeline, parts);
            }
            AllGatherAlgorithm::Pat => self.all_gather_pat(chosen.pipeline, parts),
        }
    }

    fn gather_doubling(&mut self, parts: Parts) {
        let mut distance = 1;
        while distance < self.ranks {
            let partner = self.rank ^ distance;
            let first = self.rank & !(distance - 1);
            self.process
                .exchange(partner, parts.stretch(first, distance), partner);
            distance <<= 1;
        }
    }

    fn gather_bruck(&mut self, parts: Parts) {
        let mut distance = 1;
        while distance < self.ranks {
            let count = distance.min(self.ranks - distance);
            let (to, from) = (self.before(distance), self.after(distance));
            self.process
                .exchange(to, parts.stretch(self.rank, count), from);
            distance = distance.saturating_mul(2);
        }
    }

    pub(super) fn all_to_all(&mut self, chosen: Chosen<AllToAllAlgorithm>, bytes: u64) {
        match chosen.algorithm.taken(bytes, self.ranks) {
            AllToAllAlgorithm::Automatic | AllToAllAlgorithm::Pairwise => {
                self.exchange_pairwise(|_| bytes);
            }
            AllToAllAlgorithm::Scattered => self.exchange_scattered(|_| Some(bytes), |_| true),
            AllToAllAlgorithm::Bruck => self.exchange_bruck(bytes),
            AllToAllAlgorithm::AtOnce => self.exchange_at_once(|_| Some(bytes), |_| true),
            AllToAllAlgorithm::InOrder => self.exchange_in_order(|_| Some(bytes), |_| true),
            AllToAllAlgorithm::ByNode => {
                self.exchange_by_node(chosen.pipeline, |_| Some(bytes), |_| true);
            }
            AllToAllAlgorithm::ByRail => {
                self.exchange_by_rail(chosen.pipeline, |_, _| Some(bytes), |_| true);
            }
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

    pub(super) fn all_to_all_of(
        &mut self,
        chosen: Chosen<AllToAllVAlgorithm>,
        to: &[u64],
        from: &[u64],
    ) {
        let of = |lengths: &[u64], rank: u32| lengths.get(rank as usize).copied().unwrap_or(0);
        // Ranks that have nothing for one another exchange nothing, as in MPICH and Open MPI.
        let bytes = |rank| Some(of(to, rank)).filter(|&bytes| bytes > 0);
        let sends = |rank| of(from, rank) > 0;
        match chosen.algorithm.taken() {
            AllToAllVAlgorithm::Automatic | AllToAllVAlgorithm::Scattered => {
                self.exchange_scattered(bytes, sends);
            }
            AllToAllVAlgorithm::AtOnce => self.exchange_at_once(bytes, sends),
            AllToAllVAlgorithm::InOrder => self.exchange_in_order(bytes, sends),
            AllToAllVAlgorithm::ByNode => self.exchange_by_node(chosen.pipeline, bytes, sends),
            AllToAllVAlgorithm::ByRail => {
                let own = self.rank;
                let given = self.given;
                let bytes = |from: u32, to_rank: u32| {
                    let others = |given: &dyn Fn(u32, u32) -> u64| given(from, to_rank);
                    let found = if from == own {
                        of(to, to_rank)
                    } else {
                        given.map_or(0, others)
                    };
                    Some(found).filter(|&bytes| bytes > 0)
                };
                self.exchange_by_rail(chosen.pipeline, bytes, sends);
            }
            AllToAllVAlgorithm::Pairwise => self.exchange_pairwise(|rank| of(to, rank)),
        }
    }

    /// All receives, then all sends, each from the next rank on round the ring, then a wait: what ranks
    /// are sent, if they are sent anything, and whether they send something.
    fn exchange_at_once(
        &mut self,
        bytes: impl Fn(u32) -> Option<u64>,
        sends: impl Fn(u32) -> bool,
    ) {
        let mut started = Vec::new();
        for distance in 1..self.ranks {
            let from = self.after(distance);
            if sends(from) {
                started.push(self.start_getting(from));
            }
        }
        for distance in 1..self.ranks {
            let to = self.after(distance);
            if let Some(bytes) = bytes(to) {
                started.push(self.start_giving(to, bytes));
            }
        }
        self.process.join(&started);
    }

    /// By number of rank a receive and a send, then a wait. As in early releases of MPICH 1 (`intra_fns.c`);
    /// later ones go round the ring, since so the first rank has a message of each other at once.
    fn exchange_in_order(
        &mut self,
        bytes: impl Fn(u32) -> Option<u64>,
        sends: impl Fn(u32) -> bool,
    ) {
        let mut started = Vec::new();
        let own = self.rank;
        for other in (0..self.ranks).filter(|&other| other != own) {
            if sends(other) {
                started.push(self.start_getting(other));
            }
            if let Some(bytes) = bytes(other) {
                started.push(self.start_giving(other, bytes));
            }
        }
        self.process.join(&started);
    }

    /// So many at a time, the own rank counted, receives from the ranks that follow and sends to those
    /// before, then a wait: the next begin when these are over. As in MPICH, whose
    /// `MPIR_CVAR_ALLTOALL_THROTTLE` is 32.
    fn exchange_scattered(
        &mut self,
        bytes: impl Fn(u32) -> Option<u64>,
        sends: impl Fn(u32) -> bool,
    ) {
        let mut started = Vec::new();
        for first in (0..self.ranks).step_by(AT_A_TIME as usize) {
            let distances = first.max(1)..self.ranks.min(first + AT_A_TIME);
            for distance in distances.clone() {
                let from = self.after(distance);
                if sends(from) {
                    started.push(self.start_getting(from));
                }
            }
            for distance in distances {
                let to = self.before(distance);
                if let Some(bytes) = bytes(to) {
                    started.push(self.start_giving(to, bytes));
                }
            }
            self.process.join(&started);
            started.clear();
        }
    }

    fn exchange_pairwise(&mut self, bytes: impl Fn(u32) -> u64) {
        for distance in 1..self.ranks {
            let (to, from) = if self.ranks.is_power_of_two() {
                (self.rank ^ distance, self.rank ^ distance)
            } else {
                (self.after(distance), self.before(distance))
            };
            let receive = self.start_getting(from);
            let send = self.start_giving(to, bytes(to));
            self.process.join(&[receive, send]);
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
