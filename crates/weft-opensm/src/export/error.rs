//! Why routes cannot be given to `OpenSM`.

use weft_fabric::formats::WriteError;
use weft_routing::RenamingError;

/// `OpenSM` cannot be given these routes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "messages tell what fields are")]
pub enum OpensmError {
    /// A switch or host has no GUID.
    #[error(
        "“{node}” has no GUID, by which OpenSM knows ports; take the fabric from a discovery of the \
         cluster (ibnetdiscover)"
    )]
    NoGuid { node: String },
    /// Two ports have the same GUID.
    #[error(
        "“{first}” and “{second}” have the same GUID, 0x{guid:016x}; discover the fabric again, or \
         give one of them another"
    )]
    SharedGuid {
        guid: u64,
        first: String,
        second: String,
    },
    /// There are not as many LIDs.
    #[error(
        "with {lids_per_host} LIDs for a host the fabric needs LIDs up to {needed}, but there are \
         {most}; choose a routing that needs fewer for a host, such as down_preferred"
    )]
    TooManyLids {
        lids_per_host: usize,
        needed: usize,
        most: u16,
    },
    /// The routes need more lanes than any InfiniBand link has.
    #[error(
        "the routes need {found} lanes, but InfiniBand has 15 for data, and most switches 8; give \
         the routing fewer, such as lanes=8"
    )]
    TooManyLanes { found: u8 },
    /// Switches choose lanes by other tables than those that give each level one lane.
    #[error(
        "switches choose the lanes of these routes by the ports a packet comes and goes by, but \
         OpenSM's engine “file” gives every service level one lane; our plugin, the engine “weft”, \
         tells switches the lanes port by port"
    )]
    LaneTables,
    /// Switches choose lanes by the lanes packets come on.
    #[error(
        "switches choose the lanes of these routes by the lane a packet comes on; InfiniBand's go by \
         its service level. Give the routes as steps with lanes, from which service levels are made"
    )]
    IncomingLanes,
    /// The packets of a pair alternate over service levels.
    #[error(
        "the packets of a pair take {turns} service levels in turn, but OpenSM tells a source one \
         level for a destination; applications would have to alternate by themselves"
    )]
    Turns { turns: u8 },
    /// Some LIDs have no proved ways from everywhere.
    #[error(
        "the routes need several LIDs for a host, and with ways from everywhere to each of them packets \
         can deadlock on as many lanes as there are; choose a routing that needs one LID, such as best, \
         dfsssp or torus_2qos, or say that it may be unproved"
    )]
    UnprovedLids,
    /// Tables cannot hold the routes.
    #[error("{error}{}", target(error))]
    Tables { error: RenamingError },
    /// The subnet list cannot be written.
    #[error(transparent)]
    List(#[from] WriteError),
}

impl From<RenamingError> for OpensmError {
    fn from(error: RenamingError) -> Self {
        Self::Tables { error }
    }
}

/// Says what could hold the routes that tables cannot.
fn target(error: &RenamingError) -> &'static str {
    match error {
        RenamingError::Stop { .. } => {
            ". No InfiniBand network can: packets would have to carry their route, as on Myrinet"
        }
        _ => "",
    }
}
