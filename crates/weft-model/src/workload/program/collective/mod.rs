//! Collective operations of MPI as the messages they come down to, algorithm by algorithm.
//!
//! `all` and `rooted` are the algorithms of MPI. Those of NCCL are made of flows (`flow`): in each the pieces
//! of data follow one another, so many under way, and several go on beside one another; `channels` are rings,
//! trees and chains, `pat` parallel aggregated trees, `rails` what nodes with several adapters do.
//!
//! Sources: Thakur, Rabenseifner, Gropp, Optimization of collective communication operations in
//! MPICH, 2005, for the algorithms and for the lengths at which the automatic choice changes; NCCL 2.23, `src/graph/trees.cc`,
//! `src/device/all_reduce.h`, `src/include/collectives.h` and `src/init.cc`; Jeaugey, PAT: a new algorithm for
//! all-gather and reduce-scatter operations at scale, arXiv 2506.20252, 2025.

mod all;
mod channels;
mod choice;
mod circle;
mod flow;
mod parts;
mod pat;
mod pipeline;
mod rails;
mod rooted;
mod taken;

pub use choice::{Algorithms, COLLECTIVES, CollectiveEntry};
pub(super) use parts::piece_bytes;

use super::process::Process;
use parts::Parts;
use std::fmt;

/// A collective operation of all ranks; lengths in bytes.
#[derive(Clone, Debug, PartialEq)]
pub enum Collective {
    /// Nobody goes on before all are there.
    Barrier,
    /// The root's data goes to all.
    Broadcast {
        /// Whose data.
        root: u32,
        /// Their length.
        bytes: u64,
    },
    /// All ranks' data are combined at the root.
    Reduce {
        /// Who has the result.
        root: u32,
        /// Length of a rank's data.
        bytes: u64,
        /// Time of combining, at each rank, in ns.
        ns: f64,
    },
    /// All ranks' data are combined, for all.
    AllReduce {
        /// Length of a rank's data.
        bytes: u64,
        /// Time of combining, at each rank, in ns.
        ns: f64,
    },
    /// All ranks' data go to all.
    AllGather {
        /// Length of a rank's data.
        bytes: u64,
    },
    /// Each rank has data for each.
    AllToAll {
        /// Length of one rank's data for another.
        bytes: u64,
    },
    /// Each rank has data for each, of any length.
    AllToAllV {
        /// Length of the own data for each rank.
        to: Vec<u64>,
        /// Length of what is expected of each rank: [`UNTOLD_BYTES`](Self::UNTOLD_BYTES) where all that
        /// is known is that it is something.
        from: Vec<u64>,
    },
    /// All ranks' data go to all, of any length.
    AllGatherV {
        /// Length of each rank's data.
        parts: Vec<u64>,
        /// Length of the own data where it was told besides.
        own: Option<u64>,
    },
    /// All ranks' data are combined, and each rank gets a part.
    ReduceScatter {
        /// Length of each rank's part.
        parts: Vec<u64>,
        /// Time of combining, at each rank, in ns.
        ns: f64,
    },
    /// All ranks' data go to the root.
    Gather {
        /// Who gets them.
        root: u32,
        /// Length of a rank's data.
        bytes: u64,
    },
    /// The root has data for each rank.
    Scatter {
        /// Who has them.
        root: u32,
        /// Length of a rank's data.
        bytes: u64,
    },
    /// All ranks' data go to the root, of any length.
    GatherV {
        /// Who gets them.
        root: u32,
        /// Length of the own data.
        bytes: u64,
        /// At the root: length of what it expects of each rank; empty where that is not known.
        parts: Vec<u64>,
    },
    /// The root has data for each rank, of any length.
    ScatterV {
        /// Who has them.
        root: u32,
        /// Length of each rank's data; only the root has to know.
        parts: Vec<u64>,
        /// Length of what a rank expects, where that is known.
        bytes: Option<u64>,
    },
}

impl Collective {
    /// Something, however long.
    pub const UNTOLD_BYTES: u64 = u64::MAX;

    /// An operation by its name, with data as long for every rank that has, gives or gets
    /// any; `None` if there is none of that name.
    pub fn even(name: &str, ranks: u32, root: u32, bytes: u64) -> Option<Self> {
        let parts = || vec![bytes; ranks as usize];
        let ns = 0.0;
        Some(match name {
            "barrier" => Self::Barrier,
            "bcast" => Self::Broadcast { root, bytes },
            "reduce" => Self::Reduce { root, bytes, ns },
            "allreduce" => Self::AllReduce { bytes, ns },
            "allgather" => Self::AllGather { bytes },
            "allgatherv" => Self::AllGatherV {
                parts: parts(),
                own: Some(bytes),
            },
            "alltoall" => Self::AllToAll { bytes },
            "alltoallv" => Self::AllToAllV {
                to: parts(),
                from: parts(),
            },
            "gather" => Self::Gather { root, bytes },
            "gatherv" => Self::GatherV {
                root,
                bytes,
                parts: parts(),
            },
            "scatter" => Self::Scatter { root, bytes },
            "scatterv" => Self::ScatterV {
                root,
                parts: parts(),
                bytes: Some(bytes),
            },
            "reducescatter" => Self::ReduceScatter { parts: parts(), ns },
            _ => return None,
        })
    }

    /// The operation's name in time-independent traces.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Barrier => "barrier",
            Self::Broadcast { .. } => "bcast",
            Self::Reduce { .. } => "reduce",
            Self::AllReduce { .. } => "allreduce",
            Self::AllGather { .. } => "allgather",
            Self::AllGatherV { .. } => "allgatherv",
            Self::AllToAll { .. } => "alltoall",
            Self::AllToAllV { .. } => "alltoallv",
            Self::Gather { .. } => "gather",
            Self::GatherV { .. } => "gatherv",
            Self::Scatter { .. } => "scatter",
            Self::ScatterV { .. } => "scatterv",
            Self::ReduceScatter { .. } => "reducescatter",
        }
    }

    /// The name, in time-independent traces, of the operation where a rank goes on and waits for it later.
    pub fn started_name(&self) -> &'static str {
        match self {
            Self::Barrier => "ibarrier",
            Self::Broadcast { .. } => "ibcast",
            Self::Reduce { .. } => "ireduce",
            Self::AllReduce { .. } => "iallreduce",
            Self::AllGather { .. } => "iallgather",
            Self::AllGatherV { .. } => "iallgatherv",
            Self::AllToAll { .. } => "ialltoall",
            Self::AllToAllV { .. } => "ialltoallv",
            Self::Gather { .. } => "igather",
            Self::GatherV { .. } => "igatherv",
            Self::Scatter { .. } => "iscatter",
            Self::ScatterV { .. } => "iscatterv",
            Self::ReduceScatter { .. } => "ireducescatter",
        }
    }

    pub(super) fn root(&self) -> Option<u32> {
        match *self {
            Self::Broadcast { root, .. }
            | Self::Reduce { root, .. }
            | Self::Gather { root, .. }
            | Self::GatherV { root, .. }
            | Self::Scatter { root, .. }
            | Self::ScatterV { root, .. } => Some(root),
            _ => None,
        }
    }

    /// The lengths of ranks' parts, one for each, that `rank` has to know.
    pub(super) fn parts(&self, rank: u32) -> Option<&[u64]> {
        match self {
            Self::AllToAllV { to: parts, .. }
            | Self::AllGatherV { parts, .. }
            | Self::ReduceScatter { parts, .. } => Some(parts),
            Self::ScatterV { root, parts, .. } => (*root == rank).then_some(parts),
            _ => None,
        }
    }

    /// Forgets the lengths that are expected of other ranks, where what is sent is told besides.
    pub(super) fn forget_expectations(&mut self) {
        match self {
            Self::AllToAllV { from, .. } => from.clear(),
            Self::AllGatherV { own, .. } => *own = None,
            Self::GatherV { parts, .. } => parts.clear(),
            Self::ScatterV { bytes, .. } => *bytes = None,
            _ => {}
        }
    }

    /// Whether two ranks that call these call the same. Lengths of a gather or a scatter, of which those
    /// that only the root knows are missing in a trace elsewhere, and those that are listed by rank, are
    /// looked at by themselves.
    pub(super) fn agrees_with(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::AllToAllV { .. }, Self::AllToAllV { .. })
            | (Self::AllGatherV { .. }, Self::AllGatherV { .. })
            | (Self::ReduceScatter { .. }, Self::ReduceScatter { .. }) => true,
            (Self::Gather { root, .. }, Self::Gather { root: other, .. })
            | (Self::GatherV { root, .. }, Self::GatherV { root: other, .. })
            | (Self::Scatter { root, .. }, Self::Scatter { root: other, .. })
            | (Self::ScatterV { root, .. }, Self::ScatterV { root: other, .. }) => root == other,
            (
                Self::Reduce { root, bytes, .. },
                Self::Reduce {
                    root: r, bytes: b, ..
                },
            ) => (root, bytes) == (r, b),
            (Self::AllReduce { bytes, .. }, Self::AllReduce { bytes: other, .. }) => bytes == other,
            _ => self == other,
        }
    }
}

impl fmt::Display for Collective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Self::Broadcast { bytes, .. }
            | Self::Reduce { bytes, .. }
            | Self::AllReduce { bytes, .. }
            | Self::AllGather { bytes }
            | Self::AllToAll { bytes }
            | Self::Gather { bytes, .. }
            | Self::Scatter { bytes, .. } => write!(f, " of {bytes} bytes")?,
            Self::AllGatherV { parts, .. } | Self::ReduceScatter { parts, .. } => {
                write!(f, " of {} bytes", parts.iter().sum::<u64>())?;
            }
            Self::Barrier
            | Self::AllToAllV { .. }
            | Self::GatherV { .. }
            | Self::ScatterV { .. } => {}
        }
        match self.root() {
            Some(root) => write!(f, " with root {root}"),
            None => Ok(()),
        }
    }
}

/// One rank of several, in an operation.
pub(super) struct Member<'a> {
    process: &'a mut Process,
    rank: u32,
    ranks: u32,
    reduce_byte_ns: f64,
    /// Bytes that a rank has for another, in an exchange of any lengths.
    given: Option<&'a dyn Fn(u32, u32) -> u64>,
}

impl<'a> Member<'a> {
    /// A rank, and of how many; what comes in a reduction takes so long a byte to be combined.
    pub(super) fn new(
        process: &'a mut Process,
        (rank, ranks): (u32, u32),
        reduce_byte_ns: f64,
    ) -> Self {
        Self {
            process,
            rank,
            ranks,
            reduce_byte_ns,
            given: None,
        }
    }

    /// The same, which knows what all ranks have for one another.
    pub(super) fn knowing(self, given: &'a dyn Fn(u32, u32) -> u64) -> Self {
        let given = Some(given);
        Self { given, ..self }
    }

    /// The rank so many after the own one, round the end.
    fn after(&self, distance: u32) -> u32 {
        // Invariant: ranks number far fewer than 2^31.
        (self.rank + distance % self.ranks) % self.ranks
    }

    /// The rank so many before the own one, round the end.
    fn before(&self, distance: u32) -> u32 {
        self.after(self.ranks - distance % self.ranks)
    }

    /// The flow that what it sends to a rank in an exchange is of, so that ranks with several adapters use them by turns.
    fn flow_to(&self, to: u32) -> u32 {
        (to + self.ranks - self.rank) % self.ranks
    }

    /// That of what a rank sends to it.
    fn flow_from(&self, from: u32) -> u32 {
        (self.rank + self.ranks - from) % self.ranks
    }

    /// It starts to send something of an exchange.
    fn start_giving(&mut self, to: u32, bytes: u64) -> u64 {
        self.process.start_send_in(self.flow_to(to), to, bytes)
    }

    /// It starts to receive something of an exchange.
    fn start_getting(&mut self, from: u32) -> u64 {
        self.process.start_receive_in(self.flow_from(from), from)
    }

    /// The time that so many bytes that came take to be combined with the own ones, where it is any.
    fn reduction_ns(&self, bytes: u64) -> Option<f64> {
        Some(self.reduce_byte_ns * bytes as f64).filter(|&ns| ns > 0.0)
    }

    /// What came is combined with the own data.
    fn combine(&mut self, bytes: u64) {
        if let Some(ns) = self.reduction_ns(bytes) {
            self.process.compute(ns);
        }
    }
}

/// Turns a collective operation into what one rank of it does.
pub(super) fn expand(collective: &Collective, algorithms: &Algorithms, mut member: Member<'_>) {
    if let Collective::Reduce { ns, .. }
    | Collective::AllReduce { ns, .. }
    | Collective::ReduceScatter { ns, .. } = *collective
        && ns > 0.0
    {
        member.process.compute(ns);
    }
    let ranks = member.ranks;
    if ranks < 2 {
        return;
    }
    match *collective {
        Collective::Barrier => member.barrier(algorithms.barrier.algorithm),
        Collective::Broadcast { root, bytes } => member.broadcast(algorithms.bcast, root, bytes),
        Collective::Reduce { root, bytes, .. } => member.reduce(algorithms.reduce, root, bytes),
        Collective::AllReduce { bytes, .. } => member.all_reduce(algorithms.allreduce, bytes),
        Collective::AllGather { bytes } => {
            member.all_gather(algorithms.allgather, Parts::Even { bytes, ranks });
        }
        Collective::AllGatherV { ref parts, .. } => {
            member.all_gather(algorithms.allgatherv, Parts::Each(parts));
        }
        Collective::AllToAll { bytes } => member.all_to_all(algorithms.alltoall, bytes),
        Collective::AllToAllV { ref to, ref from } => {
            member.all_to_all_of(algorithms.alltoallv, to, from);
        }
        Collective::Gather { root, bytes } => {
            member.gather(algorithms.gather.algorithm, root, bytes);
        }
        Collective::GatherV { root, bytes, .. } => {
            member.gather_of(algorithms.gatherv.algorithm, root, bytes);
        }
        Collective::Scatter { root, bytes } => {
            member.scatter(algorithms.scatter.algorithm, root, bytes);
        }
        Collective::ScatterV {
            root, ref parts, ..
        } => {
            member.scatter_of(algorithms.scatterv.algorithm, root, parts);
        }
        Collective::ReduceScatter { ref parts, .. } => {
            member.reduce_scatter(algorithms.reducescatter, Parts::Each(parts));
        }
    }
}
