//! Why a question has no answer.

use serde_json::json;
use std::sync::Arc;
use weft_fabric::degrade::DegradeError;
use weft_fabric::formats::FormatError;
use weft_model::workload::ListError;
use weft_proof::{ProofError, TransitionCheckError};
use weft_registry::RegistryError;
use weft_routing::{RepairError, RoutingError, TransitionError};

/// What a question looks like.
pub(crate) const EXAMPLE: &str = r#"{"question": "routing", "state": {"routing": "updown"}}"#;

/// A question has no answer. Errors of the stages keep their texts.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExploreError {
    /// The question is no JSON.
    #[error("found no JSON: {problem}; expected a question such as {}", EXAMPLE)]
    NotJson {
        /// What is wrong, and where.
        problem: String,
    },
    /// A member is missing, or has a value that it cannot have.
    #[error("{member}: found {found}, expected {expected}")]
    Member {
        /// The member, such as `state.routing`.
        member: String,
        /// What stands there.
        found: String,
        /// What would be valid.
        expected: String,
    },
    /// A name that is not known.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// A part that failed is asked for.
    #[error("{what} “{name}” is not there any more: it failed, or was cut off")]
    Gone {
        /// What it is: a cable or a host.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// Nothing is left.
    #[error(transparent)]
    Degrade(#[from] DegradeError),
    /// The fabric cannot be read.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The fabric cannot be routed so.
    #[error(transparent)]
    Routing(#[from] RoutingError),
    /// The routes cannot be proved.
    #[error(transparent)]
    Proof(#[from] ProofError),
    /// The tables cannot be repaired.
    #[error(transparent)]
    Repair(#[from] RepairError),
    /// There are no tables, where a transition is from tables to tables.
    #[error(
        "found routes that packets carry, which no switch is written for; choose a routing by tables"
    )]
    NoTables,
    /// No transition is planned.
    #[error(transparent)]
    Transition(#[from] TransitionError),
    /// The plan of a transition does not hold.
    #[error(transparent)]
    TransitionCheck(#[from] TransitionCheckError),
    /// Packets cannot be listed.
    #[error(transparent)]
    Listed(#[from] ListError),
    /// The same question was asked before.
    #[error(transparent)]
    Known(#[from] Arc<ExploreError>),
    /// Whatever else does not fit.
    #[error(transparent)]
    Weft(#[from] weft::Error),
}

impl ExploreError {
    /// The error as an answer has it.
    pub fn as_json(&self) -> String {
        json!({"error": {"what": self.to_string()}}).to_string()
    }
}
