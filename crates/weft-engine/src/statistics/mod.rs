//! What a series of observations allows to be said: where its warm-up ends, and how well its mean
//! is known.

mod batches;
mod deviations;
mod estimate;
mod intervals;
#[cfg(test)]
mod samples;
mod slow_series;
mod student;
mod warm_up;

pub(crate) use batches::BatchSeries;
pub(crate) use estimate::Estimate;
pub(crate) use intervals::LEAST_CORRELATION;
pub use student::two_sided_quantile;
pub(crate) use warm_up::{Observation, truncation_point};
