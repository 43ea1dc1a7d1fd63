//! The answers, a file each.

mod cable;
mod latency;
mod limits;
mod loads_of_cable;
mod pair;
mod routing;
mod run;
mod transition;
mod ways;
mod without;

pub(crate) use cable::cable;
pub(crate) use limits::limits;
pub(crate) use loads_of_cable::loads_of_cable;
pub(crate) use pair::pair;
pub(crate) use routing::routing;
pub(crate) use run::run;
pub(crate) use transition::transition;
pub(crate) use ways::ways;
pub(crate) use without::without;
