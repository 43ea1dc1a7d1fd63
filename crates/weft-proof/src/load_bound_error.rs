//! Why a bound of loads does not hold.

/// A bound does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "messages tell what fields are")]
pub enum LoadBoundError {
    /// There are more or fewer weights than channels.
    #[error("the bound has {found} weights, but fabric “{fabric}” has {expected} channels")]
    WrongChannelCount {
        fabric: String,
        found: usize,
        expected: usize,
    },
    /// A channel of a host has a weight, whose load every routing shares.
    #[error(
        "channel {channel} of a host has weight {weight}; expected 0, as every routing loads it alike"
    )]
    HostChannel { channel: String, weight: u32 },
    /// The weights show less than is said.
    #[error("the weights show that some channel carries {shown} routes or more, not {claimed}")]
    ShowsLess { shown: u128, claimed: u64 },
    /// Channels of a circle do not lead from one to the next.
    #[error(
        "circle {number} of the bound is none: some channel does not lead to where the next comes from"
    )]
    NoCircle { number: usize },
    /// Circles have more of a turn than leaving it out costs.
    #[error(
        "circles of the bound have {asked} of the turn from {held} to {wanted}, which costs {paid}"
    )]
    AsksTooMuch {
        held: String,
        wanted: String,
        asked: u128,
        paid: u128,
    },
}
