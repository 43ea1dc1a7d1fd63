//! One path of those that a pair may take.

mod balanced_selection;
mod least_loaded_selection;
mod managers_order;
mod path_shares;
mod selection;
mod shares_to_paths;
mod shortest_path_forest;
mod switch_heap;

pub(crate) use managers_order::{hosts_as_manager, places_as_manager, sort_as_manager};
pub(crate) use path_shares::spread;
pub use selection::Selection;
pub(crate) use selection::{select, select_routes};
pub(crate) use shares_to_paths::place;
pub(crate) use shortest_path_forest::ShortestForest;
