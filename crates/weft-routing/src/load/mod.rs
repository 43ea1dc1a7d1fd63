//! What channels carry under routes, and what no routes can do better.

pub(crate) mod bounds;
pub(crate) mod congestion;
pub(crate) mod demand_figures;
pub(crate) mod expected_load;
pub(crate) mod host_demand;
pub(crate) mod hottest_channels;
pub(crate) mod load_figures;

pub use load_figures::figures;
