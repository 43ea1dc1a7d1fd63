//! One simulation on several threads: how a fabric is divided, and how threads keep step.

mod bisection;
mod division;
mod meeting;

pub use division::Division;
pub(crate) use meeting::Meeting;
