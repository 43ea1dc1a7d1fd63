//! The paths that there are: the graph that they are searched in, and the searches.

pub(crate) mod candidate_paths;
pub(crate) mod destination_trees;
pub(crate) mod exits;
pub(crate) mod next_hops;
pub(crate) mod path_space;
pub(crate) mod random_path;
pub(crate) mod shortest_paths;
pub(crate) mod up_down_next_hops;
pub(crate) mod weighted_paths;
