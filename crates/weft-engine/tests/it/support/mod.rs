//! Random cases for engine and oracle, and their comparison; what else several tests share.

pub(crate) mod algorithms;
pub(crate) mod case;
pub(crate) mod compare;
pub(crate) mod coverage;
pub(crate) mod cut_through;
mod fabrics;
mod failures;
pub(crate) mod fixtures;
mod mapping;
mod models;
mod programs;
pub(crate) mod random;
pub(crate) mod routes;
pub(crate) mod runner;
pub(crate) mod tasks;
mod workloads;
pub(crate) mod wormhole;
pub(crate) mod written_groups;
