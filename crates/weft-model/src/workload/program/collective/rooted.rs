//! Operations from or to one rank.

use super::Member;
use super::choice::{BroadcastAlgorithm, Chosen, LinearAlgorithm, ReduceAlgorithm, TreeAlgorithm};
use weft_fabric::narrow;

/// The length of `count` parts from `first` on, of data cut into `parts` as even as can be.
pub(super) fn part_bytes(bytes: u64, first: u32, count: u32, parts: u32) -> u64 {
    let until = |part: u32| {
        let cut = u128::from(bytes) * u128::from(part) / u128::from(parts);
        narrow::<_, u64>(cut, "a part of the bytes is at most all of them")
    };
    until(first + count) - until(first)
}

impl Member<'_> {
    /// The own rank counted from the root.
    fn relative(&self, root: u32) -> u32 {
        (self.rank + (self.ranks - root)) % self.ranks
    }

    fn absolute(&self, relative: u32, root: u32) -> u32 {
        (relative + root) % self.ranks
    }

    /// The own parent in the binomial tree, relative to the root (itself at the root), and the
    /// distance of the farthest child, doubled.
    fn binomial(&self, root: u32) -> (u32, u32) {
        let relative = self.relative(root);
        let mut mask = 1;
        while mask < self.ranks && relative & mask == 0 {
            mask <<= 1;
        }
        (relative & !mask, mask)
    }

    /// The own children in the binomial tree, the farthest first, each with the ranks below it.
    fn children(&self, root: u32) -> Vec<(u32, u32)> {
        let relative = self.relative(root);
        let (_, mask) = self.binomial(root);
        let distances = (0..32).rev().map(|bit| 1_u32 << bit);
        distances
            .filter(|&distance| distance < mask && distance < self.ranks - relative)
            .map(|distance| {
                let child = relative + distance;
                (self.absolute(child, root), distance.min(self.ranks - child))
            })
            .collect()
    }

    /// The own parent, none at the root.
    fn parent(&self, root: u32) -> Option<u32> {
        let (parent, _) = self.binomial(root);
        (self.rank != root).then(|| self.absolute(parent, root))
    }

    pub(super) fn broadcast(&mut self, chosen: Chosen<BroadcastAlgorithm>, root: u32, bytes: u64) {
        match chosen.algorithm.taken(bytes, self.ranks) {
            BroadcastAlgorithm::ScatterAllgather => self.scatter_all_gather(root, bytes),
            BroadcastAlgorithm::Chain => self.broadcast_chain(chosen.pipeline, root, bytes),
            BroadcastAlgorithm::Automatic | BroadcastAlgorithm::Binomial => {
                self.down(root, |_, _| bytes);
            }
        }
    }

    /// From the parent, then to the children: what each gets depends on the ranks below it.
    pub(super) fn down(&mut self, root: u32, bytes: impl Fn(u32, u32) -> u64) {
        if let Some(parent) = self.parent(root) {
            self.process.receive(parent);
        }
        for (child, below) in self.children(root) {
            let relative = (child + (self.ranks - root)) % self.ranks;
            self.process.send(child, bytes(relative, below));
        }
    }

    /// From the children, the nearest first, then to the parent; so much of what comes from each child is
    /// combined with the own data.
    pub(super) fn up(&mut self, root: u32, bytes: impl Fn(u32) -> u64, combined: u64) {
        let children = self.children(root);
        let below: u32 = 1 + children.iter().map(|child| child.1).sum::<u32>();
        for (child, _) in children.into_iter().rev() {
            self.process.receive(child);
            self.combine(combined);
        }
        if let Some(parent) = self.parent(root) {
            self.process.send(parent, bytes(below));
        }
    }

    fn scatter_all_gather(&mut self, root: u32, bytes: u64) {
        let ranks = self.ranks;
        self.down(root, |first, count| part_bytes(bytes, first, count, ranks));
        let relative = self.relative(root);
        let (next, previous) = (self.after(1), self.before(1));
        for round in 0..ranks - 1 {
            let part = (relative + ranks - round) % ranks;
            self.process
                .exchange(next, part_bytes(bytes, part, 1, ranks), previous);
        }
    }

    pub(super) fn reduce(&mut self, chosen: Chosen<ReduceAlgorithm>, root: u32, bytes: u64) {
        match chosen.algorithm.taken(bytes, self.ranks) {
            ReduceAlgorithm::ReduceScatterGather => self.reduce_scatter_gather(root, bytes),
            ReduceAlgorithm::Chain => self.reduce_chain(chosen.pipeline, root, bytes),
            ReduceAlgorithm::Automatic | ReduceAlgorithm::Binomial => {
                self.up(root, |_| bytes, bytes);
            }
        }
    }

    fn reduce_scatter_gather(&mut self, root: u32, bytes: u64) {
        let ranks = self.ranks;
        let given = |first, count| part_bytes(bytes, first, count, ranks);
        self.halve(self.rank, ranks, given, |rank| rank);
        // Back along the same pairs: whoever differs from the root gives what it has.
        let mut distance = 1;
        while distance < self.ranks {
            let partner = self.rank ^ distance;
            if self.rank & distance == root & distance {
                self.process.receive(partner);
            } else {
                let first = self.rank & !(distance - 1);
                let part = part_bytes(bytes, first, distance, self.ranks);
                self.process.send(partner, part);
                return;
            }
            distance <<= 1;
        }
    }

    /// Recursive halving among a power of two: in each round the half of what is left that the
    /// partner keeps goes there. `number` is the own one among them, `rank_of` tells a rank by its,
    /// and `given` the length of so many parts from one on.
    pub(super) fn halve(
        &mut self,
        number: u32,
        count: u32,
        given: impl Fn(u32, u32) -> u64,
        rank_of: impl Fn(u32) -> u32,
    ) {
        let mut distance = count / 2;
        while distance > 0 {
            let partner = number ^ distance;
            let lowest = !(distance - 1);
            let sent = given(partner & lowest, distance);
            self.process
                .exchange(rank_of(partner), sent, rank_of(partner));
            self.combine(given(number & lowest, distance));
            distance /= 2;
        }
    }

    pub(super) fn gather(&mut self, algorithm: TreeAlgorithm, root: u32, bytes: u64) {
        match algorithm.taken() {
            TreeAlgorithm::Automatic | TreeAlgorithm::Binomial => {
                self.up(root, |below| u64::from(below) * bytes, 0);
            }
            TreeAlgorithm::Linear => self.gather_linear(root, bytes),
        }
    }

    pub(super) fn gather_of(&mut self, algorithm: LinearAlgorithm, root: u32, bytes: u64) {
        match algorithm.taken() {
            LinearAlgorithm::Automatic | LinearAlgorithm::Linear => {
                self.gather_linear(root, bytes);
            }
        }
    }

    /// The root posts all receives, then waits for them.
    fn gather_linear(&mut self, root: u32, bytes: u64) {
        if self.rank != root {
            self.process.send(root, bytes);
            return;
        }
        let others = (0..self.ranks).filter(|&rank| rank != root);
        let started: Vec<u64> = others
            .map(|rank| self.process.start_receive(rank))
            .collect();
        self.process.join(&started);
    }

    pub(super) fn scatter(&mut self, algorithm: TreeAlgorithm, root: u32, bytes: u64) {
        match algorithm.taken() {
            TreeAlgorithm::Automatic | TreeAlgorithm::Binomial => {
                self.down(root, |_, below| u64::from(below) * bytes);
            }
            TreeAlgorithm::Linear => self.scatter_linear(root, |_| bytes),
        }
    }

    pub(super) fn scatter_of(&mut self, algorithm: LinearAlgorithm, root: u32, parts: &[u64]) {
        match algorithm.taken() {
            LinearAlgorithm::Automatic | LinearAlgorithm::Linear => {
                self.scatter_linear(root, |rank| parts.get(rank as usize).copied().unwrap_or(0));
            }
        }
    }

    /// The root starts all sends, then waits for them.
    fn scatter_linear(&mut self, root: u32, bytes: impl Fn(u32) -> u64) {
        if self.rank != root {
            self.process.receive(root);
            return;
        }
        let others = (0..self.ranks).filter(|&rank| rank != root);
        let started: Vec<u64> = others
            .map(|rank| self.process.start_send(rank, bytes(rank)))
            .collect();
        self.process.join(&started);
    }
}
