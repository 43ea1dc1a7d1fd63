//! What routes are held in, and how packets follow them.

mod adaptive;
mod changing_forwarding;
mod checked_routes;
mod destination_renaming;
mod endpoints;
mod forwarding_tables;
mod grid_legs;
mod grid_rule;
mod laned_levels;
mod lanes;
mod lifted_tables;
mod mapped_routes;
mod packed_row;
mod packet_addresses;
mod packet_forwarding;
mod pair_granularity;
mod port_targets;
mod route_check;
mod route_memory;
mod route_row;
mod route_walk;
mod routes;
mod routing;
mod rows;
mod service_ends;
mod service_levels;
mod shared_routes;
mod source_routes;
mod steps_ahead;
mod stop_counts;
mod ways_together;

pub use adaptive::{
    AdaptiveForwarding, AdaptiveRoutes, AdaptiveTables, AnyRoutes, Branch, Detour, GroupChoice,
    GroupEntry, GroupStates, GroupTables, LidState, Offers, PortGroup, Subgroup, SwitchGroups,
    TwoPhaseRoutes, flow_hash,
};
pub(crate) use adaptive::{GroupMaker, GroupNumbers, LaneGroups};
pub use changing_forwarding::ChangingForwarding;
pub use checked_routes::{AnyForwarding, CheckedRoutes, FabricSizes, HoldsRoutes};
pub use destination_renaming::{RenamingError, to_tables};
pub(crate) use endpoints::Endpoints;
pub use forwarding_tables::{Columns, ForwardingTables};
pub use grid_rule::GridLine;
pub(crate) use grid_rule::{Axis, GridRule};
pub(crate) use laned_levels::{LanedLevels, LanedSet, numbers};
pub use lanes::{Lane, LaneKey, LaneRow, LaneTables};
pub use lifted_tables::LiftError;
pub use mapped_routes::MappedRoutes;
pub(crate) use packed_row::PackedRow;
pub use packet_addresses::PacketAddresses;
pub use packet_forwarding::{Entry, Forwarding, ForwardingError, Header};
pub use pair_granularity::{PairGranularity, PairNames, TooManyLanes};
pub(crate) use route_check::check_routes;
pub use route_memory::RouteMemory;
pub use route_row::RouteRow;
pub(crate) use route_walk::Start;
pub use route_walk::{DeadEnd, RouteHop, RouteStep, RouteWalk};
pub use routes::Routes;
pub use routing::{AnyRouting, Routing};
pub(crate) use rows::FindsRows;
pub use service_ends::{AlikeCost, ServiceEnds, WhyAlike};
pub(crate) use service_levels::{NoLevel, service_levels};
pub use shared_routes::{HostGroup, SharedRoute, SharedRoutes};
pub use source_routes::{RoutesFrom, SourceRoutes, Steps};
pub use steps_ahead::StepsAhead;
pub use stop_counts::StopCounts;
pub use ways_together::{FollowsWays, WaysTogether};
