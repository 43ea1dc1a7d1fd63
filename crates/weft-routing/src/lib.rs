//! Routes over a fabric: one file per algorithm, path selection, load figures. Knows nothing of
//! traffic, of which it is told the weights of host pairs at most, or time.
//!
//! ```text
//!             root rule          turn rule            choice
//! Fabric ──► Orientation ──► PathSpace ──► paths ──► rows ──► SourceRoutes ─────┬─► Routes ──► LoadFigures
//!                                                      ├─ in-transit stops ─┘   │
//!                                                      └─ lanes ──► ForwardingTables ──► AdaptiveRoutes
//! ```
//!
//! | folder | what is in it |
//! |---|---|
//! | `form` | what routes are held in, and how packets follow them |
//! | `orient` | which way is up, and the turns that routes may take |
//! | `paths` | the graph that paths are searched in, and the searches |
//! | `choose` | one path of those that a pair may take |
//! | `cycles` | layers, lanes, forbidden turns and stops that keep cycles of channels out |
//! | `load` | what channels carry, and what no routes can do better |
//! | `shape` | grids and fat trees found in the links |
//! | `algorithms` | the routings, each in a file, with its own parts in a folder where it has many |
//! | `json` | routes as text, in our own format |
//! | `repair` | new tables after links failed |

pub mod algorithms;
mod choose;
mod cycles;
mod error;
mod form;
pub mod json;
mod linear_solver;
pub mod load;
mod orient;
mod parameters;
mod paths;
mod random;
mod repair;
mod shape;

pub use algorithms::{ADAPTIVE, ALGORITHMS, Algorithm, RouteFunction};
pub use choose::selection::Selection;
pub use cycles::in_transit_stops::StopHost;
pub use error::{Refusal, RoutingError};
pub use form::adaptive::{
    AdaptiveForwarding, AdaptiveRoutes, AdaptiveTables, AnyRoutes, Branch, Detour, Offers,
    TwoPhaseRoutes,
};
pub use form::destination_renaming::{RenamingError, to_tables};
pub use form::forwarding_tables::ForwardingTables;
pub use form::lanes::{Lane, LaneKey, LaneRow, LaneTables};
pub use form::packet_forwarding::{Entry, Forwarding, ForwardingError, Header};
pub use form::pair_granularity::{PairGranularity, TooManyLanes};
pub use form::route_walk::{DeadEnd, RouteHop, RouteStep, RouteWalk};
pub use form::routes::Routes;
pub use form::routing::{AnyRouting, Routing};
pub use form::shared_routes::SharedRoute;
pub use form::source_routes::{RouteRow, RoutesTooLarge, SourceRoutes};
pub use linear_solver::{LinearError, LinearProgram, LinearSolver, NoSolver};
pub use load::bounds::throughput_bound;
pub use load::bounds::{load_bound, load_bound_for_weights};
pub use load::congestion::{RoundFigures, Rounds, congestion};
pub use load::demand_figures::{DemandFigures, demand_figures};
pub use load::hottest_channels::{HotChannel, channel_loads, hottest_channels};
pub use load::load_figures::LoadFigures;
pub use orient::orientation::{Orientation, routed_part};
pub use orient::root_rule::{ParseRootRuleError, RootRule};
pub use orient::several_roots::{ParseTreeRootsError, TreeRoots};
pub use parameters::Parameters;
pub use paths::path_space::{PathSpace, TurnRule};
pub use paths::shortest_paths::PathFigures;
pub use repair::{Repair, RepairError, Transition, repair};
