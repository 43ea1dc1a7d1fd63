//! What channels carry under routes, and what no routes can do better.

mod address_use;
mod bounds;
mod congestion;
mod cuts;
mod demand_figures;
mod expected_load;
mod group_congestion;
mod group_demand;
mod group_loads;
mod group_parts;
mod group_use;
mod group_walk;
mod halves;
mod hashed_loads;
mod host_demand;
mod hottest_channels;
pub(crate) mod link_room;
mod load_figures;
mod loads_by_state;
mod metric;
mod pair_loads;
pub(crate) mod whole_flows;

pub use address_use::AddressUse;
pub use bounds::throughput_bound;
pub(crate) use bounds::{between, least_load, whole};
pub(crate) use congestion::push_channels;
pub use congestion::{RoundFigures, Rounds, congestion, congestion_by_address};
pub use demand_figures::{DemandFigures, demand_by_address, demand_figures};
pub(crate) use expected_load::largest_expected_load;
pub use group_congestion::group_congestion;
pub use group_demand::group_demand_figures;
pub use group_loads::{GroupLoads, group_loads};
pub use group_parts::{PartOfPair, group_crossing, group_parts};
pub use group_use::GroupUse;
pub use hashed_loads::hashed_loads;
pub(crate) use host_demand::{Demand, demand_by_weights};
pub use hottest_channels::{HotChannel, channel_loads, hottest_channels};
pub use load_figures::{LoadFigures, figures};
pub use metric::{
    BoundEffort, BoundedRoutes, LoadBound, OneLane, PricedCircle, load_bound,
    load_bound_for_weights, one_lane_bound,
};
pub(crate) use metric::{Detours, Shown, least_by_metric};
pub use pair_loads::load_of_pair;

/// Parts that a pair of hosts counts by: whole numbers, whose sums do not depend on an order. A pair has up to
/// 2^7 addresses to choose from by InfiniBand; of other numbers the last part is lost.
pub(crate) const PARTS: u64 = 1 << 20;
