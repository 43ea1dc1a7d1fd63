//! The paths that there are: the graph that they are searched in, its turns, and the searches.

mod candidate_paths;
mod destination_trees;
mod exits;
mod legal_steps;
mod lengths;
mod next_hops;
mod path_space;
mod random_path;
mod random_paths_together;
mod reached_steps;
mod shortest_paths;
mod slowness;
mod turns;
mod up_down_next_hops;
mod weighted_paths;

pub(crate) use candidate_paths::{
    Candidates, candidates, candidates_or, shortest_paths, shortest_permitted, shortest_simple,
};
pub(crate) use destination_trees::DestinationTrees;
pub(crate) use exits::{Exit, NO_EXIT, edge_by, exit_by};
pub(crate) use lengths::{Lengths, links_from};
pub(crate) use next_hops::{NextHops, Way};
pub(crate) use path_space::{Edge, NO_EDGE, State};
pub use path_space::{PathSpace, TurnRule};
pub(crate) use random_path::{RandomPaths, draw};
pub(crate) use random_paths_together::{MOST_TOGETHER, RandomPathSearch};
pub use shortest_paths::PathFigures;
pub(crate) use shortest_paths::{Distances, ShortestPaths, minimal_links};
pub(crate) use turns::{SpanningTree, Turns};
pub(crate) use up_down_next_hops::UpDownNextHops;
pub(crate) use weighted_paths::WeightedSearch;
