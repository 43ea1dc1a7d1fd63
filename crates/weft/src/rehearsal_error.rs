//! Why a rehearsal cannot be.

use weft_fabric::degrade::DegradeError;
use weft_registry::Suggestion;
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
    /// A switch has no such port.
    #[error(
        "entries of “{switch}” are written for port {port}; it has ports 1 to {port_count}, and 0 clears an entry"
    )]
    UnknownPort {
        /// Name of the switch.
        switch: String,
        /// The port.
        port: u8,
        /// Ports it has.
        port_count: u8,
    },
    /// A part fails that has failed, and has not returned.
    #[error(
        "“{part}” fails, which has failed and not returned by then; leave that out, or let it return before"
    )]
    FailedAlready {
        /// The part.
        part: String,
    },
    /// A part returns that has not failed.
    #[error("“{part}” returns, which has not failed by then; name the part that has")]
    NotFailed {
        /// The part.
        part: String,
    },
    /// Entries or levels are for no host or switch.
    #[error(
        "the destination “{destination}” is none: the fabric has neither host nor switch of this name{suggestion}"
    )]
    UnknownDestination {
        /// The name given.
        destination: String,
        /// The name most like it.
        suggestion: Suggestion,
    },
    /// What an event tells is wrong.
    #[error("event {event}: {error}")]
    Event {
        /// Which event, from 1.
        event: usize,
        /// What is wrong.
        error: Box<Self>,
    },
    /// Routes are no tables.
    #[error(
        "only forwarding tables change switch by switch, but a routing has lists of ports or leaves packets a choice; \
         make tables of it (to_tables), or choose another routing"
    )]
    NoTables,
}

impl RehearsalError {
    /// The same, of an event by its place in the list, from 1.
    pub(crate) fn of_event(self, event: usize) -> Self {
        let error = Box::new(self);
        Self::Event { event, error }
    }
}
