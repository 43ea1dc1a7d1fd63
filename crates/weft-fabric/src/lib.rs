//! The network as wired: switches, hosts, ports, links and channels; generators, file formats,
//! graph figures. Knows nothing of routing.
//!
//! ```text
//! generate/* ─┐
//!             ├─► FabricBuilder ─► Fabric ─► metrics, formats (write)
//! formats/*  ─┘                     │   ▲
//!                                   └───┴ degrade
//! ```

mod builder;
mod cable;
pub mod compare;
pub mod computers;
pub mod degrade;
mod error;
mod fabric;
mod fingerprint;
pub mod formats;
pub mod generate;
mod ids;
mod lids;
pub mod metrics;
mod more_cables;
mod narrow;
mod part;
mod rate;
mod separate_subnets;
mod service;
mod service_reason;

pub use builder::FabricBuilder;
pub use cable::{Cable, CableLength, ParsePortKindError, PortKind};
pub use error::FabricError;
pub use fabric::{Endpoint, Fabric, Hop, Host, Layout, Link, Node, Switch};
pub use ids::{ChannelId, HostId, LinkId, PortNumber, SwitchId};
pub use lids::LidRange;
pub use narrow::narrow;
pub use rate::{LaneSpeed, Lanes, LinkRate, ParseLinkRateError, PlainRate};
pub use separate_subnets::subnets;
pub use service_reason::{ParseServiceReasonError, ServiceReason};
