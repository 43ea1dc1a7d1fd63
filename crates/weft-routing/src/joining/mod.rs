//! Ways joined to routes there are, without closing a cycle of channels.
//!
//! [`HeldLanes`] knows which lanes of channels wait for which, tells whether a way may come beside what is
//! held, and holds it. [`WaysToOne`] has the ways to one switch, and leads further switches there over those
//! that are led there already. Whoever [`Joins`] says in which order ways are tried and on which lanes, and who
//! [joins the nearest first](JoinsNearest) in which order ways of as many links are; that
//! is all in which the repair of tables, the completion of addresses, and service ends differ.

mod growth;
mod held_lanes;
mod held_ways;
mod tries;
mod wanted_lanes;
mod ways_to_one;

pub(crate) use growth::Growth;
pub(crate) use held_lanes::{CutTurns, Held, HeldLanes, LaneStep};
pub(crate) use held_ways::HeldWays;
pub(crate) use wanted_lanes::WantedLanes;
pub(crate) use ways_to_one::{Joins, JoinsNearest, Leads, WaysToOne, grow};
