//! Why an engine cannot be built.

use weft_model::{UnknownPart, WormholeError};
use weft_routing::ForwardingError;

/// An engine cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The hardware's parameters contradict one another.
    #[error(transparent)]
    Model(#[from] WormholeError),
    /// The routes cannot carry packets over the fabric.
    #[error(transparent)]
    Routes(#[from] ForwardingError),
    /// The routes use virtual lanes.
    #[error(
        "the routes use {lane_count} virtual lanes, but channels of wormhole hardware have one; \
         choose hardware with lanes, such as the preset infiniband_edr (--hardware infiniband_edr), \
         or a routing with one lane"
    )]
    Lanes {
        /// Lanes the routes use.
        lane_count: u8,
    },
    /// The routes stop in transit, which the firmware of NICs does not know.
    #[error(
        "the routes stop in transit, which the original firmware of NICs does not handle; choose the \
         firmware with in-transit support, or routes without such stops"
    )]
    NoInTransit,
    /// What is simulated knows no changes.
    #[error(
        "{what} cannot be simulated on wormhole hardware while parts fail or routes change; simulate random or \
         listed packets"
    )]
    Changes {
        /// What does not go with changes.
        what: &'static str,
    },
    /// A change names what is not there.
    #[error(transparent)]
    UnknownPart(#[from] UnknownPart),
    /// Switches of wormhole hardware hold no tables.
    #[error(
        "a switch is given tables in cycle {cycle}, but packets of wormhole hardware carry their routes; give \
         hosts other routes"
    )]
    SwitchTables {
        /// The cycle.
        cycle: u64,
    },
    /// More channels or hosts than events can number.
    #[error("the fabric has {found} channels; at most {limit} can be simulated")]
    TooLarge {
        /// Channels of the fabric.
        found: usize,
        /// The most there can be.
        limit: usize,
    },
}
