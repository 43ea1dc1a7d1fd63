//! One run: warm-up, window, and the rules that end it.

mod control;
mod parameters;
mod verdict;

pub use control::{Phase, Progress, RunError, run};
pub use parameters::{Conditions, RunParameterError, RunParameters};
