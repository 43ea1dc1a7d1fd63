//! Random cases for engine and oracle, and their comparison.

#![allow(dead_code, reason = "every test uses a part")]
#![expect(clippy::unwrap_used, reason = "a test may stop at what cannot happen")]

pub(crate) mod case;
pub(crate) mod compare;
pub(crate) mod cut_through;
mod fabrics;
mod models;
mod programs;
mod random;
mod routes;
pub(crate) mod runner;
mod workloads;
