//! What can be wrong with traffic.

use weft_registry::{RegistryError, Suggestion};

/// Traffic cannot be generated from the parameters.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TrafficError {
    /// The load is zero, negative, absurdly large or not a number.
    #[error(
        "load is {found:?}; expected more than 0 and at most {maximum}, the payload that a host \
         offers over the rate of its link"
    )]
    Load {
        /// Load given.
        found: f64,
        /// Largest load.
        maximum: f64,
    },
    /// A share that is no weight.
    #[error(
        "payload size {payload_bytes} has share {share}; expected a positive share, from 1e-9 to \
         1e9"
    )]
    Share {
        /// Size given.
        payload_bytes: u32,
        /// Share given.
        share: f64,
    },
    /// No payload size at all.
    #[error("no payload size is given; expected at least one")]
    NoSize,
    /// A payload size out of range.
    #[error("a payload of {found} bytes; expected 1 to {maximum}")]
    Size {
        /// Size given.
        found: u32,
        /// Largest size.
        maximum: u32,
    },
    /// Too few hosts to talk to each other.
    #[error("traffic needs at least 2 hosts; the fabric has {found}")]
    TooFewHosts {
        /// Hosts of the fabric.
        found: usize,
    },
    /// Bursts in which there is no packet.
    #[error(
        "bursts of {mean_on_cycles} cycles hold {packets_per_burst:.2e} packets on average at this \
         load; expected at least a cycle and 1e-4 packets: give a longer on_ns, or arrivals \
         constant, which so short bursts come to"
    )]
    ShortBursts {
        /// Mean length in cycles.
        mean_on_cycles: f64,
        /// Packets in a burst on average.
        packets_per_burst: f64,
    },
    /// There is no such pattern or arrival process, or it cannot have such parameters.
    #[error(transparent)]
    Parameters(#[from] RegistryError),
    /// The fabric has no host of this name or number.
    #[error(
        "found host “{found}” for pattern {pattern}, expected hosts of fabric “{fabric}” by name, \
         or by number from 0 to {last}{suggestion}"
    )]
    UnknownHost {
        /// The pattern.
        pattern: &'static str,
        /// The text given.
        found: String,
        /// The fabric's name.
        fabric: String,
        /// Highest number of a host.
        last: usize,
        /// The name most like it.
        suggestion: Suggestion,
    },
    /// The fabric is not one the pattern is defined on.
    #[error("pattern {pattern} is not defined on fabric “{fabric}”: {reason}")]
    NotDefined {
        /// The pattern.
        pattern: &'static str,
        /// The fabric's name.
        fabric: String,
        /// Why, and what would be expected.
        reason: String,
    },
    /// No host would send.
    #[error(
        "no host of fabric “{fabric}” sends anything under pattern {pattern}: {reason}; expected \
         at least one that does"
    )]
    NobodySends {
        /// The pattern.
        pattern: &'static str,
        /// The fabric's name.
        fabric: String,
        /// Why.
        reason: String,
    },
    /// A file of a pattern cannot be understood.
    #[error("{file}:{line}: {problem}")]
    File {
        /// The file's name.
        file: String,
        /// Line, from 1.
        line: usize,
        /// What was found and what was expected.
        problem: String,
    },
    /// The pattern's file was not read beforehand.
    #[error("{file}: the file was not read; expected its text along with the pattern")]
    FileNotRead {
        /// The file's name.
        file: String,
    },
}
