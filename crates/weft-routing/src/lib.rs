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
//! | `orient` | which way is up |
//! | `paths` | the graph that paths are searched in, the turns that they may take, and the searches |
//! | `choose` | one path of those that a pair may take |
//! | `cycles` | layers, lanes, forbidden turns and stops that keep cycles of channels out |
//! | `joining` | ways joined to routes there are, without closing a cycle of channels |
//! | `completion` | ways from everywhere to addresses that some sources alone were planned to send to |
//! | `load` | what channels carry, and what no routes can do better |
//! | `shape` | grids and fat trees found in the links |
//! | `algorithms` | the routings, each in a file, with its own parts in a folder where it has many |
//! | `json` | routes as text, in our own format |
//! | `repair` | new tables after links failed |
//! | `transition` | from old tables to new while hosts go on sending |
//! | `service` | ways for service ends, joined to the routes of compute ends |

pub mod algorithms;
mod choose;
mod completion;
mod cycles;
mod error;
mod form;
mod joining;
pub mod json;
mod linear_solver;
pub mod load;
mod orient;
mod parameters;
mod paths;
mod progress;
mod random;
mod repair;
mod service;
mod shape;
mod transition;

pub use algorithms::{ADAPTIVE, ALGORITHMS, Algorithm, RouteFunction};
pub use choose::Selection;
pub use completion::complete_addresses;
pub use cycles::StopHost;
pub use error::{Refusal, RoutingError};
pub use form::{
    AdaptiveForwarding, AdaptiveRoutes, AdaptiveTables, AlikeCost, AnyForwarding, AnyRoutes,
    AnyRouting, Branch, ChangingForwarding, CheckedRoutes, Columns, DeadEnd, Detour, Entry,
    FabricSizes, FollowsWays, Forwarding, ForwardingError, ForwardingTables, GridLine, GroupChoice,
    GroupEntry, GroupStates, GroupTables, Header, HoldsRoutes, HostGroup, Lane, LaneKey, LaneRow,
    LaneTables, LidState, LiftError, MappedRoutes, Offers, PacketAddresses, PairGranularity,
    PairNames, PortGroup, RenamingError, RouteHop, RouteMemory, RouteRow, RouteStep, RouteWalk,
    Routes, RoutesFrom, Routing, ServiceEnds, SharedRoute, SharedRoutes, SourceRoutes, Steps,
    StepsAhead, StopCounts, Subgroup, SwitchGroups, TooManyLanes, TwoPhaseRoutes, WaysTogether,
    WhyAlike, flow_hash, to_tables,
};
pub use linear_solver::{LinearError, LinearProgram, LinearSolver, NoSolver};
pub use load::{
    AddressUse, BoundEffort, BoundedRoutes, DemandFigures, GroupLoads, GroupUse, HotChannel,
    LoadBound, LoadFigures, OneLane, PartOfPair, PricedCircle, RoundFigures, Rounds, channel_loads,
    congestion, congestion_by_address, demand_by_address, demand_figures, group_congestion,
    group_crossing, group_demand_figures, group_loads, group_parts, hashed_loads, hottest_channels,
    load_bound, load_bound_for_weights, load_of_pair, one_lane_bound, throughput_bound,
};
pub use orient::{
    Orientation, ParseRootRuleError, ParseTreeRootsError, RootRule, TreeRoots, routed_part,
};
pub use parameters::Parameters;
pub use paths::{PathFigures, PathSpace, TurnRule};
pub use progress::Progress;
pub use repair::{
    Bisections, FailedParts, Leading, Managed, Repair, RepairError, Repaired, RoundEntry,
    StandingFigures, StandingTables, Survey, Survival, Transition, repair,
};
pub use transition::{
    BlockedChange, BlockedWrite, ByTrees, Classic, ClassicMethod, LevelChange, MetChange,
    Obstruction, OrderDeadEnd, OrderEnd, Phase, PlannedAddress, Renewal, Step, TransitionError,
    TransitionPlan, Wait, Write, classics, obstructions, plan_direct_transition, plan_transition,
};
