//! Tests of the oracles: by hand and by formula.

#![allow(clippy::unwrap_used, reason = "a test may stop at what cannot happen")]

mod by_hand;
mod contention;
mod cut_through;
mod in_transit_pool;
mod latency;
mod losses;
