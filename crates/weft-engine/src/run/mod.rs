//! One run: warm-up, window, and the rules that end it.

mod control;
mod generated;
mod known;
mod parameters;
mod replay;
mod slowest_queue;
mod verdict;

pub use crate::conditions::Conditions;
pub use control::{Phase, Progress, RunError, run};
pub(crate) use known::Known;
pub use parameters::{RunParameterError, RunParameters};
pub use replay::{RankProgress, Replay, ReplayEnd, ReplayLimits, ReplayProgress, replay};
