//! Answers beside values worked out by hand, and what is said of questions that have none.

#![allow(clippy::expect_used, reason = "a test may stop at what cannot happen")]

mod asked;
mod cables;
mod given;
mod pairs;
mod refusals;
mod routings;
mod runs;
mod transitions;
mod without;
