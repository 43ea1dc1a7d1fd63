//! Tests of the engines: against the oracles, by hand, and of the measurements.

#![allow(clippy::unwrap_used, reason = "a test may stop at what cannot happen")]

mod adaptive;
mod by_hand;
mod changes;
mod claims;
mod cut_through;
mod differential;
mod exchanges;
mod groups;
mod mapping;
mod measurement;
mod motions;
mod nic_test_bed;
mod parallel;
mod pool_series;
mod queue_pairs;
mod replay;
mod support;
mod written_groups;
