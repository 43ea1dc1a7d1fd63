//! The reader of ibnetdiscover's output: what it makes of files as clusters produce them, and what
//! it tells of the rest.

#![allow(clippy::unwrap_used, reason = "a test may")]

mod doubtful;
mod samples;
mod whole;
