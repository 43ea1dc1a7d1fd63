//! One path of those that a pair may take.

pub(crate) mod balanced_selection;
pub(crate) mod least_loaded_selection;
pub(crate) mod path_shares;
pub(crate) mod selection;
pub(crate) mod shares_to_paths;
pub(crate) mod shortest_path_forest;
