//! Which algorithm does which collective operation.

use super::super::error::ProgramError;

macro_rules! algorithms {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub(super) enum $name {
            /// By length and number of ranks, as MPICH does.
            #[default]
            Automatic,
            $($(#[$variant_doc])* $variant,)+
        }

        impl $name {
            const NAMES: &[&str] = &["automatic", $($text),+];

            fn named(name: &str) -> Option<Self> {
                match name {
                    "automatic" => Some(Self::Automatic),
                    $($text => Some(Self::$variant),)+
                    _ => None,
                }
            }

            pub(super) fn name(self) -> &'static str {
                match self {
                    Self::Automatic => "automatic",
                    $(Self::$variant => $text,)+
                }
            }
        }
    };
}

algorithms!(
    /// Barriers. Automatic: dissemination.
    BarrierAlgorithm {
        /// ⌈log2 n⌉ rounds, in each a message to the rank 2^k after.
        Dissemination = "dissemination",
        /// Pairs whose ranks differ in one bit; others join through one of the power of two.
        RecursiveDoubling = "recursive_doubling",
        /// A binomial tree to rank 0 and back.
        GatherRelease = "gather_release",
    }
);

algorithms!(
    /// Broadcasts. Automatic: binomial below 12,288 bytes or 8 ranks, else scatter and allgather.
    BroadcastAlgorithm {
        /// A binomial tree.
        Binomial = "binomial",
        /// Parts go down a binomial tree, then round a ring.
        ScatterAllgather = "scatter_allgather",
    }
);

algorithms!(
    /// Reductions to one. Automatic: binomial up to 2,048 bytes, else reduce-scatter and gather where
    /// the number of ranks is a power of two.
    ReduceAlgorithm {
        /// A binomial tree.
        Binomial = "binomial",
        /// Recursive halving, then a gather (Rabenseifner), of a power of two.
        ReduceScatterGather = "reduce_scatter_gather",
    }
);

algorithms!(
    /// Reductions to all. Automatic: recursive doubling up to 2,048 bytes, else reduce-scatter and
    /// allgather.
    AllReduceAlgorithm {
        /// Pairs whose ranks differ in one bit exchange everything.
        RecursiveDoubling = "recursive_doubling",
        /// Recursive halving, then doubling (Rabenseifner).
        ReduceScatterAllgather = "reduce_scatter_allgather",
        /// Parts go round a ring twice.
        Ring = "ring",
        /// A reduction to rank 0 and a broadcast.
        ReduceBroadcast = "reduce_bcast",
    }
);

algorithms!(
    /// Reductions whose result is scattered. Automatic: recursive halving below 524,288 bytes in all,
    /// else pairwise.
    ReduceScatterAlgorithm {
        /// Pairs whose ranks differ in one bit exchange halves of what is left; those beyond a
        /// power of two go through others.
        RecursiveHalving = "recursive_halving",
        /// n − 1 rounds, in each a part to the rank it is for.
        Pairwise = "pairwise",
    }
);

algorithms!(
    /// Gathers to all, of equal lengths or any. Automatic: recursive doubling below 524,288 bytes in all where the number of
    /// ranks is a power of two, else Bruck's below 81,920, else a ring.
    AllGatherAlgorithm {
        /// Pairs whose ranks differ in one bit, of a power of two.
        RecursiveDoubling = "recursive_doubling",
        /// ⌈log2 n⌉ rounds round a ring.
        Bruck = "bruck",
        /// n − 1 rounds round a ring.
        Ring = "ring",
    }
);

algorithms!(
    /// Exchanges of all with all. Automatic: Bruck's up to 256 bytes and from 8 ranks on, scattered up to
    /// 32,768, else pairwise.
    AllToAllAlgorithm {
        /// 32 receives and sends, and a wait, until all are done.
        Scattered = "scattered",
        /// ⌈log2 n⌉ rounds with half of everything in each.
        Bruck = "bruck",
        /// All receives, all sends, and a wait.
        AtOnce = "at_once",
        /// n − 1 rounds, in each with one rank.
        Pairwise = "pairwise",
    }
);

algorithms!(
    /// Exchanges of all with all of any lengths. Automatic: scattered.
    AllToAllVAlgorithm {
        /// 32 receives and sends, and a wait, until all are done.
        Scattered = "scattered",
        /// All receives, all sends, and a wait.
        AtOnce = "at_once",
        /// n − 1 rounds, in each with one rank.
        Pairwise = "pairwise",
    }
);

algorithms!(
    /// Gathers to one and scatters from one. Automatic: binomial.
    TreeAlgorithm {
        /// A binomial tree, whose branches travel together.
        Binomial = "binomial",
        /// Each rank and the root by themselves.
        Linear = "linear",
    }
);

algorithms!(
    /// Gathers to one and scatters from one, of any lengths: only the root knows them all, which a
    /// tree would have to.
    LinearAlgorithm {
        /// Each rank and the root by themselves.
        Linear = "linear",
    }
);

/// An algorithm for each operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Algorithms {
    pub(super) barrier: BarrierAlgorithm,
    pub(super) bcast: BroadcastAlgorithm,
    pub(super) reduce: ReduceAlgorithm,
    pub(super) allreduce: AllReduceAlgorithm,
    pub(super) allgather: AllGatherAlgorithm,
    pub(super) allgatherv: AllGatherAlgorithm,
    pub(super) alltoall: AllToAllAlgorithm,
    pub(super) alltoallv: AllToAllVAlgorithm,
    pub(super) gather: TreeAlgorithm,
    pub(super) gatherv: LinearAlgorithm,
    pub(super) scatter: TreeAlgorithm,
    pub(super) scatterv: LinearAlgorithm,
    pub(super) reducescatter: ReduceScatterAlgorithm,
}

/// A collective operation and its algorithms.
#[derive(Clone, Copy, Debug)]
pub struct CollectiveEntry {
    /// Name of the operation.
    pub name: &'static str,
    /// Names of its algorithms, the default first.
    pub algorithms: &'static [&'static str],
    set: fn(&mut Algorithms, &str) -> bool,
}

macro_rules! entry {
    ($name:ident, $algorithm:ident) => {
        CollectiveEntry {
            name: stringify!($name),
            algorithms: $algorithm::NAMES,
            set: |algorithms, name| {
                let found = $algorithm::named(name);
                algorithms.$name = found.unwrap_or_default();
                found.is_some()
            },
        }
    };
}

/// The operations and their algorithms.
pub const COLLECTIVES: &[CollectiveEntry] = &[
    entry!(barrier, BarrierAlgorithm),
    entry!(bcast, BroadcastAlgorithm),
    entry!(reduce, ReduceAlgorithm),
    entry!(allreduce, AllReduceAlgorithm),
    entry!(allgather, AllGatherAlgorithm),
    entry!(allgatherv, AllGatherAlgorithm),
    entry!(alltoall, AllToAllAlgorithm),
    entry!(alltoallv, AllToAllVAlgorithm),
    entry!(gather, TreeAlgorithm),
    entry!(gatherv, LinearAlgorithm),
    entry!(scatter, TreeAlgorithm),
    entry!(scatterv, LinearAlgorithm),
    entry!(reducescatter, ReduceScatterAlgorithm),
];

impl Algorithms {
    /// Chooses the algorithm of one operation.
    ///
    /// # Errors
    /// [`ProgramError::UnknownCollective`] and [`ProgramError::UnknownAlgorithm`].
    pub fn choose(&mut self, operation: &str, algorithm: &str) -> Result<(), ProgramError> {
        let Some(entry) = COLLECTIVES.iter().find(|entry| entry.name == operation) else {
            let names: Vec<&str> = COLLECTIVES.iter().map(|entry| entry.name).collect();
            return Err(ProgramError::UnknownCollective {
                found: operation.to_owned(),
                known: names.join(", "),
            });
        };
        if (entry.set)(self, algorithm) {
            return Ok(());
        }
        Err(ProgramError::UnknownAlgorithm {
            operation: entry.name,
            found: algorithm.to_owned(),
            known: entry.algorithms.join(", "),
        })
    }

    /// Refuses an algorithm that was chosen and that so many ranks cannot do.
    ///
    /// # Errors
    /// [`ProgramError::UnusableAlgorithm`].
    pub fn check(&self, ranks: u32) -> Result<(), ProgramError> {
        let needs_power = [
            (
                "reduce",
                self.reduce == ReduceAlgorithm::ReduceScatterGather,
                self.reduce.name(),
                "binomial",
            ),
            (
                "allgather",
                self.allgather == AllGatherAlgorithm::RecursiveDoubling,
                self.allgather.name(),
                GATHER_OTHERWISE,
            ),
            (
                "allgatherv",
                self.allgatherv == AllGatherAlgorithm::RecursiveDoubling,
                self.allgatherv.name(),
                GATHER_OTHERWISE,
            ),
        ];
        let unusable = |entry: &&(&'static str, bool, &'static str, &'static str)| entry.1;
        match needs_power.iter().find(unusable) {
            Some(&(operation, _, algorithm, otherwise)) if !ranks.is_power_of_two() => {
                Err(ProgramError::UnusableAlgorithm {
                    operation,
                    algorithm,
                    ranks,
                    otherwise,
                })
            }
            _ => Ok(()),
        }
    }
}

/// What gathers to all take without a choice where the number of ranks is no power of two.
const GATHER_OTHERWISE: &str = "bruck below 81920 bytes in all, else ring";
