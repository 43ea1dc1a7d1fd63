//! What a running cluster's subnet manager leaves and takes.
//!
//! `OpenSM` and ibdiagnet leave tables by LID, with GUIDs (`opensm-lfts.dump`, `dump_fts`) or without
//! (`opensm.fdbs`), and what puts their packets on lanes: service levels per pair of ports and the lanes
//! of each level at every switch.
//!
//! ```text
//! lft dump | fdb file ─► Entries ─► ForwardingTables ─┐
//! path records | psl ─► ServiceLevels ────────────────┼─► on_lanes ─► Routes
//! sl2vl ─► LaneMaps ──────────────────────────────────┘
//! ```
//!
//! Tables of switches that choose among groups of ports come from ibdiagnet (`adaptive`).
//!
//! The other way, [`export`] makes what `OpenSM` loads.
//!
//! Where an entry names the GUID of its port, that counts and not the LID, as `OpenSM` has it.

mod adaptive;
mod export;
mod lanes;
mod passed_over;
mod read_routes;
mod tables;
mod text;

pub use adaptive::{
    GroupFiles, GroupTableFiles, NamedFile, RoutesFileKind, read_group_tables, routes_file_kind,
    static_group_tables, write_group_tables,
};
pub use export::{
    LaneOrder, LoadedTables, OpensmEngine, OpensmError, OpensmFiles, OpensmOptions,
    entries_of_management, export, exported_tables, managed_tables,
};
pub use lanes::on_lanes::on_lanes;
pub use lanes::service_level_dump::{ReadServiceLevels, ServiceLevels};
pub use lanes::sl2vl_dump::LaneMaps;
pub use read_routes::read_routes;
pub use tables::ReadRoutes;
