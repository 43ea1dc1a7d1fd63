//! Routes over a fabric: one file per algorithm, path selection, load figures. Knows nothing of
//! traffic, of which it is told the weights of host pairs at most, or time.
//!
//! ```text
//!             root rule          turn rule            choice
//! Fabric ──► Orientation ──► PathSpace ──► paths ──► rows ──► SourceRoutes ─────┬─► Routes ──► LoadFigures
//!                                                      ├─ in-transit stops ─┘   │
//!                                                      └─ lanes ──► ForwardingTables
//! ```

pub mod algorithms;
mod balanced;
mod demand;
pub mod dependencies;
mod depth_first;
mod descent;
mod endpoints;
mod error;
mod expected_load;
mod in_transit;
mod lane;
mod least_loaded;
mod linear;
pub mod load;
mod orientation;
mod parameters;
mod path_space;
mod random;
mod renaming;
mod root_rule;
mod roots;
mod routes;
mod selection;
mod shared;
mod shortest;
mod source_routes;
mod tables;
mod walk;
mod weighted;

pub use algorithms::{ALGORITHMS, Algorithm, RouteFunction};
pub use demand::{DemandFigures, demand_figures};
pub use error::RoutingError;
pub use in_transit::StopHost;
pub use lane::Lane;
pub use linear::{LinearError, LinearProgram, LinearSolver, NoSolver};
pub use load::LoadFigures;
pub use orientation::{Orientation, routed_part};
pub use parameters::{ParameterKind, ParameterSpec, Parameters};
pub use path_space::{PathSpace, TurnRule};
pub use renaming::{RenamingError, to_tables};
pub use root_rule::{ParseRootRuleError, RootRule};
pub use routes::{PairGranularity, Routes, Routing};
pub use selection::Selection;
pub use shared::SharedRoute;
pub use shortest::PathFigures;
pub use source_routes::{RouteRow, RoutesTooLarge, SourceRoutes};
pub use tables::ForwardingTables;
pub use walk::{DeadEnd, RouteHop, RouteStep, RouteWalk};
