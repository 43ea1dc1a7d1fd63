//! Why a question had no answer.

use crate::rehearsal_error::RehearsalError;
use weft_engine::run::RunError;
use weft_engine::{cut_through, wormhole};
use weft_fabric::FabricError;
use weft_model::hardware::HardwareError;
use weft_model::workload::TrafficError;
use weft_model::workload::program::{ProgramError, TraceError};
use weft_proof::ProofError;
use weft_registry::Suggestion;
use weft_routing::RoutingError;

/// Something that was brought does not fit, or a run ended without a result. Errors of the stages
/// keep their texts.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A fabric cannot be made.
    #[error(transparent)]
    Fabric(#[from] FabricError),
    /// Routes cannot be made, or not used as asked.
    #[error(transparent)]
    Routing(#[from] RoutingError),
    /// Hardware contradicts itself, or does not suit the fabric.
    #[error(transparent)]
    Hardware(#[from] HardwareError),
    /// Traffic is out of range, or does not suit the fabric.
    #[error(transparent)]
    Traffic(#[from] TrafficError),
    /// A program does not suit the fabric or the hardware.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// A trace cannot be replayed.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// Routes cannot be proved.
    #[error(transparent)]
    Proof(#[from] ProofError),
    /// Wormhole hardware cannot be simulated with these routes.
    #[error(transparent)]
    Wormhole(#[from] wormhole::EngineError),
    /// Cut-through hardware cannot be simulated with these routes.
    #[error(transparent)]
    CutThrough(#[from] cut_through::EngineError),
    /// A run was interrupted, or its parameters are out of range.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A rehearsal does not fit the network.
    #[error(transparent)]
    Rehearsal(#[from] RehearsalError),
    /// Only wormhole hardware answers the question.
    #[error("hardware {preset} is no wormhole hardware; choose myrinet")]
    NotWormhole {
        /// The hardware's preset.
        preset: &'static str,
    },
    /// No host has the name.
    #[error("found host “{found}”, expected one of the fabric{suggestion}")]
    UnknownHost {
        /// Name given.
        found: String,
        /// The name most like it.
        suggestion: Suggestion,
    },
    /// A message from a host to itself needs no network.
    #[error("source and destination are both “{host}”; expected two hosts")]
    SameHost {
        /// The host's name.
        host: String,
    },
    /// Bandwidth is data over time until they are acknowledged.
    #[error(
        "acknowledged is 0; expected 1 (ack-wait) or 2 (no-ack-wait): bandwidth is measured until \
         data are acknowledged"
    )]
    NotAcknowledged,
    /// Bandwidth needs something to send.
    #[error("{name} is 0; expected 1 or more")]
    NothingToSend {
        /// Name of what is missing.
        name: &'static str,
    },
    /// A host sends to several others, or to none.
    #[error(
        "with {pattern} host {host} sends to {destinations} others; expected a permutation, such \
         as bit_reversal"
    )]
    NoPermutation {
        /// The pattern.
        pattern: String,
        /// Name of the host.
        host: String,
        /// Hosts it sends to.
        destinations: usize,
    },
    /// A list of destinations is not as long as that of the hosts.
    #[error("{found} destinations; expected one for each host of {fabric}")]
    Destinations {
        /// Destinations given.
        found: usize,
        /// Name of the fabric.
        fabric: String,
    },
    /// No host has a destination.
    #[error("no host of {fabric} sends anything; expected one destination at least")]
    NoSender {
        /// Name of the fabric.
        fabric: String,
    },
    /// Not all data were acknowledged.
    #[error("{algorithm} on {fabric} {end}; expected all to be acknowledged")]
    Unfinished {
        /// What made the routes.
        algorithm: String,
        /// Name of the fabric.
        fabric: String,
        /// How the run ended.
        end: &'static str,
    },
}
