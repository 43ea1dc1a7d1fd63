//! The same models as the engine's, one cycle and one flit at a time, written from the semantics
//! alone to be read and believed. For tests only; it shares the types of `weft-model` with the
//! engine and nothing else.

mod cut_through;
mod draws;
mod wormhole;

pub use cut_through::{CutThroughOracle, OracleError, Room};
pub use wormhole::{Front, Oracle};
