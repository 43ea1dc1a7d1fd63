//! Routes over a fabric: one file per algorithm, path selection, load figures. Knows nothing of
//! traffic, of which it is told the weights of host pairs at most, or time.
//!
//! ```text
//!             root rule          turn rule            choice
//! Fabric ──► Orientation ──► PathSpace ──► paths ──► rows ──► SourceRoutes ─────┬─► Routes ──► LoadFigures
//!                                                      ├─ in-transit stops ─┘   │
//!                                                      └─ lanes ──► ForwardingTables ──► AdaptiveRoutes
//! ```

mod adaptive;
pub mod algorithms;
mod balanced;
mod breaking;
mod candidates;
mod congestion;
mod cutting;
mod demand;
mod dependencies;
mod depth_first;
mod descent;
mod edge_paths;
mod endpoints;
mod error;
mod expected_load;
mod fat_tree;
pub mod formats;
mod forwarding;
mod grid;
mod grid_factors;
mod grid_ways;
mod hottest;
mod in_transit;
mod in_trees;
mod lane;
mod lane_tables;
mod laned;
mod lanes;
mod layering;
mod layers;
mod least_loaded;
mod linear;
pub mod load;
mod nearer;
mod nue;
mod orientation;
mod parameters;
mod path_space;
mod placing;
mod random;
mod renaming;
mod repair;
mod rerouting;
mod root_parameters;
mod root_rule;
mod roots;
mod routes;
mod segments;
mod selection;
mod service_levels;
mod shared;
mod shortest;
mod source_routes;
mod spread;
mod stopped;
mod tables;
mod throughput;
mod tree_roots;
mod turns;
mod walk;
mod weighted;

pub use adaptive::{
    AdaptiveForwarding, AdaptiveRoutes, AdaptiveTables, AnyRoutes, Branch, Detour, Offers,
    TwoPhaseRoutes,
};
pub use algorithms::{ADAPTIVE, ALGORITHMS, Algorithm, RouteFunction};
pub use congestion::{RoundFigures, Rounds, congestion};
pub use demand::{DemandFigures, demand_figures};
pub use error::{Refusal, RoutingError};
pub use forwarding::{Entry, Forwarding, ForwardingError, Header};
pub use hottest::{HotChannel, channel_loads, hottest_channels};
pub use in_transit::StopHost;
pub use lane::Lane;
pub use lane_tables::{LaneKey, LaneRow, LaneTables};
pub use laned::{load_bound, load_bound_for_weights};
pub use linear::{LinearError, LinearProgram, LinearSolver, NoSolver};
pub use load::LoadFigures;
pub use orientation::{Orientation, routed_part};
pub use parameters::{ParameterKind, ParameterSpec, Parameters};
pub use path_space::{PathSpace, TurnRule};
pub use renaming::{RenamingError, to_tables};
pub use repair::{Repair, RepairError, Transition, repair};
pub use root_rule::{ParseRootRuleError, RootRule};
pub use routes::{AnyRouting, PairGranularity, Routes, Routing, TooManyLanes};
pub use selection::Selection;
pub use shared::SharedRoute;
pub use shortest::PathFigures;
pub use source_routes::{RouteRow, RoutesTooLarge, SourceRoutes};
pub use tables::ForwardingTables;
pub use throughput::throughput_bound;
pub use tree_roots::{ParseTreeRootsError, TreeRoots};
pub use walk::{DeadEnd, RouteHop, RouteStep, RouteWalk};
