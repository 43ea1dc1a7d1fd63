//! Which algorithm an operation takes: the one chosen, else by length and number of ranks, as in MPICH.

use super::Collective;
use super::choice::{
    Algorithms, AllGatherAlgorithm, AllReduceAlgorithm, AllToAllAlgorithm, AllToAllVAlgorithm,
    BarrierAlgorithm, BroadcastAlgorithm, LinearAlgorithm, ReduceAlgorithm, ReduceScatterAlgorithm,
    TreeAlgorithm,
};

/// Broadcasts from this length on are scattered and gathered, and from so many ranks on.
const LONG_BROADCAST_BYTES: u64 = 12_288;
const LONG_BROADCAST_RANKS: u32 = 8;

/// Reductions beyond this length are scattered and gathered.
const LONG_REDUCTION_BYTES: u64 = 2_048;

/// Everything reduced and scattered is long from this length on.
const LONG_SCATTERED_REDUCTION_BYTES: u64 = 524_288;

/// Everything gathered is long from this length on, and not short from that on.
const LONG_GATHER_BYTES: u64 = 524_288;
const MEDIUM_GATHER_BYTES: u64 = 81_920;

/// Exchanges up to this length, and from so many ranks on, take Bruck's rounds; up to that length
/// they are scattered.
const SHORT_EXCHANGE_BYTES: u64 = 256;
const SHORT_EXCHANGE_RANKS: u32 = 8;
const MEDIUM_EXCHANGE_BYTES: u64 = 32_768;

impl BarrierAlgorithm {
    pub(super) fn taken(self) -> Self {
        match self {
            Self::Automatic => Self::Dissemination,
            chosen => chosen,
        }
    }
}

impl BroadcastAlgorithm {
    pub(super) fn taken(self, bytes: u64, ranks: u32) -> Self {
        let is_long = bytes >= LONG_BROADCAST_BYTES && ranks >= LONG_BROADCAST_RANKS;
        match self {
            Self::Automatic if is_long => Self::ScatterAllgather,
            Self::Automatic => Self::Binomial,
            chosen => chosen,
        }
    }
}

impl ReduceAlgorithm {
    pub(super) fn taken(self, bytes: u64, ranks: u32) -> Self {
        let is_long = bytes > LONG_REDUCTION_BYTES;
        match self {
            Self::Automatic if is_long && ranks.is_power_of_two() => Self::ReduceScatterGather,
            Self::Automatic => Self::Binomial,
            chosen => chosen,
        }
    }
}

impl AllReduceAlgorithm {
    pub(super) fn taken(self, bytes: u64) -> Self {
        match self {
            Self::Automatic if bytes > LONG_REDUCTION_BYTES => Self::ReduceScatterAllgather,
            Self::Automatic => Self::RecursiveDoubling,
            chosen => chosen,
        }
    }
}

impl ReduceScatterAlgorithm {
    /// `bytes` are those of all parts.
    pub(super) fn taken(self, bytes: u64) -> Self {
        match self {
            Self::Automatic if bytes >= LONG_SCATTERED_REDUCTION_BYTES => Self::Pairwise,
            Self::Automatic => Self::RecursiveHalving,
            chosen => chosen,
        }
    }
}

impl AllGatherAlgorithm {
    /// `bytes` are those of all ranks.
    pub(super) fn taken(self, bytes: u64, ranks: u32) -> Self {
        match self {
            Self::Automatic if ranks.is_power_of_two() && bytes < LONG_GATHER_BYTES => {
                Self::RecursiveDoubling
            }
            Self::Automatic if bytes < MEDIUM_GATHER_BYTES => Self::Bruck,
            Self::Automatic => Self::Ring,
            chosen => chosen,
        }
    }
}

impl AllToAllAlgorithm {
    pub(super) fn taken(self, bytes: u64, ranks: u32) -> Self {
        let is_short = bytes <= SHORT_EXCHANGE_BYTES && ranks >= SHORT_EXCHANGE_RANKS;
        match self {
            Self::Automatic if is_short => Self::Bruck,
            Self::Automatic if bytes <= MEDIUM_EXCHANGE_BYTES => Self::Scattered,
            Self::Automatic => Self::Pairwise,
            chosen => chosen,
        }
    }
}

impl AllToAllVAlgorithm {
    pub(super) fn taken(self) -> Self {
        match self {
            Self::Automatic => Self::Scattered,
            chosen => chosen,
        }
    }
}

impl TreeAlgorithm {
    pub(super) fn taken(self) -> Self {
        match self {
            Self::Automatic => Self::Binomial,
            chosen @ (Self::Binomial | Self::Linear) => chosen,
        }
    }
}

impl LinearAlgorithm {
    pub(super) fn taken(self) -> Self {
        match self {
            Self::Automatic | Self::Linear => Self::Linear,
        }
    }
}

impl Collective {
    /// The algorithm that so many ranks take for it, as it is chosen.
    pub fn algorithm(&self, algorithms: &Algorithms, ranks: u32) -> String {
        algorithms.text(self.name(), self.algorithm_name(algorithms, ranks))
    }

    fn algorithm_name(&self, algorithms: &Algorithms, ranks: u32) -> &'static str {
        let total = |parts: &[u64]| parts.iter().sum();
        match self {
            Self::Barrier => algorithms.barrier.algorithm.taken().name(),
            Self::Broadcast { bytes, .. } => algorithms.bcast.algorithm.taken(*bytes, ranks).name(),
            Self::Reduce { bytes, .. } => algorithms.reduce.algorithm.taken(*bytes, ranks).name(),
            Self::AllReduce { bytes, .. } => algorithms.allreduce.algorithm.taken(*bytes).name(),
            Self::AllGather { bytes } => {
                let total = bytes.saturating_mul(u64::from(ranks));
                algorithms.allgather.algorithm.taken(total, ranks).name()
            }
            Self::AllGatherV { parts, .. } => algorithms
                .allgatherv
                .algorithm
                .taken(total(parts), ranks)
                .name(),
            Self::AllToAll { bytes } => algorithms.alltoall.algorithm.taken(*bytes, ranks).name(),
            Self::AllToAllV { .. } => algorithms.alltoallv.algorithm.taken().name(),
            Self::Gather { .. } => algorithms.gather.algorithm.taken().name(),
            Self::GatherV { .. } => algorithms.gatherv.algorithm.taken().name(),
            Self::Scatter { .. } => algorithms.scatter.algorithm.taken().name(),
            Self::ScatterV { .. } => algorithms.scatterv.algorithm.taken().name(),
            Self::ReduceScatter { parts, .. } => algorithms
                .reducescatter
                .algorithm
                .taken(total(parts))
                .name(),
        }
    }
}
