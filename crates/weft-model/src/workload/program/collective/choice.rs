//! Which algorithm does which collective operation.

use super::super::error::ProgramError;
use super::pipeline::{Pipeline, parameters};
use weft_registry::{Choice, Spec, Values};

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
        /// From each rank to the next, piece by piece, as NCCL does.
        Chain = "chain",
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
        /// From each rank to the next, piece by piece, as NCCL does.
        Chain = "chain",
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
        /// Pieces go up a binary tree and down again, as in NCCL.
        Tree = "tree",
        /// Half of the data by one binary tree, half by another in which leaves of the first are inside.
        DoubleTree = "double_tree",
        /// Reduce-scatter in each node, all-reduce by a ring across nodes, all-gather in each node.
        Hierarchical = "hierarchical",
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
        /// n − 1 rounds round a ring.
        Ring = "ring",
        /// Parallel aggregated trees, as in NCCL 2.23.
        Pat = "pat",
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
        /// Parallel aggregated trees, as in NCCL 2.23.
        Pat = "pat",
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
        /// The same by number of rank, each receive before its send, so that all send to the first rank first.
        InOrder = "in_order",
        /// n − 1 rounds, in each with one rank.
        Pairwise = "pairwise",
        /// n − 1 rounds, node by node, as NCCL orders sends and receives.
        ByNode = "by_node",
        /// Over the rank of the own node on the receiver's rail, as NCCL's PXN.
        ByRail = "pxn",
    }
);

algorithms!(
    /// Exchanges of all with all of any lengths. Automatic: scattered.
    AllToAllVAlgorithm {
        /// 32 receives and sends, and a wait, until all are done.
        Scattered = "scattered",
        /// All receives, all sends, and a wait.
        AtOnce = "at_once",
        /// The same by number of rank, each receive before its send, so that all send to the first rank first.
        InOrder = "in_order",
        /// n − 1 rounds, in each with one rank.
        Pairwise = "pairwise",
        /// n − 1 rounds, node by node, as NCCL orders sends and receives.
        ByNode = "by_node",
        /// Over the rank of the own node on the receiver's rail, as NCCL's PXN.
        ByRail = "pxn",
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

/// An algorithm and how it passes data on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Chosen<A> {
    pub(super) algorithm: A,
    pub(super) pipeline: Pipeline,
}

/// An algorithm for each operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Algorithms {
    pub(super) barrier: Chosen<BarrierAlgorithm>,
    pub(super) bcast: Chosen<BroadcastAlgorithm>,
    pub(super) reduce: Chosen<ReduceAlgorithm>,
    pub(super) allreduce: Chosen<AllReduceAlgorithm>,
    pub(super) allgather: Chosen<AllGatherAlgorithm>,
    pub(super) allgatherv: Chosen<AllGatherAlgorithm>,
    pub(super) alltoall: Chosen<AllToAllAlgorithm>,
    pub(super) alltoallv: Chosen<AllToAllVAlgorithm>,
    pub(super) gather: Chosen<TreeAlgorithm>,
    pub(super) gatherv: Chosen<LinearAlgorithm>,
    pub(super) scatter: Chosen<TreeAlgorithm>,
    pub(super) scatterv: Chosen<LinearAlgorithm>,
    pub(super) reducescatter: Chosen<ReduceScatterAlgorithm>,
}

/// A collective operation and its algorithms.
#[derive(Clone, Copy, Debug)]
pub struct CollectiveEntry {
    /// Name of the operation.
    pub name: &'static str,
    /// Names of its algorithms, the default first.
    pub algorithms: &'static [&'static str],
    set: fn(&mut Algorithms, &str, Pipeline),
    get: fn(&Algorithms) -> (&'static str, Pipeline),
}

impl CollectiveEntry {
    /// What can be chosen of one of its algorithms.
    pub fn parameters(&self, algorithm: &str) -> &'static [Spec] {
        parameters(algorithm)
    }
}

macro_rules! entry {
    ($name:ident, $algorithm:ident) => {
        CollectiveEntry {
            name: stringify!($name),
            algorithms: $algorithm::NAMES,
            set: |algorithms, name, pipeline| {
                algorithms.$name = Chosen {
                    algorithm: $algorithm::named(name).unwrap_or_default(),
                    pipeline,
                };
            },
            get: |algorithms| {
                let Chosen {
                    algorithm,
                    pipeline,
                } = algorithms.$name;
                (algorithm.name(), pipeline)
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
    /// Chooses the algorithm of one operation, such as `ring` or `ring:channels=4,chunk_bytes=131072`.
    ///
    /// # Errors
    /// [`ProgramError::UnknownCollective`], [`ProgramError::UnknownAlgorithm`],
    /// [`ProgramError::AlgorithmParameter`], [`ProgramError::OddTrees`] and
    /// [`ProgramError::UnusableAggregate`].
    pub fn choose(&mut self, operation: &str, algorithm: &str) -> Result<(), ProgramError> {
        let Some(entry) = COLLECTIVES.iter().find(|entry| entry.name == operation) else {
            let names: Vec<&str> = COLLECTIVES.iter().map(|entry| entry.name).collect();
            return Err(ProgramError::UnknownCollective {
                found: operation.to_owned(),
                known: names.join(", "),
            });
        };
        let choice = Choice::parse(algorithm, "ring:channels=4")
            .map_err(|error| ProgramError::AlgorithmParameter(Box::new(error)))?;
        if !entry.algorithms.contains(&choice.name.as_str()) {
            return Err(ProgramError::UnknownAlgorithm {
                operation: entry.name,
                found: choice.name,
                known: entry.algorithms.join(", "),
            });
        }
        let specs = parameters(&choice.name);
        let owner = format!("{operation} by {}", choice.name);
        let values = Values::complete(owner, specs, &choice.parameters)
            .map_err(|error| ProgramError::AlgorithmParameter(Box::new(error)))?;
        let pipeline = Pipeline::of(specs, &values);
        if choice.name == "double_tree" && pipeline.channels % 2 == 1 {
            return Err(ProgramError::OddTrees {
                found: pipeline.channels,
            });
        }
        if choice.name == "pat" && pipeline.aggregate > 0 && !pipeline.aggregate.is_power_of_two() {
            return Err(ProgramError::UnusableAggregate {
                found: pipeline.aggregate,
                most: None,
            });
        }
        (entry.set)(self, &choice.name, pipeline);
        Ok(())
    }

    /// An algorithm as it is chosen, with what its operation has of parameters.
    pub(super) fn text(&self, operation: &str, taken: &'static str) -> String {
        let entry = COLLECTIVES.iter().find(|entry| entry.name == operation);
        match entry.map(|entry| (entry.get)(self)) {
            Some((chosen, pipeline)) if chosen == taken => pipeline.text(taken),
            _ => taken.to_owned(),
        }
    }

    /// Refuses an algorithm that was chosen and that so many ranks cannot do.
    ///
    /// # Errors
    /// [`ProgramError::UnusableAlgorithm`], [`ProgramError::UnevenNodes`] and
    /// [`ProgramError::UnusableAggregate`].
    pub fn check(&self, ranks: u32) -> Result<(), ProgramError> {
        if ranks < 2 {
            // One alone does nothing.
            return Ok(());
        }
        for entry in COLLECTIVES {
            let (operation, (algorithm, pipeline)) = (entry.name, (entry.get)(self));
            if let Some(otherwise) = needs_power(operation, algorithm)
                && !ranks.is_power_of_two()
            {
                return Err(ProgramError::UnusableAlgorithm {
                    operation,
                    algorithm,
                    ranks,
                    otherwise,
                });
            }
            if !ranks.is_multiple_of(pipeline.per_node) {
                return Err(ProgramError::UnevenNodes {
                    operation,
                    algorithm,
                    ranks,
                    per_node: pipeline.per_node,
                });
            }
            let most = Pipeline::most_aggregated(ranks);
            if algorithm == "pat" && pipeline.aggregate > most {
                return Err(ProgramError::UnusableAggregate {
                    found: pipeline.aggregate,
                    most: Some((ranks, most)),
                });
            }
        }
        Ok(())
    }
}

/// What is taken instead of an algorithm that needs a power of two of ranks, where it does.
fn needs_power(operation: &str, algorithm: &str) -> Option<&'static str> {
    match (operation, algorithm) {
        ("reduce", "reduce_scatter_gather") => Some("binomial"),
        ("allgather" | "allgatherv", "recursive_doubling") => {
            Some("bruck below 81920 bytes in all, else ring")
        }
        _ => None,
    }
}
