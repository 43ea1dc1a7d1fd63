//! Why a rehearsal cannot be.

use weft_fabric::degrade::DegradeError;
use weft_routing::LiftError;

/// What was rehearsed cannot be.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RehearsalError {
    /// Switches of this hardware hold no tables.
    #[error(
        "packets of wormhole hardware carry their routes, which hosts get one after another; leave out which switches \
         get tables or entries, and clears_first"
    )]
    HostsHoldRoutes,
    /// Packets choose, where they are to carry a route.
    #[error(
        "packets of wormhole hardware carry their routes; choose routes that leave them no choice"
    )]
    NoRoutes,
    /// A time is out of range.
    #[error("{what} is {found} ns; expected {expected}")]
    Time {
        /// Which.
        what: &'static str,
        /// What it is.
        found: f64,
        /// What it may be.
        expected: &'static str,
    },
    /// A part that fails is not there.
    #[error(transparent)]
    Part(#[from] DegradeError),
    /// Tables do not go with the first ones.
    #[error(transparent)]
    Tables(#[from] LiftError),
    /// A destination has no such address.
    #[error(
        "entries are written for address {alias} of “{destination}”, which the tables do not have"
    )]
    UnknownAddress {
        /// Name of the destination.
        destination: String,
        /// Which of its addresses, from 0.
        alias: usize,
    },
    /// Routes are no tables.
    #[error(
        "only forwarding tables change switch by switch, but a routing has lists of ports or leaves packets a choice; \
         make tables of it (to_tables), or choose another routing"
    )]
    NoTables,
}
