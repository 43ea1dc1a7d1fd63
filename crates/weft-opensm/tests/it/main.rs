//! Tests of a cluster's files: what comes in, what goes out, what is refused.

#![allow(clippy::unwrap_used, reason = "a test may stop at what cannot happen")]

mod adaptive;
mod adaptive_damage;
mod cluster;
mod export;
mod lids;
mod management;
mod raised_lanes;
mod service_level_files;
mod service_levels;
mod tables;
