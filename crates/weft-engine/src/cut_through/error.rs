//! Why an engine cannot be built.

use weft_model::UnknownPart;
use weft_model::cut_through::CutThroughError;
use weft_routing::ForwardingError;

/// An engine cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The hardware's parameters contradict one another, or a packet does not fit.
    #[error(transparent)]
    Model(#[from] CutThroughError),
    /// The routes cannot carry packets over the fabric.
    #[error(transparent)]
    Routes(#[from] ForwardingError),
    /// The routes use more lanes than there are.
    #[error(
        "the routes use {used} virtual lanes, but channels of the hardware have {available}; give the \
         hardware more, or choose a routing with fewer"
    )]
    Lanes {
        /// Lanes the routes use.
        used: u8,
        /// Lanes the hardware has for data.
        available: u8,
    },
    /// A change names what is not there.
    #[error(transparent)]
    UnknownPart(#[from] UnknownPart),
    /// The timings are those of another fabric.
    #[error(
        "the fabric has {expected} links, but the timings are for another number; make the clock of \
         this fabric"
    )]
    Timings {
        /// Links of the fabric.
        expected: usize,
    },
    /// More lanes of channels than events can number.
    #[error("the fabric has {found} channels; with {lanes} lanes at most {limit} can be simulated")]
    TooLarge {
        /// Channels of the fabric.
        found: usize,
        /// Lanes of each.
        lanes: u8,
        /// The most there can be.
        limit: usize,
    },
}
