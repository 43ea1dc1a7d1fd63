//! Questions about a fabric and its routes, asked and answered as JSON.
//!
//! ```text
//! question (JSON) ─► Question ─► State ─► Left ─► Routed ─► answers/* ─► answer (JSON)
//!                                        (what failed)  (routes, proof, loads; kept)
//! ```
//!
//! Everything is worked out by the crates of the stages as they are, and nothing here reads a clock, a
//! file or the number of cores: the same question has the same answer to the last byte, natively and in
//! a browser.
//!
//! # Examples
//! ```
//! let ring = weft_fabric::generate::ring(5, 1)?;
//! let explorer = weft_explore::Explorer::new(ring);
//! let answer = explorer.ask(r#"{"question": "routing", "state": {"routing": "min_hop"}}"#);
//! assert!(answer.contains(r#""free":false"#), "{answer}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod answers;
mod asked;
mod crossing;
mod error;
mod explorer;
mod kept;
mod left;
mod mended;
mod numbers;
mod question;
mod recent;
mod repaired;
mod routed;
mod state;
mod whole;

pub use error::ExploreError;
pub use explorer::Explorer;
