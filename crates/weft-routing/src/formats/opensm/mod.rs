//! What `OpenSM` and ibdiagnet leave of a running subnet: tables by LID, with GUIDs
//! (`opensm-lfts.dump`, `dump_fts`) or without (`opensm.fdbs`), and what puts their packets on lanes:
//! service levels per pair of ports and the lanes of each level at every switch.
//!
//! ```text
//! lfts | fdbs ─► Entries ─► ForwardingTables ─┐
//! path records | psl ─► ServiceLevels ────────┼─► on_lanes ─► Routes
//! sl2vl ─► LaneMaps ──────────────────────────┘
//! ```
//!
//! The other way, [`export`] makes what `OpenSM` loads.
//!
//! Where an entry names the GUID of its port, that counts and not the LID, as `OpenSM` has it.

mod entries;
mod export;
mod fdbs;
mod lane_maps;
mod lfts;
mod on_lanes;
mod passed_over;
mod service_levels;
mod text;

pub use export::{LaneOrder, OpensmEngine, OpensmError, OpensmFiles, OpensmOptions, export};
pub(super) use fdbs::{fdbs_switch, read_fdbs};
pub use lane_maps::LaneMaps;
pub(super) use lfts::{LFTS_START, read_lfts};
pub use on_lanes::on_lanes;
pub use service_levels::{ReadServiceLevels, ServiceLevels};

/// The port that stands for no entry.
const UNREACHABLE_PORT: u8 = 255;
/// The word that does.
const UNREACHABLE: &str = "UNREACHABLE";
