//! How cycles of channels are kept out: by layers, lanes, forbidden turns and stops in transit.

mod acyclic_dependencies;
mod channel_dependencies;
mod forbidden_turns;
mod in_transit_stops;
mod landmarks;
mod lane_growth;
mod lane_orders;
mod lanes_by_orientation;
mod layers_first_fit;
mod linked_order;
mod lists;
mod rerouting;
mod segments;
mod stops_that_cut;
mod turn_index;

pub(crate) use acyclic_dependencies::AcyclicDependencies;
pub(crate) use channel_dependencies::Dependencies;
pub(crate) use forbidden_turns::break_cycles;
pub use in_transit_stops::StopHost;
pub(crate) use in_transit_stops::{StopHosts, insert_stops};
pub(crate) use landmarks::Landmarks;
pub(crate) use lane_growth::LaneGrowth;
pub(crate) use lane_orders::{LaneOrders, LaneSet, places_of, up_down_ranks};
pub(crate) use lanes_by_orientation::put_on_lanes;
pub(crate) use layers_first_fit::Layers;
pub(crate) use rerouting::remove_deadlocks;
pub(crate) use segments::segment_turns;
pub(crate) use stops_that_cut::cut;
pub(crate) use turn_index::TurnIndex;
