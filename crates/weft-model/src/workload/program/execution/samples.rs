//! When messages were sent and there: of some of them.

/// Which messages' spans are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Samples {
    /// Of each rank's messages to another, one in so many; 0: none.
    pub one_in: u64,
    /// So many of one rank at most.
    pub most_per_rank: usize,
}

/// A message, from its handing to the NIC, after the overhead of sending, to the cycle in which it
/// and its receive were there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MessageSpan {
    /// Cycle of its handing to the NIC.
    pub sent_cycle: u64,
    /// Cycle in which it and its receive were there.
    pub there_cycle: u64,
    /// Rank that sent it.
    pub from: u32,
    /// Rank that received it.
    pub to: u32,
    /// Its number among the messages of the one to the other.
    pub number: u64,
    /// Its tag.
    pub tag: u32,
    /// Its length.
    pub bytes: u64,
}
