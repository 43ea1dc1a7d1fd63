//! Tables of switches that choose among groups of ports, as ibdiagnet dumps them.
//!
//! ```text
//! .far, .ar  groups of ports; by LID the static port, who chooses, and the group ─┐
//! .fdbs      the static ports of switches that choose nothing ────────────────────┤
//! .plft      by port and service level: which of several tables ─────────────────┼─► Gathering ─► GroupTables
//! .vl2vl     service levels that a switch looks up by the lane they came on ──────┤
//! .slvl      lanes by service level, port by port ────────────────────────────────┘
//! ```
//!
//! Where no switch chooses anything the tables are read as those of static routing.
//!
//! The other way, [`write_group_tables`] makes the files.
//!
//! # Source
//! The files are named by NVIDIA's manuals of ibdiagnet 2.19 to 2.24 (pages “ibdiagnet Dump Files” and “Routing
//! Validation”); what switches are told is described in the attributes of adaptive routing and private tables that
//! ibdiagnet asks for (`AR_INFO` of its `.db_csv`).

mod gathering;
mod group_file;
mod group_rows;
mod groups_of_switch;
mod kinds;
mod lane_switching;
mod private_tables;
mod static_ports;
mod switch_state;
mod unknown_lids;
mod write;

pub(crate) use kinds::kind_of;
pub use kinds::{RoutesFileKind, routes_file_kind};
pub use write::{GroupTableFiles, static_group_tables, write_group_tables};

use crate::lanes::on_lanes::on_lanes;
use crate::lanes::sl2vl_dump::LaneMaps;
use crate::tables::ReadRoutes;
use gathering::Gathering;
use std::collections::BTreeMap;
use std::sync::Arc;
use weft_fabric::Fabric;
use weft_fabric::formats::{FormatError, ReadNote, Source};
use weft_routing::{AdaptiveRoutes, AnyRouting, Routing, ServiceEnds};

/// A file: its content, and what errors call it.
pub type NamedFile<'a> = (&'a [u8], &'a str);

/// The files of a folder of ibdiagnet that tell its routes, as far as there are.
#[derive(Clone, Copy, Debug, Default)]
pub struct GroupFiles<'a> {
    /// `.far`, or the older `.ar`.
    pub groups: Option<NamedFile<'a>>,
    /// `.fdbs`.
    pub static_ports: Option<NamedFile<'a>>,
    /// `.plft`.
    pub private_tables: Option<NamedFile<'a>>,
    /// `.vl2vl`.
    pub lane_switching: Option<NamedFile<'a>>,
    /// `.slvl`.
    pub lane_maps: Option<NamedFile<'a>>,
}

/// How routes that these files tell are called.
pub(crate) const ALGORITHM: &str = "ibdiagnet-far";

/// Reads the routes of a fabric from what ibdiagnet dumped of its switches.
///
/// Switches are known by GUID, hosts by LID; so the fabric must have both. What is of other switches, LIDs or ports
/// is passed over with a note, and so is told which switches have no tables: packets end there.
///
/// # Errors
/// [`FormatError`] with the place: a file is damaged, cut, of another kind or version, or all of another fabric. No
/// content makes the reader panic.
///
/// # Memory
/// Twice four bytes per switch, table and LID.
pub fn read_group_tables(
    files: &GroupFiles<'_>,
    fabric: &Fabric,
) -> Result<ReadRoutes, FormatError> {
    let mut gathering = Gathering::new(fabric);
    let mut notes = Vec::new();
    let mut read = |file: Option<NamedFile<'_>>, read: Reader| -> Result<(), FormatError> {
        let Some((bytes, name)) = file else {
            return Ok(());
        };
        let text = String::from_utf8_lossy(without_mark(bytes));
        let found = read(Source { name, text: &text }, &mut gathering)?;
        notes.extend(found.into_iter().map(|note| named(note, name)));
        Ok(())
    };
    read(files.groups, group_file::read)?;
    read(files.static_ports, static_ports::read)?;
    read(files.private_tables, private_tables::read)?;
    read(files.lane_switching, lane_switching::read)?;
    let maps = match files.lane_maps {
        Some((bytes, name)) => {
            let (maps, further) = LaneMaps::read(bytes, name, fabric)?;
            notes.extend(further.into_iter().map(|note| named(note, name)));
            Some(maps)
        }
        None => None,
    };
    let name = [files.groups, files.static_ports, files.private_tables];
    let name = name
        .into_iter()
        .flatten()
        .next()
        .map_or("", |(_, name)| name);
    notes.extend(
        gathering
            .missing()
            .into_iter()
            .map(|note| named(note, name)),
    );
    let tables = if let Some(tables) = gathering.static_tables() {
        let tables = on_lanes(fabric, tables, None, maps.as_ref());
        AnyRouting::Fixed(Arc::new(routing(tables.into())))
    } else {
        let tables = gathering.finish(maps.as_ref().map(LaneMaps::of_all_levels));
        AnyRouting::Adaptive(Arc::new(routing(AdaptiveRoutes::Groups(tables))))
    };
    Ok(ReadRoutes {
        routing: tables,
        notes,
    })
}

type Reader = fn(Source<'_>, &mut Gathering<'_>) -> Result<Vec<ReadNote>, FormatError>;

/// A file without the mark that some editors put before it.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// A note that says of which file it is.
fn named(note: ReadNote, name: &str) -> ReadNote {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    ReadNote {
        text: format!("{file}: {}", note.text),
        ..note
    }
}

fn routing<R>(routes: R) -> Routing<R> {
    Routing {
        algorithm: ALGORITHM.to_owned(),
        parameters: BTreeMap::new(),
        service: ServiceEnds::default(),
        routes,
    }
}
