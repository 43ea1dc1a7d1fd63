//! One run: warm-up, window, and the rules that end it.

mod control;
mod parameters;
mod pools;
mod replay;
mod verdict;

pub use control::{Phase, Progress, RunError, run};
pub use parameters::{Conditions, RunParameterError, RunParameters};
pub(crate) use pools::PoolSampler;
pub use pools::PoolSeries;
pub use replay::{Replay, ReplayEnd, ReplayProgress, replay};
