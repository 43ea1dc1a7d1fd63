//! Why a rehearsal cannot be.

use weft_fabric::degrade::DegradeError;
use weft_routing::LiftError;

/// What was rehearsed cannot be.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RehearsalError {
    /// Only switches with tables and room for whole packets.
    #[error(
        "{preset} switches know no tables; failures are rehearsed on hardware with room for whole packets, such as \
         infiniband_hdr"
    )]
    Hardware {
        /// The hardware's preset.
        preset: &'static str,
    },
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
    /// Routes are no tables.
    #[error(
        "only forwarding tables change switch by switch, but a routing has lists of ports or leaves packets a choice; \
         make tables of it (to_tables), or choose another routing"
    )]
    NoTables,
}
