//! An independent verifier of routes: are all pairs reached, does no route loop, can no packets
//! wait for one another in a cycle? It looks at the routes alone, not at how they were made.
//!
//! ```text
//! Fabric, Routes ──► sweep, walk ──► dependency graph ─┬─► order of the channels (Certificate)
//!                           │                         └─► shortest cycle
//!                           └─► pairs not reached, loops
//! Fabric, AdaptiveRoutes ──► adaptive, everything packets may choose ──► the same graph
//! Fabric, Routes, Certificate ──► check_certificate, which shares nothing with the above
//! Fabric, LoadBound ──► check_load_bound, which shares nothing with the search for it
//! Fabrics and tables, old and new, TransitionPlan ──► check_transition, which shares nothing with the planner
//! ```

mod adaptive;
mod certificate;
mod check;
mod check_adaptive;
mod check_by_address;
mod check_groups;
mod check_lines;
mod check_listed;
mod check_load_bound;
mod check_one_lane;
mod check_transition;
mod check_ways;
mod dependency_graph;
mod describe;
mod error;
mod findings;
mod group_findings;
mod host_ends;
mod load_bound_error;
mod nearest_first;
mod plain_steps;
mod shortest_cycle;
mod sweep;
mod sweep_lines;
mod verdict;
mod verify;
mod walk;
mod wiring;

pub use adaptive::{levels_that_may_choose, verify_adaptive, verify_levels};
pub use certificate::Certificate;
pub use check::check_certificate;
pub use check_adaptive::check_adaptive_certificate;
pub use check_load_bound::check_load_bound;
pub use check_transition::{
    CheckedTransition, ObstructionError, TransitionCheckError, check_obstructions, check_transition,
};
pub use error::{CertificateError, ProofError};
pub use findings::{Findings, findings};
pub use group_findings::{EntryOf, GroupFindings, GroupOf, Told, group_findings};
pub use load_bound_error::LoadBoundError;
pub use verdict::{
    Dependency, DependencyCycle, Proof, RestsOn, RouteLoop, UnreachedPair, UnreachedReason, Verdict,
};
pub use verify::{is_free_between_compute_ends, verify};
