//! Random cases for engine and oracle, and their comparison.

pub(crate) mod case;
pub(crate) mod compare;
pub(crate) mod cut_through;
mod fabrics;
mod models;
mod programs;
mod random;
pub(crate) mod routes;
pub(crate) mod runner;
mod workloads;
