//! What routes are held in, and how packets follow them.

pub(crate) mod adaptive;
pub(crate) mod destination_renaming;
pub(crate) mod endpoints;
pub(crate) mod forwarding_tables;
pub(crate) mod lanes;
pub(crate) mod packet_forwarding;
pub(crate) mod pair_granularity;
pub(crate) mod route_walk;
pub(crate) mod routes;
pub(crate) mod routing;
pub(crate) mod service_levels;
pub(crate) mod shared_routes;
pub(crate) mod source_routes;
