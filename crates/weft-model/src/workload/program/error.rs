//! Why something is no program.

use super::{MOST_COMPUTE_NS, MOST_MESSAGE_BYTES};
use weft_registry::RegistryError;

/// A program is not valid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramError {
    /// A rank that is not there.
    #[error("rank {found} does not exist; the program has ranks 0 to {}", rank_count.saturating_sub(1))]
    UnknownRank {
        /// Rank named.
        found: u32,
        /// Ranks there are.
        rank_count: usize,
    },
    /// A rank twice in a group.
    #[error("rank {found} is in a group twice; expected each once")]
    RepeatedRank {
        /// The rank.
        found: u32,
    },
    /// A task waits for itself or a later one.
    #[error("task {task} of rank {rank} waits for task {found}; expected an earlier one")]
    LaterTask {
        /// The rank.
        rank: u32,
        /// Number of the task.
        task: u64,
        /// What it waits for.
        found: u64,
    },
    /// A time of computing that is none.
    #[error("computing for {found} ns; expected 0 to {MOST_COMPUTE_NS:e}")]
    NoTime {
        /// What was found.
        found: String,
    },
    /// A message beyond all reason.
    #[error("a message of {found} bytes; expected no more than {MOST_MESSAGE_BYTES}")]
    LongMessage {
        /// Its length.
        found: u64,
    },
    /// Not as many places as ranks.
    #[error("{} given for the {ranks} ranks of the program; expected one for each", are(*found, "host"))]
    PlaceCount {
        /// Hosts given.
        found: usize,
        /// Ranks of the program.
        ranks: usize,
    },
    /// A host outside the fabric.
    #[error("rank {rank} is placed on host {host}; the fabric has hosts 0 to {last}")]
    UnknownHost {
        /// The rank.
        rank: u32,
        /// Number of the host.
        host: u32,
        /// Highest number of a host.
        last: u32,
    },
    /// Not as many lists of adapters as ranks.
    #[error(
        "adapters are given for {found} of the {ranks} ranks of the program; expected those of each"
    )]
    AdapterCount {
        /// Lists given.
        found: usize,
        /// Ranks of the program.
        ranks: usize,
    },
    /// A rank whose first adapter is not its host.
    #[error("rank {rank} is on another host than its first adapter; expected the same")]
    OtherFirstAdapter {
        /// The rank.
        rank: u32,
    },
    /// An adapter of two ranks that have not all in common.
    #[error(
        "host {host} is an adapter of rank {rank} twice, or of rank {owner} as well, which has others besides; expected \
         each once, and ranks that share adapters to have the same, in the same order"
    )]
    SharedAdapter {
        /// The rank.
        rank: u32,
        /// Who has it, too.
        owner: u32,
        /// Number of the host.
        host: u32,
    },
    /// Room for messages is limited, and several adapters receive them.
    #[error(
        "receive_messages is {found}, and ranks have several adapters; expected 0, no limit, as what has room is \
         decided where a packet comes"
    )]
    RoomByAdapters {
        /// The room there is.
        found: u64,
    },
    /// Not as many nodes as hosts.
    #[error("{} given for the {hosts} hosts of the fabric; expected one for each", are(*found, "node"))]
    NodeCount {
        /// Nodes given.
        found: usize,
        /// Hosts of the fabric.
        hosts: usize,
    },
    /// Not as many beginnings as ranks.
    #[error("{} given for the {ranks} ranks of the program; expected one for each", are(*found, "beginning"))]
    BeginCount {
        /// Beginnings given.
        found: usize,
        /// Ranks of the program.
        ranks: usize,
    },
    /// A task of a graph that waits for a cycle, as those of traffic beside jobs do.
    #[error(
        "found a task that waits until cycle {found}; a graph knows no cycles: expected one that computes, sends, \
         receives or joins others"
    )]
    WaitsForCycle {
        /// The cycle.
        found: u64,
    },
    /// The messaging layer has no such parameter, or not with such a value.
    #[error(transparent)]
    Messaging(#[from] RegistryError),
    /// A collective operation without a choice of algorithms.
    #[error("found collective operation “{found}”; expected one of {known}")]
    UnknownCollective {
        /// What was found.
        found: String,
        /// Those there are.
        known: String,
    },
    /// An algorithm that so many ranks cannot do.
    #[error(
        "{operation} by {algorithm} needs a power of two of ranks, the program has {ranks}; choose \
         another, or none, which takes {otherwise}"
    )]
    UnusableAlgorithm {
        /// The operation.
        operation: &'static str,
        /// What was chosen.
        algorithm: &'static str,
        /// Ranks of the program.
        ranks: u32,
        /// What is taken without a choice.
        otherwise: &'static str,
    },
    /// An algorithm without such a parameter, or not with such a value.
    #[error(transparent)]
    AlgorithmParameter(Box<RegistryError>),
    /// Trees in pairs, and one that is left over.
    #[error(
        "allreduce by double_tree has {found} channels; expected an even number, half of them for each tree"
    )]
    OddTrees {
        /// The number of channels.
        found: u32,
    },
    /// Nodes of which one would have fewer ranks.
    #[error(
        "{operation} by {algorithm} has {per_node} ranks a node, the program {ranks} ranks; expected a \
         number of ranks a node that divides them"
    )]
    UnevenNodes {
        /// The operation.
        operation: &'static str,
        /// What was chosen.
        algorithm: &'static str,
        /// Ranks of the program.
        ranks: u32,
        /// Ranks of a node.
        per_node: u32,
    },
    /// So many parts are never in a message.
    #[error("pat with aggregate={found}; expected {}", aggregates(*most))]
    UnusableAggregate {
        /// What was chosen.
        found: u32,
        /// Ranks of the program, and the most parts of a message among them.
        most: Option<(u32, u32)>,
    },
    /// An algorithm that an operation has not.
    #[error("{operation} has no algorithm “{found}”; expected one of {known}")]
    UnknownAlgorithm {
        /// The operation.
        operation: &'static str,
        /// What was found.
        found: String,
        /// Those there are.
        known: String,
    },
}

/// The numbers of parts that a message of aggregated trees may have.
fn aggregates(most: Option<(u32, u32)>) -> String {
    match most {
        None => "a power of two, or 0".to_owned(),
        Some((ranks, most)) => {
            format!("a power of two up to {most} among {ranks} ranks, or 0 for the most")
        }
    }
}

/// So many of something, with what follows them in a sentence.
fn are(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what} is"),
        count => format!("{count} {what}s are"),
    }
}
