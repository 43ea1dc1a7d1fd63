//! One simulation on several threads: how a fabric is divided, and how threads keep step.

mod bisection;
mod division;
mod meeting;
mod pace;
mod team;
mod work;

pub use division::Division;
pub use team::WindowCounts;
pub(crate) use team::{Letter, Part, Team, neighbours};
pub(crate) use work::FollowedWork;
