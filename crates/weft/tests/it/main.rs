//! The front door gives what the stages give, figure by figure.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test may stop at what cannot happen"
)]

mod demands;
mod figures;
mod runs;
