//! How cycles of channels are kept out: by layers, lanes, forbidden turns and stops in transit.

pub(crate) mod channel_dependencies;
pub(crate) mod forbidden_turns;
pub(crate) mod in_transit_stops;
pub(crate) mod lane_growth;
pub(crate) mod lane_orders;
pub(crate) mod lanes_by_orientation;
pub(crate) mod layers_by_rarest_turn;
pub(crate) mod layers_first_fit;
pub(crate) mod rerouting;
pub(crate) mod segments;
pub(crate) mod stops_that_cut;
