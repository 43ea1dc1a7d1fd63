//! The formats of InfiniBand's tools: each read, each written, and all in agreement.
//!
//! The samples are what the tools print of one subnet, in which `ibsim` simulated the fabric of the
//! tests of `ibnetdiscover` and `OpenSM` gave the LIDs.

mod agreement;
mod damaged;
mod doubtful;
mod ibdiagnet;
mod link_lists;

mod round_trips;
mod samples;
